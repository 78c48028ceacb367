from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from veille.adapters.embedders._wordpiece import token_ids


@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        # As the tokenizer that the model came with gives them.
        ("The bridge was closed.", [1996, 2958, 2001, 2701, 1012]),
        ("Zürich's CAFÉ—unaffable!", [10204, 1005, 1055, 7668, 1517, 14477, 20961, 3468, 999]),
        ("日本 x", [1864, 1876, 1060]),
        ("a\u200bb\n\nc\0", [11113, 1039]),
        ("x" * 101, [100]),
        ("", []),
        ("🦊", [100]),
    ],
)
def test_texts_are_split_as_the_model_was_trained(text: str, tokens: list[int]) -> None:
    assert token_ids(text, 256) == [101, *tokens, 102]


@given(st.text(max_size=500), st.integers(2, 300))
def test_any_text_has_few_tokens(text: str, most: int) -> None:
    found = token_ids(text, most)
    assert 2 <= len(found) <= most
    assert (found[0], found[-1]) == (101, 102)
    assert all(0 <= token < 30_522 for token in found)
