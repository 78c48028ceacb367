"""Metadata that changed while the text did not: the stored metadata is updated, and sinks get the change.

Only metadata that describes the document counts. What depends on how or when it was fetched (the linking page, times of
checks, quality figures) does not.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Collection, Iterator
from typing import Any, Final, NamedTuple, TypeGuard

from veille.core.dates import iso
from veille.core.http.caching import is_just_made
from veille.core.models import Change, Document, Item, Json, Known
from veille.core.text import without_controls

#: The code of a report line about such a change.
METADATA: Final = "metadata"
VALUES: Final = "values"
#: The metadata that counts, besides the title: that is compared together with the text.
_NAMES: Final = (
    "version_hint", "authors", "summary", "language", "published_at", "modified_at", "tags", "section", "page_title",
    VALUES,
)  # fmt: skip
#: Changes of a document that was known before and still is.
_LASTING: Final = frozenset({Change.SAME, Change.CHANGED})
DATES: Final = frozenset({"published_at", "modified_at"})
#: Derived from the text.
_OF_TEXT: Final = frozenset({"summary", "language"})
#: Longer values are compared and reported by a hash, so that what is stored per document stays small.
_MOST_CHARS: Final = 160


class MetadataChange(NamedTuple):
    """The names of the changed metadata, and a sentence for the report."""

    names: tuple[str, ...]
    message: str


def facts_of(document: Document) -> str:
    """The metadata that counts, as JSON; unknown values are left out."""
    own = {
        "authors": list(document.authors),
        "summary": document.summary,
        "language": document.lang,
        # A date that is only displayed may be today's, or that of the newest comment.
        "published_at": None if document.meta.get("published_by") == "display" else document.published_at,
        "modified_at": document.modified_at,
    }
    named = document.meta.get
    told = own | {name: named(name) for name in ("version_hint", "tags", "section", "page_title", "modified_by")}
    facts = {name: _short(value) for name, value in told.items() if value}
    if document.values:
        # Each by itself, so that a report can name those that changed.
        facts[VALUES] = value_texts(document)
    return json.dumps(facts, ensure_ascii=False)


def value_texts(document: Document) -> dict[str, str]:
    """The texts of its values by name, as `facts_of` has them; long ones as hashes."""
    return {one.name: _short(one.text) for one in document.values}


def values_in(facts: str) -> dict[str, str]:
    """The texts of the values in what `facts_of` returned; long ones as hashes."""
    found: dict[str, str] = json.loads(facts).get(VALUES, {}) if facts else {}
    return found


def describes(known: Known | None, item: Item, source_id: str) -> TypeGuard[Known]:
    """Whether what is known has the metadata that this source read of the document of an item.

    A page and a feed describe the same document differently.
    """
    if known is None or known.document_id != item.document_id or item.change not in _LASTING:
        return False
    is_as_stored = known.seen is None or known.seen[0] == known.content_hash
    return known.source_id == source_id and known.state == "current" and bool(known.facts) and is_as_stored


def metadata_change(
    before: str,
    document: Document,
    fetched_at: int,
    *,
    is_same_text: bool = True,
    is_of_part: bool = False,
    noise: Collection[str] = (),
) -> MetadataChange | None:
    """How the metadata of a document differs from the stored `facts_of`; None if it does not.

    Without `is_same_text` the text has differences that are to be ignored, which a summary of it repeats. With
    `is_of_part` it is a chosen part of what the server or the file dates. Values that are `noise` do not count.
    """
    after = facts_of(document)
    if before == after:
        return None
    old, new = (_without(json.loads(facts), noise) for facts in (before, after))
    names = tuple(
        name
        for name in _NAMES
        if old.get(name) != new.get(name)
        and _is_news(name, old, new, fetched_at, is_of_part=is_of_part)
        and (is_same_text or name not in _OF_TEXT)
    )
    if not names:
        return None
    edits = (edit for name in names for edit in _edits(name, old, new))
    return MetadataChange(names, without_controls(f"Its metadata changed: {'; '.join(edits)}."))


def _without(facts: Json, noise: Collection[str]) -> Json:
    return facts | {VALUES: {name: text for name, text in facts.get(VALUES, {}).items() if name not in noise}}


def _edits(name: str, old: Json, new: Json) -> Iterator[str]:
    if name != VALUES:
        yield f"{name} {_shown(name, old)} → {_shown(name, new)}"
        return
    before, after = old.get(name, {}), new.get(name, {})
    for one in dict.fromkeys((*before, *after)):
        if before.get(one) != after.get(one):
            yield f"{one} {_shown(one, before)} → {_shown(one, after)}"


def _is_news(name: str, old: Json, new: Json, fetched_at: int, *, is_of_part: bool) -> bool:
    if name not in DATES:
        return True
    at = new.get(name)
    # Some pages are "modified" whenever they are fetched.
    if at is None or is_just_made(at, fetched_at):
        return False
    is_own = name != "modified_at" or new.get("modified_by") not in {"server", "file"}
    # The date of a file says nothing of one part of it. Servers have copies of one file with different times: only a
    # later one is news.
    return is_own or (not is_of_part and at > old.get(name, 0))


def _short(value: Any) -> Any:
    text = value if isinstance(value, str) else json.dumps(value)
    return value if len(text) <= _MOST_CHARS else f"#{hashlib.sha256(text.encode()).hexdigest()[:16]}"


def _shown(name: str, facts: Json) -> str:
    value = facts.get(name)
    if value is None:
        return "(none)"
    if name in DATES:
        return iso(value)
    text = ", ".join(map(str, value)) if isinstance(value, list) else str(value)
    return "(a long one)" if text.startswith("#") else text
