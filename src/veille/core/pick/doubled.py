"""Blocks that stand twice on a page, once for phones: a part in them counts once."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import Final

from veille.core.pick.agreeing import DIGIT, LETTERS
from veille.core.pick.comparing import AGREES, Compared, Survival
from veille.core.pick.flat import FlatPage
from veille.core.pick.marks import Mark
from veille.core.pick.names import names_of
from veille.core.pick.part import PagePart

#: How many of the best are compared with each other.
_MOST: Final = 12
#: The different texts of a block, and the share of them that its copy has.
_TEXTS, _SHARE = 4, 0.75
#: The share that is left of a block of which several were taken away.
_REST: Final = 0.5


def without_copies(
    page: FlatPage, part: PagePart, ranked: Sequence[tuple[int, Compared, Mark]], survival: Survival
) -> list[tuple[Compared, int]]:
    """The candidates, the best first, without those in a copy of a block that has another one of them, or had."""
    # What stood there twice when it was picked is told by what was around each.
    if any(_is_twin(part, rival) for rival in part.rivals):
        return [(match, n) for n, match, _ in ranked]
    best = ranked[:_MOST]
    places = _Places(page, part, are_renamed=survival.names < AGREES)
    copies = [n for n, _, mark in best if not _is_in_place(part, mark) and places.has_emptied(n)]
    for place, (one, _, mine) in enumerate(best):
        for other, _, theirs in best[place + 1 :]:
            blocks = _blocks(page, one, other)
            if blocks is None:
                continue
            at = _is_in_place(part, mine), _is_in_place(part, theirs)
            # Copies that say the same are told by their places, or the first counts; others by their places alone.
            if at[0] != at[1]:
                copies.append(blocks[at[0]])
            elif _said(page, blocks[0]) == _said(page, blocks[1]) and _is_more(page, blocks[0], one):
                copies.append(max(blocks))
    return [(match, n) for n, match, _ in ranked if not any(page.holds(block, n) for block in copies)]


def _is_twin(part: PagePart, rival: Mark) -> bool:
    return (rival.text, rival.within, rival.link) == (part.text, part.within, part.link)


class _Places:
    """The elements that are where those around the part were."""

    def __init__(self, page: FlatPage, part: PagePart, *, are_renamed: bool) -> None:
        self._page = page
        self._part = part
        self._are_renamed = are_renamed

    def has_emptied(self, n: int) -> bool:
        """Whether what is around an element is a copy of what was around the part, and still is where it was."""
        page = self._page
        return any(
            not page.holds(one, n) and not page.holds(block, one) and _is_emptied(self._there[one], said)
            for block in page.above(n)
            if (said := _texts(page, block))
            for one in self._with_any(said)
        )

    @cached_property
    def _there(self) -> dict[int, frozenset[str]]:
        """Those that say enough, with their texts."""
        return {one: said for one in self._find() if (said := _texts(self._page, one))}

    @cached_property
    def _sayers(self) -> dict[str, list[int]]:
        found: dict[str, list[int]] = {}
        for one, said in self._there.items():
            for text in said:
                found.setdefault(text, []).append(one)
        return found

    def _with_any(self, said: frozenset[str]) -> set[int]:
        """Those that may be alike: what has most of some texts has one at least of the rarest of them."""
        rare = sorted((self._sayers.get(text, []) for text in said), key=len)
        return {one for some in rare[: int(len(said) * (1 - _REST)) + 1] for one in some}

    def _has_no_new_name(self, n: int) -> bool:
        # On a page whose names are all new, a new name says nothing.
        return self._are_renamed or frozenset(names_of(self._page.attributes[n])) <= frozenset(self._part.path)

    def _find(self) -> list[int]:
        """Those with the very path of one that the part was in, under no other names."""
        page, tags = self._page, self._part.tags
        level = [n for n in range(len(page)) if page.parents[n] < 0 and page.tags[n] == tags[-1]] if tags else []
        found: list[int] = []
        for tag in reversed(tags[:-1]):
            beside = (one for n in level for one in page.children[n] if page.tags[one] == tag)
            level = [one for one in beside if self._has_no_new_name(one)]
            found += level
        return found


def _is_emptied(one: frozenset[str], copy: frozenset[str]) -> bool:
    """Whether a block says nearly all that its copy says, or nothing but a good part of it."""
    if min(len(one), len(copy)) < _TEXTS:
        return False
    return len(one & copy) >= _SHARE * max(len(one), len(copy)) or (one < copy and len(one) >= _REST * len(copy))


def _texts(page: FlatPage, n: int) -> frozenset[str]:
    """The texts of a block, without their numbers; none if there are too few to know it again."""
    if page.last[n] - page.first[n] < _TEXTS:
        return frozenset()
    return frozenset(page.once(_framed)[page.first[n] : page.last[n]]) - {""}


def _framed(page: FlatPage) -> list[str]:
    """Every piece of text without its numbers; empty where it has too few letters."""
    framed = {piece: DIGIT.sub("0", piece) for piece in page.times}
    told = {piece: text if sum(map(str.isalpha, text)) >= LETTERS else "" for piece, text in framed.items()}
    return [told[piece] for piece in page.pieces]


def _is_in_place(part: PagePart, there: Mark) -> bool:
    return (part.tag, part.tags, part.landmark) == (there.tag, there.tags, there.landmark)


def _blocks(page: FlatPage, one: int, other: int) -> tuple[int, int] | None:
    """What stands twice, each with one of two elements: it says the same but for numbers, and has no other frame."""
    if page.holds(one, other) or page.holds(other, one) or _frame(page, one) != _frame(page, other):
        return None
    mine, theirs = one, other
    while True:
        above = _larger(page, mine), _larger(page, theirs)
        if page.holds(above[0], other) or page.holds(above[1], one):
            break
        if _frame(page, above[0]) != _frame(page, above[1]):
            return None
        mine, theirs = above
    is_list = page.parents[mine] == page.parents[theirs] and _named(page, mine) == _named(page, theirs)
    is_said = sum(map(str.isalpha, "".join(_said(page, mine)))) >= LETTERS
    return (mine, theirs) if is_said and not is_list else None


def _is_more(page: FlatPage, block: int, n: int) -> bool:
    return page.span(block) != page.span(n)


def _larger(page: FlatPage, n: int) -> int:
    """The nearest element around another one that says more."""
    return next((one for one in page.above(n) if page.span(one) != page.span(n)), 0)


def _said(page: FlatPage, n: int) -> list[str]:
    return page.pieces[page.first[n] : page.last[n]]


def _frame(page: FlatPage, n: int) -> str:
    return DIGIT.sub("0", "\n".join(_said(page, n)))


def _named(page: FlatPage, n: int) -> tuple[str, ...]:
    return page.tags[n], *names_of(page.attributes[n])
