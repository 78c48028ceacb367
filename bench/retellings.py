"""Documents made from a seed whose stories are known: originals, and copies that were edited, cut and framed.

What makes it hard is in there for all documents alike: words of a topic, stock phrases, passages quoted by unrelated
documents, and the header and footer of the site that shows them.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import accumulate

#: Shares of a text that an editor touched.
LEVELS = (0.05, 0.10, 0.15, 0.20, 0.25, 0.30)

_LETTERS = "a e i o u ba ce di fo gu ha ki lo mu ne po qui ra se ti vo wa xe yo zu".split()
_COMMON = (
    "the of and to in a is that for it as was with be by on not he his but at are this have from or had an they which "
    "one you were all their there been if more when will would who so no she other its may these what them than some"
).split()

Words = list[str]


@dataclass(frozen=True)
class Telling:
    """One document: which story it tells, and how much of the original was edited on the way."""

    story: int
    level: float
    framed: bool
    cut: bool
    text: str


class Retellings:
    """The documents of one seed, in a mixed order."""

    def __init__(self, seed: int, count: int) -> None:
        self._rng = random.Random(f"retellings/{seed}")
        self._count = count
        made = {"".join(self._rng.choices(_LETTERS, k=self._rng.randint(2, 5))) for _ in range(60_000)}
        self._words = _COMMON + self._rng.sample(sorted(made), min(30_000, len(made)))
        self._weights = list(accumulate(1 / (rank + 2.7) for rank in range(len(self._words))))
        self._topics = [self._rng.sample(self._words[200:], 150) for _ in range(200)]
        self._phrases = [self._plain(self._rng.randint(4, 7)) for _ in range(500)]
        self._quotes = [self._plain(self._rng.randint(30, 60)) for _ in range(300)]
        self._sites = [
            (self._plain(self._rng.randint(10, 50)), self._plain(self._rng.randint(15, 70))) for _ in range(60)
        ]
        self._edits: tuple[Callable[[Words, float], Words], ...] = (self._scattered, self._passages, self._sentences)

    def __iter__(self) -> Iterator[Telling]:
        # Stories are shuffled within windows, so that their documents come far apart and little is held in memory.
        window: list[Telling] = []
        made = story = 0
        while made < self._count:
            size = 1 if self._rng.random() < 0.6 else self._rng.randint(2, 10)
            size = min(size, self._count - made)
            window += self._story(story, size)
            made, story = made + size, story + 1
            if len(window) > 4000:
                self._rng.shuffle(window)
                yield from window[:2000]
                del window[:2000]
        self._rng.shuffle(window)
        yield from window

    def _story(self, story: int, size: int) -> Iterator[Telling]:
        original = self._original()
        with_original = self._rng.random() < 0.5
        for n in range(size):
            level = 0.0 if with_original and n == 0 else self._rng.choice(LEVELS)
            words = self._rng.choice(self._edits)(original, level) if level else original
            if cut := size > 1 and self._rng.random() < 0.3:
                words = words[: int(len(words) * self._rng.uniform(0.5, 0.9))]
            if framed := self._rng.random() < 0.5:
                header, footer = self._rng.choice(self._sites)
                words = [*header, *words, *footer]
            yield Telling(story, level, framed, cut, " ".join(words))

    def _original(self) -> Words:
        topic = self._rng.choice(self._topics)
        length = min(1500, max(120, int(self._rng.lognormvariate(5.8, 0.6))))
        words: Words = []
        while len(words) < length:
            sentence = [
                self._rng.choice(topic) if self._rng.random() < 0.25 else word
                for word in self._plain(self._rng.randint(7, 24))
            ]
            if self._rng.random() < 0.15:
                sentence[3:3] = self._rng.choice(self._phrases)
            sentence[0] = sentence[0].capitalize()
            sentence[-1] += "."
            words += sentence
        if self._rng.random() < 0.1:
            words[length // 2 : length // 2] = self._rng.choice(self._quotes)
        return words

    def _plain(self, count: int) -> Words:
        return self._rng.choices(self._words, cum_weights=self._weights, k=count)

    def _scattered(self, words: Words, level: float) -> Words:
        """Single words replaced, added and dropped."""
        out: Words = []
        for word in words:
            if self._rng.random() >= level:
                out.append(word)
                continue
            kind = self._rng.random()
            if kind < 0.8:
                out += self._plain(1)
            if 0.6 < kind < 0.8:
                out.append(word)
        return out

    def _passages(self, words: Words, level: float) -> Words:
        """Runs of words written anew."""
        out, left = list(words), int(len(words) * level)
        while left > 0:
            run = min(left, self._rng.randint(3, 30))
            at = self._rng.randrange(max(1, len(out) - run))
            out[at : at + run] = self._plain(max(1, run + self._rng.randint(-3, 3)))
            left -= run
        return out

    def _sentences(self, words: Words, level: float) -> Words:
        """Sentences dropped, moved, or replaced."""
        sentences: list[Words] = [[]]
        for word in words:
            sentences[-1].append(word)
            if word.endswith("."):
                sentences.append([])
        left = int(len(words) * level)
        while left > 0 and len(sentences) > 2:
            at = self._rng.randrange(len(sentences))
            sentence = sentences.pop(at)
            left -= max(1, len(sentence))
            kind = self._rng.random()
            if kind < 0.4:
                sentences.insert(self._rng.randrange(len(sentences)), sentence)
            elif kind < 0.7:
                sentences.insert(at, self._plain(len(sentence)))
        return [word for sentence in sentences for word in sentence]
