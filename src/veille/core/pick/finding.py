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
from typing import Final, NamedTuple
from zlib import crc32

from pydantic import Field

from veille.core.pick.flat import HEADINGS, FlatPage
from veille.core.pick.marks import Mark, Marker
from veille.core.pick.names import shared
from veille.core.pick.selector import selector_of
from veille.core.pick.shapes import likeness, title_likeness, words_of

#: Elements that are compared in full, and lookalikes that are remembered.
_MOST_COMPARED: Final = 400
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
_SOME, _LIKE, _AGREES, _NEARLY = 0.25, 0.4, 0.5, 0.9
_TITLES: Final = HEADINGS | {"a", "dt", "th"}
_MOST: Final = 0.7
#: The share of a page's words that says that it was not rewritten.
_STAYED: Final = 0.35
_LONG_TEXT: Final = 8
_DIGIT: Final = re.compile(r"\d+")
_MOST_TEXT: Final = 400
_BLOCKS: Final = frozenset("div section article p span main aside header footer figure li dd td".split())


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


class Compared(NamedTuple):
    """How alike an element and a mark are: the share of marks, and that of each group."""

    score: float
    names: float
    words: float
    content: float
    place: float

    @property
    def groups(self) -> int:
        """How many groups agree."""
        return sum(one >= _AGREES for one in self[1:])


class Survival(NamedTuple):
    """The share of a page's names and words that another version of it has."""

    names: float = 1.0
    words: float = 1.0


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
        (_compare(own, marker.mark(one), Survival()).score, one)
        for one in _shortlist(page, marker, [own])
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
    own = _compare(part, part, whole)
    return any(_is_placed_only(own, _compare(part, rival, whole)) for rival in part.rivals)


def find_part(page: FlatPage, part: PagePart) -> Found:
    """The one element that is the part."""
    marker = Marker(page)
    survival = _survival(page, marker, part)
    marks = (part, *part.rivals)
    candidates = _shortlist(page, marker, marks)
    scores = [
        sorted(((_compare(mark, marker.mark(n), survival), n) for n in candidates), reverse=True) for mark in marks
    ]
    if not scores[0]:
        return Found(None, "nothing on the page is like it")
    known = _taken(page, scores) | _known_others(page, part)
    taken = {n for n in candidates if any(_same(page, one, n) for one in (n, *page.above(n)[:3]) if one in known)}
    taken |= {n for n in candidates if any(_same(page, n, one) for one in known if n < one < page.ends[n])}
    taken |= {
        n for n in candidates if any(n < one < page.ends[n] for one in known) and not _is_named(part, marker.mark(n))
    }
    left = [(match, n) for match, n in scores[0] if n not in taken]
    if not left:
        return Found(None, "only others of its kind are left")
    exact = _exact(page, part, left) if not _is_named(part, marker.mark(left[0][1])) else None
    best, n = exact or left[0]
    if best.score < _ENOUGH or best.groups < _GROUPS or not _agrees(part, marker.mark(n), best, survival):
        return Found(None, "nothing on the page is enough like it", best.score)
    n = _narrowed(page, n, left, part)
    if exact:
        return Found(n, "found", best.score)
    second = next((match for match, other in left if not _same(page, n, other)), None)
    if second is not None and (best.score - second.score < _AHEAD or _is_placed_only(best, second)):
        return Found(None, "two parts of the page are equally like it", best.score)
    return Found(n, "found", best.score)


def _is_placed_only(best: Compared, second: Compared) -> bool:
    """Whether nothing but its place tells an element from another: places change."""
    return second.names >= best.names and second.words >= best.words and second.content >= best.content


def _agrees(part: PagePart, there: Mark, match: Compared, survival: Survival) -> bool:
    """Whether what should have stayed on this page did."""
    is_same = part.text == there.text and len(part.text) >= _LETTERS
    is_named = _is_named(part, there)
    is_rewritten = survival.words < _STAYED
    if is_named and match.place >= _MOST and match.names >= _NEARLY and (is_rewritten or match.words >= _SOME):
        return True
    if not is_same and (match.content < _LIKE or _is_retold(part, there, match)):
        return False
    if not is_rewritten:
        if is_same and part.alone:
            return True
        if is_same and match.names >= _NEARLY and match.place >= _MOST and match.words >= _SOME:
            return not _is_elsewhere(part, there)
        return match.words >= _AGREES and not _is_elsewhere(part, there)
    # In other words: only a name of its own, or its very content, tells it from others.
    return (is_named or (is_same and part.alone)) and match.names >= _AGREES and match.place >= _MOST


def _is_named(part: PagePart, there: Mark) -> bool:
    """Whether it has all names of the part, and no other element like it had."""
    if not part.names or shared(part.names, frozenset(there.names)) < 1.0:
        return False
    return all(shared(part.names, frozenset(rival.names)) < 1.0 for rival in part.rivals)


def _is_retold(part: PagePart, there: Mark, match: Compared) -> bool:
    """Whether a text that is words has all become other words, and little else says that it is the part."""
    if part.tag in _TITLES:
        return title_likeness(part.text, there.text) < _AGREES
    if part.title and any(map(str.isalpha, part.title)) and title_likeness(part.title, there.title) < _AGREES:
        return likeness(part.text, there.text) < _MOST
    if part.shape not in {"words", "text"} or likeness(part.text, there.text) >= _LIKE:
        return False
    is_labelled = bool(part.label) and title_likeness(part.label, there.label) >= _NEARLY
    is_alone_there = part.lone and there.lone and frozenset(part.names) == frozenset(there.names)
    is_alike = part.tag == there.tag and part.shape == there.shape and (is_alone_there or part.shape == "words")
    return not (is_labelled and is_alike and match.words >= _MOST)


def _is_elsewhere(part: PagePart, there: Mark) -> bool:
    """Whether it is in an item with another title and another link."""
    titles = [title for title in part.within if any(map(str.isalpha, title))][:1]
    if not titles or (part.link and part.link == there.link):
        return False
    return max(title_likeness(titles[0], other) for other in (*there.within, there.label)) < _AGREES


def _taken(page: FlatPage, scores: Sequence[Sequence[tuple[Compared, int]]]) -> set[int]:
    """The elements that are rather a lookalike than the part, and wrappers of the same text."""
    own = {n: match.score for match, n in scores[0]}
    found: set[int] = set()
    for rival in scores[1:]:
        match, n = rival[0]
        if match.score >= _ENOUGH and match.score > own.get(n, 0.0):
            found.update(one for _, one in scores[0] if _same(page, n, one))
    return found


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
    same = [(match, n) for match, n in left if page.text(n, len(part.text) + 1)[:_MOST_TEXT] == part.text]
    return same[0] if same and all(_same(page, same[0][1], n) for _, n in same) else None


def _narrowed(page: FlatPage, n: int, left: Sequence[tuple[Compared, int]], part: PagePart) -> int:
    """Of nested elements with the same text, the one that is most like it in name."""
    same = [(match.names, page.tags[one] == part.tag, match.score, one) for match, one in left if _same(page, n, one)]
    return max(same)[-1]


def _same(page: FlatPage, one: int, other: int) -> bool:
    """Whether two elements have the same text because one is just a wrapper of the other."""
    return (page.holds(one, other) or page.holds(other, one)) and _spans(page, one) == _spans(page, other)


def _compare(mark: Mark, there: Mark, survival: Survival) -> Compared:
    """How much of a mark an element has."""
    names = _names(mark, there)
    words = _words(mark, there)
    content = _content(mark, there)
    place = _place(mark, there)
    kept = (survival.names, survival.words, 1.0, 1.0)
    gained = total = 0.0
    shares = []
    for group, stays in zip((names, words, content, place), kept, strict=True):
        mine = sum(weight * same for weight, same in group)
        # What is not there counts as far as it should be.
        most = sum(weight * (same + (1 - same) * max(stays, 0.1)) for weight, same in group)
        shares.append(mine / sum(weight for weight, _ in group) if group else 0.0)
        gained, total = gained + mine, total + most
    return Compared(gained / total if total else 0.0, *shares)


Marks = list[tuple[float, float]]


def _names(mark: Mark, there: Mark) -> Marks:
    found = []
    if mark.names:
        found.append((3.0, shared(mark.names, frozenset(there.names))))
    if mark.path:
        found.append((2.0, shared(mark.path, frozenset(there.path))))
    return found


def _words(mark: Mark, there: Mark) -> Marks:
    found = []
    for weight, mine, theirs in (
        (1.5, mark.before, there.before),
        (1.0, mark.after, there.after),
    ):
        # A number beside it is soon another one.
        if any(map(str.isalpha, mine)):
            found.append((weight, likeness(mine, theirs)))
    for weight, mine, theirs in (
        (1.5, mark.heading, there.heading),
        (2.0, mark.column, there.column),
        (2.0, mark.title, there.title),
    ):
        if mine:
            found.append((weight, title_likeness(mine, theirs)))
    found += [
        (2.5 / (place + 1), max(title_likeness(title, other) for other in (*there.within, there.label)))
        for place, title in enumerate(mark.within)
    ]
    if mark.link:
        found.append((1.5, float(mark.link == there.link)))
    return found


def _content(mark: Mark, there: Mark) -> Marks:
    found = [(1.0, float(mark.shape == there.shape)), (0.5, _near(mark.size, there.size))]
    same = _text_likeness(mark.text, there.text)
    # Texts are expected to change: the same text says more than another one.
    found.append((0.5 + (5.5 if getattr(mark, "alone", False) and mark.text == there.text else 2.5) * same, same))
    return found


def _text_likeness(one: str, other: str) -> float:
    if one == other:
        return 1.0 if one else 0.0
    return likeness(one, other) if len(words_of(one)) >= _LONG_TEXT else 0.5 * likeness(one, other)


def _near(one: int, other: int) -> float:
    return (min(one, other) + 4) / (max(one, other) + 4)


def _place(mark: Mark, there: Mark) -> Marks:
    tag = 1.0 if mark.tag == there.tag else 0.6 if {mark.tag, there.tag} <= _BLOCKS else 0.0
    found = [(1.0, tag), (1.0, _path_likeness(mark.tags, there.tags)), (0.5, float(mark.place == there.place))]
    if mark.landmark and there.landmark:
        found.append((1.0, float(mark.landmark == there.landmark)))
    return found


def _path_likeness(one: tuple[str, ...], other: tuple[str, ...]) -> float:
    """The longest common course of two paths, without wrappers."""
    mine = [tag for tag in one if tag not in {"div", "section"}]
    theirs = [tag for tag in other if tag not in {"div", "section"}]
    row = [0] * (len(theirs) + 1)
    for tag in mine:
        before = row
        row = [0]
        for place, there in enumerate(theirs):
            row.append(before[place] + 1 if tag == there else max(before[place + 1], row[-1]))
    return 2 * row[-1] / (len(mine) + len(theirs)) if mine or theirs else 1.0


def _shortlist(page: FlatPage, marker: Marker, marks: Sequence[Mark]) -> list[int]:
    """The elements that are compared in full: those that have most in common with any of the marks at first sight."""
    found: set[int] = set()
    most = max(60, _MOST_COMPARED // len(marks))
    for mark in marks:
        wanted, texts = frozenset(mark.names), {mark.text, mark.title} - {""}
        ranked = []
        for n in range(len(page)):
            first, last = page.first[n], page.last[n]
            if first == last and mark.text:
                continue
            same = len(wanted.intersection(marker.names(n))) * 2.0
            same += page.tags[n] == mark.tag
            same += 2 * (first > 0 and bool(mark.before) and page.pieces[first - 1].startswith(mark.before))
            same += last < len(page.pieces) and bool(mark.after) and page.pieces[last].startswith(mark.after)
            if first < last:
                same += 3 * (
                    page.pieces[first][:400] in texts or (bool(mark.text) and mark.text.startswith(page.pieces[first]))
                )
            same += _near(mark.size, page.size(n))
            ranked.append((-same, n))
        ranked.sort()
        found.update(n for _, n in ranked[:most])
    return sorted(found)


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
