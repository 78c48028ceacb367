from __future__ import annotations

import re
import unicodedata

from hypothesis import given
from hypothesis import strategies as st

from veille.core.text import clean, visible

_HIDDEN = re.compile(
    "[\u00ad\u180e\u200b-\u200f\u202a-\u202e\u2060-\u2064\u2066-\u206f\ufeff\U000e0000-\U000e007f"
    r"\x00-\x08\x0b\x0e-\x1f\x7f-\x84\x86-\x9f\ud800-\udfff]"
)
texts = st.text(st.characters(max_codepoint=0x100) | st.sampled_from("\u2019\u0301\u200b\u2028\x1f\x85\n\r\t "))


@given(texts)
def test_the_short_way_for_latin_text_gives_what_the_long_way_gives(text: str) -> None:
    assert visible(text) == unicodedata.normalize("NFC", _HIDDEN.sub("", text))


@given(texts)
def test_every_kind_of_line_end_becomes_one(text: str) -> None:
    lines = re.sub(r"\r\n?|[\x0c\x85\u2028\u2029]", "\n", visible(text)).split("\n")
    assert clean(text) == re.sub(r"\n{3,}", "\n\n", "\n".join(map(str.rstrip, lines))).strip("\n ")
