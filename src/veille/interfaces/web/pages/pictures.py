"""Pictures of a document's revisions: one of them, two beside each other, and where they differ."""

from __future__ import annotations

from contextlib import suppress
from typing import Annotated

from fastapi import Path, Query, Response

from veille.core.change.second_look import LOOKS
from veille.errors import NotFoundError, ReadError
from veille.interfaces.web._routes import Pages, within
from veille.interfaces.web.actions.show import Show, Showing
from veille.ports.pictures import KeptPicture

routes = Pages("pictures")

_DOCUMENT = "/d/{dossier_id}/documents/{document_id}"
#: Pictures up to this many pixels are shown small as they are.
_SMALL = 300_000
#: A picture never changes, but it may be deleted with its revision.
_HEADERS = {"Cache-Control": "private, max-age=3600", "X-Content-Type-Options": "nosniff"}

DocumentId = Annotated[str, Path(max_length=200)]
Number = Annotated[int, Query(ge=1, le=2**31)]


@routes.get(f"{_DOCUMENT}/picture", auth=within("read"))
def _picture(show: Showing, document_id: DocumentId, rev: Number) -> Response:
    """The picture of a revision."""
    return Response(
        show.reading.pictures.load(_kept(show, document_id, rev)), media_type="image/webp", headers=_HEADERS
    )


@routes.get(f"{_DOCUMENT}/picture/small", auth=within("read"), asks_outside=True)
def _thumbnail(show: Showing, document_id: DocumentId, rev: Number) -> Response:
    """The picture of a revision in the size of a list; a large one is made small in a child process."""
    kept = _kept(show, document_id, rev)
    picture = show.reading.pictures.load(kept)
    if kept.width * kept.height > _SMALL:
        # As it is where it cannot be drawn: without the extra, for example.
        with suppress(ReadError):
            picture = show.app.thumbnail(picture, show.dossier.id)
    return Response(picture, media_type="image/webp", headers=_HEADERS)


@routes.get(f"{_DOCUMENT}/pictures/difference", auth=within("read"), asks_outside=True)
def _difference(show: Showing, document_id: DocumentId, older: Number, newer: Number) -> Response:
    """Where two pictures differ, drawn in a child process."""
    before, after = (show.reading.pictures.load(_kept(show, document_id, n)) for n in (older, newer))
    drawn = show.app.drawn(before, after)
    return Response(drawn.webp, media_type="image/webp", headers=_HEADERS)


@routes.get(f"{_DOCUMENT}/pictures", auth=within("read"))
def _pictures(
    show: Showing,
    document_id: DocumentId,
    older: Annotated[int | None, Query(ge=1, le=2**31)] = None,
    newer: Annotated[int | None, Query(ge=1, le=2**31)] = None,
) -> Response:
    """Two pictures side by side, under a slider, and their difference."""
    numbers = show.reading.pictures.numbers(document_id)
    here = f"{show.home}/documents/{document_id}"
    if not numbers:
        return show.go(here, "It has no pictures: its source can keep them (Edit, Keep pictures).")
    last = newer if newer is not None else numbers[-1]
    first = older if older is not None else max((n for n in numbers if n < last), default=last)
    before, after = (show.reading.records.revision(document_id, n) for n in (first, last))
    return show(
        "pictures.html",
        here=here,
        numbers=numbers,
        older=before,
        newer=after,
        before=_kept(show, document_id, first),
        after=_kept(show, document_id, last),
        percent=after.meta.get(LOOKS) if first == last - 1 else None,
    )


def _kept(show: Show, document_id: str, n: int) -> KeptPicture:
    found = show.reading.pictures.of_revision(document_id, n)
    if found is None:
        raise NotFoundError("There is no picture of this revision.", code="no_picture")
    return found
