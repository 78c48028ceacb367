from __future__ import annotations

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from veille.core.compare.alignment import aligned, longest_common

ROWS = st.lists(st.sampled_from("abcd"), max_size=40) | st.lists(st.integers(0, 60).map(str), max_size=60)


def _longest_common(before: list[str], after: list[str]) -> int:
    row = [0] * (len(after) + 1)
    for item in before:
        above = row[:]
        for at, other in enumerate(after, 1):
            row[at] = above[at - 1] + 1 if item == other else max(above[at], row[at - 1])
    return row[-1]


@given(ROWS, ROWS)
def test_stretches_are_all_of_both_in_order_and_say_truly_what_agrees(before: list[str], after: list[str]) -> None:
    i = j = 0
    for start, end, other, other_end, same in aligned(before, after):
        assert (start, other) == (i, j)
        assert not same or before[start:end] == after[other:other_end]
        assert end > start or other_end > other
        i, j = end, other_end
    assert (i, j) == (len(before), len(after))


@given(ROWS, ROWS)
def test_a_small_window_is_aligned_exactly(before: list[str], after: list[str]) -> None:
    found = longest_common(before, after)[::-1]
    assert len(found) == _longest_common(before, after)
    assert all(before[i] == after[j] for i, j in found)
    assert all(i < k and j < n for (i, j), (k, n) in pairwise(found))


def test_rows_that_differ_too_much_agree_at_their_ends_only() -> None:
    before, after = list("xx1a2b3yy"), list("xx1c2d3yy")
    assert aligned(before, after, most=5) == [(0, 3, 0, 3, True), (3, 6, 3, 6, False), (6, 9, 6, 9, True)]
    assert len(aligned(before, after, most=6)) == 5
