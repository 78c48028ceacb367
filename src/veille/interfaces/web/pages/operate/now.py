"""Current activity: as a page, and as an event stream that updates the status strip of every page."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import AsyncIterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any

from fastapi import Query, Request, Response
from fastapi.responses import StreamingResponse

from veille.errors import VeilleError
from veille.interfaces.programs import too_often
from veille.interfaces.web._routes import KNOWN, Pages
from veille.interfaces.web.actions.live import FRESH_S, Counters, Live
from veille.interfaces.web.actions.show import Showing
from veille.interfaces.web.requests.calls import Call, Patience, Waiting

if TYPE_CHECKING:
    from veille.core.models import Dossier
    from veille.core.workload import Fetching

routes = Pages("now")

#: How often a stream is updated, and how often it is checked whether the client is still connected.
_TELL_EVERY_S = 2.0
_TICK_S = 0.5
#: A stream ends after so long, and the browser reconnects, so that no stream is left over.
_STREAM_S = 600.0
#: Something is sent at least this often, so that no proxy drops the connection as idle.
_SILENCE_S = 15.0
#: Streams per user; a browser has one for each visible page.
_OF_ONE = 20
#: Tasks that the page shows of each dossier, number of dossiers, and tasks in all.
_EACH, _DOSSIERS, _SHOWN = 10, 30, 40


@routes.get("/now", auth=KNOWN)
def _now(show: Showing) -> Response:
    """The activity for browsers without scripts, and what is fetched now and next."""
    now = show.app.clock()

    def look(dossier: Dossier) -> tuple[list[tuple[Dossier, Fetching]], list[tuple[Dossier, Fetching]]]:
        with show.services.reading(dossier.id) as reading:
            lists = reading.waiting.under_way(now, _EACH), reading.waiting.coming(now, _EACH)
        under_way, coming = ([(dossier, task) for task in tasks] for tasks in lists)
        return under_way, coming

    found, unreadable = show.of_each(show.access.dossiers()[:_DOSSIERS], look)
    under_way = [row for rows, _ in found for row in rows]
    coming = sorted((row for _, rows in found for row in rows), key=lambda row: row[1].at)
    return show("now.html", under_way=under_way[:_SHOWN], coming=coming[:_SHOWN], unreadable=unreadable)


@routes.get("/live", auth=KNOWN, waits=True)
async def _live(
    patience: Waiting, request: Request, within: Annotated[str, Query(alias="in", max_length=100)] = ""
) -> Response:
    """Event stream of the current activity; `in` is the dossier whose changes are counted."""
    state = request.app.state
    onlooker = _Onlooker(patience, state.live, state.counters, within)
    # Access is checked before the stream begins, so that a refusal has its own status.
    user_id, first = await patience.ask(onlooker.enter)
    stream = onlooker.told(user_id, first)
    return StreamingResponse(stream, media_type="text/event-stream", headers={"X-Accel-Buffering": "no"})


@dataclass(frozen=True)
class _Onlooker:
    """The client of one stream."""

    patience: Patience
    live: Live
    counters: Counters
    within: str

    def enter(self, call: Call) -> tuple[str, dict[str, Any]]:
        """The user id, and the current activity; ThrottledError when the user has too many streams."""
        user_id = call.access.who.user_id
        if self.live.listeners[user_id] >= _OF_ONE:
            raise too_often(call.app, "You have too many pages open.")
        return user_id, self.look(call)

    def look(self, call: Call) -> dict[str, Any]:
        dossiers = call.access.dossiers()
        now = self.live.of(call.services, dossiers, FRESH_S)
        counts = self.counters.of(call.services, call.access.who.user_id, dossiers)
        return {
            "due": now.due,
            "leased": now.leased,
            "next": now.next_due,
            "errors": sum(one.ailing for one in counts.values()),
            "workers": now.workers,
            "seq": now.seq(self.within),
        }

    async def told(self, user_id: str, first: dict[str, Any]) -> AsyncIterator[str]:
        self.live.listeners[user_id] += 1
        try:
            yield f"retry: 3000\ndata: {json.dumps(first)}\n\n"
            async for found in self._news(first):
                yield f"data: {json.dumps(found)}\n\n"
        except VeilleError:
            # The session has ended; the next request is told so.
            return
        finally:
            self.live.listeners[user_id] -= 1

    async def _news(self, known: dict[str, Any]) -> AsyncIterator[dict[str, Any]]:
        begun = asked = said = time.monotonic()
        while time.monotonic() - begun < _STREAM_S and not await self.patience.is_over():
            await asyncio.sleep(_TICK_S)
            if time.monotonic() - asked < _TELL_EVERY_S:
                continue
            found, asked = await self.patience.ask(self.look), time.monotonic()
            if found != known or asked - said > _SILENCE_S:
                known, said = found, asked
                yield found
