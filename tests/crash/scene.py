"""A small web whose every version is known: what the store must hold in the end, no more and no less."""

from __future__ import annotations

import random
from contextlib import ExitStack
from dataclasses import dataclass, field
from types import TracebackType
from typing import Self

import veille
from veille.core.fingerprint import content_hash
from veille.services.watching.sources import Wish
from world import Site

_WORDS = "river stone cloud letter harbour winter copper garden signal market bridge lantern orchard window".split()

#: Slow enough that a page is often edited, and a worker killed, between request and answer.
MAX_DELAY_S = 0.05


@dataclass(frozen=True)
class Size:
    """How much there is to watch."""

    hosts: int = 6
    dossiers: int = 3
    pages: int = 40
    feeds: int = 3
    entries: int = 20


@dataclass
class Thing:
    """Something watched, with all its versions so far. An entry knows the path of its feed."""

    dossier: str
    source: str
    site: Site
    path: str
    feed: str = ""
    versions: list[str] = field(default_factory=list)

    @property
    def url(self) -> str:
        return f"{self.site.url}{self.path}"

    @property
    def title(self) -> str:
        return f"About{self.path.replace('/', ' ')}"


class Scene:
    """The sites and what was published on them. A version is replaced only after it was stored, so none may be missing.

    Every thing has a text of its own, so that nothing is a duplicate.
    """

    def __init__(self, app: veille.App, size: Size, seed: int) -> None:
        self.app = app
        self.things: list[Thing] = []
        self._random = random.Random(seed)
        self._stack = ExitStack()
        self._sites = [self._stack.enter_context(Site(host=f"127.0.0.{2 + n}")) for n in range(size.hosts)]
        self.dossiers = [app.create_dossier(f"dossier {n}").id for n in range(size.dossiers)]
        for number in range(size.pages):
            self._add_page(number)
        for number in range(size.feeds):
            self._add_feed(number, size.entries)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._stack.close()

    def edit_some(self, most: int) -> int:
        """Publish a new version of a few things whose present one is stored, and have them looked at.

        Returns how many others wait to be stored.
        """
        stored = self._stored()
        ready = [
            thing for thing in self.things if stored.get((thing.dossier, thing.url)) == content_hash(thing.versions[-1])
        ]
        chosen = self._random.sample(ready, min(most, len(ready)))
        for thing in chosen:
            self._publish(thing)
        # A few that did not change, too: most looks find nothing new. What was edited before is never asked for again.
        self.look_at([*chosen, *self._random.sample(ready, min(most, len(ready)))])
        return len(self.things) - len(ready)

    def look_at(self, things: list[Thing]) -> None:
        """Make their sources due now."""
        for dossier in self.dossiers:
            if sources := sorted({thing.source for thing in things if thing.dossier == dossier}):
                self.app.queue.arm(dossier, self.app.clock(), sources)

    def requests(self) -> tuple[int, int]:
        """How many requests the sites had, and how many of them asked for news only."""
        seen = [request for site in self._sites for request in site.seen]
        return len(seen), sum(request.conditional for request in seen)

    def _stored(self) -> dict[tuple[str, str], str]:
        found = {}
        for dossier in self.dossiers:
            with self.app.dossiers.open(dossier) as store:
                for revision in store.records.documents(limit=10_000):
                    found[dossier, revision.url] = revision.content_hash
        return found

    def _add_page(self, number: int) -> None:
        site = self._sites[number % len(self._sites)]
        path, dossier = f"/page/{number}", self.dossiers[number % len(self.dossiers)]
        source = self.app.sources.add(dossier, Wish(url=f"{site.url}{path}", kind="page"))
        self._publish(self._keep(Thing(dossier, source.id, site, path)))

    def _add_feed(self, number: int, entries: int) -> None:
        site = self._sites[number % len(self._sites)]
        feed, dossier = f"/feed/{number}.xml", self.dossiers[number % len(self.dossiers)]
        wish = Wish(url=f"{site.url}{feed}", kind="feed", config={"follow_links": True})
        source = self.app.sources.add(dossier, wish)
        for entry in range(entries):
            self._publish(self._keep(Thing(dossier, source.id, site, f"/entry/{number}/{entry}", feed)))

    def _keep(self, thing: Thing) -> Thing:
        self.things.append(thing)
        return thing

    def _publish(self, thing: Thing) -> None:
        version = len(thing.versions) + 1
        lines = [" ".join(self._random.choices(_WORDS, k=30)) for _ in range(self._random.randint(2, 8))]
        text = "\n".join([f"Version {version} of {thing.url} for {thing.dossier}.", *lines])
        thing.versions.append(text)
        thing.site.article(thing.path, thing.title, text)
        thing.site.pages[thing.path].delay_s = self._random.uniform(0, MAX_DELAY_S)
        if thing.feed:
            # After the page: whoever sees the new feed finds the new page.
            self._publish_feed(thing)

    def _publish_feed(self, thing: Thing) -> None:
        entries = [other for other in self.things if other.source == thing.source and other.versions]
        news = [(entry.path, entry.title, f"<p>Version {len(entry.versions)}</p>") for entry in entries]
        thing.site.feed(thing.feed, news)
