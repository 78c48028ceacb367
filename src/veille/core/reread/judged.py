"""What reading a kept answer again changes about a stored revision."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from veille.core.archive.kept_contents import stored_meta
from veille.core.compare.diff import change_size
from veille.core.models import Document, Reading
from veille.core.records import Revision
from veille.core.reread.answers import KeptAnswer, KeptRevision
from veille.core.traffic import Failure

#: Fields of a revision that a document has under the same names.
_SHARED = ("title", "text", "html", "lang", "published_at")


class RereadOutcome(StrEnum):
    """What became of a revision that was read again."""

    SAME = "same"
    CHANGED = "changed"
    FAILED = "failed"


@dataclass(frozen=True, slots=True, kw_only=True)
class RereadRevision:
    """One revision that was read again."""

    kept: KeptRevision
    url: str
    #: Its title until now.
    title: str
    outcome: RereadOutcome
    #: Why it failed; then the stored content stays.
    code: str = ""
    message: str = ""
    #: What differs: names of its fields and of its metadata.
    fields: tuple[str, ...] = ()
    words_added: int = 0
    words_removed: int = 0
    #: Its content hash until now.
    content_hash: str = ""
    #: As it is read now; None if it failed.
    document: Document | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class RereadAnswer:
    """One answer that was read again, and what is to be written of it."""

    kept: KeptAnswer
    options: str
    revisions: tuple[RereadRevision, ...]


def document_for(answer: KeptAnswer, kept: KeptRevision, reading: Reading | Failure) -> Document | Failure:
    """The document of a reading that this revision is of; a failure if there is none, or if it has no text."""
    if isinstance(reading, Failure):
        return reading
    if reading.failure is not None:
        return reading.failure
    found = next((one for one in reading.documents if one.keys[0] == kept.key), None)
    found = found or next((one for one in reading.documents if kept.key in one.keys), None)
    if found is None and len(answer.revisions) == len(reading.documents) == 1:
        # Its key is told in another way now; as there is only one, it is this.
        (found,) = reading.documents
    if found is None:
        message = "The document is no longer found in its answer; its content stays."
        return Failure(code="not_in_answer", message=message, retryable=False)
    if not found.text:
        code = "needs_ocr" if found.meta.get("needs_ocr") else "empty"
        return Failure(code=code, message="No text was found; the content stays.", retryable=False)
    return found


def judged(kept: KeptRevision, stored: Revision, found: Document | Failure) -> RereadRevision:
    """What a reading changes about a stored revision."""
    if isinstance(found, Failure):
        return RereadRevision(
            kept=kept,
            url=stored.url,
            title=stored.title,
            outcome=RereadOutcome.FAILED,
            code=found.code,
            message=found.message,
            content_hash=stored.content_hash,
        )
    different = tuple(_differences(stored, found))
    added, removed = change_size(stored.text, found.text) if "text" in different else (0, 0)
    return RereadRevision(
        kept=kept,
        url=stored.url,
        title=stored.title,
        outcome=RereadOutcome.CHANGED if different else RereadOutcome.SAME,
        fields=different,
        words_added=added,
        words_removed=removed,
        content_hash=stored.content_hash,
        document=found,
    )


def _differences(stored: Revision, found: Document) -> Sequence[str]:
    shared = [name for name in _SHARED if getattr(stored, name) != getattr(found, name)]
    # As it comes back from the store: JSON has no tuples.
    meta = json.loads(json.dumps(stored_meta(found)))
    names = [name for name in {**stored.meta, **meta} if stored.meta.get(name) != meta.get(name)]
    return [*shared, *sorted(names)]
