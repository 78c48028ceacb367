# ruff: noqa: RUF001 - signs as they are written
from __future__ import annotations

import time
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from veille.core.language.sentences import sentences

#: Texts with their sentences between bars.
WRITTEN = [
    "Mr. Smith left.|He was late.",
    "See Fig. 3 for it.|He said no.|Then he left.",
    "It rose 3.5 % in the U.S. Senate.|Nobody knew why!|Really?|Yes.",
    "J. R. R. Tolkien wrote it.|We took plan B.|It worked.",
    "“Stop!”|She ran.|(It was late.)|He slept.",
    "Wait... what?|Wait…|What?",
    "He asked why? and left.",
    "Am 3. März kam er z. B. nach Köln.|Im 19. Jahrhundert war das anders.|Bzw. nicht.",
    "1. Introduction|2. Methods",
    "M. Dupont est arrivé.|Il était tard.|Mme. Curie aussi.",
    "¿Qué pasa?|¡Nada!|El Sr. García lo sabe.",
    "Это было в 1999 г. в Москве.|Потом всё изменилось.",
    "他来了。|她走了！|为什么？|因为“下雨了。”|好吧",
    "これは本です。|それは「何？」|はい。",
    "यह एक वाक्य है।|यह दूसरा है।",
    "هل جاء؟|نعم جاء.|ثم ذهب.",
    "یہ ایک جملہ ہے۔|یہ دوسرا ہے۔",
    "Τι είναι αυτό;|Δεν ξέρω.",
    "Sở hữu nhà.|Không sao.",
    "a list:|- one|- two|* three",
]


@pytest.mark.parametrize("written", WRITTEN)
def test_sentences_are_found_in_many_languages(written: str) -> None:
    parts = written.split("|")
    joined = "\n" if written.startswith(("1.", "a list")) else "" if "。" in written else " "
    text = joined.join(parts)
    assert [text[start:end] for start, end in sentences(text)] == parts


def test_a_wrapped_line_goes_on_and_a_paragraph_does_not() -> None:
    text = (
        "experimental investigation of the aerodynamics of a wing in a\nslipstream .\nan experimental study of a wing"
        " in a propeller slipstream was\nMade in order to determine the distribution.\n\nNew one without a sign\n\nlast"
    )
    first = [text[start:end].split(maxsplit=1)[0] for start, end in sentences(text)]
    assert first == ["experimental", "an", "New", "last"]


def test_a_long_heading_ends_with_its_line() -> None:
    heading, body = "Half of the children of the town stayed at home on Monday", "Many parents followed the advice " * 5
    assert len(sentences(f"{heading}\n{body}")) == 2


def test_thai_is_split_at_spaces_between_clauses() -> None:
    clause = "ประเทศไทยมีประชากรมากกว่าหกสิบล้านคนและมีเมืองหลวงชื่อกรุงเทพมหานคร"
    text = f"{clause} {clause} สั้น {clause}"
    assert [text[start:end] for start, end in sentences(text)] == [clause, clause, f"สั้น {clause}"]


@given(
    st.text(max_size=300)
    | st.lists(
        st.sampled_from(
            ["Dr.", "word", "End.", "?", "\n", "\n\n", "。", "日本", "ไทย", " ", "3.", ".", "؟", ";", "…", "ά", "e.g."]
        ),
        max_size=80,
    ).map("".join)
)
def test_sentences_are_all_of_the_text_in_order(text: str) -> None:
    found = sentences(text)
    assert all(start < end for start, end in found)
    assert all(text[start:end] == text[start:end].strip() for start, end in found)
    edges = [0, *(place for span in found for place in span), len(text)]
    assert edges == sorted(edges)
    assert not "".join(text[end:start] for end, start in zip(edges[::2], edges[1::2], strict=True)).strip()
    assert sentences(text) == found


@pytest.mark.parametrize("sign", [".", "a. ", "\n", "a\n", ". \n", "ไ ", "。", '"', "A. ", "1. "])
def test_any_text_takes_time_by_its_length(sign: str) -> None:
    def seconds(length: int) -> float:
        text = (sign * (length // len(sign) + 1))[:length]
        began = time.process_time()
        sentences(text)
        return time.process_time() - began

    seconds(10_000)
    assert min(seconds(200_000) for _ in range(3)) < 12 * min(seconds(50_000) for _ in range(3)) + 0.05


def test_between_sentences_is_white_space_only() -> None:
    text = "One.  Two.\n\n Three"
    found = sentences(text)
    assert [text[a[1] : b[0]] for a, b in pairwise(found)] == ["  ", "\n\n "]
