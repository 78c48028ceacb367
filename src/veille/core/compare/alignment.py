"""Alignment of two sequences of words or lines, in order, and in bounded time for any input.

Items that occur once in both sequences are anchors; they split the sequences into windows. Small windows are aligned
exactly, by the longest common subsequence, with the bits of one integer for a row of its table. The work spent on
anchors is bounded: windows that are still large when the budget is used up count as different.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter, defaultdict, deque
from collections.abc import Iterator, Sequence
from typing import Final

#: Start and end in the old and in the new sequence, and whether both agree there.
Stretch = tuple[int, int, int, int, bool]

#: Windows of up to this many pairs of items are aligned exactly: 2 MB for the table, some milliseconds.
_MAX_PAIRS: Final = 16_000_000
#: What must occur once in both: single items, or else, if all are common, runs of them (words and spaces).
_ANCHOR_LENGTHS: Final = (1, 8)
#: How often every item may be visited in the search for anchors. Real texts need two or three.
_ROUNDS: Final = 6
#: Sequences that differ in more items than this, in total, are not aligned: that is a second or two.
MOST_ITEMS: Final = 1_000_000

_Block = tuple[int, int, int]
_Window = tuple[int, int, int, int]


def aligned(before: Sequence[str], after: Sequence[str], *, most: int = MOST_ITEMS) -> list[Stretch]:
    """Where two sequences agree and where they differ, in order; covers both completely.

    If more than `most` items remain between the common ends, all of those count as different.
    """
    return list(_stretches(_matches(before, after, most), len(before), len(after)))


def _stretches(matches: list[_Block], old: int, new: int) -> Iterator[Stretch]:
    """The stretches in which both sequences agree or differ, in order."""
    i = j = 0
    for a, b, size in [*matches, (old, new, 0)]:
        if i < a or j < b:
            yield i, a, j, b, False
        if size:
            yield a, a + size, b, b + size, True
        i, j = a + size, b + size


def _matches(before: Sequence[str], after: Sequence[str], most: int) -> list[_Block]:
    """Common items in the same order: blocks of (place, place, length), in order."""
    found: list[_Block] = []
    waiting = deque([(0, len(before), 0, len(after))])
    work = _ROUNDS * min(len(before) + len(after), most)
    while waiting:
        window = _trimmed(before, after, waiting.popleft(), found)
        i, i_end, j, j_end = window
        size = i_end - i + j_end - j
        if i == i_end or j == j_end or size > most:
            continue
        anchors = _anchors(before, after, window) if size <= work else []
        work -= size
        if anchors:
            waiting += _between(anchors, window)
        elif (i_end - i) * (j_end - j) <= _MAX_PAIRS:
            found += [(i + a, j + b, 1) for a, b in longest_common(before[i:i_end], after[j:j_end])]
    return _run_together(sorted(block for block in found if block[2]))


def _trimmed(before: Sequence[str], after: Sequence[str], window: _Window, found: list[_Block]) -> _Window:
    """The window without its common ends, which are added to `found`."""
    i, i_end, j, j_end = window
    start, stop = i, i_end
    while i < i_end and j < j_end and before[i] == after[j]:
        i, j = i + 1, j + 1
    found.append((start, j - (i - start), i - start))
    while i < i_end and j < j_end and before[i_end - 1] == after[j_end - 1]:
        i_end, j_end = i_end - 1, j_end - 1
    found.append((i_end, j_end, stop - i_end))
    return i, i_end, j, j_end


def _run_together(blocks: list[_Block]) -> list[_Block]:
    out: list[_Block] = []
    for a, b, size in blocks:
        if out and out[-1][0] + out[-1][2] == a and out[-1][1] + out[-1][2] == b:
            a, b, size = out[-1][0], out[-1][1], out.pop()[2] + size  # noqa: PLW2901 - both are one block
        out.append((a, b, size))
    return out


def _between(anchors: list[tuple[int, int]], window: _Window) -> Iterator[_Window]:
    """The windows that anchors split a window into, each beginning with its anchor."""
    i, i_end, j, j_end = window
    for a, b in [*anchors, (i_end, j_end)]:
        yield i, a, j, b
        i, j = a, b


def _anchors(before: Sequence[str], after: Sequence[str], window: _Window) -> list[tuple[int, int]]:
    """Items, or else runs of them, that occur once in both parts; as many as keep their order in both."""
    i, i_end, j, j_end = window
    for length in _ANCHOR_LENGTHS:
        ours, theirs = _runs(before[i:i_end], length), _runs(after[j:j_end], length)
        once = {run for run, number in Counter(ours).items() if number == 1}
        once &= {run for run, number in Counter(theirs).items() if number == 1}
        if once:
            places = {run: b for b, run in enumerate(theirs, j) if run in once}
            return _longest_rising([(a, places[run]) for a, run in enumerate(ours, i) if run in once])
    return []


def _runs(items: Sequence[str], length: int) -> Sequence[object]:
    return items if length == 1 else list(zip(*(items[start:] for start in range(length)), strict=False))


def _longest_rising(pairs: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """The longest subsequence of pairs that rises in both numbers; the first numbers rise already."""
    ends: list[int] = []
    at_end: list[int] = []
    before: list[int] = []
    for index, (_, b) in enumerate(pairs):
        place = bisect_left(ends, b)
        ends[place : place + 1] = [b]
        before.append(at_end[place - 1] if place else -1)
        at_end[place : place + 1] = [index]
    run: list[tuple[int, int]] = []
    index = at_end[-1] if at_end else -1
    while index >= 0:
        run.append(pairs[index])
        index = before[index]
    return run[::-1]


def longest_common(before: Sequence[str], after: Sequence[str]) -> list[tuple[int, int]]:
    """The places in both sequences of a longest common subsequence, last first."""
    if len(before) > len(after):
        return [(a, b) for b, a in longest_common(after, before)]
    rows = _table(before, after)
    found: list[tuple[int, int]] = []
    a, b = len(before), len(after)
    while a and b:
        bit, byte = 1 << (b - 1 & 7), b - 1 >> 3
        if rows[a][byte] & bit:
            b -= 1
            continue
        a -= 1
        if rows[a][byte] & bit:
            b -= 1
            found.append((a, b))
    return found


def _table(before: Sequence[str], after: Sequence[str]) -> list[bytes]:
    """The table of the longest common subsequence (Hyyrö 2004): a bit is 0 where one more item of `after` counts."""
    length = (len(after) >> 3) + 1
    places: dict[str, list[int]] = defaultdict(list)
    wanted = set(before)
    for place, item in enumerate(after):
        if item in wanted:
            places[item].append(place)
    masks = {item: _mask(where, length) for item, where in places.items()}
    ones = (1 << 8 * length) - 1
    row = ones
    rows = [row.to_bytes(length, "little")]
    for item in before:
        shared = row & masks.get(item, 0)
        row = ((row + shared) | (row - shared)) & ones
        rows.append(row.to_bytes(length, "little"))
    return rows


def _mask(places: list[int], length: int) -> int:
    bits = bytearray(length)
    for place in places:
        bits[place >> 3] |= 1 << (place & 7)
    return int.from_bytes(bits, "little")
