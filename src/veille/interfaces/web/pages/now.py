"""What goes on now: as a page, and as a stream that keeps the strip of every page up to date."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import AsyncIterator
from typing import TYPE_CHECKING, Annotated, Any

from fastapi import Query, Request, Response
from fastapi.responses import StreamingResponse

from veille.interfaces.web._auth import KNOWN
from veille.interfaces.web._calls import Call, Patience, Waiting
from veille.interfaces.web._routes import Pages
from veille.interfaces.web._show import Showing

if TYPE_CHECKING:
    from collections.abc import Callable

routes = Pages("now")

#: How often somebody who looks on is told, and how often it is checked whether they still do.
_TELL_EVERY_S = 2.0
_TICK_S = 0.5
#: A stream ends after so long, and the browser asks for another: nobody is forgotten in a wait.
_STREAM_S = 600.0
#: Something is said at least so often, so that nothing on the way takes the line for dead.
_SILENCE_S = 15.0
#: What the page shows of each dossier, of how many dossiers, and in all.
_EACH, _DOSSIERS, _SHOWN = 10, 30, 40


@routes.get("/now", auth=KNOWN)
def _now(show: Showing) -> Response:
    """The strip without scripts, and what is fetched now and next."""
    access, now = show.call.access, show.call.app.clock()
    under_way, coming = [], []
    for dossier in access.dossiers()[:_DOSSIERS]:
        with access.open(dossier.id) as store:
            under_way += [(dossier, task) for task in store.waiting.under_way(now, _EACH)]
            coming += [(dossier, task) for task in store.waiting.coming(now, _EACH)]
    coming.sort(key=lambda one: one[1].at)
    return show("now.html", under_way=under_way[:_SHOWN], coming=coming[:_SHOWN])


@routes.get("/live", auth=KNOWN, waits=True)
async def _live(
    patience: Waiting, request: Request, within: Annotated[str, Query(alias="in", max_length=100)] = ""
) -> Response:
    """What goes on, told again and again; `in` names the dossier whose changes are counted."""

    def look(call: Call) -> dict[str, Any]:
        dossiers = call.access.dossiers()
        now = request.app.state.live.of(call.app, call.access, dossiers)
        counts = request.app.state.counters.of(call.access, dossiers)
        return {
            "due": now.due,
            "leased": now.leased,
            "next": now.next_due,
            "errors": sum(one.ailing for one in counts.values()),
            "workers": now.workers,
            "seq": now.seq(within),
        }

    first = await patience.ask(look)
    return StreamingResponse(
        _told(patience, first, look), media_type="text/event-stream", headers={"X-Accel-Buffering": "no"}
    )


async def _told(
    patience: Patience, first: dict[str, Any], look: Callable[[Call], dict[str, Any]]
) -> AsyncIterator[str]:
    yield f"retry: 3000\ndata: {json.dumps(first)}\n\n"
    end, said, known = time.monotonic() + _STREAM_S, time.monotonic(), first
    asked = said
    while time.monotonic() < end and not await patience.is_over():
        await asyncio.sleep(_TICK_S)
        if time.monotonic() - asked < _TELL_EVERY_S:
            continue
        found, asked = await patience.ask(look), time.monotonic()
        if found != known or asked - said > _SILENCE_S:
            known, said = found, asked
            yield f"data: {json.dumps(found)}\n\n"
