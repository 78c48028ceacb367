"""The program and the site it watches, with a clock that tests move."""

from __future__ import annotations

from functools import partial
from ipaddress import ip_network
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import veille
from samples import NOW
from veille.adapters.sender import DoorSender
from veille.bootstrap._outlets import make_embedder
from veille.core.models import Change, Scope, Source
from veille.core.records import Delivery, Run
from veille.core.schedule import HOUR
from veille.ports import Means
from veille.services.watching.sources import Wish
from veille.settings import FetchSettings
from world import Seen, Site

#: Chromium without windows: a page takes a third of the CPU.
HEADLESS = Path("/usr/bin/chromium-headless-shell")
#: As a stranger's machine would have it, but for the loopback server: it may be reached, and asked without a pause.
FAST = FetchSettings(host_delay_ms=0, timeout_s=10, allow_networks=(ip_network("127.0.0.0/8"),), browser_path=HEADLESS)


def sink_means() -> Means:
    """What a sink is given, at a standing time; close its sender."""
    sender = DoorSender(FAST, lambda: NOW)
    return Means(sender=sender, clock=lambda: NOW, embedder=partial(make_embedder, sender))


class Watch:
    """One dossier of one program on a real site; `turn` is one hour later, everything checked again."""

    def __init__(self, site: Site, folder: Path, **settings: Any) -> None:
        self.site = site
        self.folder = folder
        self.now = NOW
        given: dict[str, Any] = {"data": folder / "data", "buffer_dir": folder / "buffer", "fetch": FAST} | settings
        self.app = veille.open_app(clock=lambda: self.now, **given)
        known = {dossier.name: dossier.id for dossier in self.app.dossiers.all()}
        self.dossier_id = known.get("news") or self.app.create_dossier("news").id

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.app.close()

    def add(self, path: str, kind: str = "", **config: object) -> Source:
        return self.app.sources.add(self.dossier_id, Wish(url=self.site.url + path, kind=kind, config=config))

    def run(self) -> Run:
        (report,) = self.app.run(Scope())
        return report

    def turn(self) -> tuple[Run, list[Seen]]:
        """Everything once more, with what went over the wire."""
        self.now += HOUR
        self.site.seen.clear()
        self.app.queue.arm(self.dossier_id, self.now)
        return self.run(), list(self.site.seen)

    def deliver(self) -> list[Delivery]:
        return self.app.deliver([self.dossier_id])

    def found(self, text: str) -> list[str]:
        """The paths of the hits."""
        hits = self.app.searches.search([self.dossier_id], text)
        return [hit.url.removeprefix(self.site.url) for hit in hits]

    def files(self) -> list[Path]:
        return sorted((self.folder / "buffer").rglob("*.*"))


def told(report: Run) -> dict[Change, int]:
    """What a run counted, without the zeros."""
    return {change: count for change, count in report.counts.items() if count}
