"""The interface of retrievers to the door, and which of them an address needs."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from veille import registry
from veille.core.addresses import IPAddress
from veille.core.http.egress import ALLOWED, Verdict
from veille.core.outcomes import failure
from veille.core.urls import meant

if TYPE_CHECKING:
    from veille.core.addresses import Url
    from veille.core.http.egress import Policy
    from veille.core.traffic import Failure, Order, Payload
    from veille.ports import Clock
    from veille.settings import FetchSettings

_PACKAGE = "veille.adapters.fetch"
#: Schemes that share the retriever of another.
_ALIKE = {"https": "http"}

#: All addresses of a name; an empty list or OSError if there is none.
Resolve = Callable[[str], Awaitable[list[IPAddress]]]


@dataclass(frozen=True, slots=True)
class Surroundings:
    """The dependencies of a retriever."""

    settings: FetchSettings
    policy: Callable[[], Policy]
    clock: Clock
    resolve: Resolve


class Turn(ABC):
    """The right to send a request to one host now. Redirects need a new one, because each is a separate request."""

    @abstractmethod
    async def move(self, url: Url) -> float:
        """Wait for a turn at this address's host, and release the current one; returns the wait in seconds.

        Raises TurnRefusedError if the host must not be asked.
        """

    @abstractmethod
    def sending(self) -> float:
        """Report that the connection is open and the request is about to be sent; returns the seconds it must wait.

        Name resolution and connecting take time, so turns granted with a delay may arrive together.
        """

    @abstractmethod
    def check(self) -> None:
        """Raise TurnRefusedError if the host is no longer ours, right before the request is sent."""


class TurnRefusedError(Exception):
    """The host of a redirect must not be asked."""

    def __init__(self, failure: Failure) -> None:
        super().__init__(failure.message)
        self.failure = failure


class Retriever(ABC):
    """Retrieves addresses of one scheme. To add one, add a module named after the scheme to this folder."""

    def __init__(self, surroundings: Surroundings) -> None:
        self.around = surroundings

    @classmethod
    def judge(cls, settings: FetchSettings, url: str) -> Verdict:
        """Whether an address may be retrieved, as far as known without any request; by default all may."""
        del settings, url
        return ALLOWED

    @abstractmethod
    async def retrieve(self, order: Order, turn: Turn, seconds: float) -> Payload | Failure:
        """The answer, within all limits and this many seconds. Never raises for a bad answer."""

    async def close(self) -> None:
        """Release all resources."""
        return


def scheme_of(url: str) -> str:
    """The name of the retriever for an address, whether or not it exists."""
    scheme = url.partition(":")[0].lower()
    return _ALIKE.get(scheme, scheme)


def retriever_of(scheme: str) -> type[Retriever] | None:
    """The retriever of a scheme, if there is one."""
    is_known = scheme in registry.names(_PACKAGE, Retriever)
    return registry.load(_PACKAGE, scheme, Retriever) if is_known else None


def judge(settings: FetchSettings, url: str) -> Verdict:
    """Whether an address would be retrieved, as far as known without any request."""
    kind = retriever_of(scheme_of(url))
    if kind is None:
        why = failure("bad_scheme", f"{scheme_of(url)[:20]!r} is not known").message
        return Verdict(allowed=False, reason="scheme", detail=f"{why}{meant(url)}")
    return kind.judge(settings, url)
