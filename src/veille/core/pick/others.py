"""The elements of a page that are known to be others than the part: lookalikes, and what stood elsewhere."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Final

from veille.core.pick.agreeing import DIGIT, LETTERS, is_named, is_said, keys_of_others
from veille.core.pick.comparing import AGREES, Compared
from veille.core.pick.flat import FlatPage
from veille.core.pick.marks import MOST_TEXT, Mark, Marker
from veille.core.pick.part import MOST_OTHERS, PagePart, hashed
from veille.core.pick.shapes import likeness

#: The share of its marks that an element must have.
ENOUGH: Final = 0.5
#: Words of a text that is hardly ever another one's soon.
_MANY_WORDS: Final = 8
#: How many that are most like a lookalike are compared with each other.
_TIED: Final = 8


def ruled_out(
    page: FlatPage, marker: Marker, part: PagePart, scores: Sequence[Sequence[tuple[Compared, int]]]
) -> set[int]:
    """The elements that are known to be others, what is just around or in them, and what has one of them in it."""
    among = [n for _, n in scores[0]]
    known = _rather(page, marker, part, scores) | _with_known_texts(page, part) | _with_known_keys(marker, part, among)
    elsewhere = _with_other_links(marker, part, among)
    found = set()
    for n in among:
        inner = [one for one in known if n < one < page.ends[n]]
        # What leads elsewhere may be inside of the part.
        around = (one for one in (n, *page.above(n)[:3]) if one in known or one in elsewhere)
        is_same = any(page.same(one, n) for one in around)
        # What still has its very text has nothing else in it.
        is_wider = bool(inner) and page.text(n, MOST_TEXT) != part.text and not is_named(part, marker.mark(n))
        if is_same or is_wider or any(page.same(n, one) for one in inner):
            found.add(n)
    return found


def _rather(
    page: FlatPage, marker: Marker, part: PagePart, scores: Sequence[Sequence[tuple[Compared, int]]]
) -> set[int]:
    """The elements that are rather a lookalike than the part, and wrappers of the same text."""
    mine = {n: match.score for match, n in scores[0]}
    found: set[int] = set()
    for mark, ranked in zip(part.rivals, scores[1:], strict=True):
        match, n = ranked[0]
        is_rather = match.score >= ENOUGH and match.score > mine.get(n, 0.0)
        # Of two that are equally like it, either may be the part.
        is_one = all(other.score < match.score or page.same(n, one) for other, one in ranked[1:_TIED])
        is_own = _has_own_title(part, marker.mark(n), mark) or _says_the_same(part, marker.mark(n), mark)
        if is_rather and is_one and not is_own:
            found.update(one for own, one in scores[0] if page.same(n, one) and own.score <= match.score)
    return found


def _has_own_title(part: Mark, there: Mark, rival: Mark) -> bool:
    """Whether it still has the title of the part, which the lookalike had not."""
    title = part.title or part.text
    return is_said(title) and title == (there.title or there.text) and title != (rival.title or rival.text)


def _says_the_same(part: PagePart, there: Mark, rival: Mark) -> bool:
    """Whether it says what nothing but the part said: by its length or its link, it is no number of another."""
    if not part.alone or part.text != there.text or part.text == rival.text:
        return False
    return len(part.text.split()) >= _MANY_WORDS or (bool(part.link) and part.link == there.link != rival.link)


def _with_known_texts(page: FlatPage, part: PagePart) -> set[int]:
    """The elements with a text that stood elsewhere on the page as it was, and still stands once."""
    known = frozenset(part.others.split())
    return {n for key, n in page.once(_once) if key in known}


def _with_known_keys(marker: Marker, part: PagePart, among: Sequence[int]) -> set[int]:
    """The elements that lead to where a lookalike led, or are in the item with its key: both stay in any language."""
    links = {rival.link for rival in part.rivals} - {"", part.link} if part.link else set()
    keys = keys_of_others(part)
    marks = ((n, marker.mark(n)) for n in among) if links or keys else ()
    return {n for n, mark in marks if mark.link in links or not keys.isdisjoint(mark.path)}


def _with_other_links(marker: Marker, part: PagePart, among: Sequence[int]) -> set[int]:
    """The elements that are one of several, say something else than the part, and lead elsewhere.

    What still has its title is the part all the same; and links say nothing where those of its like are gone, too.
    """
    marks = [(n, marker.mark(n)) for n in among] if part.link else []
    links = {rival.link for rival in part.rivals} - {"", part.link}
    if links.isdisjoint(mark.link for _, mark in marks):
        return set()
    return {n for n, mark in marks if mark.link not in ("", part.link) and _is_other_item(part, mark)}


def _is_other_item(part: PagePart, there: Mark) -> bool:
    if there.text == part.text or (is_said(part.title) and part.title == there.title):
        return False
    if part.lone or part.of == 1:
        is_entry = part.tag == "a" and (bool(part.within) or "li" in part.tags[:2])
        return is_entry and likeness(part.text, there.text) < AGREES
    return True


def others_of(page: FlatPage, n: int) -> list[str]:
    """The hashes of the texts that stand once, without those that have anything of the part in them."""
    found = [key for key, one in page.once(_once) if not page.holds(one, n) and not page.holds(n, one)]
    step = max(1, -(-len(found) // MOST_OTHERS))
    return found[::step]


def _once(page: FlatPage) -> list[tuple[str, int]]:
    """The hashes of the texts that stand once, each with its element."""
    texts = [text for text in page.texts if len(text) >= LETTERS]
    # One of many numbers is soon another one's.
    frames = {text: DIGIT.sub("0", text) for text in texts if DIGIT.search(text)}
    times = Counter(frames.values())
    return [
        (hashed(text), page.texts[text][0])
        for text in texts
        if len(page.texts[text]) == 1 and (text not in frames or times[frames[text]] == 1)
    ]
