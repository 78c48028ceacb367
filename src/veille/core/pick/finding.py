"""Find a part again on another version of its page, or say that it is lost; never take another for it.

Four independent kinds of marks are compared: names, the words around it, its content and its place. How much a
difference counts depends on how much of the page stayed the same: on a page whose classes were all renamed, a renamed
class says nothing; on a page that stayed as it was, it says a lot. Elements that were like the part when it was picked
are remembered, too: what is rather one of those is not the part.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from veille.core.pick.agreeing import (
    DIGIT,
    LETTERS,
    NEARLY,
    SOME,
    STAYED,
    agrees,
    is_anchored,
    is_beside_its_own,
    is_in_own_item,
    is_named,
    is_said,
)
from veille.core.pick.comparing import AGREES, Compared, Survival, compare
from veille.core.pick.copies import is_copied, is_less_often, is_there, may_be_neighbour, times_of
from veille.core.pick.doubled import without_copies
from veille.core.pick.flat import FlatPage
from veille.core.pick.marks import MOST_TEXT, Mark, Marker
from veille.core.pick.others import ENOUGH, others_of, ruled_out
from veille.core.pick.part import MOST_RIVALS, MOST_SAMPLES, PagePart
from veille.core.pick.selector import selector_of
from veille.core.pick.shapes import words_of
from veille.core.pick.shortlist import shortlist

_RIVAL_LEAST: Final = 0.35
#: By how much of its marks it must be ahead of every other one.
_AHEAD: Final = 0.06
#: How many others are looked at for it.
_CLOSE: Final = 20
#: Groups of marks that must agree, each with this share of its own.
_GROUPS: Final = 2
#: Words, the number among them, that something else may say, too.
_FEW: Final = 3
#: Characters of a part that is known by its text if more is in it, and how many times as many that may be.
_GROWS_FROM, _GROWS_TO = 20, 4


@dataclass(frozen=True, slots=True)
class Found:
    """The number of the element, or why there is none."""

    n: int | None
    why: str
    score: float = 0.0


def part_of(page: FlatPage, n: int) -> PagePart:
    """What is to be stored of an element that was picked."""
    marker = page.once(Marker)
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
        rivals=tuple(marker.mark(one) for one in rivals[:MOST_RIVALS]),
        page_words=page.once(_words_of_page),
        page_names=_spread(marker.all_names),
        others=" ".join(others_of(page, n)),
        times=times_of(page, own),
    )


def is_vague(part: PagePart) -> bool:
    """Whether nothing but its place told it from another element when it was picked."""
    whole = Survival()
    own = compare(part, part, whole)
    return any(_is_placed_only(own, compare(part, rival, whole)) for rival in part.rivals)


def find_part(page: FlatPage, part: PagePart) -> Found:
    """The one element that is the part."""
    marker = page.once(Marker)
    survival = _survival(page, marker, part)
    marks = (part, *part.rivals)
    candidates = shortlist(page, marker, marks)
    scores = [
        sorted(((compare(mark, marker.mark(n), survival), n) for n in candidates), reverse=True) for mark in marks
    ]
    if not scores[0]:
        return Found(None, "nothing on the page is like it")
    anchored = _anchored(page, marker, part, scores[0]) if survival.words < STAYED else None
    taken = ruled_out(page, marker, part, scores)
    free = [n for n in candidates if n not in taken]
    left = [(match, n) for match, n in scores[0] if n not in taken or (anchored and n == anchored[1])]
    # Where its neighbours were copied, they stand beside its copy, too.
    if left and is_copied(page, part, left[0][1]):
        there = [(match, n) for match, n in left if is_there(marker, part, marker.mark(n))]
        # Where names are new, they say nothing about where it is; what is between the same texts still may.
        left = there or [(match, n) for match, n in left if survival.names < AGREES and match.words >= NEARLY]
    left = without_copies(page, part, [(n, match, marker.mark(n)) for match, n in left], survival)
    if not left:
        return Found(None, "only others of its kind are left")
    exact = anchored or (_exact(page, marker, part, left) if not is_named(part, marker.mark(left[0][1])) else None)
    best, n = exact or left[0]
    is_like = best.score >= ENOUGH and best.groups >= _GROUPS and not _may_be_twin(marker, part, n, candidates)
    is_one_less = _is_one_less(page, marker, part, n, candidates)
    is_like = is_like and (min(best.names, best.words) >= NEARLY or not is_one_less)
    is_like = is_like and not may_be_neighbour(page, part, marker.mark(n))
    if not is_like or not agrees(part, marker.mark(n), best, survival, marker.titles_around(n)):
        return _grown(page, marker, part, free, "nothing on the page is enough like it")
    n = _narrowed(page, n, left, part)
    if exact:
        is_inner = _is_inner(page, marker, part, n)
        whole = Found(n, "found", best.score)
        return _grown(page, marker, part, free, "something was added to it") if is_inner else whole
    # What is in it, where it still has its tag and its name, is a piece of it.
    is_whole = page.tags[n] == part.tag and is_named(part, marker.mark(n))
    rest = [(m, other) for m, other in left if not page.same(n, other) and not (is_whole and page.holds(n, other))]
    if rest and not _is_ahead(
        part, (best, marker.mark(n)), [(match, marker.mark(one)) for match, one in rest[:_CLOSE]]
    ):
        return Found(None, "two parts of the page are equally like it", best.score)
    return Found(n, "found", best.score)


def _is_ahead(part: PagePart, best: tuple[Compared, Mark], rest: Sequence[tuple[Compared, Mark]]) -> bool:
    """Whether the best one is told from all others by more than its place."""
    match, there = best
    # What has the very text and link, in its very place, is told by them from all that have not.
    key = _key(part) if is_said(part.text) and _key(part) == _key(there) else None
    for second, other in rest:
        is_close = match.score - second.score < _AHEAD and (key is None or key == _key(other))
        if is_close or _is_placed_only(match, second):
            return False
    return True


def _key(mark: Mark) -> tuple[object, ...]:
    return mark.text, mark.link, mark.tags


def _anchored(
    page: FlatPage, marker: Marker, part: PagePart, ranked: Sequence[tuple[Compared, int]]
) -> tuple[Compared, int] | None:
    """The one element in the same place with the same link, or between the same numbers."""
    found = [(match, n) for match, n in ranked if is_anchored(part, marker.mark(n), match)]
    return found[0] if found and all(page.same(found[0][1], n) for _, n in found) else None


def _is_placed_only(best: Compared, second: Compared) -> bool:
    """Whether nothing but its place tells an element from another: places change."""
    return second.names >= best.names and second.words >= best.words and second.content >= best.content


def _may_be_twin(marker: Marker, part: PagePart, n: int, among: Sequence[int]) -> bool:
    """Whether only its text told the part from a twin, and its text is another now.

    A twin had the same names, and nearly the same around it. If all of them are still there as they were, what is left
    is the part. What says the same around another number is no twin that said something else.
    """
    text = marker.mark(n).text
    whole = Survival()
    said = words_of(part.text)
    is_said_again = len(frozenset(said)) > _FEW and words_of(text) == said
    others = [rival for rival in part.rivals if not is_said_again or words_of(rival.text) == said]
    around = [(rival, compare(part, rival, whole)) for rival in others] if text != part.text else []
    twins = [rival for rival, one in around if one.names >= NEARLY and one.words >= NEARLY]
    there = {(mark.tag, mark.text) for mark in map(marker.mark, among)} if twins else set()
    return any(twin.text == text or (twin.tag, twin.text) not in there for twin in twins)


def _is_one_less(page: FlatPage, marker: Marker, part: PagePart, n: int, among: Sequence[int]) -> bool:
    """Whether its text stood several times on the page, and now less often: the one that is gone may be the part."""
    if is_in_own_item(part, marker.mark(n)):
        return False
    if is_less_often(page, part, marker.mark(n)):
        return True
    twins = sum((rival.tag, rival.text) == (part.tag, part.text) for rival in part.rivals)
    # Tags change for all of them.
    same = sum((mark.tag, mark.text) == (marker.mark(n).tag, part.text) for mark in map(marker.mark, among))
    return 0 < same <= twins


def _is_alone(page: FlatPage, n: int, text: str) -> bool:
    return bool(text) and all(page.same(n, one) for one in page.texts.get(text, ()))


def _exact(
    page: FlatPage, marker: Marker, part: PagePart, left: Sequence[tuple[Compared, int]]
) -> tuple[Compared, int] | None:
    """The one element with the very text of the part, if that text stood once on the page, and still does."""
    if not part.alone or sum(map(str.isalpha, part.text)) < LETTERS:
        return None
    # A number may have become another one's.
    least = SOME if DIGIT.search(part.text) else 0.0
    same = [
        (match, n)
        for match, n in left
        if page.text(n, len(part.text) + 1)[:MOST_TEXT] == part.text
        and (match.words >= least or is_beside_its_own(part, marker.mark(n)))
    ]
    return same[0] if same and all(page.same(same[0][1], n) for _, n in same) else None


def _grown(page: FlatPage, marker: Marker, part: PagePart, among: Sequence[int], otherwise: str) -> Found:
    """The one element in its very place that has all of its text, and some more; lost `otherwise`."""
    if not part.alone or part.size < _GROWS_FROM:
        return Found(None, otherwise)
    most = _GROWS_TO * part.size
    in_place = [n for n in among if part.size < page.size(n) <= most and _is_in_place(part, marker.mark(n))]
    found = [n for n in in_place if _has_all(part, page.text(n, most + MOST_TEXT))]
    return Found(found[0], "found") if len(found) == 1 else Found(None, otherwise)


def _has_all(part: PagePart, text: str) -> bool:
    """Whether all words of the part are in a text, in their order; one of several by its title or its numbers, too."""
    if part.lone or part.text in text:
        words = iter(words_of(text, MOST_TEXT))
        return all(word in words for word in words_of(part.text, MOST_TEXT))
    signs = iter(text.split())
    return all(sign in signs for sign in part.text.split())


def _is_in_place(part: PagePart, there: Mark) -> bool:
    return (part.tag, part.tags, part.landmark, part.lone) == (there.tag, there.tags, there.landmark, there.lone)


def _is_inner(page: FlatPage, marker: Marker, part: PagePart, n: int) -> bool:
    """Whether another kind of element has its text, in one of its own kind that has more."""
    if page.tags[n] == part.tag:
        return False
    outside = frozenset((part.before, part.after, part.label)) - {""}
    # What was around the part is no part that grew.
    above = [one for one in page.above(n)[:3] if outside.isdisjoint(page.pieces[page.first[one] : page.last[one]])]
    return any(
        page.tags[one] == part.tag and (_has_name_of(part, marker.names(one)) or marker.mark(one).tags == part.tags)
        for one in above
    )


def _has_name_of(part: PagePart, names: Sequence[str]) -> bool:
    return tuple(names) == part.names or not frozenset(names).isdisjoint(part.names)


def _narrowed(page: FlatPage, n: int, left: Sequence[tuple[Compared, int]], part: PagePart) -> int:
    """Of nested elements with the same text, the one that is most like it in name."""
    same = [(match.names, page.tags[one] == part.tag, match.score, one) for match, one in left if page.same(n, one)]
    return max(same)[-1]


def _words_of_page(page: FlatPage) -> tuple[str, ...]:
    said = (piece for piece in page.pieces if 3 <= len(piece) <= 60)  # noqa: PLR2004
    return _spread(piece for piece in said if not any(map(str.isdigit, piece)))


def _spread(all_of_them: Iterable[str]) -> tuple[str, ...]:
    """Some of them, from all over the page."""
    known = list(dict.fromkeys(all_of_them))
    step = max(1, -(-len(known) // MOST_SAMPLES))
    return tuple(known[::step])


def _survival(page: FlatPage, marker: Marker, part: PagePart) -> Survival:
    return Survival(
        names=_share(part.page_names, marker.all_names),
        words=_share(part.page_words, page.times),
    )


def _share(wanted: Sequence[str], there: Collection[str]) -> float:
    return sum(one in there for one in wanted) / len(wanted) if wanted else 1.0
