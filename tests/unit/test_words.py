from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from veille.core.compiled import BUILT, native
from veille.core.search import words as word_forms
from veille.core.search.query import parse
from veille.core.search.question import is_question, is_relaxed, telling
from veille.core.search.words import asked, indexed


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("os.path.join(a)", {"os", "path", "join", "a", "os\ue000path\ue000join"}),
        ("C++ or C#", {"C", "or", "C\ue003\ue003", "C\ue004"}),
        ("__init__", {"init", "\ue002\ue002init\ue002\ue002"}),
        ("getElementById", {"getElementById", "get", "Element", "By", "Id"}),
        ("Node.js.", {"Node", "js", "Node\ue000js"}),
        ("The end. Next 3.14", {"The", "end", "Next", "3", "14", "3\ue00014"}),
        ("新渡轮", {"新渡", "渡轮"}),
        ("за́мок ёж", {"замок", "еж"}),
        ("हिन्दी", {"हिन्द"}),
    ],
)
def test_the_words_of_a_text(text: str, words: set[str]) -> None:
    assert {word for word, _ in asked(text)} == words


@given(st.text(max_size=300))
def test_any_text_has_words_and_its_own_words_are_among_them(text: str) -> None:
    words = [word for word, _ in asked(text)]
    assert all(word and not word.isspace() for word in words)
    assert isinstance(indexed(text), str)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("harbour bridge", False),
        ("harbour bridge toll", False),
        ("harbour bridge toll today", True),
        ("harbour bridge?", True),
        ("why closed", False),
        ("why is it", True),
        ("warum ist gesperrt", True),
        ("кто построил мост", True),
        ('"harbour bridge" a b c d', False),
        ('who built the "harbour bridge"?', True),
        ('"harbour bridge"?', False),
        ("harbour bridge? lang:en", True),
        ("新渡轮什么时候开", True),
        ("渡轮", False),
        ("a b OR c d e f", False),
        ("a b c d e*", False),
        ("a b c d e lang:en", True),
        ("", False),
        ("lang:en", False),
    ],
)
def test_what_is_a_question(text: str, *, expected: bool) -> None:
    assert is_question(parse(text, 0)) is expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("harbour bridge", True),
        ('"harbour bridge"', False),
        ('"harbour bridge" toll', False),
        ('who built the old "harbour bridge"', True),
        ('who built "The Bridge" at night?', True),
        ("ferry OR boat", False),
        ("ferry OR boat and much more of it", False),
        ("harb*", False),
        ("lang:en", False),
    ],
)
def test_what_may_be_found_by_some_of_its_words(text: str, *, expected: bool) -> None:
    assert is_relaxed(parse(text, 0)) is expected


def test_a_long_question_keeps_its_rare_words() -> None:
    shares = {f"word{n}": n / 100 for n in range(60)}
    kept = telling(shares, 100_000)
    assert kept == {f"word{n}" for n in range(16)}
    assert telling(shares, 100) == set(shares)
    assert telling({}, 1000) == set()


@pytest.mark.skipif(not BUILT, reason="there is no compiled code")
@given(st.text(st.sampled_from("aAbB._:+#->0 9é“ß新\nÀ²٣"), max_size=200))
def test_the_compiled_code_finds_the_same_names(text: str) -> None:
    assert native.runs(text, word_forms._LONGEST) == word_forms._plain_runs(text)
