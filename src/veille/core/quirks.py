"""What changes on every load and is no news: counters, clocks, advertisements, lists in another order.

Two looks at a page within moments tell its quirks: whatever differs between them differs by itself. A quirk is kept
with the document, can be listed, and from then on explains the same difference away.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from difflib import SequenceMatcher

from veille.core.moments import without_moments

#: A line is the same one with other words in it when at least this share of its words is the same.
_SIMILAR = 0.5
#: The most words that may stand in one gap of a line.
_MOST_WORDS = 8
#: The least of the words of a line that must stand fast; what has less is known by its place alone.
_LEAST_WORDS = 1
#: The words of a short line, such as an advertisement.
_SHORT = 20
#: How many times the words it was seen to hold a place may hold.
_MARGIN = 1.5
#: More is kept of no document: a page that is all quirks is news every time.
MOST_QUIRKS = 60
#: Of more lines it is not worth telling which is which.
_MOST_LINES = 40
_ROUNDS = 4


@dataclass(frozen=True, slots=True, kw_only=True)
class Quirk:
    """One of three: a line with gaps (`line`), a place between two lines (`size`), or the order of all lines."""

    #: The words of a line; None where others may stand.
    line: tuple[str | None, ...] = ()
    #: The lines around a place, and the most words it was seen to hold.
    before: str = ""
    after: str = ""
    size: int = 0

    @property
    def is_order(self) -> bool:
        return not self.line and not self.size


@dataclass(frozen=True, slots=True, kw_only=True)
class Look:
    """A page as it was at one time, line by line."""

    lines: tuple[str, ...]
    at: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Spot:
    """Where two looks differ: the lines around it that both have, what stood there, and what stands there now.

    Without any of them, only the order of the lines is another.
    """

    before: str = ""
    after: str = ""
    gone: tuple[str, ...] = ()
    come: tuple[str, ...] = ()


def look(title: str, text: str, at: int, ignored: Iterable[re.Pattern[str]] = ()) -> Look:
    """The lines of a document that count: all but the ignored ones."""
    patterns = tuple(ignored)
    lines = (" ".join(line.split()) for line in (title, *text.split("\n")))
    kept = (line for line in lines if line and not any(pattern.search(line) for pattern in patterns))
    return Look(lines=tuple(kept), at=at)


def news(old: Look, new: Look, quirks: Sequence[Quirk] = ()) -> list[Spot]:
    """Every difference that neither the quirks nor the clock explain; none when nothing really changed."""
    before, after = _steadied(old, new, quirks), _steadied(new, old, quirks)
    common = Counter(before) & Counter(after)
    kept, gone = _split(before, common)
    kept_now, come = _split(after, common)
    places = [*gone, *(place for place in come if place not in gone)]
    spots = (Spot(before=at[0], after=at[1], gone=gone.get(at, ()), come=come.get(at, ())) for at in places)
    left = [spot for spot in spots if not any(_explains(quirk, spot) for quirk in quirks)]
    if not left and kept != kept_now and not any(quirk.is_order for quirk in quirks):
        return [Spot()]
    return left


def learn(first: Look, second: Look, quirks: Sequence[Quirk] = ()) -> tuple[Quirk, ...]:
    """The quirks that two looks within moments tell, together with those known before."""
    found = {(quirk.line, quirk.before, quirk.after): quirk for quirk in quirks}
    # What one quirk explains may uncover the next: gaps change the lines around a place, places hide an order.
    for _ in range(_ROUNDS):
        spots = news(first, second, tuple(found.values()))
        for quirk in _lines(spots) or map(_place, spots):
            name = quirk.line, quirk.before, quirk.after
            size = max(quirk.size, found[name].size) if name in found else quirk.size
            found[name] = replace(quirk, size=size)
    return tuple(found.values())[-MOST_QUIRKS:]


def is_slight(spots: Sequence[Spot]) -> bool:
    """Whether this is no more than some short lines in the place of others: one of a few advertisements, perhaps."""
    short = all(max(_size(spot.gone), _size(spot.come)) <= _SHORT for spot in spots)
    return short and not _lines(list(spots))


def _steadied(seen: Look, other: Look, quirks: Sequence[Quirk]) -> list[str]:
    """The lines; those that the other look lacks without their moments, and with gaps for what comes and goes."""
    shared = Counter(seen.lines) & Counter(other.lines)
    lines = []
    for line in seen.lines:
        if shared[line]:
            shared[line] -= 1
            lines.append(line)
        else:
            lines.append(_gapped(without_moments(line, seen.at), quirks))
    return lines


def _gapped(line: str, quirks: Sequence[Quirk]) -> str:
    words = line.split()
    found = next((quirk.line for quirk in quirks if quirk.line and _fits(quirk.line, words)), None)
    return " ".join(word or "…" for word in found) if found else line


def _fits(line: tuple[str | None, ...], words: list[str]) -> bool:
    """Whether these are the words of the line, with any others in its gaps."""
    pieces = _pieces(line)
    first, *middle, last = pieces if len(pieces) > 1 else [*pieces, []]
    if words[: len(first)] != first or (last and words[-len(last) :] != last):
        return False
    at, end = len(first), len(words) - len(last)
    for piece in middle:
        found = next((n for n in range(at, min(at + _MOST_WORDS, end) + 1) if words[n : n + len(piece)] == piece), -1)
        if found < 0:
            return False
        at = found + len(piece)
    return 0 <= end - at <= _MOST_WORDS


def _pieces(line: tuple[str | None, ...]) -> list[list[str]]:
    """The runs of words between the gaps; empty where a line starts or ends with a gap."""
    pieces: list[list[str]] = [[]]
    for word in line:
        if word is None:
            pieces.append([])
        else:
            pieces[-1].append(word)
    return pieces


Place = tuple[str, str]


def _split(lines: list[str], common: Counter[str]) -> tuple[list[str], dict[Place, tuple[str, ...]]]:
    """The lines that both looks have, and what else stands between which of them."""
    left = Counter(common)
    kept: list[str] = []
    others: dict[Place, tuple[str, ...]] = {}
    run: list[str] = []
    last = ""
    for line in [*lines, ""]:
        if line and not left[line]:
            run.append(line)
            continue
        if run:
            others[last, line] = others.get((last, line), ()) + tuple(run)
            run = []
        left[line] -= 1
        kept.append(line)
        last = line
    return kept, others


def _explains(quirk: Quirk, spot: Spot) -> bool:
    """Whether the spot is a place known to hold ever other lines, and holds hardly more of them than it used to."""
    if not quirk.size or max(_size(spot.gone), _size(spot.come)) > quirk.size * _MARGIN + 2:
        return False
    same_before, same_after = quirk.before == spot.before, quirk.after == spot.after
    return (same_before and same_after) or bool(same_before and spot.before) or bool(same_after and spot.after)


def _lines(spots: list[Spot]) -> list[Quirk]:
    """Lines that came back with other words in them, wherever they stand now."""
    come = [line for spot in spots for line in spot.come]
    found = []
    for line in [line for spot in spots for line in spot.gone][:_MOST_LINES]:
        other = next((other for other in come[:_MOST_LINES] if _with_gaps(line, other)), None)
        if other is not None:
            found.append(Quirk(line=_with_gaps(line, other)))
            come.remove(other)
    return found


def _place(spot: Spot) -> Quirk:
    """Where other lines stand each time; of a spot without any, that it is the order which is another."""
    return Quirk(before=spot.before, after=spot.after, size=max(_size(spot.gone), _size(spot.come)))


def _with_gaps(one: str, other: str) -> tuple[str | None, ...]:
    """The line that both are, with a gap wherever they differ; nothing when they are two lines."""
    first, second = one.split(), other.split()
    matcher = SequenceMatcher(None, first, second, autojunk=False)
    line: list[str | None] = []
    ends = 0, 0
    for block in matcher.get_matching_blocks():
        line += [None] if (block.a, block.b) != ends else []
        line += first[block.a : block.a + block.size]
        ends = block.a + block.size, block.b + block.size
    steady = len(line) - line.count(None)
    is_one = steady >= _LEAST_WORDS and steady >= _SIMILAR * max(len(first), len(second))
    return tuple(line) if is_one else ()


def _size(lines: tuple[str, ...]) -> int:
    return sum(len(line.split()) for line in lines)
