"""What a change says at first sight, as values: made once when the change is written, and shown in every list."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache
from typing import Any

from veille.core.dates import iso


class EditKind(StrEnum):
    """The kind of an edit."""

    EQUAL = "equal"
    DELETE = "delete"
    INSERT = "insert"


@dataclass(frozen=True, slots=True)
class TextEdit:
    """A stretch of text that stayed, was deleted or was inserted.

    All edits but insertions make up the old text; all but deletions, the new one.
    """

    kind: EditKind
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ToldValue:
    """A value before and after a change, as people read it; empty where there was none."""

    name: str
    before: str
    after: str
    #: By how much a number rose (or fell, below zero), in percent of what it was; None if that says nothing.
    percent: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ToldChange:
    """The smallest telling part of a change, and how much of the document changed."""

    #: Of a change the words struck and added, of a new document its lead.
    excerpt: tuple[TextEdit, ...] = ()
    #: How many paragraphs changed, of how many; 0 if nobody counted.
    paragraphs_changed: int = 0
    paragraphs: int = 0
    values: tuple[ToldValue, ...] = ()
    #: Why a document was removed, and when it was last seen.
    reason: str = ""
    seen_at: int | None = None


NOTHING_TOLD = ToldChange()


def why_gone(told: ToldChange) -> str:
    """Why a document was removed and when it was last seen, in a line of plain text; empty if nobody knows.

    >>> why_gone(ToldChange(reason="no longer there (404); last text kept", seen_at=1_771_943_400_000))
    'no longer there (404); last text kept; last seen on 2026-02-24'
    """
    seen = f"last seen on {iso(told.seen_at)[:10]}" if told.seen_at else ""
    return "; ".join(filter(None, (told.reason, seen)))


def value_lines(told: ToldChange) -> list[str]:
    """The values that changed, as lines of plain text, with by how much.

    >>> value_lines(ToldChange(values=(ToldValue(name="price", before="12.90 EUR", after="13.90 EUR", percent=7.8),)))
    ['price: 12.90 EUR → 13.90 EUR (+7.8 %)']
    """
    return [
        f"{one.name}: {one.before or '(none)'} → {one.after or '(none)'}"
        + (f" ({one.percent:+g} %)" if one.percent else "")
        for one in told.values
    ]


_SIGNS = {EditKind.EQUAL: "=", EditKind.DELETE: "-", EditKind.INSERT: "+"}
_KINDS = {sign: kind for kind, sign in _SIGNS.items()}
_PLAIN = {EditKind.EQUAL: "{}", EditKind.DELETE: "[-{}-]", EditKind.INSERT: "{{+{}+}}"}


def packed_told(told: ToldChange) -> str:
    """The record as short JSON, as it is stored; empty if it says nothing."""
    parts: dict[str, Any] = {
        "e": [_SIGNS[edit.kind] + edit.text for edit in told.excerpt],
        "p": [told.paragraphs_changed, told.paragraphs] if told.paragraphs else [],
        "v": [[one.name, one.before, one.after, one.percent] for one in told.values],
        "r": told.reason,
        "s": told.seen_at,
    }
    said = {name: value for name, value in parts.items() if value}
    return json.dumps(said, ensure_ascii=False, separators=(",", ":")) if said else ""


@lru_cache(maxsize=2048)
def told_from(text: str) -> ToldChange:
    """What `packed_told` packed; the same changes are shown on many pages."""
    if not text:
        return NOTHING_TOLD
    parts: dict[str, Any] = json.loads(text)
    changed, paragraphs = parts.get("p", (0, 0))
    return ToldChange(
        excerpt=tuple(TextEdit(_KINDS[edit[0]], edit[1:]) for edit in parts.get("e", ())),
        paragraphs_changed=changed,
        paragraphs=paragraphs,
        values=tuple(
            ToldValue(name=name, before=before, after=after, percent=percent)
            for name, before, after, percent in parts.get("v", ())
        ),
        reason=parts.get("r", ""),
        seen_at=parts.get("s"),
    )


def plain_edits(edits: Iterable[TextEdit]) -> str:
    """Edits as one line of plain text, as `wdiff` writes them: `costs [-12-]{+11+} EUR`."""
    return "".join(_plain(edit) for edit in edits)


def _plain(edit: TextEdit) -> str:
    before, words, behind = hugged(edit.text)
    return f"{before}{_PLAIN[edit.kind].format(words) if words else ''}{behind}"


def hugged(text: str) -> tuple[str, str, str]:
    """The space before the words, the words, the space behind them: what is marked begins and ends with a word.

    >>> hugged("going ")
    ('', 'going', ' ')
    """
    words = text.strip()
    at = text.find(words)
    return text[:at], words, text[at + len(words) :]
