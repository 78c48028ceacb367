"""One source on a scripted host, with a clock that is moved: nothing is looked at but what the program finds due."""

from __future__ import annotations

from ipaddress import ip_address
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from faults.dns import ScriptedDns
from veille.adapters.fetch import Door
from veille.core.models import Scope, Source
from veille.core.records import RepairRecord
from veille.core.schedule import MINUTE
from veille.services.watching.sources import Wish
from watching import FAST, Watch
from world import Page, Site

ARTICLE = (
    "The council voted on Tuesday to rebuild the old harbour bridge, which had been closed since the flood. "
    "Work begins in spring and is to take two years; until then a ferry carries people across for free. "
) * 4


class Stage:
    """`with Stage(folder) as stage: stage.watch("/a")`; hosts called `*.test` are this machine while `dns` says so."""

    def __init__(self, folder: Path) -> None:
        self.site = Site()
        self.dns = ScriptedDns({})
        self._folder = folder

    def __enter__(self) -> Self:
        self.site.__enter__()
        # Nothing is ever rendered: where there is a browser, pages without text would be read by it.
        self._fetch = FAST.model_copy(update={"browser_path": Path("/nowhere")})
        self.play = Watch(self.site, self._folder, fetch=self._fetch)
        self.reopen()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.play.__exit__(kind, error, trace)
        self.site.__exit__(kind, error, trace)

    def reopen(self) -> None:
        """A door that asks the scripted names, without open connections."""
        app = self.play.app
        app.outside.fetcher = Door(self._fetch, app.clock, app.hosts, resolve=self.dns)

    def article(self, path: str, text: str = ARTICLE) -> None:
        self.site.article(path, "The bridge", text)

    def sends(self, path: str, status: int, headers: dict[str, str] | None = None) -> None:
        """Answer with a status."""
        self.site[path] = Page(b"", status=status, headers=headers or {}, validates=False)

    def leads(self, path: str, status: int, target: str) -> None:
        self.sends(path, status, {"Location": target})

    def watch(self, path: str, kind: str = "page", host: str = "", **config: Any) -> None:
        """Watch an address and look at it once."""
        url = self.site.url + path
        if host:
            self.dns.names[host] = [[ip_address("127.0.0.1")]]
            url = url.replace("127.0.0.1", host)
        self._id = self.play.app.sources.add(self.play.dossier_id, Wish(url=url, kind=kind, config=config)).id
        self.play.app.run(Scope())

    def turns(self, number: int = 1) -> None:
        """Let so many hours pass and a little more each, and do what falls due; in halves, as retries come between."""
        for _ in range(number * 2):
            self.play.now += 35 * MINUTE
            self.play.app.run(Scope())

    @property
    def source(self) -> Source:
        return self.play.app.sources.find(self.play.dossier_id, self._id)

    @property
    def path(self) -> str:
        """Where the source is watched now."""
        return self.source.url.partition("://")[2].partition("/")[2]

    @property
    def repairs(self) -> list[RepairRecord]:
        """Oldest first."""
        return self.play.app.repairs.all(self.play.dossier_id)[::-1]

    @property
    def text(self) -> str:
        """What the newest current document says; empty when there is none."""
        with self.play.app.dossiers.open(self.play.dossier_id) as store:
            found = [one for one in store.records.documents() if one.state == "current"]
        return found[0].text if found else ""

    def sweep(self) -> bool:
        """Whether the sweeper found it well."""
        with self.play.app.sweeper() as sweeper:
            return any(one.recovered for one in sweeper.sweep([self.play.dossier_id]))

    def undo(self) -> None:
        """Undo the newest repair."""
        self.play.app.repairs.undo(self.play.dossier_id, self.repairs[-1].id)

    def asked(self) -> int:
        """How many requests came since this was last asked."""
        number = len(self.site.seen)
        self.site.seen.clear()
        return number
