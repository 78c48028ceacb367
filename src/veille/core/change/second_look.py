"""A page that seems changed is fetched again before a change is reported: some parts differ at every fetch.

So is a page of which only half of the text is read, though the page did not shrink, one of which a value changed, and
one that looks different.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

from veille.core.browsing.pictures import Picture
from veille.core.change.metadata_changes import value_texts
from veille.core.change.quirks import Look, judge, look, merged, trusted
from veille.core.change.text_loss import is_half, text_loss
from veille.core.compare.boilerplate import Boilerplate, without_flicker
from veille.core.models import Change, Document, Item, Known, Quirk, Reading
from veille.core.schedule import MINUTE
from veille.core.told import ToldChange
from veille.core.traffic import Failure

#: Fetches within this time show the same page, so differences are noise; later, somebody may have edited it.
_MOMENTS = 5 * MINUTE
#: Of a glimpse: when, the lines, the values.
_PARTS: Final = 3
#: The first word of the quirk of a value; no word of a line has a space in it.
_VALUE: Final = "the value"
#: The code of a change that is only seen; also the name of its metadata: how much differs, in percent.
LOOKS: Final = "looks_different"
_USUAL_THRESHOLD: Final = 0.5


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
    summary: str = ""


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
    #: Names of values that differ at every fetch: their changes are not reported.
    noise: frozenset[str] = frozenset()
    #: Why the text must not replace the stored one.
    failure: Failure | None = None


def reconsider(
    item: Item, document: Document, reading: Reading, kept: Kept, site: Boilerplate, values: Mapping[str, str]
) -> SecondLook:
    """Decide whether a page has really changed, or has to be fetched again to find out.

    `values` are the stored texts of its values by name.
    """
    request, config = reading.lease.request, reading.lease.source.config
    at = reading.payload.fetched_at if reading.payload is not None else kept.at
    ignored = [str(pattern) for pattern in config.get("ignore", ())]
    glimpses = _glimpses(request.glimpse, at)
    before, after = (site.compared(one.title, one.text) for one in (kept, document))
    looks_again = bool(document.shown and request.every and config.get("look_twice", True))
    same = replace(item, change=Change.SAME, rev_n=kept.rev_n)
    if document.shown and config.get("guard", True) and (failure := text_loss(document, kept.text, reading)):
        if looks_again and not glimpses:
            now = replace(look(after, at, ignored), values=value_texts(document))
            return SecondLook(item=same, glimpse=_seen(now))
        return SecondLook(item=same, failure=failure)
    if document.shown:
        before, after = without_flicker((before, kept.beside), (after, document.beside))
    now = replace(look(after, at, ignored), values=value_texts(document))
    glimpses, every = _of_whole_page(glimpses, document, kept), [*glimpses, now]
    of_text, of_values = _told_apart(kept.quirks)
    judgement = judge(look(before, kept.at, ignored), [*glimpses, now], of_text)
    noise, of_values = _noise(every, of_values)
    quirks = judgement.quirks + of_values
    learned = quirks if quirks != kept.quirks else None
    is_other = _differing(values, now.values) - noise
    if looks_again and (judgement.is_open or (is_other and len(every) == 1)):
        return SecondLook(item=same, glimpse=_seen(*glimpses, now))
    if not judgement.is_news:
        return SecondLook(item=same, quirks=learned, is_passing=judgement.is_passing, noise=noise)
    return SecondLook(item=item, quirks=learned)


def _told_apart(quirks: Sequence[Quirk]) -> tuple[tuple[Quirk, ...], tuple[Quirk, ...]]:
    """The quirks of the text, and those of values."""
    of_values = tuple(one for one in quirks if one.line[0] == _VALUE)
    return tuple(one for one in quirks if one not in of_values), of_values


def _noise(looks: Sequence[Look], quirks: tuple[Quirk, ...]) -> tuple[frozenset[str], tuple[Quirk, ...]]:
    """The names of values that differ between the looks or are known to, and the quirks with what was learned."""
    at = looks[-1].at
    told = sorted({name for one in looks for name in _differing(one.values, looks[-1].values)})
    known = {str(line[1]) for line in trusted(quirks, at)}
    return frozenset({*told, *known}), merged(quirks, ((_VALUE, name) for name in told), at)


def _differing(one: Mapping[str, str], other: Mapping[str, str]) -> frozenset[str]:
    return frozenset(name for name in {*one, *other} if one.get(name) != other.get(name))


def _seen(*looks: Look) -> str:
    return json.dumps([(one.at, one.lines, one.values) for one in looks])


def _glimpses(glimpse: str, now: int) -> list[Look]:
    seen = json.loads(glimpse) if glimpse else ()
    # A glimpse of a version that knew no values has two parts: the page is looked at once more instead.
    found = [Look(lines=tuple(one[1]), at=one[0], values=one[2]) for one in seen if len(one) == _PARTS]
    return [one for one in found if now - one.at <= _MOMENTS]


def _of_whole_page(glimpses: list[Look], document: Document, kept: Kept) -> list[Look]:
    """The earlier fetches, without those that had half of the text if this one has more: they prove nothing."""
    if is_half(len(document.text), len(kept.text)):
        return glimpses
    return [one for one in glimpses if not is_half(sum(map(len, one.lines)), len(kept.text))]


def second_picture(found: SecondLook, known: Known | None, reading: Reading) -> SecondLook:
    """The same decision, unless the text is the same and the page looks different: fetch it again, or it changed."""
    item, source = found.item, reading.lease.source
    picture = item.document.picture if item.document is not None else None
    is_open = item.change is Change.SAME and not found.glimpse and found.failure is None
    if item.document is None or picture is None or picture.difference is None or not is_open:
        return found
    is_own = known is not None and known.source_id == source.id and known.document_id == item.document_id
    threshold = float(source.config.get("picture_threshold", _USUAL_THRESHOLD))
    if not is_own or not source.config.get("watch_picture") or picture.difference <= threshold:
        return found
    if not reading.lease.request.glimpse:
        # There are no lines to compare with: the first picture is kept beside it.
        return replace(found, glimpse="[]")
    message = f"looks different: {picture.difference:.1f} % of the picture"
    shown = replace(item.document, meta=item.document.meta | {LOOKS: picture.difference})
    changed = replace(item, change=Change.CHANGED, rev_n=item.rev_n + 1, document=shown, code=LOOKS, message=message)
    return replace(found, item=replace(changed, told=ToldChange(reason=message)))


def first_picture(reading: Reading, glimpse: str) -> Picture | None:
    """The picture to keep until the second fetch, if there is to be one."""
    return next((one.picture for one in reading.documents if one.picture is not None), None) if glimpse else None
