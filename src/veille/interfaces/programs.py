"""Programs with a token: authentication, rate limits, and fairness between them."""

from __future__ import annotations

import logging
from functools import partial
from typing import TYPE_CHECKING, Any, TypeVar

import anyio
import anyio.to_thread

from veille.core.access.accounts import Visit
from veille.errors import LoginError, StoreError, ThrottledError
from veille.interfaces.operations import OPERATIONS, call

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from starlette.types import Scope

    from veille.bootstrap import App
    from veille.services.people.access import Access

T = TypeVar("T")

_log = logging.getLogger(__name__)

#: Calls that run in parallel: a lookup takes milliseconds, a fetch may take minutes.
AT_ONCE, FETCHING_AT_ONCE = 16, 8
#: Fetching calls in progress for one token, so that others get their turn.
FETCHING_PER_TOKEN = 2


def too_often(app: App, message: str, wait_s: float = 30.0) -> ThrottledError:
    """The error for too many calls of some sort; says after how many seconds to try again."""
    return ThrottledError(message, code="too_often", retry_at=app.clock() + round(wait_s * 1000))


class Programs:
    """The programs that use one data folder over the network or a pipe."""

    def __init__(self, app: App) -> None:
        self.app = app
        self._per_minute = app.settings.calls_per_minute
        self._quick = anyio.CapacityLimiter(AT_ONCE)
        self._slow = anyio.CapacityLimiter(FETCHING_AT_ONCE)
        self._fetching: dict[str, int] = {}

    async def admit(self, scope: Scope) -> Access:
        """The access of a request, by its bearer token; LoginError, ThrottledError."""
        headers = {name: value.decode("latin-1") for name, value in scope["headers"]}
        proof = headers.get(b"authorization", "")
        if not proof.lower().startswith("bearer "):
            raise LoginError("Send a token: `Authorization: Bearer vk_…`.", code="login")
        address = (scope.get("client") or ("",))[0]
        visit = Visit(address=address, agent=headers.get(b"user-agent", "")[:200])
        return await self._aside(partial(self.app.accounts.by_token, proof, visit))

    async def do(self, access: Access, name: str, arguments: Mapping[str, Any], *, via: str) -> Any:
        """Run an operation in a thread, and return its JSON."""
        who = access.who.way_id
        if wait_s := await self._aside(partial(self.app.store.call_limits.take, f"calls {who}", self._per_minute)):
            raise too_often(self.app, f"Not more than {self._per_minute} calls a minute.", wait_s)
        work = partial(_called, self.app, access, name, arguments, via)
        if name not in OPERATIONS or not OPERATIONS[name].asks_outside:
            return await self._aside(work)
        if self._fetching.get(who, 0) >= FETCHING_PER_TOKEN:
            message = f"{FETCHING_PER_TOKEN} calls that fetch are under way already: wait for one."
            raise too_often(self.app, message, 1.0)
        self._fetching[who] = self._fetching.get(who, 0) + 1
        try:
            return await anyio.to_thread.run_sync(work, limiter=self._slow)
        finally:
            self._fetching[who] -= 1
            if not self._fetching[who]:
                del self._fetching[who]

    async def _aside(self, work: Callable[[], T]) -> T:
        return await anyio.to_thread.run_sync(work, limiter=self._quick)


def _called(app: App, access: Access, name: str, arguments: Mapping[str, Any], via: str) -> Any:
    try:
        return call(app, access, name, arguments, via=via)
    except StoreError as error:
        # Its message reveals our paths.
        _log.exception("%s failed", name)
        raise StoreError("The data cannot be read or written now; try again later.", code=error.code) from error
