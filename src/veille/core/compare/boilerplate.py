"""Boilerplate: what a site adds to all of its pages, such as names, versions, build dates. Its changes are not news.

In titles that is the name of the site, often with a version; in texts it is lines at the edges. It is learned from
stored pages, so that it is known when the first page of a new version arrives. What is learned is a *shape*: words,
with a placeholder for every date, number and version. Only the placeholders may change; another word is an edit. A
shape counts only if the values in its placeholders are the same on page after page: rows of tables share a shape,
too, but each page has its own numbers.

Even with a single page, some lines are recognised by their words: "Last updated on …", "© 2024 …", "Built with …".

What is content is decided page by page, and a line may be content one day and not the next. So a page is stored with
*marks* of the lines beside its content. A line that was anywhere on the page before, or still is, was neither added
nor removed; and what most pages of a site have beside their content is not content where it slipped in.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import ceil
from typing import Final
from zlib import crc32

from veille.core.compare.alignment import aligned

_YEAR: Final = r"(?:19|20)\d\d"
_NAME: Final = r"[^\W\d_]{3,12}"
_CLOCK: Final = (
    r"\d{1,2}:\d{2}(?::\d{2})?(?:\.\d+)?(?:\s?[ap]\.?m\.?\b)?(?:\s?(?:Z\b|[A-Z]{3,4}\b|\(?UTC\)?|[+-]\d{2}:?\d{2}))?"
)
_WEEKDAY: Final = r"(?:\b(?:mon|tue|wed|thu|fri|sat|sun)[a-z]{0,6}\.?,?\s+)?"
#: Dates in any language that writes day, month and year in one of the common orders.
_DATE: Final = re.compile(
    rf"{_WEEKDAY}(?:"
    rf"\b{_YEAR}[-/.]\d{{1,2}}[-/.]\d{{1,2}}"
    rf"|\b\d{{1,2}}[-/.]\d{{1,2}}[-/.]{_YEAR}\b"
    rf"|\b\d{{1,2}}(?:st|nd|rd|th|er|º|ª|\.)?[\s-]+(?:de\s+|of\s+)?{_NAME}\.?,?[\s-]+(?:de\s+|del\s+)?{_YEAR}\b"
    rf"|\b{_NAME}\.?\s+\d{{1,2}}(?:st|nd|rd|th)?,?\s+(?:{_CLOCK}\s+)?{_YEAR}\b"
    r"|\d{4}\s?[年년]\s?\d{1,2}\s?[月월](?:\s?\d{1,2}\s?[日일])?"
    rf")(?:(?:T|,?\s+(?:at\s+|um\s+|à\s+)?){_CLOCK})?",
    re.IGNORECASE,
)
_DAY: Final = "\x01"
#: A word with a digit in it, without the punctuation around it; several in a row are one.
_NUMBER: Final = re.compile(r"(?<![\w.+/:–—-])[\w.+/:–—-]*\d[\w+/:–—-]*(?:\.[\w+/:–—-]+)*(?:\s*[,–—-]\s*\d[\w.]*\d)*")  # noqa: RUF001 - ranges of years
_SIGN: Final = "\x02"
_DIGIT: Final = re.compile(r"\d")
#: No site puts a longer line on all of its pages.
_LONGEST: Final = 500
_LETTERS: Final = re.compile(r"[^\W\d_]{2}")

#: How many lines at the beginning and the end of a text may be the site's own.
_FIRST, _LAST = 5, 8
#: A shape belongs to the site from this many pages on, and from this share of the pages examined.
LEAST_PAGES: Final = 4
_LINE_SHARE, _TITLE_SHARE, _BESIDE_SHARE = 0.1, 1 / 3, 1 / 3
#: The maximum number of marks per page: those of its first and last lines.
_MOST_MARKS: Final = 500
#: How often placeholder values may differ from page to page, as a few pages may be older than the others.
_MOST_STEPS: Final = 0.2
#: Separators between the name of a site and the title of a page.
_PARTED: Final = re.compile(r"\s+[|·•–—:»«/\\>-]+\s+|:\s+|\s+-{2}\s+")  # noqa: RUF001 - dashes of every length

_STAMP: Final = re.compile(
    r"\b(?:last|latest|page|site|docs?|documentation)\b.{0,30}\b(?:updated?|modified|changed?|revised|edited|generated|"
    r"built|rendered|published|commit)\b|\b(?:updated|modified|generated|built|rendered|compiled)\s*(?:on|at|:|\x01)|"
    r"\b(?:zuletzt|letzte (?:änderung|aktualisierung)|aktualisiert|stand:|mise? à jour|dernière (?:modif|mise)|"
    r"actualiza[dc]|última (?:modif|actual|atual)|aggiornat|ultim[ao] (?:modif|aggiorn)|atualiza[dç]|bijgewerkt|laatst|"
    r"zaktualizowan|ostatni|senast|uppdatera|sist oppdatert|oppdatert|opdateret|обновл|изменен|последн)|"
    r"更新|修改|업데이트|수정",
    re.IGNORECASE,
)
_COPYRIGHT: Final = re.compile(
    rf"((?:©|\(c\)|\bcopyright\b)[^\d]{{0,60}}?){_YEAR}(?:\s*(?:[,–—-]|to|bis|à)\s*{_YEAR})*",  # noqa: RUF001
    re.IGNORECASE,
)
_TOOL: Final = re.compile(
    r"(\b(?:created|built|generated|made|powered|produced|rendered|published)\s+(?:using|with|by|from)\b[^.\d]{0,60}?)"
    r"\bv?\d[\w.+-]*\w\b",
    re.IGNORECASE,
)
_MOST_STAMP_WORDS: Final = 30


@dataclass(frozen=True, slots=True)
class Boilerplate:
    """What a site adds to its pages, as shapes; empty for an unknown site."""

    before: frozenset[str] = frozenset()
    after: frozenset[str] = frozenset()
    lines: frozenset[str] = frozenset()
    #: Marks of what most pages have beside their content.
    beside: frozenset[int] = frozenset()

    def compared(self, title: str, text: str) -> list[str]:
        """What counts when two versions of a page are compared: its own title first, then its lines."""
        lines = [line for line in _lines(text) if not self.beside or _mark(_shape(line)) not in self.beside]
        for at in _edges(len(lines)):
            lines[at] = self._steady(lines[at])
        # The date of a build may also be missing.
        dated = {line for line in self.lines if _DAY in line}
        return [self.own_title(title), *(line for line in lines if line not in dated)]

    def own_title(self, title: str) -> str:
        """The title without the site's additions."""
        title = " ".join(title.split())
        title = title.removesuffix(_longest(_endings(title), self.after))
        return title.removeprefix(_longest(_beginnings(title), self.before))

    def _steady(self, line: str) -> str:
        if len(line) > _LONGEST or not _DIGIT.search(line):
            return line
        shape = _shape(line)
        if shape in self.lines:
            return shape
        dated = _DATE.sub(_DAY, line)
        if dated != line and len(line.split()) <= _MOST_STAMP_WORDS and _STAMP.search(dated):
            line = dated
        return _TOOL.sub(rf"\1{_SIGN}", _COPYRIGHT.sub(rf"\1{_SIGN}", line))


#: For a page whose site is not known.
NO_BOILERPLATE: Final = Boilerplate()


def marks_of(lines: Iterable[str]) -> tuple[int, ...]:
    """Checksums of lines, and of their shapes."""
    rows = [line for row in lines if (line := " ".join(row.split()))]
    marks = tuple(dict.fromkeys(mark for line in rows for mark in (_mark(line), _mark(_shape(line)))))
    half = _MOST_MARKS // 2
    return marks if len(marks) <= _MOST_MARKS else (*marks[:half], *marks[-half:])


Marked = tuple[list[str], tuple[int, ...]]


def without_flicker(old: Marked, new: Marked) -> tuple[list[str], list[str]]:
    """The lines of two versions of a page without those that only moved into or out of the content, by their marks."""
    # Titles come first, and never move.
    before, after = old[0][:1], new[0][:1]
    lines, others = old[0][1:], new[0][1:]
    for i, i_end, j, j_end, same in aligned(lines, others):
        before += lines[i:i_end] if same else [line for line in lines[i:i_end] if _mark(line) not in new[1]]
        after += others[j:j_end] if same else [line for line in others[j:j_end] if _mark(line) not in old[1]]
    return before, after


def learned(pages: Iterable[tuple[str, str, tuple[int, ...]]]) -> Boilerplate:
    """What these pages of one site have in common: titles, texts and marks, in the order they were stored."""
    before, after, lines = (defaultdict[str, list[str]](list) for _ in range(3))
    total, marks = 0, Counter[int]()
    for title, text, beside in pages:
        total += 1
        marks.update(beside)
        _note(before, _beginnings(title))
        _note(after, _endings(title))
        rows = _lines(text)
        _note(lines, (row for row in {rows[at]: None for at in _edges(len(rows))} if _may_change(row)))
    least, titled, most = (
        max(LEAST_PAGES, ceil(share * total)) for share in (_LINE_SHARE, _TITLE_SHARE, _BESIDE_SHARE)
    )
    return Boilerplate(
        before=_shared(before, titled),
        after=_shared(after, titled),
        lines=_shared(lines, least),
        beside=frozenset(mark for mark, count in marks.items() if count >= most),
    )


def _longest(parts: list[str], shapes: frozenset[str]) -> str:
    """The longest part that has one of these shapes; empty if none has."""
    return max((part for part in parts if _shape(part) in shapes), key=len, default="")


def _note(found: dict[str, list[str]], parts: Iterable[str]) -> None:
    """Record the values of each shape of a page, once per page."""
    for shape, part in {_shape(part): part for part in parts}.items():
        found[shape].append(_DATE.sub(_DAY, part))


def _shared(found: dict[str, list[str]], least: int) -> frozenset[str]:
    return frozenset(shape for shape, parts in found.items() if len(parts) >= least and _is_steady(parts))


def _is_steady(parts: Sequence[str]) -> bool:
    steps = sum(one != other for one, other in pairwise(parts))
    return steps <= _MOST_STEPS * (len(parts) - 1)


def _shape(text: str) -> str:
    if len(text) > _LONGEST or not _DIGIT.search(text):
        return text
    return _NUMBER.sub(_SIGN, _DATE.sub(_DAY, text))


def _mark(line: str) -> int:
    return crc32(line.encode("utf-8", "surrogatepass"))


def _may_change(line: str) -> bool:
    shape = _shape(line)
    return shape != line and (_DAY in shape or _LETTERS.search(shape) is not None)


def _lines(text: str) -> list[str]:
    return [line for row in text.split("\n") if (line := " ".join(row.split()))]


def _edges(number: int) -> Iterable[int]:
    return range(number) if number <= _FIRST + _LAST else (*range(_FIRST), *range(number - _LAST, number))


def _endings(title: str) -> list[str]:
    return [title[part.start() :] for part in _parting(title) if part.start()]


def _beginnings(title: str) -> list[str]:
    return [title[: part.end()] for part in _parting(title) if part.end() < len(title)]


def _parting(title: str) -> Iterable[re.Match[str]]:
    return _PARTED.finditer(title) if len(title) <= _LONGEST else ()
