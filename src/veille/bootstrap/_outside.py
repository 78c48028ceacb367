"""Access to the network: what fetches and reads, created on first use."""

from __future__ import annotations

import os
from contextlib import ExitStack, closing, contextmanager
from typing import TYPE_CHECKING

from veille.core.http.secrets import Secret, bound_hosts
from veille.core.traffic import Failure
from veille.errors import ReadError
from veille.registry import later

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping, Sequence
    from functools import cached_property

    from veille.core.analyse.analysis import AnalysisSubject, TextFacts
    from veille.core.browsing.pictures import DrawnDifference
    from veille.core.discover.opml import FeedList
    from veille.core.http.egress import Verdict
    from veille.ports import Clock, Fetcher, Hosts, Workshop
    from veille.services.repairing.probe import Looker
    from veille.services.watching.detection import Detector
    from veille.services.watching.discovering import Discoverer
    from veille.services.watching.pointing import Pointer
    from veille.settings import Settings


class Outside:
    """Everything that uses the network or reads its answers. The fetcher is for one worker at a time."""

    fetcher: cached_property[Fetcher] = later("adapters.fetch:Door", "settings.fetch", "clock", "hosts")
    #: Reads answers; its child processes start with the first reading.
    workshop: cached_property[Workshop] = later("adapters.workshop:SandboxWorkshop", "settings.workshop")

    def __init__(self, settings: Settings, clock: Clock, hosts: Hosts) -> None:
        self.settings = settings
        self.clock = clock
        self.hosts = hosts

    def close(self) -> None:
        with ExitStack() as ending:
            for name in ("workshop", "fetcher"):
                if name in self.__dict__:
                    ending.callback(getattr(self, name).close)

    @contextmanager
    def door(self, timeout_s: float | None = None) -> Iterator[Fetcher]:
        """A new fetcher for requests that a user waits for, with their time limit (`reader_timeout_s`) by default."""
        from veille.adapters.fetch import Door  # noqa: PLC0415 - slow to import

        fetch = self.settings.fetch.model_copy(update={"timeout_s": timeout_s or self.settings.reader_timeout_s})
        with closing(Door(fetch, self.clock, self.hosts)) as door:
            yield door

    @contextmanager
    def looker(self, timeout_s: float | None = None) -> Iterator[Looker]:
        """Fetches single addresses, with its own fetcher."""
        from veille.services.repairing.probe import Looker  # noqa: PLC0415 - seldom needed

        with self.door(timeout_s) as door:
            yield Looker(door, self.workshop)

    @contextmanager
    def detector(self) -> Iterator[Detector]:
        """Detects what kind of source an input should be."""
        from veille.services.watching.detection import Detector  # noqa: PLC0415 - likewise

        with self.looker() as looker:
            yield Detector(looker, self.workshop, self.clock, self.judge)

    def pointer(self) -> Pointer:
        """Shows the parts of a fetched page."""
        from veille.services.watching.pointing import Pointer  # noqa: PLC0415 - slow to import

        return Pointer(self.workshop)

    @contextmanager
    def discoverer(self) -> Iterator[Discoverer]:
        """Finds the feeds of pages."""
        from veille.services.watching.discovering import Discoverer  # noqa: PLC0415 - likewise

        with self.looker() as looker:
            yield Discoverer(looker, self.clock)

    def outlines(self, data: bytes) -> FeedList:
        """The entries of a list of sources; ReadError if it is not one, or cannot be read in time."""
        from veille.core.tasks.examining import ListFeeds  # noqa: PLC0415 - slow to import

        found = self.workshop.run(ListFeeds(), data)
        if isinstance(found, Failure):
            raise ReadError(found.message, code=found.code)
        return found

    def text_facts(self, subjects: Sequence[AnalysisSubject], dossier_id: str) -> list[TextFacts]:
        """What texts say, read in a child process; ReadError if they cannot be read in time."""
        from veille.core.tasks.texts import ReadTexts  # noqa: PLC0415 - slow to import

        found = self.workshop.run(ReadTexts(subjects=tuple(subjects)), group=dossier_id)
        if isinstance(found, Failure):
            raise ReadError(found.message, code=found.code)
        return found

    def drawn(self, before: bytes, after: bytes) -> DrawnDifference:
        """Where two pictures differ; ReadError if they cannot be compared in time."""
        from veille.core.tasks.showing import DrawDifference  # noqa: PLC0415 - slow to import

        found = self.workshop.run(DrawDifference(size=len(before)), before + after)
        if isinstance(found, Failure):
            raise ReadError(found.message, code=found.code)
        return found

    def thumbnail(self, picture: bytes, dossier_id: str) -> bytes:
        """The top of a picture, small; ReadError if it cannot be drawn in time."""
        from veille.core.tasks.showing import DrawThumbnail  # noqa: PLC0415 - slow to import

        found = self.workshop.run(DrawThumbnail(), picture, group=dossier_id)
        if isinstance(found, Failure):
            raise ReadError(found.message, code=found.code)
        return found.webp

    def judge(self, url: str) -> Verdict:
        """Whether the door would allow an address, as far as that is known before its name is resolved."""
        from veille.adapters.fetch import judge  # noqa: PLC0415 - slow to import

        return judge(self.settings.fetch, url)

    def audit_egress(self, vectors: str) -> list[dict[str, str]]:
        """What the door would decide about a table of addresses; nothing is requested."""
        from veille.adapters.fetch import policy_of  # noqa: PLC0415 - slow to import
        from veille.core.http.audit import audit  # noqa: PLC0415 - seldom needed

        return audit(vectors, policy_of(self.settings.fetch))


def variables(allowed: Mapping[str, Collection[str]]) -> dict[str, Secret]:
    """The environment variables that sources may reference, each for its hosts."""
    bound = {name: bound_hosts(hosts) for name, hosts in allowed.items()}
    return {name: Secret(os.environ[name], hosts) for name, hosts in bound.items() if name in os.environ}
