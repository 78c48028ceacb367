"""Items of reader apps have numbers: of all dossiers in one row, in the order in which they were first listed.

Apps ask for what has a higher number than all they know (Fever, `since_id`), so that a number that is given later must
be higher, whichever dossier it is of. Changes have numbers in their dossier only; a range of them has a range here.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

_LONG = "tag:google.com,2005:reader/item/"
_HEX = re.compile(r"[0-9a-f]{16}", re.IGNORECASE)
_DECIMAL = re.compile(r"-?[0-9]{1,19}")
_MOST = 2**63


@dataclass(frozen=True, slots=True, kw_only=True)
class NumberRange:
    """The numbers of some changes of a dossier that follow each other."""

    start: int
    dossier_id: str
    first_seq: int
    length: int

    @property
    def end(self) -> int:
        """The first number after it."""
        return self.start + self.length


class ItemNumbers:
    """Finds the number of a change, and the change of a number."""

    def __init__(self, ranges: Iterable[NumberRange]) -> None:
        self._ranges = sorted(ranges, key=lambda one: one.start)
        self._starts = [one.start for one in self._ranges]
        self._of: dict[str, list[NumberRange]] = defaultdict(list)
        for one in sorted(self._ranges, key=lambda one: one.first_seq):
            self._of[one.dossier_id].append(one)
        self._firsts = {name: [one.first_seq for one in ranges] for name, ranges in self._of.items()}

    def number(self, dossier_id: str, seq: int) -> int | None:
        """The number of a change; None if it has none."""
        at = bisect_right(self._firsts.get(dossier_id, ()), seq) - 1
        if at < 0:
            return None
        found = self._of[dossier_id][at]
        return found.start + seq - found.first_seq if seq < found.first_seq + found.length else None

    def change(self, number: int) -> tuple[str, int] | None:
        """The dossier of a number and the change in it; None if nothing has it."""
        at = bisect_right(self._starts, number) - 1
        if at < 0 or number >= self._ranges[at].end:
            return None
        found = self._ranges[at]
        return found.dossier_id, found.first_seq + number - found.start

    def by_dossier(self, numbers: Sequence[int]) -> dict[str, list[int]]:
        """The changes of these numbers, by dossier; unknown ones are left out."""
        found: dict[str, list[int]] = defaultdict(list)
        for place in filter(None, map(self.change, numbers)):
            found[place[0]].append(place[1])
        return dict(found)


def item_number(text: str) -> int | None:
    """The number of an item in any of the three forms that apps send; None if it is no number.

    `tag:google.com,2005:reader/item/000000000000001f` and `000000000000001f` are hexadecimal, `31` is not.

    >>> item_number("tag:google.com,2005:reader/item/000000000000001f"), item_number("000000000000001F")
    (31, 31)
    >>> item_number("31"), item_number("-1"), item_number("ten")
    (31, -1, None)
    """
    text = text.strip()
    short = text.removeprefix(_LONG)
    if _HEX.fullmatch(short) or (short != text and re.fullmatch(r"[0-9a-f]{1,16}", short, re.IGNORECASE)):
        number = int(short, 16)
        return number - 2 * _MOST if number >= _MOST else number
    return int(short) if _DECIMAL.fullmatch(short) and -_MOST <= int(short) < _MOST else None


def long_id(number: int) -> str:
    """The long form of a number.

    >>> long_id(31)
    'tag:google.com,2005:reader/item/000000000000001f'
    """
    return f"{_LONG}{number % (2 * _MOST):016x}"
