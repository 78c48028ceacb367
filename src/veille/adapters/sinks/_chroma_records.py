"""What a record in Chroma says about its text."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from veille.core.chunk.chunks import chunk_json
from veille.core.models import Json
from veille.core.records import Chunk, Revision
from veille.core.urls import host_of

#: What the outside shape of a chunk (R-131) says of its document.
OF_DOCUMENT: Final = (
    "source_url", "parent_url", "source_type", "title", "language", "version_hint", "last_modified",
    "crawl_timestamp", "tags",
)  # fmt: skip
#: What it says of the chunk itself: records are told apart by these, so each has them.
_OF_CHUNK: Final = ("chunk_index", "chunk_total", "chunk_strategy", "content_hash")
#: Facts about a revision rather than a chunk: news in them alone are no reason to write a record again.
_OF_REVISION: Final = frozenset({"last_modified", "crawl_timestamp", "content_length"})

Fact = str | int | float | bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Wording:
    """What records are to say, beside what each must."""

    names: Sequence[str] = OF_DOCUMENT
    #: Added to the tags of every document.
    tags: Sequence[str] = ()
    #: Said by every record.
    facts: Mapping[str, Fact] = field(default_factory=dict)


def metadata(chunk: Chunk, revision: Revision, wording: Wording) -> Json:
    """What Chroma can keep. None takes away what an earlier record under this id said."""
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
    """Whether a record has to say something else than it does; what others wrote beside it is theirs."""
    return any(held.get(name) != value for name, value in wanted.items() if name not in _OF_REVISION)


def _kept(value: object) -> Fact | list[str] | None:
    """Plain values, and lists of words that are not empty: there is no room for others."""
    if isinstance(value, list | tuple):
        return [str(item) for item in value] or None
    return value if isinstance(value, str | int | float) else None
