"""Asking the documents of a dossier: the extract comes with the page, what a model makes of it follows."""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncIterator, Mapping
from contextlib import suppress
from http import HTTPStatus
from typing import Annotated, Any
from urllib.parse import urlencode

from anyio import CancelScope
from fastapi import Query, Response
from fastapi.responses import RedirectResponse, StreamingResponse
from pydantic import BaseModel, Field

from veille.core.ask.passages import AskAnswer, Citation
from veille.errors import ConfigError, VeilleError
from veille.interfaces.web._routes import KNOWN, Pages, within
from veille.interfaces.web.actions.show import Show, Showing, refusal, show_of
from veille.interfaces.web.requests.calls import Call, Patience, Waiting
from veille.interfaces.web.views.html import PAGE_HEADERS
from veille.services.reading.asking import MAX_QUESTION, Tell

routes = Pages("ask")

_EXAMPLES = ("What changed since last month?", "How much is it as of 1 May 2026?", "When is the deadline?")


class AskForm(BaseModel):
    """What somebody asks."""

    q: str = Field("", max_length=2 * MAX_QUESTION)


class AskOneForm(AskForm):
    """What somebody asks, and which dossier."""

    dossier: str = Field("", max_length=100)


@routes.get("/ask", auth=KNOWN)
def _ask_one(show: Showing, asked: Annotated[AskOneForm, Query()]) -> Response:
    """Which dossier is asked: an answer is in the words of one."""
    ids = [one.id for one in show.access.dossiers()]
    if chosen := asked.dossier if asked.dossier in ids else ids[0] if len(ids) == 1 else "":
        question = f"?{urlencode({'q': asked.q})}" if asked.q else ""
        return RedirectResponse(f"/d/{chosen}/ask{question}", HTTPStatus.SEE_OTHER)
    return show("ask_one.html", q=asked.q)


@routes.get("/d/{dossier_id}/ask", auth=within("read"))
def _ask(show: Showing, asked: Annotated[AskForm, Query()]) -> Response:
    """The page, with an extract at once."""
    text = asked.q.strip()

    def found(show: Show) -> dict[str, Any]:
        if not text:
            return _values(show, None)
        try:
            answer = show.services.asking.ask(show.dossier.id, text, with_model=False)
        except ConfigError as error:
            return _values(show, None, refusal(error))
        waits = answer.kind == "extract" and show.services.models.is_there
        return _values(show, answer, later=_later(show, text) if waits else "")

    return show.gradually("ask.html", found, q=text, examples=_EXAMPLES)


@routes.get("/d/{dossier_id}/ask/answer", auth=within("read"), asks_outside=True)
def _answer(show: Showing, asked: Annotated[AskForm, Query()]) -> Response:
    """What the model makes of the extract, as a fragment for the script of the page; or a page without scripts."""
    values = _answered(show, asked.q)
    if show.request.headers.get("x-part"):
        return show.part("ask_answer.html", **values)
    return show("ask.html", q=asked.q, examples=_EXAMPLES, **values)


@routes.get("/d/{dossier_id}/ask/live", auth=within("read"), waits=True)
async def _live(patience: Waiting, asked: Annotated[AskForm, Query()]) -> Response:
    """The same as a stream of events: `part` after each sentence that was checked, and `whole` in the end."""
    # Access is checked before the stream begins, so that a refusal has its own status.
    await patience.ask(lambda call: call.dossier)
    headers = PAGE_HEADERS | {"X-Accel-Buffering": "no"}
    return StreamingResponse(_events(patience, asked.q), media_type="text/event-stream", headers=headers)


async def _events(patience: Patience, text: str) -> AsyncIterator[str]:
    loop, told = asyncio.get_running_loop(), asyncio.Queue[str | None]()

    def answer(call: Call) -> None:
        show = show_of(call)

        def put(event: str, values: Mapping[str, Any]) -> None:
            html = bytes(show.part("ask_answer.html", **values).body).decode()
            data = "".join(f"data: {line}\n" for line in re.split("\r\n?|\n", html))
            loop.call_soon_threadsafe(told.put_nowait, f"event: {event}\n{data}\n")

        def tell(so_far: AskAnswer) -> None:
            put("part", _values(show, so_far, later=_later(show, text)))

        put("whole", _answered(show, text, tell))

    asking = asyncio.ensure_future(patience.ask(answer, asks_outside=True))
    asking.add_done_callback(lambda _: told.put_nowait(None))
    try:
        while (event := await told.get()) is not None:
            yield event
    finally:
        # Who left the page has asked all the same: the thread goes on with what it borrowed.
        with CancelScope(shield=True), suppress(VeilleError):
            await asking


def _answered(show: Show, text: str, tell: Tell | None = None) -> dict[str, Any]:
    try:
        return _values(show, show.services.asking.ask(show.dossier.id, text, tell=tell))
    except ConfigError as error:
        return _values(show, None, refusal(error))


def _later(show: Show, text: str) -> str:
    return f"{show.home}/ask/answer?{urlencode({'q': text})}"


def _values(show: Show, answer: AskAnswer | None, problem: str = "", later: str = "") -> dict[str, Any]:
    """What the fragment with an answer shows; `later`: more of it comes."""
    return {"answer": answer, "problem": problem, "later": later, "cited": lambda one: _cited(show.home, one)}


def _cited(home: str, one: Citation) -> str:
    """The address of a citation: its revision, with the quote highlighted."""
    return f"{home}/documents/{one.document_id}?rev={one.n}&from={one.start}&to={one.end}#cited"
