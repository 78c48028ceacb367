"""Conversion between rows and values."""

from __future__ import annotations

import json
import struct
from dataclasses import asdict, fields
from typing import TYPE_CHECKING

from veille.adapters.stores.sqlite._part import Columns
from veille.core.archive.content_state import ContentState
from veille.core.feed_hints import Rhythm
from veille.core.models import Request, Source, State
from veille.core.records import RevisionLine
from veille.core.traffic import Validators

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from _typeshed import DataclassInstance

    from veille.adapters.stores.database import Row


def _names(of: type[DataclassInstance]) -> tuple[str, ...]:
    return tuple(field.name for field in fields(of))


def _rhythm(text: str | None) -> Rhythm | None:
    kept = json.loads(text) if text else None
    return kept and Rhythm(every_ms=kept["every_ms"], hours=tuple(kept["hours"]), days=tuple(kept["days"]))


_SOURCE, VALIDATORS = _names(Source), _names(Validators)
_REQUEST = [name for name in _names(Request) if name != "validators"]
SOURCE = Columns(Source, ", ".join(_SOURCE), config=json.loads, enabled=bool, state=State, rhythm=_rhythm)
#: Which bodies of a source's answers are kept: as its own option says, or the dossier's.
KEEP_RAW = (
    "coalesce(nullif(sources.config ->> 'keep_raw', ''), (SELECT value FROM options WHERE name = 'keep_raw'), 'none')"
)
#: Whether a document has a tag, or its source; both are answered by an index.
TAGGED = (
    "({source} IN (SELECT source_id FROM source_tags WHERE tag = {tag}) "
    "OR {document} IN (SELECT document_id FROM document_tags WHERE tag = {tag}))"
)
REQUEST = ", ".join((*_REQUEST, *VALIDATORS))
_REQUEST_ITSELF = Columns(Request, ", ".join(_REQUEST), context=json.loads, optional=bool)
_VALIDATORS = Columns(Validators, ", ".join(VALIDATORS))
#: The current revision has the document's present address, older ones the address at which they were read.
_URL = "CASE revisions.id WHEN documents.revision_id THEN documents.url ELSE revisions.url END"
REVISION = (
    f"revisions.id, revisions.document_id, documents.source_id, n, {_URL} AS url, revisions.title, revisions.lang, "
    "revisions.content_hash, extracted_at, revisions.published_at, meta, strategy, quality, documents.state, "
    "revisions.kept"
)
REVISION_LINE = Columns(RevisionLine, f"{REVISION}, text_length", meta=json.loads, kept=ContentState)


def source_row(source: Source) -> list[object]:
    """A source as a row of `SOURCE`."""
    stored = {
        "config": json.dumps(source.config),
        "enabled": int(source.enabled),
        "rhythm": rhythm_text(source.rhythm),
    }
    return [stored.get(name, getattr(source, name)) for name in _SOURCE]


def rhythm_text(rhythm: Rhythm | None) -> str | None:
    """A rhythm as it is stored: JSON."""
    return None if rhythm is None else json.dumps(asdict(rhythm))


def request_from(row: Row) -> Request:
    """A row of `REQUEST` as a value."""
    return _REQUEST_ITSELF(row, validators=_VALIDATORS(row[len(_REQUEST_ITSELF) :]))


def as_json(values: Iterable[object]) -> str:
    """A list for `json_each`."""
    return json.dumps(list(values))


def packed_marks(marks: Sequence[int]) -> bytes:
    """Marks of lines as bytes, see `core.compare.boilerplate`."""
    return struct.pack(f"<{len(marks)}I", *marks)


def marks_from(packed: bytes) -> tuple[int, ...]:
    """The marks in the bytes of `packed_marks`."""
    return struct.unpack(f"<{len(packed) // 4}I", packed)
