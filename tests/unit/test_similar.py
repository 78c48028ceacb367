from __future__ import annotations

import hashlib
import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from veille.core.language.similar import MARKS, MIN_WORDS, Signature, likeness, signature

TEXT = " ".join(f"word{n * 7919 % 1000}" for n in range(300))


def _alike(one: str, other: str) -> tuple[float, float, float]:
    first, second = signature(one), signature(other)
    assert first is not None
    assert second is not None
    (like,) = likeness(first, [bytes(second)])
    return like.shared, like.first, like.second


def test_a_signature_is_the_same_on_every_machine() -> None:
    made = signature(TEXT)
    assert made is not None
    assert hashlib.sha256(bytes(made)).hexdigest() == "d394f8da601fefee28bc71d90c9374e8ad7d564ced2c4408e9580430492dd3b7"


@given(st.text(max_size=300), st.text(max_size=300))
def test_any_text_has_a_signature_or_none(one: str, other: str) -> None:
    for text in (one * 40, one + TEXT + other):
        made = signature(text)
        if made is None:
            assert len(text.split()) < MIN_WORDS * 3
            continue
        assert Signature(bytes(made)) == made
        assert 1 <= len(made.marks()) <= MARKS
        (like,) = likeness(made, [bytes(made)])
        assert (like.shared, like.first, like.second) == (1, 1, 1)


def test_layout_case_and_punctuation_do_not_count() -> None:
    words = TEXT.split()
    dressed = "\n\n".join(f"“{a.upper()}” — {b},\u200b" for a, b in zip(words[::2], words[1::2], strict=True))
    assert _alike(TEXT, dressed) == (1, 1, 1)


@pytest.mark.parametrize(("share", "least"), [(0.05, 0.6), (0.15, 0.3), (0.3, 0.1)])
def test_an_edited_copy_agrees_with_its_original_everywhere(share: float, least: float) -> None:
    rng = random.Random(1)
    words = [f"w{rng.randrange(5000)}" for _ in range(600)]
    copy = [word if rng.random() > share else "x" for word in words]
    shared, first, second = _alike(" ".join(words), " ".join(copy))
    assert shared > least
    assert min(first, second) > 0.7


def test_what_is_shared_in_one_place_only_is_not_spread() -> None:
    rng = random.Random(1)
    frame, one, other = (" ".join(f"w{rng.randrange(5000)}" for _ in range(count)) for count in (100, 300, 300))
    shared, first, second = _alike(f"{frame} {one}", f"{frame} {other}")
    assert 0.1 < shared < 0.2
    assert max(first, second) < 0.35


def test_the_first_half_of_a_text_is_all_found_in_the_whole() -> None:
    shared, first, second = _alike(TEXT, " ".join(TEXT.split()[:150]))
    assert 0.4 < shared < 0.6
    assert second > 0.9
    assert 0.4 < first < 0.6


@pytest.mark.parametrize(
    "line", ["今日の東京は天気がとてもいいので公園へ散歩に行きました", "วันนี้อากาศดีมากเราจึงไปเดินเล่นในสวนสาธารณะ"]
)
def test_writing_without_spaces_is_compared_too(line: str) -> None:
    text = "".join(f"{line[n % 7 :]}{n}" for n in range(20))
    assert signature(text) is not None
    shared, *_ = _alike(text, text.replace("7", "八", 1))
    assert shared > 0.8
