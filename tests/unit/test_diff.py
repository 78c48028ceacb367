from __future__ import annotations

import random
import time
from collections.abc import Callable
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from veille.core.compare.diff import unified, word_diff
from veille.core.told import EditKind, TextEdit

TEXTS = st.text(alphabet="ab c\n.日本", max_size=200) | st.text(max_size=60)


def _old(edits: list[TextEdit]) -> str:
    return "".join(edit.text for edit in edits if edit.kind is not EditKind.INSERT)


def _new(edits: list[TextEdit]) -> str:
    return "".join(edit.text for edit in edits if edit.kind is not EditKind.DELETE)


@given(TEXTS, TEXTS)
def test_the_edits_hold_both_texts_exactly(old: str, new: str) -> None:
    edits = word_diff(old, new)
    assert (_old(edits), _new(edits)) == (old, new)
    assert all(edit.text for edit in edits)
    kinds = [edit.kind for edit in edits]
    assert all(a != b for a, b in pairwise(kinds)), "edits of a kind in a row are one"


@given(TEXTS)
def test_equal_texts_have_no_edits(text: str) -> None:
    assert word_diff(text, text) == ([TextEdit(EditKind.EQUAL, text)] if text else [])
    assert unified(text, text) == []


def test_only_the_words_that_changed_are_told() -> None:
    assert word_diff("The price is 10 euros today.\nNothing else.", "The price is 12 euros today.\nNothing else.") == [
        TextEdit(EditKind.EQUAL, "The price is "),
        TextEdit(EditKind.DELETE, "10"),
        TextEdit(EditKind.INSERT, "12"),
        TextEdit(EditKind.EQUAL, " euros today.\nNothing else."),
    ]


def test_words_replaced_in_a_row_are_one_change() -> None:
    assert word_diff("we met on a cold day", "we met in the warm day") == [
        TextEdit(EditKind.EQUAL, "we met "),
        TextEdit(EditKind.DELETE, "on a cold"),
        TextEdit(EditKind.INSERT, "in the warm"),
        TextEdit(EditKind.EQUAL, " day"),
    ]


def test_writing_without_spaces_is_compared_sign_by_sign() -> None:
    changed = [edit for edit in word_diff("今日は天気がいい", "今日は天気が悪い") if edit.kind is not EditKind.EQUAL]
    assert changed == [TextEdit(EditKind.DELETE, "い"), TextEdit(EditKind.INSERT, "悪")]


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


def _chance(number: int, of: int, gap: str) -> str:
    rng = random.Random(number + of)
    return gap.join(f"w{rng.randrange(of)}" for _ in range(number))


#: Texts that have few anchors, none, or each in another place; each takes a minute or more with a plain algorithm.
HARD: dict[str, Callable[[], tuple[str, ...]]] = {
    "one word": lambda: ("word " * 100_000, "word " * 90_000 + "end " + "word " * 9_000),
    "two words": lambda: (
        " ".join("ab"[n % 2] for n in range(100_000)),
        " ".join("ba"[n % 3 % 2] for n in range(100_000)),
    ),
    "lines": lambda: ("a\n" * 100_000, "b\n" * 100_000),
    "all different": lambda: (" ".join(f"a{n}" for n in range(200_000)), " ".join(f"b{n}" for n in range(200_000))),
    "small windows": lambda: tuple(
        "\n".join(f"line {n} " + " ".join(f"{side}{n}-{k}" for k in range(95)) for n in range(750)) for side in "ab"
    ),
    "few words": lambda: (_chance(50_000, 50, " "), _chance(70_001, 50, " ")),
    "few lines": lambda: (_chance(200_000, 50, "\n"), _chance(200_001, 50, "\n")),
    # Each anchor makes the next one unique, and only that one.
    "a ladder": lambda: tuple(" ".join(f"k{n + 1} k{n} {side}" for n in range(45_000)) for side in "ab"),
    "a ladder of lines": lambda: tuple("\n".join(f"k{n + 1}\nk{n}\n{side}" for n in range(60_000)) for side in "ab"),
    "every other word": lambda: tuple(" ".join(f"s{n} {side}{n}" for n in range(50_000)) for side in "ab"),
    "shuffled": lambda: tuple(
        " ".join(random.Random(seed).sample([f"w{n}" for n in range(50_000)], 50_000)) for seed in (1, 2)
    ),
    "two megabytes in a line": lambda: ("a b " * 500_000, "b c d " * 333_000),
    "two megabytes in lines": lambda: ("a\nb\n" * 500_000, "b\nc\nd\n" * 333_000),
    "two megabytes in a word": lambda: ("a" * 2_000_000, "b" * 2_000_000),
    "eight megabytes": lambda: ("ab " * 2_700_000, "ab " * 2_700_000 + "c"),
}


@pytest.mark.parametrize("case", HARD)
def test_any_texts_are_compared_in_seconds(case: str) -> None:
    old, new = HARD[case]()
    began = time.process_time()
    edits = word_diff(old, new)
    lines = unified(old, new)
    assert time.process_time() - began < 10
    assert (_old(edits), _new(edits)) == (old, new)
    assert any(edit.kind is not EditKind.EQUAL for edit in edits)
    assert lines


def test_what_is_beyond_the_bound_is_replaced_as_a_whole_and_the_rest_is_not() -> None:
    old = [f"line {n} is the same\n" if n % 2 else f"line {n} of old\n" for n in range(200)]
    new = [line.replace("of old", "of new") for line in old]
    assert len(word_diff("".join(old), "".join(new))) == 301, "word by word"
    huge = " ".join(f"a{n}" for n in range(320_000)), " ".join(f"b{n}" for n in range(320_000))
    edits = word_diff(f"begin {huge[0]} end\nsame\nprice 10\n", f"begin {huge[1]} end\nsame\nprice 12\n")
    assert [(edit.kind, len(edit.text)) for edit in edits] == [
        (EditKind.EQUAL, len("begin ")),
        (EditKind.DELETE, len(huge[0])),
        (EditKind.INSERT, len(huge[1])),
        (EditKind.EQUAL, len(" end\nsame\nprice ")),
        (EditKind.DELETE, 2),
        (EditKind.INSERT, 2),
        (EditKind.EQUAL, 1),
    ]


def test_a_long_text_with_many_edits_is_compared_word_by_word() -> None:
    rng = random.Random(1)
    words = [f"w{rng.randrange(5000)}" for _ in range(100_000)]
    edited = [word if rng.random() > 0.02 else f"x{at}" for at, word in enumerate(words)]
    began = time.process_time()
    edits = word_diff(" ".join(words), " ".join(edited))
    assert time.process_time() - began < 10
    replaced = sum(word.startswith("x") for word in edited)
    told = sum(len(edit.text.split()) for edit in edits if edit.kind is EditKind.INSERT)
    assert replaced <= told <= replaced * 1.5
