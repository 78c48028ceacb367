"""Rows as values: which columns are read, and what they become."""

from __future__ import annotations

import json
import struct
from dataclasses import asdict
from typing import TYPE_CHECKING

from veille.adapters.stores.sqlite._part import Columns
from veille.core.feeds.feed_hints import Rhythm
from veille.core.models import Request, Source, State
from veille.core.records import RevisionLine
from veille.core.traffic import Validators

try:
    # The same format, 5 times as fast; what one writes, the other reads.
    from isal.isal_zlib import compress
except ImportError:  # no wheel for this machine
    from zlib import compress

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from veille.adapters.stores.sqlite._db import Row

SOURCE = (
    "id, name, kind, url, config, interval_ms, original_interval_ms, cron, pace_ms, enabled, state, failures, "
    "error_code, error, moved_to, moved_seen, checked_at, changed_at, created_at, updated_at, rhythm"
)
REQUEST = (
    "id, source_id, url, purpose, stamp, depth, context, etag, last_modified, raw_hash, attempts, lease_epoch, wakes, "
    "size, full_at, polls, churn, failed_with, final_url, every, optional, pattern, glimpse, deaths"
)
#: A document that moved is at its new address; older revisions were where they were.
_URL = "CASE revisions.id WHEN documents.revision_id THEN documents.url ELSE revisions.url END"
REVISION = (
    f"revisions.id, revisions.document_id, documents.source_id, n, {_URL} AS url, revisions.title, revisions.lang, "
    "revisions.content_hash, extracted_at, revisions.published_at, meta, strategy, quality, documents.state"
)
REVISION_LINE = Columns(RevisionLine, f"{REVISION}, text_length", meta=json.loads)


def source_from(row: Row) -> Source:
    """A row of `SOURCE` as a value."""
    return Source(
        id=row[0],
        name=row[1],
        kind=row[2],
        url=row[3],
        config=json.loads(row[4]),
        interval_ms=row[5],
        original_interval_ms=row[6],
        cron=row[7],
        pace_ms=row[8],
        enabled=bool(row[9]),
        state=State(row[10]),
        failures=row[11],
        error_code=row[12],
        error=row[13],
        moved_to=row[14],
        moved_seen=row[15],
        checked_at=row[16],
        changed_at=row[17],
        created_at=row[18],
        updated_at=row[19],
        rhythm=_rhythm(row[20]),
    )


def _rhythm(text: str | None) -> Rhythm | None:
    kept = json.loads(text) if text else None
    return kept and Rhythm(every_ms=kept["every_ms"], hours=tuple(kept["hours"]), days=tuple(kept["days"]))


def rhythm_text(rhythm: Rhythm | None) -> str | None:
    """What is stored of a rhythm."""
    return None if rhythm is None else json.dumps(asdict(rhythm))


def request_from(row: Row) -> Request:
    """A row of `REQUEST` as a value."""
    return Request(
        id=row[0],
        source_id=row[1],
        url=row[2],
        purpose=row[3],
        stamp=row[4],
        depth=row[5],
        context=json.loads(row[6]),
        validators=Validators(
            etag=row[7],
            last_modified=row[8],
            raw_hash=row[9],
            size=row[13],
            full_at=row[14],
            polls=row[15],
            churn=row[16],
            final_url=row[18],
        ),
        attempts=row[10],
        failed_with=row[17],
        every=row[19],
        optional=bool(row[20]),
        pattern=row[21],
        glimpse=row[22],
        deaths=row[23],
    )


def as_json(values: Iterable[object]) -> str:
    """A list for `json_each`."""
    return json.dumps(list(values))


def packed_marks(marks: Sequence[int]) -> bytes:
    """Marks of lines, see `core.boilerplate`."""
    return struct.pack(f"<{len(marks)}I", *marks)


def marks_from(packed: bytes) -> tuple[int, ...]:
    """The same, unpacked."""
    return struct.unpack(f"<{len(packed) // 4}I", packed)


def packed(text: str) -> bytes:
    """Text as it is stored."""
    return compress(text.encode(), 1)
