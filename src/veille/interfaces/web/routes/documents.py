"""Documents, their revisions, diffs, and stories."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from fastapi import Path, Query, Response
from pydantic import Field

from veille.core.archive.content_state import ContentState
from veille.core.compare.diff import compared, word_diff
from veille.core.records import Revision, RevisionLine
from veille.errors import NotFoundError
from veille.interfaces.web._routes import Caller, Routes, within
from veille.interfaces.web.requests.paging import Before, Limit, place_of, tell_next
from veille.interfaces.web.views.shapes import ID, RestView, example
from veille.services.reading.documents import two_revisions

routes = Routes("documents")

DocumentId = Annotated[str, Path(max_length=4096)]
Number = Annotated[int, Path(ge=1, le=2**31)]


class DocumentView(RestView):
    """A document, or one revision of it; lists leave out `text`."""

    model_config = example(
        id=ID,
        source_id=ID,
        url="https://example.org/prices",
        title="Prices",
        lang="en",
        revision=3,
        state="current",
        extracted_at=1790000000000,
        content_hash="9f86d081884c7d65",
        text_length=5120,
    )

    id: str
    source_id: str
    url: str
    title: str
    lang: str
    revision: int
    state: str
    extracted_at: int
    published_at: int | None = None
    last_modified: int | None = None
    content_hash: str
    text_length: int
    quality: float | None = None
    kept: ContentState = ContentState.HERE
    meta: dict[str, Any] = Field({})
    text: str | None = None


class EditView(RestView):
    """A piece of text that is unchanged, deleted or inserted."""

    kind: Literal["equal", "delete", "insert"]
    text: str


class DiffView(RestView):
    """The edits from the older revision to the newer one, in order."""

    model_config = example(document_id=ID, older=1, newer=2, edits=[{"kind": "insert", "text": "new"}])

    document_id: str
    older: int
    newer: int
    edits: list[EditView]


class StoryDocumentView(RestView):
    """A document of a story."""

    document_id: str
    url: str
    title: str
    source_id: str
    source_name: str
    state: str
    joined_at: int


class StoryView(RestView):
    """Documents that report the same thing, the earliest first."""

    model_config = example(id=ID, documents=[])

    id: str
    documents: list[StoryDocumentView]


@routes.get("/api/dossiers/{dossier_id}/documents", auth=within("read"))
def _list_documents(
    call: Caller,
    response: Response,
    limit: Limit = 50,
    before: Before = None,
    source_id: Annotated[str | None, Query(max_length=100)] = None,
) -> list[DocumentView]:
    """The documents, the last changed first, without their texts; the header X-Next is `before` of the next page."""
    found = call.reading.records.page(place_of(before), limit, source_id)
    tell_next(response, [place for place, _ in found], limit)
    return [_listed(line) for _, line in found]


@routes.get("/api/dossiers/{dossier_id}/documents/{document_id}", auth=within("read"))
def _get_document(call: Caller, document_id: DocumentId) -> DocumentView:
    """The current revision of a document."""
    return _view(call.reading.records.revision(document_id))


@routes.get("/api/dossiers/{dossier_id}/documents/{document_id}/revisions", auth=within("read"))
def _list_revisions(call: Caller, document_id: DocumentId) -> list[DocumentView]:
    """All revisions of a document, newest first, without their texts."""
    found = call.reading.records.revision_lines(document_id)
    if not found:
        raise NotFoundError("There is no such document.", code="no_document")
    return list(map(_listed, found))


@routes.get("/api/dossiers/{dossier_id}/documents/{document_id}/revisions/{number}", auth=within("read"))
def _get_revision(call: Caller, document_id: DocumentId, number: Number) -> DocumentView:
    """One revision of a document."""
    return _view(call.reading.records.revision(document_id, number))


@routes.get("/api/dossiers/{dossier_id}/documents/{document_id}/diff", auth=within("read"))
def _get_diff(
    call: Caller,
    document_id: DocumentId,
    older: Annotated[int | None, Query(ge=1, le=2**31, description="Default: the one before.")] = None,
    newer: Annotated[int | None, Query(ge=1, le=2**31, description="Default: the current.")] = None,
) -> DiffView:
    """The word diff of two revisions; if the titles differ, the compared texts begin with them."""
    before, after = two_revisions(call.reading, document_id, older, newer)
    edits = [EditView.showing(edit) for edit in word_diff(*compared(before, after))]
    return DiffView(document_id=document_id, older=before.n, newer=after.n, edits=edits)


@routes.get("/api/dossiers/{dossier_id}/documents/{document_id}/story", auth=within("read"))
def _get_story_of(call: Caller, document_id: DocumentId) -> StoryView:
    """The story of a document; 404 when no other document reports the same."""
    call.reading.records.revision(document_id)
    found = call.reading.stories.of(document_id)
    if found is None:
        raise NotFoundError("No other document reports the same.", code="no_story")
    return StoryView.showing(found)


@routes.get("/api/dossiers/{dossier_id}/stories", auth=within("read"))
def _list_stories(call: Caller, limit: Limit = 50) -> list[StoryView]:
    """Stories of two documents or more, the latest first."""
    return list(map(StoryView.showing, call.reading.stories.all(limit)))


@routes.get("/api/dossiers/{dossier_id}/stories/{story_id}", auth=within("read"))
def _get_story(call: Caller, story_id: str) -> StoryView:
    """One story."""
    return StoryView.showing(call.reading.stories.find(story_id))


def _view(revision: Revision) -> DocumentView:
    length = len(revision.text)
    return DocumentView.showing(revision, id=revision.document_id, revision=revision.n, text_length=length)


def _listed(line: RevisionLine) -> DocumentView:
    return DocumentView.showing(line, id=line.document_id, revision=line.n)
