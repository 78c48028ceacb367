from __future__ import annotations

import pytest

from veille.core.search.fusion import Blend
from veille.core.search.meaning import KnownEmbedder, chosen_for, question_language

MANY = Blend(weight=0.3, across=0.85, languages=frozenset("ar de en es fr it ja ko nl pl pt ru th tr zh".split()))
ENGLISH = Blend(weight=0.5, languages=frozenset({"en"}))
BOTH = {
    KnownEmbedder(name=label, label=label, languages=blend.languages): blend
    for label, blend in (("many", MANY), ("english", ENGLISH))
}


@pytest.mark.parametrize(
    ("question", "languages", "found", "label", "weight"),
    [
        ("How long is the bridge closed after the flood of last autumn?", {"en": 100}, 0.9, "english", 0.5),
        ("bridge closed", {"en": 100}, 0.9, "english", 0.5),
        ("bridge closed", {"en": 95, "de": 5}, 0.9, "english", 0.5),
        ("How long is the bridge closed?", {"en": 50, "de": 50}, 0.9, "many", 0.3),
        ("Wie lange bleibt die Brücke nach dem Hochwasser gesperrt?", {"en": 100}, 0.1, "many", 0.85),
        ("Wie lange bleibt die Brücke nach dem Hochwasser gesperrt?", {"de": 100}, 0.8, "many", 0.3),
        ("Brücke", {"en": 100}, 0.0, "many", 0.85),
        ("Wie lange bleibt die Brücke nach dem Hochwasser gesperrt?", {"de": 100}, 0.1, "many", 0.3),
        ("How long is the bridge closed after the flood of last autumn?", {"en": 100}, 0.1, "english", 0.5),
        # Names are found in any language; and nobody can tell what language two words are.
        ("Wer gründete die Stadt San Francisco im Jahr 1776?", {"en": 100}, 0.6, "many", 0.85),
        ("San Francisco", {"en": 100}, 1.0, "english", 0.5),
        ("мост", {"ru": 100}, 0.5, "many", 0.3),
        ("where can I buy vegetables?", {"en": 75, "de": 25}, 0.3, "many", 0.85),
        # Its words are there, so it was taken for another language.
        ("0-dimensional biomaterials show inductive properties.", {"en": 100}, 0.8, "english", 0.5),
        ("Πόσο καιρό θα μείνει κλειστή η γέφυρα;", {"el": 100}, 0.9, None, 0),
        ("γέφυρα", {"el": 100}, 0.9, None, 0),
        ("पुल कितने समय तक बंद रहेगा?", {"hi": 100}, 0.9, None, 0),
        ("Cây cầu sẽ đóng cửa trong bao lâu sau trận lũ?", {"vi": 100}, 0.9, None, 0),
        ("สะพานจะปิดนานแค่ไหน", {"th": 100}, 0.9, "many", 0.3),
    ],
)
def test_a_question_has_the_embedder_that_finds_most(
    question: str, languages: dict[str, int], found: float, label: str | None, weight: float
) -> None:
    chosen = chosen_for(question, BOTH, languages, found)
    assert (chosen.label if chosen else None, chosen.weight if chosen else 0) == (label, weight)


def test_without_embedders_none_is_chosen() -> None:
    assert chosen_for("bridge", {}, {"en": 1}, 1.0) is None


@pytest.mark.parametrize(
    ("question", "language"),
    [
        ("Ai là con của Genghis Khan?", "vi"),
        ("γέφυρα", "el"),
        ("橋", "zh"),
        ("สะพาน", "th"),
        ("bridge", ""),
        ("", ""),
        ("Настройка сети", "ru"),
    ],
)
def test_a_few_letters_of_a_script_say_the_language(question: str, language: str) -> None:
    assert question_language(question, {}) == language
