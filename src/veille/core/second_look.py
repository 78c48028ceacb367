"""A page that looks changed is looked at twice before anybody is told: much of what differs differs on every load."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

from veille.core.models import Change, Document, Item, Reading
from veille.core.quirks import Look, Quirk, is_slight, learn, look, news

#: How many looks a change takes; one more where the second could by chance have shown the same advertisement again.
_LOOKS, _SLIGHT_LOOKS = 2, 3
#: Between what was seen at one look and the next; cannot occur in text.
_NEXT = "\x1e"


@dataclass(frozen=True, slots=True, kw_only=True)
class Kept:
    """The content of a document that followers have, and its known quirks."""

    title: str
    text: str
    at: int
    rev_n: int
    quirks: tuple[Quirk, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """What a change comes to."""

    item: Item
    #: What was seen so far; empty when no further look is needed.
    glimpse: str = ""
    #: What the document's quirks are now known to be; None when nothing was learned.
    quirks: tuple[Quirk, ...] | None = None


def reconsider(item: Item, document: Document, reading: Reading, kept: Kept) -> Verdict:
    """Whether a page that is not as it was has really changed, or has to be looked at again to tell."""
    request, config = reading.lease.request, reading.lease.source.config
    ignored = [re.compile(pattern) for pattern in config.get("ignore", ())]
    at = reading.payload.fetched_at if reading.payload is not None else kept.at
    old, new = look(kept.title, kept.text, kept.at, ignored), look(document.title, document.text, at, ignored)
    quirks = kept.quirks
    glimpses = request.glimpse.split(_NEXT) if request.glimpse else []
    for glimpse in glimpses:
        quirks = learn(_glimpsed(glimpse, at, ignored), new, quirks)
    learned = quirks if quirks != kept.quirks else None
    spots = news(old, new, quirks)
    if not spots:
        return Verdict(item=replace(item, change=Change.SAME, rev_n=kept.rev_n), quirks=learned)
    looks = _SLIGHT_LOOKS if is_slight(spots) else _LOOKS
    if request.every and len(glimpses) + 1 < looks and config.get("look_twice", True):
        seen = _NEXT.join([*glimpses, f"{document.title}\n{document.text}"])
        return Verdict(item=replace(item, change=Change.SAME, rev_n=kept.rev_n), glimpse=seen)
    return Verdict(item=item, quirks=learned)


def _glimpsed(glimpse: str, at: int, ignored: list[re.Pattern[str]]) -> Look:
    title, _, text = glimpse.partition("\n")
    return look(title, text, at, ignored)
