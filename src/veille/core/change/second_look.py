"""A page that seems changed is fetched again before a change is reported: some parts differ at every fetch."""

from __future__ import annotations

import json
from dataclasses import dataclass, replace

from veille.core.change.quirks import Look, judge, look
from veille.core.compare.boilerplate import Boilerplate, without_flicker
from veille.core.models import Change, Document, Item, Quirk, Reading
from veille.core.schedule import MINUTE

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


def reconsider(item: Item, document: Document, reading: Reading, kept: Kept, site: Boilerplate) -> SecondLook:
    """Decide whether a page has really changed, or has to be fetched again to find out."""
    request, config = reading.lease.request, reading.lease.source.config
    at = reading.payload.fetched_at if reading.payload is not None else kept.at
    ignored = [str(pattern) for pattern in config.get("ignore", ())]
    glimpses = _glimpses(request.glimpse, at)
    before, after = (site.compared(one.title, one.text) for one in (kept, document))
    if document.shown:
        before, after = without_flicker((before, kept.beside), (after, document.beside))
    judgement = judge(look(before, kept.at, ignored), [*glimpses, look(after, at, ignored)], kept.quirks)
    learned = judgement.quirks if judgement.quirks != kept.quirks else None
    if not judgement.is_news:
        same = replace(item, change=Change.SAME, rev_n=kept.rev_n)
        return SecondLook(item=same, quirks=learned, is_passing=judgement.is_passing)
    looks_again = document.shown and request.every and config.get("look_twice", True)
    if judgement.is_open and looks_again:
        seen = json.dumps([(one.at, one.lines) for one in (*glimpses, look(after, at, ignored))])
        return SecondLook(item=replace(item, change=Change.SAME, rev_n=kept.rev_n), glimpse=seen)
    return SecondLook(item=item, quirks=learned)


def _glimpses(glimpse: str, now: int) -> list[Look]:
    found = [Look(lines=tuple(lines), at=at) for at, lines in json.loads(glimpse)] if glimpse else []
    return [one for one in found if now - one.at <= _MOMENTS]
