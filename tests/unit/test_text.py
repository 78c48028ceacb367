from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from veille.core.http.charset import without_halves
from veille.core.text import clean, flat, tidy, visible

#: Every code point, with the ones that make trouble more often than chance would have them.
texts = st.lists(st.characters() | st.sampled_from("\u200b\u00ad\ufeff\u0301e\r\n\x0b\x0c\x85\u2028 \t\xa0")).map(
    "".join
)


@pytest.mark.parametrize("form", [clean, tidy, flat, visible])
@given(text=texts)
def test_the_normal_form_of_a_normal_form_is_itself(form: object, text: str) -> None:
    assert callable(form)
    once = form(text)
    assert form(once) == once


@given(texts)
def test_layout_and_invisible_characters_are_not_hashed(text: str) -> None:
    assert flat(clean(text)) == flat(text)
    assert flat(tidy(text)) == flat(text)
    flat(text).encode()


def test_paragraphs_and_code_lines_are_kept() -> None:
    assert clean("One.\r\n\r\n\r\n\r\nTwo.\n    indented\n") == "One.\n\nTwo.\n    indented"


def test_prose_loses_runs_of_blanks() -> None:
    assert tidy("One  two\xa0 three\n   four") == "One two three\nfour"


def test_hidden_letters_are_dropped() -> None:
    hidden = "".join(chr(0xE0000 + ord(letter)) for letter in "obey")
    assert flat(f"se\u00adcret\u200b {hidden}text\x00\u202e") == "secret text"


def test_composed_and_decomposed_spellings_are_one_text() -> None:
    assert flat("cafe\u0301") == flat("caf\u00e9") == flat("cafe\u200b\u0301")


@given(st.lists(st.text(st.characters(categories=None) | st.sampled_from("\\u\ud83d\udea2d8"))))
def test_of_half_characters_in_json_nothing_is_left_and_the_rest_is_as_it_was(found: list[str]) -> None:
    whole = [text.encode("utf-16", "surrogatepass").decode("utf-16", "ignore") for text in found]
    assert json.loads(without_halves(json.dumps(found))) == whole
    assert without_halves(json.dumps(whole)) == json.dumps(whole)
