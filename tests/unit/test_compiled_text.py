from __future__ import annotations

import sys
import unicodedata
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from veille.core.compiled import BUILT, native
from veille.core.language import plain_similar
from veille.core.language.similar import BINS, MIN_WORDS, kinds_of_signs, signature
from veille.core.text import flat, plain_visible, visible, word_count

pytestmark = pytest.mark.skipif(not BUILT, reason="nothing is compiled here")

EVERY = range(sys.maxunicode + 1)
#: What is common, what is dropped, what composes, what parts words, and what is written without spaces.
TEXTS = st.lists(
    st.one_of(
        st.sampled_from(["a", "B", "é", "\u0301", "\u0338", "\u1100\u1161\u11a8", "각", "\u00a0", "\u2003", "\u2028"]),
        st.sampled_from(["“", "\u2019", "\u2013", "…", "€", "\u200b", "\u00ad", "\x1c", "\x85"]),
        st.sampled_from([" ", "\n\n", "日本語", "ภาษาไทย", "слово", "\U0001f600", "\U00020000", "word word"]),
        st.text(max_size=8),
    ),
    max_size=60,
).map("".join)


def test_every_single_character_is_dropped_or_kept_alike() -> None:
    assert [one for one in map(chr, EVERY) if visible(one) != plain_visible(one)] == []


def test_no_character_that_composes_counts_as_plain() -> None:
    plain = [one for one in map(chr, EVERY) if native.plain(one)]
    assert len(plain) > 20_000
    assert not any(unicodedata.combining(code) for code in plain)
    together = "".join(plain)
    assert unicodedata.is_normalized("NFC", together)
    assert unicodedata.is_normalized("NFC", together[::-1])


@given(TEXTS)
def test_any_text_is_shown_joined_and_counted_the_same_by_both(text: str) -> None:
    assert visible(text) == plain_visible(text)
    assert native.joined(text) == " ".join(text.split())
    assert flat(text) == " ".join(plain_visible(text).split())
    assert word_count(text) == len(text.split())


@given(TEXTS)
def test_any_text_has_the_same_signature_by_both(text: str) -> None:
    for whole in (text, f"{text} " * 12):
        plain = plain_similar.sample(whole, kinds_of_signs(), MIN_WORDS)
        assert native.sample(whole, kinds_of_signs(), MIN_WORDS) == plain
        if plain:
            assert native.marks(plain, 24) == plain_similar.marks(plain, 24)
    made = signature(text * 12)
    assert made is None or len(bytes(made)) == BINS * 5


#: Ranks that often agree or are missing, with any places.
_SIGNATURES = st.tuples(
    st.lists(st.sampled_from((0, 0, 1, 2, 2**32 - 1)), min_size=BINS, max_size=BINS),
    st.binary(min_size=BINS, max_size=BINS),
).map(lambda made: b"".join(rank.to_bytes(4, "little") for rank in made[0]) + made[1])


@given(st.lists(_SIGNATURES, min_size=1, max_size=4), st.floats(0, 1), st.integers(0, 3), st.randoms())
def test_signatures_are_compared_the_same_by_both(rows: list[bytes], least: float, groups: int, rng: Random) -> None:
    first, *others = rows
    joined, ignored = b"".join(others), bytes(rng.random() < least for _ in range(BINS))
    assert native.compare(first, joined, ignored, least) == plain_similar.compare(first, joined, ignored, least)
    assert native.common(first, [joined] * groups, 2) == plain_similar.common(first, [joined] * groups, 2)
    assert native.apart(first, joined) == plain_similar.apart(first, joined)
    assert native.marks(first, groups * 9) == plain_similar.marks(first, groups * 9)


@pytest.mark.parametrize("packed", [b"", b"a", bytes(BINS * 5 - 1), bytes(BINS * 10)])
def test_what_is_no_signature_is_refused(packed: bytes) -> None:
    for call in (
        lambda: native.marks(packed, 1),
        lambda: native.compare(packed, b"", bytes(BINS), 0),
        lambda: native.common(packed, [], 1),
        lambda: native.apart(packed, b""),
        lambda: native.compare(bytes(BINS * 5), b"", packed, 0),
    ):
        with pytest.raises(ValueError, match=r"signature|each bin"):
            call()


def test_no_number_or_empty_table_crashes_it() -> None:
    for call in (native.plain, native.joined, native.words):
        with pytest.raises(TypeError):
            call(1)  # type: ignore[arg-type]
    empty = b""
    with pytest.raises(ValueError, match="empty"):
        native.sample("a", empty, 1)
    with pytest.raises(ValueError, match="empty"):
        native.has_kind("a", empty, 1)
