"""Lists of documents: of a dossier, and those that a user keeps."""

from __future__ import annotations

from typing import Annotated, Literal
from urllib.parse import urlencode

from fastapi import Query, Response

from veille.core.records import Wanted
from veille.interfaces.web._routes import Pages
from veille.interfaces.web.actions.show import Showing
from veille.interfaces.web.requests.auth import KNOWN, within
from veille.interfaces.web.requests.paging import Before, place_of

routes = Pages("documents")

_PAGE = 25
#: No menu for more sources than that: each source's own page links here.
_MENU = 300

StateName = Literal["", "current", "removed", "duplicate"]


@routes.get("/d/{dossier_id}/documents", auth=within("read"))
def _documents(
    show: Showing,
    before: Before = None,
    source: Annotated[str, Query(max_length=100)] = "",
    state: StateName = "",
    lang: Annotated[str, Query(max_length=20)] = "",
    marks: Literal["", "unread", "kept"] = "",
) -> Response:
    """The documents of a dossier, the last changed first."""
    dossier_id = show.call.dossier.id
    wanted = Wanted(source_id=source, state=state, lang=lang)
    found = show.call.services.documents.listing(dossier_id, show.user_id, wanted, place_of(before), _PAGE, marks=marks)
    chosen = {
        name: value for name, value in (("source", source), ("state", state), ("lang", lang), ("marks", marks)) if value
    }
    reading = show.reading
    sources = reading.sources.all() if reading.sources.count() <= _MENU else []
    languages = sorted({*reading.records.languages(), *([lang] if lang else [])})
    chosen_source = reading.sources.get(source) if source else None
    if chosen_source is not None and chosen_source not in sources:
        sources = [chosen_source, *sources]
    older = ""
    if found.following:
        place = f"{found.following[0]}.{found.following[1]}"
        older = f"/d/{dossier_id}/documents?{urlencode({**chosen, 'before': place})}"
    return show(
        "documents.html",
        found=found,
        chosen=chosen,
        sources=sorted(sources, key=lambda one: one.name.lower()),
        languages=languages,
        older=older,
        is_first=before is None,
    )


@routes.get("/kept", auth=KNOWN)
def _kept(show: Showing, before: Annotated[int | None, Query(ge=0, le=2**53)] = None) -> Response:
    """The documents that the user keeps, in all dossiers, the latest first."""
    documents = show.call.services.documents
    kept, unreadable = show.of_each(
        show.call.access.dossiers(),
        lambda one: [(at, one, line) for at, line in documents.kept(one.id, show.user_id, _PAGE, before)],
    )
    found = sorted((row for rows in kept for row in rows), key=lambda row: -row[0])
    older = f"/kept?before={found[_PAGE - 1][0]}" if len(found) > _PAGE else ""
    return show("kept.html", found=found[:_PAGE], older=older, unreadable=unreadable)
