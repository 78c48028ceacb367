"""The export format of documents and changes: the same fields in webhooks, JSON lines, tables and columns.

`docs/reference/exchange.md` documents every field.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from veille.core.dates import iso, iso_or_none
from veille.core.fingerprint import uuid7
from veille.core.records import Event, Parcel, Revision

#: An exported document or change; the keys are `FIELDS`.
Record = dict[str, Any]

#: All fields in order, with the types of their values.
FIELDS: dict[str, type] = {
    "id": str,
    "seq": int,
    "at": str,
    "change": str,
    "dossier_id": str,
    "source_id": str,
    "source_name": str,
    "kind": str,
    "document_id": str,
    "revision_id": str,
    "revision": int,
    "url": str,
    "title": str,
    "lang": str,
    "published_at": str,
    "extracted_at": str,
    "content_hash": str,
    "quality": float,
    "meta": dict,
    "text_length": int,
    "text": str,
    "last_modified": str,
    "changed_metadata": list,
}
#: Fields whose values are times (ISO 8601, UTC).
MOMENTS = ("at", "published_at", "last_modified", "extracted_at")

#: Characters that start a formula or another cell in spreadsheets, also in the full-width forms of East Asia.
_FORMULA = frozenset("=+-@\t\r\n;|%＝＋－＠")  # noqa: RUF001 - the wide forms are meant
#: Characters before it that spreadsheets ignore.
_OVERLOOKED = "\ufeff \u00a0"


@dataclass(frozen=True, slots=True)
class Exported:
    """An exported document or change: its record, and the revision it was made from."""

    record: Record
    revision: Revision


def event_id(event: Event) -> str:
    """A deterministic id of a change: the same at every delivery of it, and unique."""
    return uuid7(event.at, event.dossier_id, str(event.seq))


def change_record(parcel: Parcel) -> Record:
    """A change with its content; for a removed document, the last content."""
    event = parcel.event
    told = {"id": event_id(event), "seq": event.seq, "at": iso(event.at), "change": event.change.value}
    record = document_record(parcel.revision, event.dossier_id, event.source_name, event.kind)
    return record | told | {"changed_metadata": list(event.changed_metadata), "source_id": event.source_id}


def document_record(revision: Revision, dossier_id: str, source_name: str, kind: str) -> Record:
    """The current version of a document; the fields about a change are empty."""
    found = {
        "dossier_id": dossier_id,
        "source_name": source_name,
        "kind": kind,
        "revision_id": revision.id,
        "revision": revision.n,
        "published_at": iso_or_none(revision.published_at),
        "last_modified": iso_or_none(revision.last_modified),
        "extracted_at": iso(revision.extracted_at),
        "text_length": len(revision.text),
    }
    verbatim = "source_id document_id url title lang content_hash quality meta text".split()
    return dict.fromkeys(FIELDS) | {name: getattr(revision, name) for name in verbatim} | found


def cut(record: Record, limit: int) -> Record:
    """The record with its text truncated to `limit`; `text_length` is still the full length."""
    return record if record["text_length"] <= limit else record | {"text": record["text"][:limit]}


def json_line(record: Record) -> bytes:
    """One line of JSON."""
    return json.dumps(record, ensure_ascii=False, separators=(",", ":")).encode() + b"\n"


def flat_values(record: Record) -> Iterable[str | int | float | None]:
    """The values for one row of a table, in the order of `FIELDS`."""
    for name in FIELDS:
        value = record[name]
        yield json.dumps(value, ensure_ascii=False) if isinstance(value, dict | list) else value


def harmless(cell: str) -> str:
    """A text that no spreadsheet runs as a formula: if it might, an apostrophe is prepended.

    >>> harmless("=1+1"), harmless(" @SUM(A1)"), harmless("1 = 1")
    ("'=1+1", "' @SUM(A1)", '1 = 1')
    """
    return f"'{cell}" if cell.lstrip(_OVERLOOKED)[:1] in _FORMULA and cell.strip(_OVERLOOKED) else cell
