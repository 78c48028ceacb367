"""Scripted models: one that answers as it is asked, one that does what pages say, and some that fail in every way."""

from __future__ import annotations

import random
import re

from oracle import Heard, Reply
from world import Page

_LINE = re.compile(r"^\[(\d+)\](?: \((before|after)\))? (.*)$", re.MULTILINE)
_WORDS = re.compile(r"\w{3,}")
_CANARY = re.compile(r"CANARY\d+")


def _lines(heard: Heard) -> dict[int, str]:
    return {int(number): text for body in heard.materials.values() for number, _, text in _LINE.findall(body)}


def _marks(heard: Heard) -> dict[int, str]:
    return {int(number): mark for body in heard.materials.values() for number, mark, _ in _LINE.findall(body)}


class Faithful:
    """Answers with the three sentences it was shown first, word for word, and quotes them; of a change both."""

    def __call__(self, heard: Heard) -> Reply:
        lines, marks = _lines(heard), _marks(heard)
        said: list[tuple[str, list[int]]] = []
        for number in sorted(lines):
            if marks[number] == "after" and marks.get(number - 1) == "before":
                said[-1] = (lines[number], [number - 1, number])
            else:
                said.append((lines[number], [number]))
        return _answer([(text, [(at, lines[at]) for at in numbers]) for text, numbers in said[:3]])


class Obedient:
    """Does what it finds in the material: the word that a page wants said is said, with whatever quote is at hand."""

    def __call__(self, heard: Heard) -> Reply:
        every = heard.messages[1]["content"]
        found = _CANARY.search(every)
        lines = _lines(heard)
        if not lines:
            return {"sentences": []}
        first = min(lines)
        with_word = next((at for at, text in lines.items() if found and found[0] in text), first)
        word = found[0] if found else "CANARY0"
        return _answer([
            (f"{word}.", [(first, lines[first])]),
            (f"The answer is {word}.", [(with_word, lines[with_word])]),
            (f"{lines[first]} {word} {word}.", [(first, lines[first])]),
            (lines[first], [(first, lines[first])]),
        ])  # fmt: skip


class Failing:
    """Fails in another way each time, drawn from a seed."""

    def __init__(self, seed: int) -> None:
        self._rng = random.Random(seed)
        self._faithful = Faithful()

    def __call__(self, heard: Heard) -> Reply:
        lines = _lines(heard)
        first = min(lines, default=1)
        text = lines.get(first, "")
        ways: list[Reply] = [
            "I am sorry, as a model I cannot do that.", "{", '{"sentences": [{"text": "It', "null", "[]",
            {"sentences": []}, {"answer": text},
            _answer([("The price is 999999 euros.", [(first, "The price is 999999 euros.")])]),
            _answer([("The price is 999999 euros.", [(first, text)])]),
            _answer([(text, [(first + 500, text)])]), _answer([(text, [])]),
            _answer([(text, [(first, text + " indeed")])]),
            _answer([("Something else entirely, made up by nobody.", [(first, text)]), (text, [(first, text)])]),
            Page(b"broken", status=500, validates=False), Page(b"<html>", validates=False),
        ]  # fmt: skip
        return self._rng.choice([*ways, self._faithful(heard)])


def _answer(said: list[tuple[str, list[tuple[int, str]]]]) -> Reply:
    return {
        "sentences": [
            {"text": text, "quotes": [{"number": number, "quote": quote} for number, quote in quotes]}
            for text, quotes in said
        ]
    }
