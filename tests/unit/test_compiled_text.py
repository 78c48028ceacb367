from __future__ import annotations

import sys
import unicodedata

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from veille.core.compiled import BUILT, native
from veille.core.language.similar import plain_signature, signature
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
        made, plain = signature(whole), plain_signature(plain_visible(whole).lower())
        assert (made and bytes(made)) == (plain and bytes(plain))


def test_no_number_or_empty_table_crashes_it() -> None:
    for call in (native.plain, native.joined, native.words):
        with pytest.raises(TypeError):
            call(1)  # type: ignore[arg-type]
    empty = np.zeros(0, np.uint8)
    with pytest.raises(ValueError, match="empty"):
        native.sample("a", empty, 1)
    with pytest.raises(ValueError, match="empty"):
        native.has_kind("a", empty, 1)
