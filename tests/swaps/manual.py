"""A manual as its authors know it, and what they edit from one version to the next."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass, field

_NOUNS = (
    "cache session query table index worker queue token schema cluster buffer router plugin module package kernel "
    "socket thread process signal handler parser lexer compiler driver volume bucket stream channel registry template "
    "widget migration transaction snapshot replica backup cursor field column trigger policy certificate"
).split()
_VERBS = (
    "opens closes reads writes returns raises accepts ignores replaces validates encodes decodes flushes locks "
    "releases copies moves merges splits sorts filters starts stops restarts configures registers loads stores"
).split()
_GLUE = "the a each every any this that its their one another".split()
_TAILS = (
    "when it is needed", "before the next request", "unless told otherwise", "for every client", "in the background",
    "without further notice", "on all platforms", "as described above", "if the option is set", "at startup only",
)  # fmt: skip


@dataclass
class Section:
    """A heading and what stands under it."""

    name: str
    heading: str
    paragraphs: list[str]
    #: The first row names the columns.
    table: list[list[str]] = field(default_factory=list)
    code: list[str] = field(default_factory=list)
    items: list[str] = field(default_factory=list)
    #: In which version it came.
    since: str = ""


@dataclass
class Chapter:
    """One page of the manual."""

    path: str
    title: str
    sections: list[Section]
    #: Words that lead to another page.
    link: str
    target: str


class Manual:
    """Chapters, in the order of their table of contents; `edit` is what authors do for a new version."""

    def __init__(self, size: int, seed: int) -> None:
        self.chance = random.Random(seed)
        paths = [f"/guide/chapter-{number}.html" for number in range(size)]
        self.chapters = [self._chapter(path, paths) for path in paths]

    def around(self, chapter: Chapter) -> tuple[Chapter, Chapter]:
        """The chapters before and behind one."""
        at = self.chapters.index(chapter)
        return self.chapters[at - 1], self.chapters[(at + 1) % len(self.chapters)]

    def edit(self, share: float) -> set[str]:
        """The paths of the chapters that say something else now; the order of all changes, too."""
        edited = self.chance.sample(self.chapters, max(1, round(share * len(self.chapters))))
        edits: list[Callable[[Chapter], None]] = [
            self._word, self._cell, self._code, self._title, self._link, self._sentence, self._item, self._heading
        ]  # fmt: skip
        for number, chapter in enumerate(edited):
            edits[number % len(edits)](chapter)
        self.chance.shuffle(self.chapters)
        return {chapter.path for chapter in edited}

    def _chapter(self, path: str, paths: list[str]) -> Chapter:
        chance = self.chance
        sections = [self._section(number) for number in range(chance.randint(2, 5))]
        # Everything that can be edited is there.
        sections[0].table = sections[0].table or self._table()
        sections[-1].code = sections[-1].code or self._lines()
        sections[-1].items = sections[-1].items or [self._sentence_text() for _ in range(3)]
        return Chapter(
            path=path,
            title=f"{self._words(chance.randint(1, 4))} {chance.choice(_NOUNS)}".capitalize(),
            sections=sections,
            link=f"{chance.choice(_NOUNS)} {chance.choice(_NOUNS)}",
            target=chance.choice(paths),
        )

    def _section(self, number: int) -> Section:
        chance = self.chance
        return Section(
            name=f"{chance.choice(_NOUNS)}-{number}",
            heading=f"{self._words(2)} {chance.choice(_NOUNS)}".capitalize(),
            paragraphs=[
                " ".join(self._sentence_text() for _ in range(chance.randint(1, 4)))
                for _ in range(chance.randint(1, 4))
            ],
            table=self._table() if chance.random() < 0.4 else [],
            code=self._lines() if chance.random() < 0.5 else [],
            items=[self._sentence_text() for _ in range(chance.randint(2, 5))] if chance.random() < 0.4 else [],
            since=f"1.{chance.randint(0, 9)}" if chance.random() < 0.3 else "",
        )

    def _table(self) -> list[list[str]]:
        chance = self.chance
        rows = [
            [f"{chance.choice(_NOUNS)}_{chance.choice(_NOUNS)}", str(chance.randint(1, 500)), chance.choice(_TAILS)]
            for _ in range(chance.randint(2, 6))
        ]
        return [["Option", "Default", "Effect"], *rows]

    def _lines(self) -> list[str]:
        chance = self.chance
        return [
            f"{chance.choice(_NOUNS)} = {chance.choice(_NOUNS)}.{chance.choice(_NOUNS)}({chance.randint(0, 99)})"
            for _ in range(chance.randint(1, 6))
        ]

    def _sentence_text(self) -> str:
        chance = self.chance
        words = (chance.choice(_GLUE), *self._words(2).split(), chance.choice(_VERBS), self._words(2))
        return f"{' '.join(words)} {chance.choice(_TAILS)}.".capitalize()

    def _words(self, number: int) -> str:
        return " ".join(self.chance.choice(_NOUNS) for _ in range(number))

    def _word(self, chapter: Chapter) -> None:
        section = self.chance.choice(chapter.sections)
        at = self.chance.randrange(len(section.paragraphs))
        words = section.paragraphs[at].split()
        words[self.chance.randrange(len(words))] = "exactly"
        section.paragraphs[at] = " ".join(words)

    def _cell(self, chapter: Chapter) -> None:
        table = self.chance.choice([section.table for section in chapter.sections if section.table])
        row = self.chance.choice(table[1:])
        row[1] = str(int(row[1]) + self.chance.randint(1, 9))

    def _code(self, chapter: Chapter) -> None:
        code = self.chance.choice([section.code for section in chapter.sections if section.code])
        at = self.chance.randrange(len(code))
        code[at] = code[at].replace("(", "(-", 1)

    def _title(self, chapter: Chapter) -> None:
        chapter.title += " " + self.chance.choice(_NOUNS)

    def _link(self, chapter: Chapter) -> None:
        chapter.link += " " + self.chance.choice(_NOUNS)

    def _sentence(self, chapter: Chapter) -> None:
        self.chance.choice(chapter.sections).paragraphs[-1] += " " + self._sentence_text()

    def _item(self, chapter: Chapter) -> None:
        items = self.chance.choice([section.items for section in chapter.sections if section.items])
        items.pop(self.chance.randrange(len(items)))

    def _heading(self, chapter: Chapter) -> None:
        self.chance.choice(chapter.sections).heading += " " + self.chance.choice(_NOUNS)
