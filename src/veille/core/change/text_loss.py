"""A text that shrinks by half while its page does not: then not the page changed, but what is read of it.

A page may be redesigned so that a part of its text looks like furniture, or its `main` holds less of it. Half of a
text must not replace the whole. So the page is fetched again; if the lost text is still on it, the last content stays,
and a person decides. A page that really lost half of its text has changed like any other.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Final

from veille.core.http.charset import decoded, label
from veille.core.traffic import Failure, Payload

if TYPE_CHECKING:
    from veille.core.models import Document, Reading

#: A shorter text may well halve.
_LEAST: Final = 400
_ABOUT_HALF, _MOST = 0.55, 0.5
#: Lines that are looked for on the page, the longest first: each is a search through all of it.
_MOST_LINES: Final = 50
#: A shorter line may be on a page by chance.
_SENTENCE: Final = 20
#: More of a page is not searched: nor is more of it read. Pages made to harm take 0.4 s.
_MOST_BYTES: Final = 5_000_000
#: What rendering puts before and between the texts of blocks.
_ITEM, _CELLS = "- ", " | "


def is_half(length: int, before: int) -> bool:
    """Whether a text of so many characters is about half of what it was, or less."""
    return before >= _LEAST and length <= _ABOUT_HALF * before


def text_loss(document: Document, before: str, reading: Reading) -> Failure | None:
    """The failure that keeps the text before; None unless half of it is lost, and most of that is still on the page."""
    payload = reading.payload
    if payload is None or not is_half(len(document.text), len(before)):
        return None
    if not _is_shown(Counter(_parts(before)) - Counter(_parts(document.text)), payload):
        return None
    message = (
        "Half of its text is no longer read, though it is still on the page. What was there before stays. Look for a "
        f"mode or selector that reads it (`veille preview {reading.lease.request.url} --kind page --set mode=reader`) "
        "and set it; or set guard=false to accept the shorter text."
    )
    return Failure(
        code="text_lost", message=message, retryable=False, status=payload.status, duration_ms=payload.duration_ms
    )


def _is_shown(lost: Counter[str], payload: Payload) -> bool:
    """Whether at least half of these texts is anywhere on the page."""
    longest = sorted((part for part in lost if len(part) >= _SENTENCE), key=len, reverse=True)[:_MOST_LINES]
    body = decoded(payload.body[:_MOST_BYTES], label(payload.charset))[0]
    from veille.core.extract.tree.prescan import bare_text  # noqa: PLC0415 - slow to import

    page = _solid(bare_text(body.encode("utf-8", "replace")))
    found = sum(len(part) for part in longest if part in page)
    return bool(longest) and found >= _MOST * sum(map(len, longest))


def _parts(text: str) -> list[str]:
    """The texts of its blocks."""
    return [_solid(part) for line in text.split("\n") for part in line.removeprefix(_ITEM).split(_CELLS)]


def _solid(text: str) -> str:
    """The text without white space: markup may add some between any two letters."""
    return "".join(text.split())
