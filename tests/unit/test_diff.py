from __future__ import annotations

import random
import time
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from veille.core.diff import Edit, Kind, unified, word_diff

TEXTS = st.text(alphabet="ab c\n.日本", max_size=200) | st.text(max_size=60)


def _old(edits: list[Edit]) -> str:
    return "".join(edit.text for edit in edits if edit.kind is not Kind.INSERT)


def _new(edits: list[Edit]) -> str:
    return "".join(edit.text for edit in edits if edit.kind is not Kind.DELETE)


@given(TEXTS, TEXTS)
def test_the_edits_hold_both_texts_exactly(old: str, new: str) -> None:
    edits = word_diff(old, new)
    assert (_old(edits), _new(edits)) == (old, new)
    assert all(edit.text for edit in edits)
    kinds = [edit.kind for edit in edits]
    assert all(a != b for a, b in pairwise(kinds)), "edits of a kind in a row are one"


@given(TEXTS)
def test_equal_texts_have_no_edits(text: str) -> None:
    assert word_diff(text, text) == ([Edit(Kind.EQUAL, text)] if text else [])
    assert unified(text, text) == []


def test_only_the_words_that_changed_are_told() -> None:
    assert word_diff("The price is 10 euros today.\nNothing else.", "The price is 12 euros today.\nNothing else.") == [
        Edit(Kind.EQUAL, "The price is "),
        Edit(Kind.DELETE, "10"),
        Edit(Kind.INSERT, "12"),
        Edit(Kind.EQUAL, " euros today.\nNothing else."),
    ]


def test_words_replaced_in_a_row_are_one_change() -> None:
    assert word_diff("we met on a cold day", "we met in the warm day") == [
        Edit(Kind.EQUAL, "we met "),
        Edit(Kind.DELETE, "on a cold"),
        Edit(Kind.INSERT, "in the warm"),
        Edit(Kind.EQUAL, " day"),
    ]


def test_writing_without_spaces_is_compared_sign_by_sign() -> None:
    changed = [edit for edit in word_diff("今日は天気がいい", "今日は天気が悪い") if edit.kind is not Kind.EQUAL]
    assert changed == [Edit(Kind.DELETE, "い"), Edit(Kind.INSERT, "悪")]


def test_a_unified_diff_is_what_diff_would_write() -> None:
    old = "\n".join(f"line {n}" for n in range(1, 31))
    new = old.replace("line 5\n", "line five\n").replace("line 25\n", "")
    assert unified(old, new, ("revision 1", "revision 2"), context=1) == [
        "--- revision 1",
        "+++ revision 2",
        "@@ -4,3 +4,3 @@",
        " line 4",
        "-line 5",
        "+line five",
        " line 6",
        "@@ -24,3 +24,2 @@",
        " line 24",
        "-line 25",
        " line 26",
    ]


@given(st.lists(st.sampled_from("abcdef"), max_size=30), st.lists(st.sampled_from("abcdef"), max_size=30))
def test_a_unified_diff_can_be_applied(old: list[str], new: list[str]) -> None:
    lines = unified("\n".join(old), "\n".join(new), context=2)
    out, at = [], 0
    for line in lines[2:]:
        if line.startswith("@@"):
            numbers = line.split()[1][1:].split(",")
            start = int(numbers[0]) - (numbers[-1] != "0" or len(numbers) == 1)
            out += old[at:start]
            at = start
        elif line[0] == " ":
            assert old[at] == line[1:]
            out.append(old[at])
            at += 1
        elif line[0] == "-":
            assert old[at] == line[1:]
            at += 1
        else:
            out.append(line[1:])
    assert out + old[at:] == new


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("word " * 100_000, "word " * 90_000 + "end " + "word " * 9_000),
        (" ".join("ab"[n % 2] for n in range(100_000)), " ".join("ba"[n % 3 % 2] for n in range(100_000))),
        ("a\n" * 100_000, "b\n" * 100_000),
    ],
    ids=["one word", "two words", "lines"],
)
def test_long_and_monotonous_texts_take_seconds_at_most(old: str, new: str) -> None:
    began = time.process_time()
    edits = word_diff(old, new)
    assert time.process_time() - began < 5
    assert (_old(edits), _new(edits)) == (old, new)


def test_a_long_text_with_many_edits_is_compared_word_by_word() -> None:
    rng = random.Random(1)
    words = [f"w{rng.randrange(5000)}" for _ in range(100_000)]
    edited = [word if rng.random() > 0.02 else f"x{at}" for at, word in enumerate(words)]
    began = time.process_time()
    edits = word_diff(" ".join(words), " ".join(edited))
    assert time.process_time() - began < 10
    replaced = sum(word.startswith("x") for word in edited)
    told = sum(len(edit.text.split()) for edit in edits if edit.kind is Kind.INSERT)
    assert replaced <= told <= replaced * 1.5
