"""Asking the documents of a dossier: the extract comes with the page, what a model makes of it follows."""

from __future__ import annotations

from http import HTTPStatus
from typing import Annotated, Any
from urllib.parse import urlencode

from fastapi import Query, Response
from fastapi.responses import RedirectResponse
from pydantic import BaseModel, Field

from veille.core.ask.passages import Citation
from veille.errors import ConfigError
from veille.interfaces.web._routes import KNOWN, Pages, within
from veille.interfaces.web.actions.show import Show, Showing, refusal
from veille.services.reading.asking import MAX_QUESTION

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
    later = f"{show.home}/ask/answer?{urlencode({'q': text})}"

    def found(show: Show) -> dict[str, Any]:
        if not text:
            return {"answer": None, "problem": "", "later": ""}
        try:
            answer = show.services.asking.ask(show.dossier.id, text, with_model=False)
        except ConfigError as error:
            return {"answer": None, "problem": refusal(error), "later": ""}
        waits = answer.kind == "extract" and show.services.models.is_there
        return {"answer": answer, "problem": "", "later": later if waits else ""}

    return show.gradually("ask.html", found, q=text, examples=_EXAMPLES, cited=lambda one: _cited(show.home, one))


@routes.get("/d/{dossier_id}/ask/answer", auth=within("read"), asks_outside=True)
def _answer(show: Showing, asked: Annotated[AskForm, Query()]) -> Response:
    """What the model makes of the extract, as a fragment for the script of the page; or a page without scripts."""
    try:
        answer, problem = show.services.asking.ask(show.dossier.id, asked.q), ""
    except ConfigError as error:
        answer, problem = None, refusal(error)
    values = {"answer": answer, "problem": problem, "later": "", "cited": lambda one: _cited(show.home, one)}
    if show.request.headers.get("x-part"):
        return show.part("ask_answer.html", **values)
    return show("ask.html", q=asked.q, examples=_EXAMPLES, **values)


def _cited(home: str, one: Citation) -> str:
    """The address of a citation: its revision, with the quote highlighted."""
    return f"{home}/documents/{one.document_id}?rev={one.n}&from={one.start}&to={one.end}#cited"
