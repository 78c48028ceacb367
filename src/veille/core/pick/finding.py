"""Find a part again on another version of its page, or say that it is lost; never take another for it.

Four independent kinds of marks are compared: names, the words around it, its content and its place. How much a
difference counts depends on how much of the page stayed the same: on a page whose classes were all renamed, a renamed
class says nothing; on a page that stayed as it was, it says a lot. Elements that were like the part when it was picked
are remembered, too: what is rather one of those is not the part.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final
from zlib import crc32

from pydantic import Field

from veille.core.pick.comparing import AGREES, Compared, Survival, compare
from veille.core.pick.flat import HEADINGS, FlatPage
from veille.core.pick.marks import MOST_TEXT, Mark, Marker
from veille.core.pick.names import shared
from veille.core.pick.selector import selector_of
from veille.core.pick.shapes import likeness, title_likeness
from veille.core.pick.shortlist import shortlist

#: Lookalikes, words and texts that are remembered.
_MOST_RIVALS: Final = 6
_MOST_SAMPLES: Final = 40
_MOST_OTHERS: Final = 600
_LETTERS: Final = 3
_MOST_HASHED: Final = 500
_RIVAL_LEAST: Final = 0.35
#: The share of its marks that an element must have, and by how much it must be ahead of every other one.
_ENOUGH, _AHEAD = 0.5, 0.06
#: Groups of marks that must agree, each with this share of its own.
_GROUPS: Final = 2
_SOME, _LIKE, _NEARLY = 0.25, 0.4, 0.9
_TITLES: Final = HEADINGS | {"a", "dt", "th"}
_CELLS: Final = frozenset({"td", "dd"})
_MOST: Final = 0.7
_LONG_LIST, _LONG_TEXT = 4, 8
#: Characters of a part that is known by its text if more is in it, and how many times as many that may be.
_GROWS_FROM, _GROWS_TO = 20, 4
#: The share of a page's words that says that it was not rewritten.
_STAYED: Final = 0.35
_DIGIT: Final = re.compile(r"\d+")


class PagePart(Mark):
    """A part of a page that was pointed at, as it is stored."""

    #: A selector that finds it on the page as it was; for people.
    selector: str = Field("", max_length=2000)
    #: Whether its text stood nowhere else on the page.
    alone: bool = False
    #: Elements like it that are not it.
    rivals: tuple[Mark, ...] = Field((), max_length=_MOST_RIVALS)
    #: Words and names from all over the page: how many are left says how much the page was changed.
    page_words: tuple[str, ...] = Field((), max_length=_MOST_SAMPLES)
    #: Short hashes of texts that stood once on the page: an element that still has one is not the part.
    others: str = Field("", max_length=_MOST_OTHERS * 8)
    page_names: tuple[str, ...] = Field((), max_length=_MOST_SAMPLES)


@dataclass(frozen=True, slots=True)
class Found:
    """The number of the element, or why there is none."""

    n: int | None
    why: str
    score: float = 0.0


def part_of(page: FlatPage, n: int) -> PagePart:
    """What is to be stored of an element that was picked."""
    marker = Marker(page)
    own = marker.mark(n)
    compared = [
        (compare(own, marker.mark(one), Survival()).score, one)
        for one in shortlist(page, marker, [own])
        if not page.holds(one, n) and not page.holds(n, one)
    ]
    rivals = [one for score, one in sorted(compared, key=lambda pair: -pair[0]) if score >= _RIVAL_LEAST]
    return PagePart(
        **own.model_dump(),
        selector=selector_of(page, n),
        alone=_is_alone(page, n, own.text),
        rivals=tuple(marker.mark(one) for one in rivals[:_MOST_RIVALS]),
        page_words=_spread(_said(page)),
        page_names=_spread(name for n in range(len(page)) for name in marker.names(n)),
        others=" ".join(_others(page, n)),
    )


def is_vague(part: PagePart) -> bool:
    """Whether nothing but its place told it from another element when it was picked."""
    whole = Survival()
    own = compare(part, part, whole)
    return any(_is_placed_only(own, compare(part, rival, whole)) for rival in part.rivals)


def find_part(page: FlatPage, part: PagePart) -> Found:
    """The one element that is the part."""
    marker = Marker(page)
    survival = _survival(page, marker, part)
    marks = (part, *part.rivals)
    candidates = shortlist(page, marker, marks)
    scores = [
        sorted(((compare(mark, marker.mark(n), survival), n) for n in candidates), reverse=True) for mark in marks
    ]
    if not scores[0]:
        return Found(None, "nothing on the page is like it")
    anchored = _anchored(page, marker, part, scores[0]) if survival.words < _STAYED else None
    taken = _ruled_out(page, marker, part, candidates, _taken(page, marker, marks, scores) | _known_others(page, part))
    left = [(match, n) for match, n in scores[0] if n not in taken or (anchored and n == anchored[1])]
    if not left:
        return Found(None, "only others of its kind are left")
    exact = anchored or (_exact(page, part, left) if not _is_named(part, marker.mark(left[0][1])) else None)
    best, n = exact or left[0]
    is_like = best.score >= _ENOUGH and best.groups >= _GROUPS and not _may_be_twin(marker, part, n, candidates)
    is_like = is_like and (min(best.names, best.words) >= _NEARLY or not _is_one_less(marker, part, n, candidates))
    if not is_like or not _agrees(part, marker.mark(n), best, survival):
        return _grown(page, marker, part, candidates, "nothing on the page is enough like it")
    n = _narrowed(page, n, left, part)
    if exact:
        is_inner = _is_inner(page, marker, part, n)
        whole = Found(n, "found", best.score)
        return _grown(page, marker, part, candidates, "something was added to it") if is_inner else whole
    second = next((match for match, other in left if not _same(page, n, other)), None)
    if second is not None and (best.score - second.score < _AHEAD or _is_placed_only(best, second)):
        return Found(None, "two parts of the page are equally like it", best.score)
    return Found(n, "found", best.score)


def _ruled_out(page: FlatPage, marker: Marker, part: PagePart, among: Sequence[int], known: set[int]) -> set[int]:
    """The elements that are known to be others, what is just around or in them, and what has one of them in it."""
    found = set()
    for n in among:
        inner = [one for one in known if n < one < page.ends[n]]
        is_same = any(one in known and _same(page, one, n) for one in (n, *page.above(n)[:3]))
        # What still has its very text has nothing else in it.
        is_wider = bool(inner) and page.text(n, MOST_TEXT) != part.text and not _is_named(part, marker.mark(n))
        if is_same or is_wider or any(_same(page, n, one) for one in inner):
            found.add(n)
    return found


def _anchored(
    page: FlatPage, marker: Marker, part: PagePart, ranked: Sequence[tuple[Compared, int]]
) -> tuple[Compared, int] | None:
    """The one element in the same place with the same link, or between the same numbers."""
    found = [(match, n) for match, n in ranked if _is_anchored(part, marker.mark(n), match)]
    return found[0] if found and all(_same(page, found[0][1], n) for _, n in found) else None


def _is_placed_only(best: Compared, second: Compared) -> bool:
    """Whether nothing but its place tells an element from another: places change."""
    return second.names >= best.names and second.words >= best.words and second.content >= best.content


def _agrees(part: PagePart, there: Mark, match: Compared, survival: Survival) -> bool:
    """Whether what should have stayed on this page did."""
    is_rewritten = survival.words < _STAYED
    # A name that elements beside it have, too, is not its own any more.
    # In a box with another title, it needs more around it to be more than a copy.
    least = AGREES if there.label and there.label != part.label else _SOME
    is_own = _is_named(part, there) and (there.lone or not part.lone)
    if is_own and match.place >= _MOST and match.names >= _NEARLY and (is_rewritten or match.words >= least):
        return True
    # Its text stood elsewhere, too, as in a second menu: on a page that kept its names, it has those of the part.
    if not part.alone and match.names < AGREES * survival.names and survival.names >= _MOST:
        return False
    is_same = _is_same_text(part.text, there.text)
    if is_rewritten and _is_anchored(part, there, match):
        return True
    if not is_same and (match.content < _LIKE or _is_retold(part, there, match)):
        return False
    if is_rewritten:
        # In other words: only a name of its own, or its very content, tells it from others.
        is_sure = _is_named(part, there) or (is_same and part.alone)
        return is_sure and match.names >= AGREES and match.place >= _MOST
    return _is_around(part, there, match, is_same=is_same)


def _may_be_twin(marker: Marker, part: PagePart, n: int, among: Sequence[int]) -> bool:
    """Whether only its text told the part from a twin, and its text is another now.

    A twin had the same names, and nearly the same around it. If all of them are still there as they were, what is left
    is the part.
    """
    text = marker.mark(n).text
    whole = Survival()
    around = [(rival, compare(part, rival, whole)) for rival in part.rivals] if text != part.text else []
    twins = [rival for rival, one in around if one.names >= _NEARLY and one.words >= _NEARLY]
    there = {(mark.tag, mark.text) for mark in map(marker.mark, among)} if twins else set()
    return any(twin.text == text or (twin.tag, twin.text) not in there for twin in twins)


def _is_one_less(marker: Marker, part: PagePart, n: int, among: Sequence[int]) -> bool:
    """Whether its text stood several times on the page, and now less often: the one that is gone may be the part."""
    twins = sum((rival.tag, rival.text) == (part.tag, part.text) for rival in part.rivals)
    # Tags change for all of them.
    same = sum((mark.tag, mark.text) == (marker.mark(n).tag, part.text) for mark in map(marker.mark, among))
    return 0 < same <= twins


def _is_around(part: PagePart, there: Mark, match: Compared, *, is_same: bool) -> bool:
    """Whether enough of what was around the part is around the element."""
    if is_same and part.alone:
        # With nothing else of it around, it is a copy.
        return max(match.words, match.names) >= _SOME
    is_in_place = is_same and match.names >= _NEARLY and match.place >= _MOST and match.words >= _SOME
    return (is_in_place or match.words >= AGREES) and not _is_elsewhere(part, there)


def _is_same_text(one: str, other: str) -> bool:
    """Whether two texts are the same, or the same words in another order."""
    if one == other:
        return len(one) >= _LETTERS
    mine = one.split()
    least = _LONG_TEXT if _DIGIT.search(one) else _LONG_LIST
    return len(mine) >= least and sorted(mine) == sorted(other.split())


def _is_anchored(part: PagePart, there: Mark, match: Compared) -> bool:
    """Whether what has no words, and stays in any language, is the same: its link, or the numbers on both sides."""
    is_in_place = match.names >= _NEARLY and match.place >= _MOST and part.tag == there.tag
    if not is_in_place or not part.alone or min(part.size, there.size) * 2 < max(part.size, there.size):
        return False
    if part.link and part.link == there.link:
        return all(rival.link != part.link for rival in part.rivals)
    sides = (_figures(part.before), _figures(part.after))
    if not all(sides) or sides != (_figures(there.before), _figures(there.after)):
        return False
    return all(sides != (_figures(rival.before), _figures(rival.after)) for rival in part.rivals)


def _figures(text: str) -> tuple[str, ...]:
    return tuple(_DIGIT.findall(text))


def _is_named(part: PagePart, there: Mark) -> bool:
    """Whether it has all names of the part, and no other element like it had."""
    if not part.names or shared(part.names, frozenset(there.names)) < 1.0:
        return False
    return all(shared(part.names, frozenset(rival.names)) < 1.0 for rival in part.rivals)


def _is_retold(part: PagePart, there: Mark, match: Compared) -> bool:
    """Whether a text that is words has all become other words, and little else says that it is the part."""
    if part.tag in _TITLES:
        return title_likeness(part.text, there.text) < AGREES
    if part.link and part.link != there.link and part.lone and not there.lone:
        return True
    if part.title and any(map(str.isalpha, part.title)) and title_likeness(part.title, there.title) < AGREES:
        return likeness(part.text, there.text) < _MOST
    if part.shape not in {"words", "text"} or likeness(part.text, there.text) >= _LIKE:
        return False
    # Of several beside each other, one with other words is another one; a cell is told by its row and its column.
    if not part.lone and part.tag not in _CELLS:
        return True
    is_labelled = bool(part.label) and title_likeness(part.label, there.label) >= _NEARLY
    is_alone_there = part.lone and there.lone and frozenset(part.names) == frozenset(there.names)
    is_alike = part.tag == there.tag and part.shape == there.shape and (is_alone_there or part.shape == "words")
    return not (is_labelled and is_alike and match.words >= _MOST)


def _is_elsewhere(part: PagePart, there: Mark) -> bool:
    """Whether it is in an item with another title and another link."""
    titles, others = _item_titles(part, there), _item_titles(there, part)
    if not titles or (part.link and part.link == there.link):
        return False
    # Without the box around an item, its title is the heading above. What is around several items often has the title
    # of the first of them: only the nearest one counts.
    return max(title_likeness(titles[0], one) for one in (*others[:1], there.label, there.heading)) < AGREES


def _item_titles(mark: Mark, other: Mark) -> list[str]:
    titles = [title for title in mark.within if any(map(str.isalpha, title))]
    # What stands right before both is a label; the item has the next title.
    if len(titles) > 1 and titles[0] == mark.before == other.before:
        del titles[0]
    return titles


def _taken(
    page: FlatPage, marker: Marker, marks: Sequence[Mark], scores: Sequence[Sequence[tuple[Compared, int]]]
) -> set[int]:
    """The elements that are rather a lookalike than the part, and wrappers of the same text."""
    own = {n: match.score for match, n in scores[0]}
    found: set[int] = set()
    for mark, ranked in zip(marks[1:], scores[1:], strict=True):
        match, n = ranked[0]
        is_rather = match.score >= _ENOUGH and match.score > own.get(n, 0.0)
        if is_rather and not _has_own_title(marks[0], marker.mark(n), mark):
            found.update(one for _, one in scores[0] if _same(page, n, one))
    return found


def _has_own_title(part: Mark, there: Mark, rival: Mark) -> bool:
    """Whether it still has the title of the part, which the lookalike had not."""
    title = part.title or part.text
    is_said = sum(map(str.isalpha, title)) >= _LETTERS and not _DIGIT.search(title)
    return is_said and title == (there.title or there.text) and title != (rival.title or rival.text)


def _known_others(page: FlatPage, part: PagePart) -> set[int]:
    """The elements with a text that stood elsewhere on the page as it was, and still stands once."""
    known = frozenset(part.others.split())
    return {n for text, (n, *more) in _once(page).items() if not more and _hashed(text) in known}


def _others(page: FlatPage, n: int) -> list[str]:
    """The hashes of the texts that stand once, without those that have anything of the part in them."""
    found = [
        _hashed(text)
        for text, (one, *more) in _once(page).items()
        if not more and not page.holds(one, n) and not page.holds(n, one)
    ]
    step = max(1, -(-len(found) // _MOST_OTHERS))
    return found[::step]


def _once(page: FlatPage) -> dict[str, list[int]]:
    """The elements of each text; of elements that are only around another with the same text, the innermost."""
    found: dict[str, list[int]] = {}
    for n in range(len(page)):
        is_outer = n + 1 < len(page) and page.parents[n + 1] == n and _spans(page, n) == _spans(page, n + 1)
        text = "" if is_outer or page.size(n) > _MOST_HASHED else page.text(n)
        if len(text) >= _LETTERS:
            found.setdefault(text, []).append(n)
    # One of many numbers is soon another one's.
    frames = Counter(_DIGIT.sub("0", text) for text in found)
    return {
        text: where for text, where in found.items() if not _DIGIT.search(text) or frames[_DIGIT.sub("0", text)] == 1
    }


def _spans(page: FlatPage, n: int) -> tuple[int, int]:
    return page.first[n], page.last[n]


def _is_alone(page: FlatPage, n: int, text: str) -> bool:
    return bool(text) and all(_same(page, n, one) for one in range(len(page)) if page.text(one, len(text) + 1) == text)


def _hashed(text: str) -> str:
    return f"{crc32(text.encode()):07x}"[-7:]


def _exact(page: FlatPage, part: PagePart, left: Sequence[tuple[Compared, int]]) -> tuple[Compared, int] | None:
    """The one element with the very text of the part, if that text stood once on the page, and still does."""
    if not part.alone or sum(map(str.isalpha, part.text)) < _LETTERS:
        return None
    # A number may have become another one's.
    least = _SOME if _DIGIT.search(part.text) else 0.0
    same = [
        (match, n)
        for match, n in left
        if match.words >= least and page.text(n, len(part.text) + 1)[:MOST_TEXT] == part.text
    ]
    return same[0] if same and all(_same(page, same[0][1], n) for _, n in same) else None


def _grown(page: FlatPage, marker: Marker, part: PagePart, among: Sequence[int], otherwise: str) -> Found:
    """The one element in its very place that has all of its text, and some more; lost `otherwise`."""
    if not part.alone or not part.lone or part.size < _GROWS_FROM:
        return Found(None, otherwise)
    most = _GROWS_TO * part.size
    has_it = [n for n in among if page.size(n) <= most and part.text in page.text(n, most + MOST_TEXT)]
    found = [n for n in has_it if _is_in_place(part, marker.mark(n))]
    return Found(found[0], "found") if len(found) == 1 else Found(None, otherwise)


def _is_in_place(part: PagePart, there: Mark) -> bool:
    return (part.tag, part.tags, part.landmark, part.lone) == (there.tag, there.tags, there.landmark, there.lone)


def _is_inner(page: FlatPage, marker: Marker, part: PagePart, n: int) -> bool:
    """Whether another kind of element has its text, in one of its own kind that has more."""
    if page.tags[n] == part.tag:
        return False
    above = page.above(n)
    return any(
        page.tags[one] == part.tag and (_has_name_of(part, marker.names(one)) or marker.mark(one).tags == part.tags)
        for one in above[:3]
    )


def _has_name_of(part: PagePart, names: Sequence[str]) -> bool:
    return tuple(names) == part.names or not frozenset(names).isdisjoint(part.names)


def _narrowed(page: FlatPage, n: int, left: Sequence[tuple[Compared, int]], part: PagePart) -> int:
    """Of nested elements with the same text, the one that is most like it in name."""
    same = [(match.names, page.tags[one] == part.tag, match.score, one) for match, one in left if _same(page, n, one)]
    return max(same)[-1]


def _same(page: FlatPage, one: int, other: int) -> bool:
    """Whether two elements have the same text because one is just a wrapper of the other."""
    return (page.holds(one, other) or page.holds(other, one)) and _spans(page, one) == _spans(page, other)


def _said(page: FlatPage) -> Iterable[str]:
    for piece in page.pieces:
        if 3 <= len(piece) <= 60 and not any(sign.isdigit() for sign in piece):  # noqa: PLR2004
            yield piece


def _spread(all_of_them: Iterable[str]) -> tuple[str, ...]:
    """Some of them, from all over the page."""
    known = list(dict.fromkeys(all_of_them))
    step = max(1, -(-len(known) // _MOST_SAMPLES))
    return tuple(known[::step])


def _survival(page: FlatPage, marker: Marker, part: PagePart) -> Survival:
    pieces = frozenset(page.pieces)
    names = frozenset(name for n in range(len(page)) for name in marker.names(n))
    return Survival(
        names=_share(part.page_names, names),
        words=_share(part.page_words, pieces),
    )


def _share(wanted: Sequence[str], there: frozenset[str]) -> float:
    return sum(one in there for one in wanted) / len(wanted) if wanted else 1.0
