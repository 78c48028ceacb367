"""The result of every format: a paper of sections, with its metadata and its quality."""

from __future__ import annotations

import re
from dataclasses import dataclass

from veille.core.formats._tables import Rows, labelled, piped
from veille.core.text import clean, flat

#: Longer first lines are prose, not titles.
MAX_TITLE_CHARS = 200

# `Version 2.1`, `v3`, `Rev. B`, `Édition 4`: as written on title pages.
_VERSION = re.compile(
    r"\b(?:version|versión|versão|версия|ver\.|rev\.|revision|révision|edition|édition|ausgabe|v(?=\d))"
    r"\s*[:.°]?\s*(\d+(?:\.\d+){0,3}[a-z]?|[A-Z](?![a-z]))",
    re.IGNORECASE,
)
_VERSION_HEAD = 600


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
    #: The page number or sheet name it is on.
    place: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Quality:
    """How readable the text is; a scan without a text layer needs OCR."""

    page_count: int = 0
    printable_ratio: float = 1.0
    wordlike_ratio: float = 1.0
    needs_ocr: bool = False


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

    @property
    def markdown(self) -> str:
        """Everything as Markdown."""
        return clean("\n\n".join(filter(None, map(_as_markdown, self.sections))))


def text_of(sections: tuple[Section, ...]) -> str:
    """The sections as text, in order."""
    return clean("\n\n".join(filter(None, map(_as_text, sections))))


def first_title(sections: tuple[Section, ...]) -> str:
    """The first heading, or else the first line if it is short enough for a title."""
    heading = next((section.title for section in sections if section.kind == "heading" and section.title), "")
    if heading:
        return flat(heading)[:MAX_TITLE_CHARS]
    text = next((section.text for section in sections if section.text.strip()), "")
    line = flat(text.strip().split("\n", 1)[0])
    return line if len(line) <= MAX_TITLE_CHARS else ""


def version_in(*texts: str) -> str:
    """The version named in a title or at the beginning of a text, verbatim; empty if there is none.

    >>> version_in("Handbook", "Version 2.1 of May"), version_in("Overview")
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


def _as_markdown(section: Section) -> str:
    if section.kind == "table":
        return piped(section.rows, section.title)
    written = {
        "heading": f"{'#' * section.level} {section.title}",
        "sheet": f"## {section.title}",
        "code": f"```\n{section.text}\n```",
        "page": "",
    }
    return written.get(section.kind, section.text)
