"""Sets of documents and questions with known answers, made of word lists in eight languages; one seed, one set.

A document tells a few facts about some things at a place, as "in Northwick, ferries were closed because of storms". A
question asks for a fact in other forms of its words, or with typing errors. Documents that tell it answer it, best if
it is their first; others about the same things, or the same place, do not.
"""

from __future__ import annotations

import math
import random
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

WORLDS = tomllib.loads((Path(__file__).parent / "worlds.toml").read_text())
LANGUAGES = tuple(WORLDS)
#: How many of the words of a fact are others than a question has.
PARAPHRASED = 0.15
_TITLE, _ASIDE = 2, 1


@dataclass(frozen=True, slots=True)
class Fact:
    """What happened to which thing where and why, as places in the word lists."""

    thing: int
    act: int
    place: int
    cause: int

    @property
    def asked(self) -> tuple[int, int, int]:
        """What a question names of it."""
        return self.thing, self.act, self.place


@dataclass(frozen=True, slots=True)
class QuestionSet:
    """Documents (id, title, text, language), questions, and how well which documents answer each."""

    documents: list[tuple[str, str, str, str]]
    questions: dict[str, str]
    answers: dict[str, dict[str, int]]


def made(
    lang: str,
    seed: int,
    documents: int = 400,
    questions: int = 60,
    *,
    mistyped: float = 0.0,
    paraphrased: float = PARAPHRASED,
) -> QuestionSet:
    """A set in a language: a share of the longer words of questions is mistyped, and of those of facts paraphrased."""
    rng = random.Random(f"{lang} {seed}")
    world = _World(WORLDS[lang], rng, paraphrased)
    told: dict[str, dict[tuple[int, int, int], int]] = {}
    texts = []
    for number in range(documents):
        facts = world.facts(rng.randint(2, 3))
        sentences = [world.told(fact) for fact in facts]
        title = sentences[0] if rng.random() < 0.5 else rng.choice(world.filler)
        body = sentences + rng.choices(world.filler, k=rng.randint(2, 6))
        rng.shuffle(body)
        name = f"{lang}{number}"
        texts.append((name, title.rstrip("."), world.gap.join(body), lang))
        told[name] = {fact.asked: _ASIDE for fact in facts} | {facts[0].asked: _TITLE}
    every = sorted({fact for facts in told.values() for fact in facts})
    asked = {f"{lang}-q{at}": fact for at, fact in enumerate(rng.sample(every, min(questions, len(every))))}
    return QuestionSet(
        documents=texts,
        questions={name: mistake(world.question(fact), rng, mistyped) for name, fact in asked.items()},
        answers={
            name: {document: grade[fact] for document, grade in told.items() if fact in grade}
            for name, fact in asked.items()
        },
    )


class _World:
    """The words of a language, and sentences of them."""

    def __init__(self, lists: Mapping[str, Any], rng: random.Random, paraphrased: float) -> None:
        self._rng = rng
        self._paraphrased = paraphrased
        self._slots = {
            slot: [tuple(form.strip() for form in one.split("|")) for one in lists[f"{slot}s"]]
            for slot in ("thing", "act", "place", "cause")
        }
        self._tells, self._asks, self.filler = lists["tells"], lists["asks"], lists["filler"]
        self.gap = " " if lists.get("spaced", True) else ""

    def facts(self, number: int) -> list[Fact]:
        """Facts about the same things at the same place; some things and places are frequent, as in life."""
        thing, place = (int(len(self._slots[slot]) * self._rng.random() ** 1.5) for slot in ("thing", "place"))
        acts = self._rng.sample(range(len(self._slots["act"])), number)
        return [Fact(thing, act, place, self._rng.randrange(len(self._slots["cause"]))) for act in acts]

    def told(self, fact: Fact) -> str:
        form = {slot: 2 if self._rng.random() < self._paraphrased else 0 for slot in self._slots}
        return self._filled(self._rng.choice(self._tells), fact, form)

    def question(self, asked: tuple[int, int, int]) -> str:
        cause = self._rng.randrange(len(self._slots["cause"]))
        fact = Fact(*asked, cause=cause)
        return self._filled(self._rng.choice(self._asks), fact, dict.fromkeys(self._slots, 1))

    def _filled(self, template: str, fact: Fact, form: Mapping[str, int]) -> str:
        words = {slot: forms[getattr(fact, slot)][form[slot]] for slot, forms in self._slots.items()}
        sentence = str(template.format(**words))
        return sentence[0].upper() + sentence[1:]


def mistake(text: str, rng: random.Random, share: float) -> str:
    """The text with an error in a share of its longer words: two letters exchanged, or one left out."""
    words = text.split(" ")
    for at, word in enumerate(words):
        if len(word) > 5 and word.isalpha() and rng.random() < share:
            place = rng.randrange(1, len(word) - 2)
            swapped = word[:place] + word[place + 1] + word[place] + word[place + 2 :]
            words[at] = swapped if rng.random() < 0.5 else word[:place] + word[place + 1 :]
    return " ".join(words)


def ndcg(ranked: Mapping[str, Sequence[str]], answers: Mapping[str, Mapping[str, int]], depth: int = 10) -> float:
    """The mean normalised discounted cumulative gain of the first hits."""
    return sum(_gains(ranked[name], grades, depth) for name, grades in answers.items()) / max(1, len(answers))


def _gains(ranked: Sequence[str], grades: Mapping[str, int], depth: int) -> float:
    def total(found: Iterator[int]) -> float:
        return sum(grade / math.log2(at + 2) for at, grade in enumerate(found))

    best = total(iter(sorted(grades.values(), reverse=True)[:depth]))
    return total(grades.get(document, 0) for document in ranked[:depth]) / best if best else 0.0


def empty_share(ranked: Mapping[str, Sequence[str]]) -> float:
    """The share of questions without any hit."""
    return sum(not found for found in ranked.values()) / max(1, len(ranked))
