"""Kept answers as values, and in the form in which they are stored: all that a kind needs to read them again."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields, replace

from veille.core.models import Lease, Request, Source
from veille.core.traffic import NO_VALIDATORS, Payload
from veille.core.zstandard import zstd
from veille.errors import ReadError

#: Options of sources that change nothing about what is read.
_ABOUT_KEEPING = frozenset({"keep_raw", "retention"})
#: More than any answer has: SQLite stores no more in one row.
_MOST_BYTES = 1 << 30


@dataclass(frozen=True, slots=True, kw_only=True)
class KeptRevision:
    """A revision that was read from a kept answer."""

    revision_id: str
    document_id: str
    n: int
    #: Which document of the answer it is: its first key.
    key: str


@dataclass(frozen=True, slots=True, kw_only=True)
class KeptAnswer:
    """The row of a kept answer, without what came in it, and the revisions that were read from it."""

    #: A UUID v7: sorted by time.
    id: str
    source_id: str
    hash: str
    size: int
    #: How often it was read again: the fencing token of whoever writes what it read.
    reads: int
    revisions: tuple[KeptRevision, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class WantedAnswers:
    """Which kept answers are to be read again."""

    #: The reader that is to read them.
    reader: str
    #: The sources, by id: for each the hash of its options, see `options_hash`.
    options: Mapping[str, str]
    #: Only those fetched at this time or later.
    since: int = 0
    #: Also those that this reader has read with these options.
    again: bool = False


def options_hash(source: Source) -> str:
    """A hash of everything in a source that can change what is read from an answer."""
    told = {name: value for name, value in source.config.items() if name not in _ABOUT_KEEPING}
    return hashlib.sha256(json.dumps([source.kind, source.url, told], sort_keys=True).encode()).hexdigest()[:16]


def packed_body(body: bytes) -> bytes:
    """A body as it is stored."""
    return zstd.compress(body)


def unpacked_body(data: bytes, size: int, sha256: str) -> bytes:
    """The body in the bytes of `packed_body`; ReadError if they are damaged."""
    return checked_body(_unpacked(data, size), sha256)


def checked_body(body: bytes, sha256: str) -> bytes:
    """The same bytes; ReadError `body_damaged` if they are not those that were kept."""
    if hashlib.sha256(body).hexdigest() != sha256:
        raise _damaged()
    return body


def packed_facts(request: Request, payload: Payload) -> bytes:
    """The request and the facts of an answer, as they are stored; the state of the request is left out."""
    plain = replace(request, validators=NO_VALIDATORS, glimpse="", attempts=0, failed_with="", deaths=0)
    told = {"request": asdict(plain), "payload": asdict(replace(payload, body=b"", shot=None))}
    del told["request"]["validators"], told["payload"]["body"], told["payload"]["shot"]
    return zstd.compress(json.dumps(told).encode())


def unpacked_facts(data: bytes) -> tuple[Request, Payload]:
    """The request and the answer, without its body, in the bytes of `packed_facts`; ReadError if they are damaged.

    Fields that this version does not know are left out, and those that were not stored then have their defaults.
    """
    try:
        told = json.loads(_unpacked(data, _MOST_BYTES))
        request = {name: value for name, value in told["request"].items() if name in _REQUEST}
        payload = {name: value for name, value in told["payload"].items() if name in _PAYLOAD}
        redirects = tuple((status, url) for status, url in payload.pop("redirects", ()))
        return Request(**request), Payload(**payload, body=b"", redirects=redirects)
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise _damaged() from error


_REQUEST = frozenset(field.name for field in fields(Request)) - {"validators"}
_PAYLOAD = frozenset(field.name for field in fields(Payload)) - {"body"}


def _unpacked(data: bytes, size: int) -> bytes:
    try:
        # No more than there should be: a bomb in a file from outside is not unpacked.
        return zstd.ZstdDecompressor().decompress(data, max_length=min(size, _MOST_BYTES) + 1)
    except zstd.ZstdError as error:
        raise _damaged() from error


def _damaged() -> ReadError:
    return ReadError(
        "The kept bytes of this answer are damaged: restore the dossier from a backup, or check the source again.",
        code="body_damaged",
    )


def lease_to_read(dossier_id: str, source: Source, request: Request) -> Lease:
    """A lease as the workshop wants it for reading; nothing can be committed with it."""
    return Lease(dossier_id=dossier_id, source=source, request=request, worker="reread", epoch=0, until=0, wakes=0)
