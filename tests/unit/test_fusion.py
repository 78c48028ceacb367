from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from veille.core.search.fusion import DEPTH, FEW_FOUND, MOST_FOUND, Blend, fused

SCORED = st.dictionaries(st.sampled_from([f"d{n}" for n in range(150)]), st.floats(0.01, 50), max_size=120).map(
    lambda found: sorted(found.items(), key=lambda one: -one[1])
)


def names(scored: list[tuple[str, float]]) -> list[str]:
    return [name for name, _ in scored]


@given(SCORED, SCORED, st.floats(0, 1))
def test_every_hit_of_both_lists_is_there_once_the_best_first(
    words: list[tuple[str, float]], meaning: list[tuple[str, float]], weight: float
) -> None:
    found = fused(words, meaning, weight)
    assert len(set(names(found))) == len(found)
    assert set(names(found)) <= set(names(words)) | set(names(meaning))
    assert set(names(words[:DEPTH])) <= set(names(found)) or weight == 1 or not words
    assert [score for _, score in found] == sorted((score for _, score in found), reverse=True)
    assert fused(words, meaning, weight) == found


@given(SCORED, SCORED)
def test_without_weight_words_count_alone(words: list[tuple[str, float]], meaning: list[tuple[str, float]]) -> None:
    assert fused(words, meaning, 0) == words
    assert fused(words, [], 0.5) == words
    assert fused([], meaning, 0.5) == meaning


@given(SCORED, SCORED, st.floats(0.1, 0.9), st.floats(0.1, 40))
def test_the_unit_of_a_score_does_not_matter(
    words: list[tuple[str, float]], meaning: list[tuple[str, float]], weight: float, factor: float
) -> None:
    scaled = fused([(name, score * factor) for name, score in words], meaning, weight)
    places = dict(fused(words, meaning, weight))
    if words and meaning:
        assert dict(scaled) == pytest.approx(places, abs=1e-4, rel=1e-4)


def test_the_recipe_for_two_full_lists() -> None:
    words = [(f"w{n}", 100.0 - n) for n in range(100)]
    meaning = [("m", 0.9), *((f"w{n}", 0.8 - (99 - n) / 200) for n in range(99, 0, -1))]
    found = dict(fused(words, meaning, 0.3))
    spread = (sum((n - 49.5) ** 2 for n in range(100)) / 100) ** 0.5
    assert found["w0"] == pytest.approx(
        0.7 * 49.5 / spread + 0.3 * _z([score for _, score in meaning], meaning[-1][1]), abs=1e-6
    )
    assert found["m"] == pytest.approx(0.7 * -49.5 / spread + 0.3 * _z([score for _, score in meaning], 0.9), abs=1e-6)


def _z(values: list[float], value: float) -> float:
    mean = sum(values) / len(values)
    return (value - mean) / math.sqrt(sum((one - mean) ** 2 for one in values) / len(values))


def test_the_only_document_with_the_words_stays_in_front() -> None:
    meaning = [(f"m{n}", 0.5 - n / 1000) for n in range(100)]
    assert names(fused([("exact", 7.0)], meaning, 0.5))[0] == "exact"


def test_the_weight_belongs_to_the_embedder_and_the_language() -> None:
    blend = Blend(weight=0.3, across=0.85, languages=frozenset({"de", "en"}))
    assert [blend.weight_for(lang, 0.9) for lang in ("de", "el", "")] == [0.3, 0, 0.3]
    assert [blend.weight_for(lang, 0.1) for lang in ("de", "el", "")] == [0.85, 0, 0.85]
    assert Blend(weight=0.5).weight_for("hi", 0.1) == 0.25
    assert blend.weight_for("de", (FEW_FOUND + MOST_FOUND) / 2) == pytest.approx((0.3 + 0.85) / 2)
    few = Blend(weight=0.3, few_words=0.5)
    assert [few.weight_for("de", 1, words) for words in (1, 4, 5)] == [0.5, 0.5, 0.3]
    assert blend.weight_for("de", 1, 2) == 0.3
