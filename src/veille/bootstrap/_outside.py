"""Access to the network: what fetches and reads, created on first use."""

from __future__ import annotations

from contextlib import closing, contextmanager
from functools import cached_property
from typing import TYPE_CHECKING

from veille.core.traffic import Failure
from veille.errors import ReadError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from veille.core.discover.opml import FeedList
    from veille.core.http.egress import Verdict
    from veille.ports import Clock, Fetcher, Hosts, Workshop
    from veille.services.watching.detection import Detector
    from veille.services.watching.discovering import Discoverer
    from veille.services.watching.probe import Looker
    from veille.settings import Settings


class Outside:
    """Mixin: what uses the network or reads what came from it; the subclass provides settings, clock and hosts."""

    settings: Settings
    clock: Clock
    hosts: Hosts

    def close_doors(self) -> None:
        if "fetcher" in self.__dict__:
            self.fetcher.close()
        if "workshop" in self.__dict__:
            self.workshop.close()

    @cached_property
    def fetcher(self) -> Fetcher:
        """Created on first use: searching needs no network."""
        from veille.adapters.fetch import Door  # noqa: PLC0415 - slow to import

        return Door(self.settings.fetch, self.clock, self.hosts)

    @cached_property
    def workshop(self) -> Workshop:
        """Where answers are read; its child processes start with the first reading."""
        from veille.adapters.workshop import SandboxWorkshop  # noqa: PLC0415 - searching needs none

        return SandboxWorkshop(self.settings.workshop)

    @contextmanager
    def detector(self) -> Iterator[Detector]:
        """Detects what kind of source an input should be."""
        from veille.services.watching.detection import Detector  # noqa: PLC0415 - seldom needed

        with self.looker() as looker:
            yield Detector(looker, self.workshop, self.clock, self.judge)

    @contextmanager
    def discoverer(self) -> Iterator[Discoverer]:
        """Finds the feeds of pages."""
        from veille.services.watching.discovering import Discoverer  # noqa: PLC0415 - likewise

        with self.looker() as looker:
            yield Discoverer(looker, self.clock)

    def outlines(self, data: bytes) -> FeedList:
        """The feeds of a list (OPML); ReadError if it is not one, or cannot be read in time."""
        from veille.core.tasks import ListFeeds  # noqa: PLC0415 - slow to import

        found = self.workshop.run(ListFeeds(), data)
        if isinstance(found, Failure):
            raise ReadError(found.message, code=found.code)
        return found

    @contextmanager
    def looker(self, timeout_s: float | None = None) -> Iterator[Looker]:
        """Fetches single addresses, with its own door."""
        from veille.adapters.fetch import Door  # noqa: PLC0415 - slow to import
        from veille.services.watching.probe import Looker  # noqa: PLC0415 - seldom needed

        # A user waits, as for the reader.
        fetch = self.settings.fetch.model_copy(update={"timeout_s": timeout_s or self.settings.reader_timeout_s})
        with closing(Door(fetch, self.clock, self.hosts)) as door:
            yield Looker(door, self.workshop)

    def judge(self, url: str) -> Verdict:
        """Whether the door would allow an address, as far as that is known before its name is resolved."""
        from veille.adapters.fetch import judge  # noqa: PLC0415 - slow to import

        return judge(self.settings.fetch, url)

    def audit_egress(self, vectors: str) -> list[dict[str, str]]:
        """What the door would decide about a table of addresses; nothing is requested."""
        from veille.adapters.fetch import policy_of  # noqa: PLC0415 - slow to import
        from veille.core.http.audit import audit  # noqa: PLC0415 - seldom needed

        return audit(vectors, policy_of(self.settings.fetch))
