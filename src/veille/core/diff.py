"""What changed between two texts, word by word.

Lines are matched first, then the words of the lines that differ. Words that stand once in both are anchors, so long
texts take little more than linear time; only small stretches without any are compared in full.
"""

from __future__ import annotations

import difflib
import re
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from veille.core.text import UNSPACED_LETTERS, UNSPACED_SIGNS

_TOKEN: Final = re.compile(rf"\s+|[{UNSPACED_SIGNS}{UNSPACED_LETTERS}]|[^\s{UNSPACED_SIGNS}{UNSPACED_LETTERS}]+")
#: Stretches without an anchor are compared in full up to so many pairs of words (some milliseconds); larger ones count
#: as replaced.
_MAX_PAIRS: Final = 40_000
#: What is looked for once in both: single items; where all are common, runs of them (words and the spaces between).
_ANCHOR_LENGTHS: Final = (1, 8)

_Block = tuple[int, int, int]
#: From where to where in the old and in the new, and whether both agree there.
Stretch = tuple[int, int, int, int, bool]


class Kind(StrEnum):
    """What became of a stretch of text."""

    EQUAL = "equal"
    DELETE = "delete"
    INSERT = "insert"


@dataclass(frozen=True, slots=True)
class Edit:
    """A stretch of text that stayed, went or came.

    All of them but what came are the old text; all but what went, the new one.
    """

    kind: Kind
    text: str


def word_diff(old: str, new: str) -> list[Edit]:
    """The edits that make the new text of the old one, in order."""
    before, after = old.splitlines(keepends=True), new.splitlines(keepends=True)
    raw: list[Edit] = []
    for i, i_end, j, j_end, same in aligned(before, after):
        if same:
            raw.append(Edit(Kind.EQUAL, "".join(before[i:i_end])))
        else:
            raw += _words("".join(before[i:i_end]), "".join(after[j:j_end]))
    return _joined(raw)


def unified(old: str, new: str, names: tuple[str, str] = ("old", "new"), context: int = 3) -> list[str]:
    """The lines of a unified diff, as `diff -u` writes them; none when the texts are equal."""
    before, after = old.splitlines(), new.splitlines()
    stretches = aligned(before, after)
    lines: list[str] = []
    for hunk in _hunks(stretches, context):
        (i, _, j, _, _), (_, i_end, _, j_end, _) = hunk[0], hunk[-1]
        lines.append(f"@@ -{_range(i, i_end)} +{_range(j, j_end)} @@")
        for a, a_end, b, b_end, same in hunk:
            lines += [f" {line}" for line in before[a:a_end]] if same else [f"-{line}" for line in before[a:a_end]]
            lines += [] if same else [f"+{line}" for line in after[b:b_end]]
    return [f"--- {names[0]}", f"+++ {names[1]}", *lines] if lines else []


def aligned(before: Sequence[str], after: Sequence[str]) -> list[Stretch]:
    """Where two rows of anything agree and where they differ, in order; together all of both."""
    return list(_stretches(_matches(before, after), len(before), len(after)))


def _words(old: str, new: str) -> Iterator[Edit]:
    before, after = _TOKEN.findall(old), _TOKEN.findall(new)
    for i, i_end, j, j_end, same in aligned(before, after):
        if same:
            yield Edit(Kind.EQUAL, "".join(before[i:i_end]))
            continue
        yield Edit(Kind.DELETE, "".join(before[i:i_end]))
        yield Edit(Kind.INSERT, "".join(after[j:j_end]))


def _joined(raw: list[Edit]) -> list[Edit]:
    """Edits of a kind in a row are one, what went stands before what came, a space between two changes is in both."""
    out: list[Edit] = []
    gone = come = ""
    for at, edit in enumerate(raw):
        if edit.kind is Kind.DELETE:
            gone += edit.text
        elif edit.kind is Kind.INSERT:
            come += edit.text
        elif edit.text == " " and gone and come and _changes_on(raw, at + 1):
            gone, come = gone + " ", come + " "
        else:
            out += _change(gone, come)
            gone = come = ""
            if out and out[-1].kind is Kind.EQUAL:
                out[-1] = Edit(Kind.EQUAL, out[-1].text + edit.text)
            elif edit.text:
                out.append(edit)
    return out + _change(gone, come)


def _changes_on(raw: list[Edit], at: int) -> bool:
    """Whether both texts have more to say before they agree again."""
    return at + 1 < len(raw) and all(edit.text and edit.kind is not Kind.EQUAL for edit in raw[at : at + 2])


def _change(gone: str, come: str) -> list[Edit]:
    return [Edit(kind, text) for kind, text in ((Kind.DELETE, gone), (Kind.INSERT, come)) if text]


def _stretches(matches: list[_Block], old: int, new: int) -> Iterator[Stretch]:
    """From where to where both sequences agree or differ, in order."""
    i = j = 0
    for a, b, size in [*matches, (old, new, 0)]:
        if i < a or j < b:
            yield i, a, j, b, False
        if size:
            yield a, a + size, b, b + size, True
        i, j = a + size, b + size


def _matches(before: Sequence[str], after: Sequence[str]) -> list[_Block]:
    """Where the two sequences have the same items in the same order: blocks of (place, place, length), in order."""
    found: list[_Block] = []
    waiting = [(0, len(before), 0, len(after))]
    while waiting:
        i, i_end, j, j_end = waiting.pop()
        start, stop = i, i_end
        while i < i_end and j < j_end and before[i] == after[j]:
            i, j = i + 1, j + 1
        found.append((start, j - (i - start), i - start))
        while i < i_end and j < j_end and before[i_end - 1] == after[j_end - 1]:
            i_end, j_end = i_end - 1, j_end - 1
        found.append((i_end, j_end, stop - i_end))
        if i == i_end or j == j_end:
            continue
        if anchors := _anchors(before, after, (i, i_end, j, j_end)):
            waiting += _between(anchors, (i, i_end, j, j_end))
        elif (i_end - i) * (j_end - j) <= _MAX_PAIRS:
            matcher = difflib.SequenceMatcher(None, before[i:i_end], after[j:j_end], autojunk=False)
            found += [(i + a, j + b, size) for a, b, size in matcher.get_matching_blocks()]
    return _run_together(sorted(block for block in found if block[2]))


def _run_together(blocks: list[_Block]) -> list[_Block]:
    out: list[_Block] = []
    for a, b, size in blocks:
        if out and out[-1][0] + out[-1][2] == a and out[-1][1] + out[-1][2] == b:
            a, b, size = out[-1][0], out[-1][1], out.pop()[2] + size  # noqa: PLW2901 - both are one block
        out.append((a, b, size))
    return out


def _between(anchors: list[tuple[int, int]], window: tuple[int, int, int, int]) -> Iterator[tuple[int, int, int, int]]:
    """The windows that anchors cut a window into, each beginning with its anchor."""
    i, i_end, j, j_end = window
    for a, b in [*anchors, (i_end, j_end)]:
        yield i, a, j, b
        i, j = a, b


def _anchors(before: Sequence[str], after: Sequence[str], window: tuple[int, int, int, int]) -> list[tuple[int, int]]:
    """Items, or else runs of them, that stand once in both parts; as many as keep their order in both."""
    i, i_end, j, j_end = window
    for length in _ANCHOR_LENGTHS:
        ours = [tuple(before[a : a + length]) for a in range(i, i_end - length + 1)]
        theirs = [tuple(after[b : b + length]) for b in range(j, j_end - length + 1)]
        counts, others = Counter(ours), Counter(theirs)
        places = {run: b for b, run in enumerate(theirs, j) if others[run] == 1}
        pairs = [(a, places[run]) for a, run in enumerate(ours, i) if counts[run] == 1 and run in places]
        if pairs:
            return _longest_rising(pairs)
    return []


def _longest_rising(pairs: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """The longest run of pairs that rises in both numbers; the first numbers rise already."""
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


def _hunks(stretches: list[Stretch], context: int) -> Iterator[list[Stretch]]:
    """The stretches that differ, with some lines around them; those that come close to each other in one hunk."""
    hunk: list[Stretch] = []
    for at, (i, i_end, j, j_end, same) in enumerate(stretches):
        if not same:
            hunk.append((i, i_end, j, j_end, False))
            continue
        length, last = i_end - i, at + 1 == len(stretches)
        if hunk and (length > 2 * context or last):
            size = min(context, length)
            yield [*hunk, (i, i + size, j, j + size, True)]
            hunk = []
        if not last:
            size = min(context, length) if not hunk else length
            hunk.append((i_end - size, i_end, j_end - size, j_end, True))
    if any(not same for *_, same in hunk):
        yield hunk


def _range(start: int, end: int) -> str:
    """Lines as a unified diff counts them."""
    length = end - start
    return f"{start + 1}" if length == 1 else f"{start + (length > 0)},{length}"
