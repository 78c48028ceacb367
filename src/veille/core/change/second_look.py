"""A page that seems changed is fetched again before a change is reported: some parts differ at every fetch.

So is a page of which only half of the text is read, though the page did not shrink.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, replace

from veille.core.change.quirks import Look, judge, look
from veille.core.change.text_loss import is_half, text_loss
from veille.core.compare.boilerplate import Boilerplate, without_flicker
from veille.core.models import Change, Document, Item, Quirk, Reading
from veille.core.schedule import MINUTE
from veille.core.traffic import Failure

#: Fetches within this time show the same page, so differences are noise; later, somebody may have edited it.
_MOMENTS = 5 * MINUTE


@dataclass(frozen=True, slots=True, kw_only=True)
class Kept:
    """The stored content of a document, which sinks have received, and its known quirks."""

    title: str
    text: str
    at: int
    rev_n: int
    quirks: tuple[Quirk, ...] = ()
    #: As in `Document`.
    beside: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class SecondLook:
    """The result for one document that seems changed."""

    item: Item
    #: The fetches so far, as JSON; empty if no further one is needed.
    glimpse: str = ""
    #: Whether only dates and times differ, so that the next fetch may differ though the page is the same.
    is_passing: bool = False
    #: The new quirks of the document; None if nothing was learned.
    quirks: tuple[Quirk, ...] | None = None
    #: Why the text must not replace the stored one.
    failure: Failure | None = None


def reconsider(item: Item, document: Document, reading: Reading, kept: Kept, site: Boilerplate) -> SecondLook:
    """Decide whether a page has really changed, or has to be fetched again to find out."""
    request, config = reading.lease.request, reading.lease.source.config
    at = reading.payload.fetched_at if reading.payload is not None else kept.at
    ignored = [str(pattern) for pattern in config.get("ignore", ())]
    glimpses = _glimpses(request.glimpse, at)
    before, after = (site.compared(one.title, one.text) for one in (kept, document))
    looks_again = bool(document.shown and request.every and config.get("look_twice", True))
    same = replace(item, change=Change.SAME, rev_n=kept.rev_n)
    if document.shown and config.get("guard", True) and (failure := text_loss(document, kept.text, reading)):
        if looks_again and not glimpses:
            return SecondLook(item=same, glimpse=_seen(look(after, at, ignored)))
        return SecondLook(item=same, failure=failure)
    if document.shown:
        before, after = without_flicker((before, kept.beside), (after, document.beside))
    glimpses, now = _of_whole_page(glimpses, document, kept), look(after, at, ignored)
    judgement = judge(look(before, kept.at, ignored), [*glimpses, now], kept.quirks)
    learned = judgement.quirks if judgement.quirks != kept.quirks else None
    if not judgement.is_news:
        return SecondLook(item=same, quirks=learned, is_passing=judgement.is_passing)
    if judgement.is_open and looks_again:
        return SecondLook(item=same, glimpse=_seen(*glimpses, now))
    return SecondLook(item=item, quirks=learned)


def _seen(*looks: Look) -> str:
    return json.dumps([(one.at, one.lines) for one in looks])


def _glimpses(glimpse: str, now: int) -> list[Look]:
    found = [Look(lines=tuple(lines), at=at) for at, lines in json.loads(glimpse)] if glimpse else []
    return [one for one in found if now - one.at <= _MOMENTS]


def _of_whole_page(glimpses: list[Look], document: Document, kept: Kept) -> list[Look]:
    """The earlier fetches, without those that had half of the text if this one has more: they prove nothing."""
    if is_half(len(document.text), len(kept.text)):
        return glimpses
    return [one for one in glimpses if not is_half(sum(map(len, one.lines)), len(kept.text))]
