"""What every way of retrieving offers the door."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from veille.core.addresses import IPAddress
from veille.core.http.egress import ALLOWED, Verdict

if TYPE_CHECKING:
    from veille.core.addresses import Url
    from veille.core.http.egress import Policy
    from veille.core.traffic import Failure, Order, Payload
    from veille.ports import Clock
    from veille.settings import FetchSettings


#: All addresses of a name; an empty list or OSError when there is none.
Resolve = Callable[[str], Awaitable[list[IPAddress]]]


@dataclass(frozen=True, slots=True)
class Surroundings:
    """What a retriever is given."""

    settings: FetchSettings
    policy: Callable[[], Policy]
    clock: Clock
    resolve: Resolve


class Turn(ABC):
    """The right to talk to one host now. Redirects ask for it again, because each is a request of its own."""

    @abstractmethod
    async def move(self, url: Url) -> float:
        """Wait for a turn at this address's host, giving up the one held; how long that took, in seconds.

        Raises TurnRefusedError when its host does not want us.
        """

    @abstractmethod
    def sending(self) -> float:
        """Say that the connection stands and the request is about to go out; how many seconds it must wait.

        Looking up a name and connecting take their time, so turns given at a distance may arrive side by side.
        """


class TurnRefusedError(Exception):
    """The host of a redirect may not be asked."""

    def __init__(self, failure: Failure) -> None:
        super().__init__(failure.message)
        self.failure = failure


class Retriever(ABC):
    """Retrieves addresses of one scheme. To add one, put one file named after the scheme into this folder."""

    def __init__(self, surroundings: Surroundings) -> None:
        self.around = surroundings

    @classmethod
    def judge(cls, settings: FetchSettings, url: str) -> Verdict:
        """Whether an address may be retrieved, as far as that is known without asking anybody; by default all may."""
        del settings, url
        return ALLOWED

    @abstractmethod
    async def retrieve(self, order: Order, turn: Turn, seconds: float) -> Payload | Failure:
        """The answer, within all limits and so many seconds. Never raises for a bad answer."""

    async def close(self) -> None:
        """Free everything."""
        return
