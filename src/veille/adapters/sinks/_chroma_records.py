"""The metadata of a record in Chroma."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from veille.core.chunk.chunks import chunk_json
from veille.core.models import Json
from veille.core.records import Chunk, Revision
from veille.core.urls import host_of

#: Fields of a chunk in the public format (R-131) that describe its document.
OF_DOCUMENT: Final = (
    "source_url", "parent_url", "source_type", "title", "language", "version_hint", "last_modified",
    "crawl_timestamp", "tags",
)  # fmt: skip
#: Fields that describe the chunk itself: they distinguish records, so each record has them.
_OF_CHUNK: Final = ("chunk_index", "chunk_total", "chunk_strategy", "content_hash")
#: Facts about a revision rather than a chunk: a change in them alone does not rewrite a record.
_OF_REVISION: Final = frozenset({"crawl_timestamp", "content_length"})

Fact = str | int | float | bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Wording:
    """The optional metadata of records, besides the required fields."""

    names: Sequence[str] = OF_DOCUMENT
    #: Added to the tags of every document.
    tags: Sequence[str] = ()
    #: Constant fields of every record.
    facts: Mapping[str, Fact] = field(default_factory=dict)


def metadata(chunk: Chunk, revision: Revision, wording: Wording) -> Json:
    """The metadata that Chroma can store. None removes a field that an earlier record under this id had."""
    record = chunk_json(chunk, revision)
    told = {
        **revision.meta,
        **record,
        "tags": list(dict.fromkeys([*map(str, record["tags"]), *wording.tags])),
        "domain": host_of(revision.url),
        "content_length": len(revision.text),
    }
    return {
        **wording.facts,
        **dict.fromkeys(OF_DOCUMENT),
        **{name: _kept(told.get(name)) for name in wording.names},
        **{name: record[name] for name in _OF_CHUNK},
        "document_id": revision.document_id,
    }


def is_news(wanted: Json, held: Json) -> bool:
    """Whether a record needs an update; fields that others added to it are ignored."""
    return any(held.get(name) != value for name, value in wanted.items() if name not in _OF_REVISION)


def _kept(value: object) -> Fact | list[str] | None:
    """Plain values, and non-empty lists of words: Chroma has no other types."""
    if isinstance(value, list | tuple):
        return [str(item) for item in value] or None
    return value if isinstance(value, str | int | float) else None
