"""Lists of documents and stories, and a user's marks on documents: read or unread, kept or not."""

from __future__ import annotations

from typing import Annotated, Literal
from urllib.parse import urlencode

from fastapi import Form, Path, Query, Response
from fastapi.responses import JSONResponse

from veille.core.records import DocumentFilter
from veille.interfaces.web._routes import KNOWN, Pages, within
from veille.interfaces.web.actions.show import Show, Showing
from veille.interfaces.web.requests.paging import Before, end_of, place_of

routes = Pages("documents")

_DOCUMENT = "/d/{dossier_id}/documents/{document_id}"
#: Documents and stories on a page.
_PAGE, _STORIES = 25, 50
#: No menu for more sources than that: each source's own page links here.
_MENU = 300
#: Documents shown of one story; further ones are copies of copies.
_STORY_DOCUMENTS = 200

StateName = Literal["", "current", "removed", "duplicate"]
DocumentId = Annotated[str, Path(max_length=200)]


@routes.get("/d/{dossier_id}/documents", auth=within("read"))
def _documents(  # noqa: PLR0913, PLR0917 - the filters
    show: Showing,
    before: Before = None,
    source: Annotated[str, Query(max_length=100)] = "",
    state: StateName = "",
    lang: Annotated[str, Query(max_length=20)] = "",
    marks: Literal["", "unread", "kept"] = "",
    tag: Annotated[str, Query(max_length=100)] = "",
    order: Literal["", "popular"] = "",
) -> Response:
    """The documents of a dossier, the last changed or the most popular first."""
    dossier_id = show.dossier.id
    wanted = DocumentFilter(source_id=source, state=state, lang=lang, tag=tag)
    found = show.services.documents.listing(
        dossier_id, show.user_id, wanted, place_of(before), _PAGE, marks=marks, popular=order == "popular"
    )
    given = {"source": source, "state": state, "lang": lang, "marks": marks, "tag": tag, "order": order}
    chosen = {name: value for name, value in given.items() if value}
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
        tags=sorted({*(one.name for one in reading.tags.used(show.user_id)), *([tag] if tag else [])}),
        here=f"{show.home}/documents?{urlencode(chosen)}",
        older=older,
        is_first=before is None,
    )


@routes.get("/kept", auth=KNOWN)
def _kept(show: Showing, before: Annotated[int | None, Query(ge=0, le=2**53)] = None) -> Response:
    """The documents that the user keeps, in all dossiers, the latest first."""
    documents = show.services.documents
    kept, unreadable = show.of_each(
        show.access.dossiers(),
        lambda one: [(at, one, line) for at, line in documents.kept(one.id, show.user_id, _PAGE, before)],
    )
    found = sorted((row for rows in kept for row in rows), key=lambda row: -row[0])
    older = f"/kept?before={found[_PAGE - 1][0]}" if len(found) > _PAGE else ""
    last = show.services.front.last_everywhere((where.id, line.id) for _, where, line in found[:_PAGE])
    return show("kept.html", found=found[:_PAGE], older=older, unreadable=unreadable, last=last)


@routes.post(f"{_DOCUMENT}/read", auth=within("read"))
def _read(show: Showing, document_id: DocumentId, *, value: Annotated[bool, Form()]) -> Response:
    show.services.documents.mark_read(show.dossier.id, show.user_id, document_id, is_read=value)
    return _done(show, document_id, "Marked as read." if value else "Marked as unread.")


@routes.post(f"{_DOCUMENT}/keep", auth=within("read"))
def _keep(show: Showing, document_id: DocumentId, *, value: Annotated[bool, Form()]) -> Response:
    show.services.documents.keep(show.dossier.id, show.user_id, document_id, is_kept=value)
    return _done(show, document_id, "Kept: see “What you keep”." if value else "No longer kept.")


def _done(show: Show, document_id: str, said: str) -> Response:
    """JSON for scripts; after a form, redirect to the document."""
    back = show.go(f"{show.home}/documents/{document_id}", said)
    return back if "text/html" in show.request.headers.get("accept", "") else JSONResponse({"status": "ok"})


@routes.get("/d/{dossier_id}/stories", auth=within("read"))
def _stories(show: Showing, before: Before = None) -> Response:
    """Stories of two documents or more; those that last got a new document first."""
    found = show.reading.stories.lines(place_of(before), _STORIES)
    end = end_of([one.place for one in found], _STORIES)
    return show("stories.html", stories=found, older=end and f"?before={end}", is_first=before is None)


@routes.get("/d/{dossier_id}/stories/{story_id}", auth=within("read"))
def _story(show: Showing, story_id: Annotated[str, Path(max_length=200)]) -> Response:
    """The documents of a story, the earliest first."""
    story = show.reading.stories.find(story_id, _STORY_DOCUMENTS)
    unread = show.reading.marks.unread_of(show.user_id, [one.document_id for one in story.documents])
    last = show.reading.changes.last_of([one.document_id for one in story.documents])
    return show("story.html", story=story, documents=story.documents, unread=unread, last=last)
