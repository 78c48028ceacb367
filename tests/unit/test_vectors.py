from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from veille.core.search.vectors import likeness, nearest, packed, signs


@given(st.lists(st.floats(-1, 1, width=32), min_size=1, max_size=600))
def test_a_vector_is_kept_in_a_byte_a_number_with_its_signs(numbers: list[float]) -> None:
    eight, bits = packed(numbers)
    assert len(eight) == len(numbers)
    assert len(bits) % 8 == 0
    assert len(bits) * 8 - len(numbers) < 64
    assert [byte == 1 for byte in np.unpackbits(np.frombuffer(bits, np.uint8))[: len(numbers)]] == [
        number > 0 for number in np.asarray(numbers, np.float32)
    ]
    largest = max(map(abs, numbers))
    if largest > 1e-3:
        back = np.frombuffer(eight, np.int8) * (largest / 127)
        assert back == pytest.approx(numbers, abs=largest / 200)


@pytest.mark.parametrize("size", [384, 512])
def test_the_nearest_by_signs_hold_the_nearest_by_numbers(size: int) -> None:
    rng = np.random.default_rng(5)
    # As embedders give them: groups of texts about the same thing.
    groups = rng.normal(size=(200, size))
    rows = np.repeat(groups, 100, axis=0) + 0.8 * rng.normal(size=(20_000, size))
    stored = [packed(row) for row in rows]
    table = np.frombuffer(b"".join(bits for _, bits in stored), np.uint64).reshape(len(rows), -1)
    question = rows[777] + 0.3 * rng.normal(size=size)
    exact = rows @ question / np.linalg.norm(rows, axis=1) / np.linalg.norm(question)
    best = set(np.argsort(exact)[::-1][:20])
    candidates = nearest(table, signs(question), 400)
    assert 400 <= len(candidates) <= 800
    assert len(best & set(candidates)) >= 19
    scores = likeness([*question], [stored[at][0] for at in candidates])
    assert scores == pytest.approx(exact[candidates], abs=0.01)


def test_the_nearest_are_the_same_in_whatever_order_vectors_were_made() -> None:
    rng = np.random.default_rng(7)
    # Few signs, so that many are equally far.
    table = np.packbits(rng.random((2000, 64)) < 0.5, axis=1).view(np.uint64)
    mixed = rng.permutation(len(table))
    question = rng.normal(size=64)
    first, second = nearest(table, signs(question), 40), nearest(table[mixed], signs(question), 40)
    assert set(first) == set(mixed[second])


def test_very_many_that_are_equally_far_leave_none_out_that_is_nearer() -> None:
    table = np.ones((10_000, 4), np.uint64)
    table[-1] = 0
    found = nearest(table, bytes(32), 100)
    assert [*found] == [*range(199), 9_999]


def test_few_vectors_are_all_candidates() -> None:
    table = np.frombuffer(signs([1.0, -1.0]) + signs([-1.0, 1.0]), np.uint64).reshape(2, -1)
    assert [*nearest(table, signs([1.0, 1.0]), 400)] == [0, 1]


def test_a_vector_of_nothing_is_like_nothing() -> None:
    assert likeness([1.0, 0.0], [packed([0.0, 0.0])[0]]) == pytest.approx([0])
