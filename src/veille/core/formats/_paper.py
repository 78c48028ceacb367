"""The result of every format: a paper of sections, with its metadata and its quality, judged from a sample."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from veille.core.formats._tables import Rows, labelled
from veille.core.text import clean, flat

#: Longer first lines are prose, not titles.
_MAX_TITLE_CHARS = 200

# `Version 2.1`, `v3`, `Rev. B`, `Édition 4`: as written on title pages.
_VERSION = re.compile(
    r"\b(?:version|versión|versão|версия|ver\.|rev\.|revision|révision|edition|édition|ausgabe|v(?=\d))"
    r"\s*[:.°]?\s*(\d+(?:\.\d+){0,3}[a-z]?|[A-Z](?![a-z]))",
    re.IGNORECASE,
)
_VERSION_HEAD = 600

#: Enough to judge; more of a long document adds nothing.
_SAMPLE = 100_000
#: Fewer characters per page than this, with pictures, means a scan (docpipe's figure).
SCAN_CHARS = 50
#: A lower share of printable text means a font without a character map (docpipe's figure).
_PRINTABLE = 0.85

_UNPRINTABLE = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ue000-\uf8ff\ufffd\ufffe\uffff]")
_OPEN, _CLOSE = "\"'\u201c\u201d\u2018\u2019\u00ab\u00bb(\\[", "\"'\u201d\u2019\u00bb)\\].,;:!?\u2026%"
_WORD = re.compile(
    rf"[{_OPEN}]*[^\W\d_][^\W_]*(?:[-'\u2019./&@][^\W_]+)*[{_CLOSE}]*|[{_OPEN}+-]*\d[\d.,:/%-]*[{_CLOSE}]*"
)
#: No word is longer, except in scripts without spaces between words.
_MAX_WORD = 40
_UNSPACED = re.compile("[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]")


@dataclass(frozen=True, slots=True, kw_only=True)
class Section:
    """A piece of a paper, in reading order. Pages and sheets are sections that introduce those after them."""

    #: heading, paragraph, list, code, table, page or sheet.
    kind: str
    #: The text of a heading or sheet name, or the caption of a table.
    title: str = ""
    #: The level of a heading, 1 to 6.
    level: int = 0
    text: str = ""
    #: The cells of a table.
    rows: Rows = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Quality:
    """How readable the text is; a scan without a text layer needs OCR."""

    page_count: int = 0
    printable_ratio: float = 1.0
    wordlike_ratio: float = 1.0
    needs_ocr: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Recognised:
    """Which pages' text was recognised in pictures."""

    #: The numbers of these pages, from 1.
    pages: tuple[int, ...]
    #: How sure the model is of their text, from 0 to 1.
    confidence: float
    #: Pages that have pictures of text and were not read because of a limit.
    left_out: int = 0

    @classmethod
    def of(cls, pages: Sequence[int], confidences: Sequence[float], *, left_out: int = 0) -> Recognised:
        """With the mean of the confidences of pages; those of pages without text are 0 and do not count."""
        sure = [confidence for confidence in confidences if confidence]
        mean = round(sum(sure) / len(sure), 4) if sure else 0.0
        return cls(pages=tuple(pages), confidence=mean, left_out=left_out)


@dataclass(frozen=True, slots=True, kw_only=True)
class Paper:
    """A parsed document. Times are milliseconds since 1970."""

    title: str = ""
    authors: tuple[str, ...] = ()
    created: int | None = None
    modified: int | None = None
    language: str = ""
    version_hint: str = ""
    sections: tuple[Section, ...] = ()
    #: Everything as text: a paragraph per section, table rows with their labels. `read_paper` fills it in.
    text: str = ""
    quality: Quality = Quality()
    recognised: Recognised | None = None


def with_sections(about: Paper, sections: Sequence[Section], *, pages: int = 0, has_images: bool = False) -> Paper:
    """The paper that has only metadata so far, with its content and the quality of that."""
    raw = "\n".join(section.text or section.title for section in sections)
    return replace(about, sections=tuple(sections), quality=judge(raw, pages=pages, has_images=has_images))


def with_sheets(about: Paper, sections: Sequence[Section], *, has_images: bool = False) -> Paper:
    """The same for a workbook, judged by its cells; without a title, the name of its first sheet is used."""
    raw = " ".join(cell for section in sections for row in section.rows[:500] for cell in row)
    title = about.title or next((section.title for section in sections), "")
    return replace(about, title=title, sections=tuple(sections), quality=judge(raw, has_images=has_images))


def judge(raw: str, *, pages: int = 0, has_images: bool = False) -> Quality:
    """The quality of the raw text, before cleaning."""
    sample = raw[:_SAMPLE]
    words = sample.split()
    printable = 1 - len(_UNPRINTABLE.findall(sample)) / len(sample) if sample else 0.0
    is_scan = bool(pages) and len(raw) < SCAN_CHARS * pages and has_images
    return Quality(
        page_count=pages,
        printable_ratio=round(printable, 4),
        wordlike_ratio=round(sum(map(_is_word, words)) / max(1, len(words)), 4),
        needs_ocr=is_scan or (bool(sample) and printable < _PRINTABLE),
    )


def is_printable(text: str) -> bool:
    """Whether a text is readable: that of a font without a character map is not."""
    return len(_UNPRINTABLE.findall(text)) <= len(text) * (1 - _PRINTABLE)


def text_of(sections: tuple[Section, ...]) -> str:
    """The sections as text, in order."""
    return clean("\n\n".join(filter(None, map(_as_text, sections))))


def completed(paper: Paper, text: str, file_name: str) -> Paper:
    """The paper with its text; a title and a version that it does not state are taken from there and the file name."""
    title = paper.title or _first_title(paper.sections)
    version = paper.version_hint or _version_in(title, text, file_name.replace("_", " "))
    return replace(paper, title=title, version_hint=version, text=text)


def _first_title(sections: tuple[Section, ...]) -> str:
    """The first heading, or else the first line if it is short enough for a title."""
    heading = next((section.title for section in sections if section.kind == "heading" and section.title), "")
    if heading:
        return flat(heading)[:_MAX_TITLE_CHARS]
    text = next((section.text for section in sections if section.text.strip()), "")
    line = flat(text.strip().split("\n", 1)[0])
    return line if len(line) <= _MAX_TITLE_CHARS else ""


def _version_in(*texts: str) -> str:
    """The version named in a title or at the beginning of a text, verbatim; empty if there is none.

    >>> _version_in("Handbook", "Version 2.1 of May"), _version_in("Overview")
    ('2.1', '')
    """
    for text in texts:
        match = _VERSION.search(text[:_VERSION_HEAD])
        if match:
            return match[1]
    return ""


def _as_text(section: Section) -> str:
    if section.kind == "table":
        return labelled(section.rows, section.title)
    if section.kind == "page":
        return ""  # page numbers are layout: they would make equal texts differ
    return section.title or section.text


def _is_word(token: str) -> bool:
    return bool((len(token) <= _MAX_WORD and _WORD.fullmatch(token)) or _UNSPACED.search(token))
