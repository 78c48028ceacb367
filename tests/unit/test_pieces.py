from __future__ import annotations

import random
import time

from hypothesis import given
from hypothesis import strategies as st

from veille.core.chunk.pieces import LONGEST, piece_hash, pieces

_WORDS = [
    "word",
    "End.",
    "日本語です。",
    "مرحبا؟",
    "x" * 1500,
    "\n\n",
    "\n",
    "Heading\n\n",
    "ไทยไทยไทย ",
    "long " * 90 + ". ",
]


@given(st.text(max_size=400) | st.lists(st.sampled_from(_WORDS), max_size=60).map(" ".join))
def test_pieces_are_all_of_the_text_in_order_within_their_length(text: str) -> None:
    found = pieces(text)
    edges = [0, *(place for piece in found for place in (piece.start, piece.end)), len(text)]
    assert edges == sorted(edges)
    assert not "".join(text[end:start] for end, start in zip(edges[::2], edges[1::2], strict=True)).strip()
    for piece in found:
        part = text[piece.start : piece.end]
        assert 0 < len(part) <= LONGEST
        assert part == part.strip()
        assert piece.hash == piece_hash(part)
    assert pieces(text) == found


def _paragraph(rng: random.Random) -> str:
    sentences = [
        " ".join(f"w{rng.randrange(5000)}" for _ in range(rng.randint(4, 22))).capitalize() + "."
        for _ in range(rng.randint(1, 8))
    ]
    return " ".join(sentences)


def test_pieces_end_at_sentences_and_are_neither_tiny_nor_many() -> None:
    rng = random.Random(7)
    text = "\n\n".join(_paragraph(rng) for _ in range(300))
    found = pieces(text)
    assert all(text[piece.end - 1] == "." for piece in found)
    lengths = [piece.end - piece.start for piece in found[:-1]]
    assert min(lengths) >= 300
    assert 500 <= sum(lengths) / len(lengths) <= 900


def test_an_edited_paragraph_changes_few_pieces() -> None:
    rng = random.Random(3)
    changed = []
    for number in range(40):
        paragraphs = [_paragraph(rng) for _ in range(60)]
        before = {piece.hash for piece in pieces("\n\n".join(paragraphs))}
        paragraphs[rng.randrange(10)] = _paragraph(rng) if number % 2 else ""
        after = pieces("\n\n".join(paragraphs))
        changed.append(sum(piece.hash not in before for piece in after))
    assert sum(changed) / len(changed) <= 3
    assert max(changed) <= 10


def test_a_heading_stays_with_what_follows() -> None:
    body = "A sentence that says something about the matter at hand. " * 8
    text = f"{body}\n\nAnother matter\n\n{body}"
    assert [text[piece.start :][:14] for piece in pieces(text)] == ["A sentence tha", "Another matter"]


def test_layout_makes_no_other_hash() -> None:
    assert piece_hash("One  two\n three") == piece_hash("One two three")
    assert piece_hash("One") != piece_hash("one")


def test_a_large_text_without_any_end_is_cut_quickly() -> None:
    began = time.process_time()
    found = pieces("x" * 3_000_000)
    assert len(found) == 3000
    assert time.process_time() - began < 2
