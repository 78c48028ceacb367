"""Noise that changes at every fetch and is no news: counters, advertisements, lists in another order.

A page that seems changed is fetched again within minutes; each fetch is a `Look`. Lines that are in all looks but not
in the stored text are news. Lines that differ between the looks are noise. They are stored as *quirks*: a quirk is a
line that appears, disappears or moves, with gaps for words that vary. A quirk that was seen on two occasions is ignored
for a while without further fetches; then it must be confirmed again, so that no real change stays hidden.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fnmatch import fnmatchcase

from veille.core.change.moments import frame_of, moves_along
from veille.core.compare.alignment import aligned
from veille.core.models import Quirk
from veille.core.schedule import DAY, MINUTE

#: The words of a line, with None where any words may be.
Gapped = tuple[str | None, ...]
_Pieces = list[list[str]]

#: A quirk counts after this many occasions, at least this far apart, and for this long after the last.
PROOFS = 2
APART = 10 * MINUTE
TRUSTED_FOR = 14 * DAY
#: The most quirks that are stored for one document.
MOST_QUIRKS = 300
#: Looks that differ in more lines are not compared line by line.
MOST_LINES = 400
#: Longer lines are compared only as a whole, and nothing is learned from them.
_MOST_WORDS = 1000
#: Limit of word comparisons for one page.
_MOST_COMPARED = 1_000_000
#: Two lines are variants of one line if at least this share of their words is the same.
_SIMILAR = 0.5
_MOST_GAP = 8
#: The most words of a short line, such as an advertisement.
_SHORT = 20
#: Looks needed to confirm a change; more if the next could show the same advertisement again by chance.
_LOOKS, _SLIGHT_LOOKS = 2, 4
#: If a larger share of the lines differs between two looks, nothing is learned: one was a different page.
_MOST_OTHER = 0.3
#: A page whose looks have less than this in common is different every time: that is always reported.
_LEAST_STEADY = 0.5


@dataclass(frozen=True, slots=True, kw_only=True)
class Look:
    """A page as it was at one time, line by line."""

    lines: tuple[str, ...]
    at: int
    #: The texts of its values by name.
    values: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Judgement:
    """The result of comparing the looks at a page."""

    is_news: bool
    #: Whether one more look is needed to be sure.
    is_open: bool = False
    #: Whether only dates and times differ, which is no news for now.
    is_passing: bool = False
    quirks: tuple[Quirk, ...] = ()


def look(lines: Iterable[str], at: int, ignored: Iterable[str] = ()) -> Look:
    """The lines of a document, without empty ones and those that match an ignored pattern."""
    patterns = tuple(ignored)
    return Look(
        lines=tuple(line for line in lines if line and not any(fnmatchcase(line, one) for one in patterns)), at=at
    )


def judge(kept: Look, looks: Sequence[Look], quirks: Sequence[Quirk] = ()) -> Judgement:
    """Whether a page has news, from its stored text and one or more looks within minutes, the newest last."""
    known = tuple(quirks)
    everything = [kept, *looks]
    if max(_differing(one, looks[-1]) for one in everything) > MOST_LINES:
        return Judgement(is_news=True, quirks=known)
    told = _told_by(looks)
    seen = _Seen(kept, looks, [*trusted(known, looks[-1].at), *told])
    is_news, is_passing = seen.is_news()
    wanted = _SLIGHT_LOOKS if seen.is_slight() else _LOOKS
    return Judgement(
        is_news=is_news,
        is_open=is_news and len(looks) < wanted,
        is_passing=is_passing,
        quirks=merged(known, told, looks[-1].at),
    )


class _Seen:
    """The stored text and the looks, as lines that can be compared."""

    def __init__(self, kept: Look, looks: Sequence[Look], restless: list[Gapped]) -> None:
        self._at = kept.at, looks[-1].at
        gapped = [_pieces(line) for line in restless if None in line]
        #: Quirks without gaps, as text.
        self._restless = {" ".join(map(str, line)) for line in restless if None not in line}
        common = Counter(kept.lines)
        for one in looks:
            common &= Counter(one.lines)
        self._kept = _comparable(kept, common, gapped)
        self._looks = [_comparable(one, common, gapped) for one in looks]
        counts = [Counter(lines) for lines in self._looks]
        self._steady, self._ever = Counter(counts[0]), Counter(counts[0])
        for count in counts[1:]:
            self._steady &= count
            self._ever |= count
        self._old = Counter(self._kept)
        self.come = self._rested(self._steady - self._old)
        self.gone = self._rested(self._old - self._ever)
        self._come_for_good, self._gone_for_good = self._without_moments()

    def _rested(self, lines: Counter[str]) -> list[str]:
        return [line for line in lines.elements() if line not in self._restless]

    def is_news(self) -> tuple[bool, bool]:
        """Whether there is news, and whether dates and times explain some of the ignored differences."""
        if len(self._looks) > 1 and self._steady.total() < _LEAST_STEADY * len(self._looks[-1]):
            return True, False
        come, gone = self._come_for_good, self._gone_for_good
        is_passing = len(come) < len(self.come)
        if come or len(gone) > self._room() or any(len(line.split()) > _SHORT for line in gone):
            return True, False
        return self._is_reordered(), is_passing

    def _room(self) -> int:
        """How many of the missing lines may be noise that was replaced by other noise."""
        flickering = max(len(lines) for lines in self._looks) - self._steady.total()
        known = sum(line in self._restless for line in (self._steady - self._old).elements())
        return flickering + known - ((self._ever - self._steady) & self._old).total()

    def _without_moments(self) -> tuple[list[str], list[str]]:
        come, gone = list(self.come), list(self.gone)
        frames = {frame_of(line): line for line in gone}
        for line in self.come:
            old = frames.get(frame_of(line))
            if old is not None and old in gone and moves_along(old, self._at[0], line, self._at[1]):
                come.remove(line)
                gone.remove(old)
        return come, gone

    def _is_reordered(self) -> bool:
        """Whether at least half of the moved lines are no quirks: some lines of a shuffled list stay in place."""
        moved = _moved(self._kept, self._looks[-1])
        return 2 * sum(line in self._restless for line in moved) <= len(moved) > 0

    def is_slight(self) -> bool:
        """Whether only short lines were replaced, removed or reordered: that may be noise, so more looks are needed."""
        come, gone = self._come_for_good, self._gone_for_good
        if not come:
            return all(len(line.split()) <= _SHORT for line in gone)
        if any(len(line.split()) > _SHORT for line in come):
            return False
        kept = [line.split() for line in gone[:_SHORT]]
        return any(not any(_with_gaps(old, new.split()) for old in kept) for new in come[:_SHORT])


def _differing(one: Look, other: Look) -> int:
    first, second = Counter(one.lines), Counter(other.lines)
    return max((first - second).total(), (second - first).total())


def _comparable(seen: Look, common: Counter[str], gapped: list[_Pieces]) -> list[str]:
    """The lines; those that are not in all looks have gaps for the words that vary."""
    left = Counter(common)
    lines = []
    for line in seen.lines:
        if left[line]:
            left[line] -= 1
            lines.append(line)
            continue
        words = line.split()
        found = next((one for one in gapped if _fits(one, words)), None)
        lines.append(" … ".join(" ".join(piece) for piece in found) if found else line)
    return lines


def _moved(one: list[str], other: list[str]) -> list[str]:
    """The lines of both, from the first one that moved to the last."""
    common = Counter(one) & Counter(other)
    first, second = _only(one, common), _only(other, common)
    start = next((at for at, pair in enumerate(zip(first, second, strict=True)) if pair[0] != pair[1]), len(first))
    ends = zip(reversed(first), reversed(second), strict=True)
    end = len(first) - next((at for at, pair in enumerate(ends) if pair[0] != pair[1]), len(first))
    return first[start:end]


def _only(lines: list[str], common: Counter[str]) -> list[str]:
    left = Counter(common)
    kept = []
    for line in lines:
        if left[line]:
            left[line] -= 1
            kept.append(line)
    return kept


def trusted(quirks: Iterable[Quirk], now: int) -> list[Gapped]:
    """The lines of the quirks that need no further looks."""
    return [quirk.line for quirk in quirks if quirk.proofs >= PROOFS and now - quirk.at <= TRUSTED_FOR]


def merged(quirks: tuple[Quirk, ...], told: Iterable[Gapped], now: int) -> tuple[Quirk, ...]:
    """The quirks with those that looks have shown now."""
    found = {quirk.line: quirk for quirk in quirks}
    for line in told:
        known = found.pop(line, None)
        if known is None:
            found[line] = Quirk(line=line, at=now)
        elif now - known.at >= APART:
            found[line] = replace(known, proofs=known.proofs + 1, at=now)
        else:
            found[line] = known
    return tuple(found.values())[-MOST_QUIRKS:]


def _told_by(looks: Sequence[Look]) -> list[Gapped]:
    """The lines that differ between the last look and any earlier one."""
    found: dict[Gapped, None] = {}
    for one in looks[:-1]:
        found |= dict.fromkeys(_told_by_two(one, looks[-1]))
    return list(found)


def _told_by_two(one: Look, other: Look) -> list[Gapped]:
    first, second = Counter(one.lines), Counter(other.lines)
    come = [line.split() for line in (second - first).elements()]
    found: list[Gapped] = []
    gone: list[list[str]] = []
    left = _MOST_COMPARED
    for line in map(str.split, (first - second).elements()):
        for at, new in enumerate(come):
            left -= len(line) + len(new)
            if left > 0 and (twin := _with_gaps(line, new)):
                found.append(twin)
                del come[at]
                break
        else:
            gone.append(line)
    if max(len(come), len(gone)) > _MOST_OTHER * max(len(one.lines), len(other.lines)):
        return []
    moved = map(str.split, _moved(list(one.lines), list(other.lines)))
    return found + [tuple(line) for line in (*gone, *come, *moved) if len(line) <= _MOST_WORDS]


def _pieces(line: Gapped) -> _Pieces:
    """The words before, between and after the gaps of a line."""
    pieces: _Pieces = [[]]
    for word in line:
        if word is None:
            pieces.append([])
        else:
            pieces[-1].append(word)
    return pieces


def _fits(pieces: _Pieces, words: list[str]) -> bool:
    """Whether the words match the pieces of a line, with at most `_MOST_GAP` words in each gap."""
    first, last = pieces[0], pieces[-1]
    if len(words) < len(first) + len(last) or words[: len(first)] != first or (last and words[-len(last) :] != last):
        return False
    at, end = len(first), len(words) - len(last)
    for piece in pieces[1:-1]:
        starts = range(at, min(at + _MOST_GAP, end - len(piece)) + 1)
        found = next((start for start in starts if words[start : start + len(piece)] == piece), -1)
        if found < 0:
            return False
        at = found + len(piece)
    return end - at <= _MOST_GAP


def _with_gaps(one: list[str], other: list[str]) -> Gapped:
    """One line for two variants, with a gap wherever they differ; empty if they are different lines."""
    least, most = sorted((len(one), len(other)))
    if most > _MOST_WORDS or least < _SIMILAR * most or (Counter(one) & Counter(other)).total() < _SIMILAR * most:
        return ()
    line: list[str | None] = []
    for start, end, _, _, same in aligned(one, other):
        line += one[start:end] if same else [None]
    steady = len(line) - line.count(None)
    return tuple(line) if steady and steady >= _SIMILAR * most else ()
