"""How the contents of revisions are kept: the newest whole, older ones as deltas from the next, and restored exactly.

When another revision follows, a revision is compressed again with the new one as prefix (Zstandard): an edit of a few
words takes a hundred bytes. Every `WHOLE_EVERY`th revision stays whole, so that no restore has more steps than that.
"""

from __future__ import annotations

import zlib

from veille.core.models import Document, Json
from veille.core.zstandard import zstd

try:
    # The same format, 5 times as fast; each reads what the other writes.
    from isal.isal_zlib import compress
except ImportError:  # no wheel for this machine
    from zlib import compress

#: A revision's text and HTML, as bytes: packed, as a delta, or plain.
Contents = tuple[bytes, bytes]

WHOLE_EVERY = 16
#: The shortest dictionary that Zstandard accepts, in bytes.
_LEAST_DICTIONARY = 8


def packed(text: str) -> bytes:
    """Text as it is kept whole: compressed."""
    return packed_plain(text.encode())


def packed_plain(plain: bytes) -> bytes:
    """The same for text that is encoded already."""
    return compress(plain, 1)


def stored_meta(document: Document) -> Json:
    """The metadata of a revision: the facts of its document that have no column of their own."""
    meta = {"authors": document.authors, "summary": document.summary, "media_type": document.media_type}
    values = {"values": {one.name: one.text for one in document.values}} if document.values else {}
    return {**meta, "modified_at": document.modified_at, **document.meta, **values}


def unpacked(data: bytes) -> str:
    """The text in the bytes of `packed`."""
    return zlib.decompress(data).decode()


def stays_whole(n: int) -> bool:
    """Whether revision number `n` is kept whole even if another one follows."""
    return n % WHOLE_EVERY == 0


def whole(kept: Contents) -> Contents:
    """The plain contents of a revision that is kept whole."""
    return zlib.decompress(kept[0]), zlib.decompress(kept[1])


def as_delta(kept: Contents, after: Contents) -> Contents | None:
    """A revision that is kept whole, as a delta from the plain contents of the next one; None if that is no smaller."""
    before = whole(kept)
    delta = _delta(before[0], after[0]), _delta(before[1], after[1])
    return delta if sum(map(len, delta)) < sum(map(len, kept)) else None


def restored(delta: Contents, after: Contents) -> Contents:
    """The plain contents of a revision that is kept as a delta from the plain contents of the next one."""
    return (
        zstd.decompress(delta[0], zstd_dict=_prefix(after[0])),
        zstd.decompress(delta[1], zstd_dict=_prefix(after[1])),
    )


def _delta(before: bytes, after: bytes) -> bytes:
    return zstd.compress(before, zstd_dict=_prefix(after))


def _prefix(after: bytes) -> tuple[zstd.ZstdDict, int] | None:
    return zstd.ZstdDict(after, is_raw=True).as_prefix if len(after) >= _LEAST_DICTIONARY else None
