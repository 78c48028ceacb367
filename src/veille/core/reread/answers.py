"""Kept answers as values, and in the form in which they are stored: all that a kind needs to read them again."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields, replace

from backports import zstd

from veille.core.models import Lease, Request, Source
from veille.core.traffic import NO_VALIDATORS, Payload
from veille.errors import ReadError

#: An option of sources that changes nothing about what is read.
_KEEP_RAW = "keep_raw"


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
    """An answer without its body, and the revisions that were read from it."""

    #: A UUID v7: sorted by time.
    id: str
    source_id: str
    hash: str
    size: int
    #: How often it was read again: the fencing token of whoever writes what it read.
    reads: int
    request: Request
    payload: Payload
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
    told = {name: value for name, value in source.config.items() if name != _KEEP_RAW}
    return hashlib.sha256(json.dumps([source.kind, source.url, told], sort_keys=True).encode()).hexdigest()[:16]


def packed_body(body: bytes) -> bytes:
    """A body as it is stored."""
    return zstd.compress(body)


def unpacked_body(data: bytes, size: int, sha256: str) -> bytes:
    """The body in the bytes of `packed_body`; ReadError if they are damaged."""
    try:
        # One byte more than there should be: a bomb in a file from outside is not unpacked.
        body = zstd.ZstdDecompressor().decompress(data, max_length=size + 1)
    except zstd.ZstdError as error:
        raise _damaged() from error
    if hashlib.sha256(body).hexdigest() != sha256:
        raise _damaged()
    return body


def _damaged() -> ReadError:
    return ReadError(
        "The kept bytes of this answer are damaged: restore the dossier from a backup, or check the source again.",
        code="body_damaged",
    )


def packed_facts(request: Request, payload: Payload) -> bytes:
    """The request and the facts of an answer, as they are stored; the state of the request is left out."""
    plain = replace(request, validators=NO_VALIDATORS, glimpse="", attempts=0, failed_with="", deaths=0)
    told = {"request": asdict(plain), "payload": asdict(replace(payload, body=b""))}
    del told["request"]["validators"], told["payload"]["body"]
    return zstd.compress(json.dumps(told).encode())


def unpacked_facts(data: bytes) -> tuple[Request, Payload]:
    """The request and the answer, without its body, in the bytes of `packed_facts`.

    Fields that this version does not know are left out, and those that were not stored then have their defaults.
    """
    told = json.loads(zstd.decompress(data))
    request = {name: value for name, value in told["request"].items() if name in _REQUEST}
    payload = {name: value for name, value in told["payload"].items() if name in _PAYLOAD}
    redirects = tuple((status, url) for status, url in payload.pop("redirects", ()))
    return Request(**request), Payload(**payload, body=b"", redirects=redirects)


_REQUEST = frozenset(field.name for field in fields(Request)) - {"validators"}
_PAYLOAD = frozenset(field.name for field in fields(Payload)) - {"body"}


def lease_to_read(dossier_id: str, source: Source, answer: KeptAnswer) -> Lease:
    """A lease as the workshop wants it for reading; nothing can be committed with it."""
    return Lease(
        dossier_id=dossier_id, source=source, request=answer.request, worker="reread", epoch=0, until=0, wakes=0
    )
