"""Sets of pages and questions that share some words and not others, in eight languages; one seed, one set.

A page is about a place, such as a library or a ferry, and says something about three of ten matters: prices, dogs,
parking. A question asks for one matter at one place. Place and matter have several names each, of which page and
question take any. Pages about the same place, or the same matter at other places, are no answers.
"""

from __future__ import annotations

import random
import tomllib
from pathlib import Path

from retrieval.sets import QuestionSet

_LISTS = tomllib.loads((Path(__file__).with_name("pages.toml")).read_text())
_MATTERS_OF_A_PAGE = 3


def made(lang: str, seed: int, documents: int = 200, questions: int = 60) -> QuestionSet:
    """A set in a language."""
    rng, lists = random.Random(f"pages {lang} {seed}"), _LISTS[lang]
    places, matters = ([[_forms(one) for one in row] for row in lists[kind]] for kind in ("places", "matters"))
    gap = " " if lists.get("spaced", True) else ""
    texts, told = [], {}
    for number in range(documents):
        names, _, about = places[place := rng.randrange(len(places))]
        said = rng.sample(range(len(matters)), _MATTERS_OF_A_PAGE)
        body = [rng.choice(matters[one][0]).format(a=rng.randint(5, 11), b=rng.randint(14, 22)) for one in said]
        texts.append((f"{lang}{number}", rng.choice(names), gap.join([rng.choice(about), *body]), lang))
        told[f"{lang}{number}"] = {(place, one) for one in said}
    asked: dict[str, str] = {}
    answers: dict[str, dict[str, int]] = {}
    pairs = sorted(set().union(*told.values()))
    for at, pair in enumerate(rng.sample(pairs, min(questions, len(pairs)))):
        place, matter = pair
        question = rng.choice(matters[matter][1]).format(at=rng.choice(places[place][1]))
        asked[f"{lang}-q{at}"] = question[0].upper() + question[1:]
        answers[f"{lang}-q{at}"] = {name: 1 for name, pairs_told in told.items() if pair in pairs_told}
    return QuestionSet(documents=texts, questions=asked, answers=answers)


def _forms(text: str) -> list[str]:
    return [form.strip() for form in text.split("|")]
