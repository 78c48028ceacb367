"""Kept answers and pictures, in their rows or in segments outside the store."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from veille.core.reread.answers import checked_body, unpacked_body
from veille.core.warc.segments import answer_in, picture_in
from veille.errors import NotFoundError, ReadError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from veille.adapters.stores.database import Database

#: The columns of `raw_bodies` and of `pictures` that `answer_body` and `picture_bytes` take, in this order.
ANSWER: Final = (
    "raw_bodies.hash, raw_bodies.size, raw_bodies.data, raw_bodies.segment, raw_bodies.start, raw_bodies.length"
)
PICTURE: Final = "pictures.hash, pictures.data, pictures.segment, pictures.start, pictures.length"
#: The largest picture that is unpacked.
_MOST_PICTURE: Final = 64 << 20


def answer_body(db: Database, row: Sequence[Any]) -> bytes:
    """The body of a kept answer; ReadError `body_damaged` or `body_missing`."""
    sha256, size, data, segment, start, length = row
    if segment is None:
        return unpacked_body(data, size, sha256)
    return checked_body(answer_in(_member(db, segment, start, length), size), sha256)


def picture_bytes(db: Database, row: Sequence[Any]) -> bytes:
    """A picture, WebP; the same failures."""
    sha256, data, segment, start, length = row
    if segment is None:
        return bytes(data)
    return picture_in(_member(db, segment, start, length), sha256, _MOST_PICTURE)


def _member(db: Database, segment: str, start: int, length: int) -> bytes:
    try:
        return db.files.read(segment, start, length)
    except NotFoundError as error:
        raise ReadError(
            f"This answer or picture is kept in {segment}, which is not in {db.files.where}: put it there to read it, "
            "or bring everything over with `veille bodies move --from PLACE` if the place was changed.",
            code="body_missing",
        ) from error
