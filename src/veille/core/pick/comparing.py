"""How alike a mark and an element are, in four groups that do not depend on each other."""

from __future__ import annotations

from typing import Final, NamedTuple

from veille.core.pick.marks import Mark
from veille.core.pick.names import shared
from veille.core.pick.shapes import likeness, title_likeness, words_of

#: The share from which a group of marks agrees.
AGREES: Final = 0.5
_LONG_TEXT: Final = 8
_BLOCKS: Final = frozenset("div section article p span main aside header footer figure li dd td".split())


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
        return sum(one >= AGREES for one in self[1:])


class Survival(NamedTuple):
    """The share of a page's names and words that another version of it has."""

    names: float = 1.0
    words: float = 1.0


def compare(mark: Mark, there: Mark, survival: Survival) -> Compared:
    """How much of a mark an element has."""
    names = _names(mark, there)
    words = _words(mark, there)
    content = _content(mark, there)
    place = _place(mark, there)
    kept = (survival.names, survival.words, 1.0, 1.0)
    gained = total = 0.0
    shares = []
    for group, stays in zip((names, words, content, place), kept, strict=True):
        mine = whole = 0.0
        for weight, same in group:
            mine += weight * same
            whole += weight
            # What is not there counts as far as it should be.
            total += weight * (same + (1 - same) * max(stays, 0.1))
        shares.append(mine / whole if group else 0.0)
        gained += mine
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
        if any(map(str.isalpha, title))
    ]
    if mark.link:
        found.append((1.5, float(mark.link == there.link)))
    return found


def _content(mark: Mark, there: Mark) -> Marks:
    found = [(1.0, float(mark.shape == there.shape)), (0.5, near(mark.size, there.size))]
    same = _text_likeness(mark.text, there.text)
    # Texts are expected to change: the same text says more than another one.
    found.append((0.5 + (5.5 if getattr(mark, "alone", False) and mark.text == there.text else 2.5) * same, same))
    return found


def _text_likeness(one: str, other: str) -> float:
    if one == other:
        return 1.0 if one else 0.0
    return likeness(one, other) if len(words_of(one)) >= _LONG_TEXT else 0.5 * likeness(one, other)


def near(one: int, other: int) -> float:
    """How near two sizes are, 0 to 1."""
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
