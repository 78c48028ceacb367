"""Readability of an extracted text, judged from a sample."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from veille.core.formats.paper.paper import Paper, Quality, Section

#: Enough to judge; more of a long document adds nothing.
_SAMPLE = 100_000
#: Fewer characters per page than this, with pictures, means a scan (docpipe's figure).
_SCAN_CHARS = 50
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


def with_sections(about: Paper, sections: Sequence[Section], *, pages: int = 0, has_images: bool = False) -> Paper:
    """The paper that has only metadata so far, with its content and the quality of that."""
    raw = "\n".join(section.text or section.title for section in sections)
    return replace(about, sections=tuple(sections), quality=judge(raw, pages=pages, has_images=has_images))


def with_sheets(about: Paper, sections: Sequence[Section], *, has_images: bool = False) -> Paper:
    """The same for a workbook, judged by its cells; without a title, the name of its first sheet is used."""
    raw = " ".join(cell for section in sections for row in section.rows[:500] for cell in row)
    title = about.title or next((section.title for section in sections), "")
    return replace(about, title=title, sections=tuple(sections), quality=judge(raw, pages=0, has_images=has_images))


def judge(raw: str, *, pages: int, has_images: bool) -> Quality:
    """The quality of the raw text, before cleaning."""
    sample = raw[:_SAMPLE]
    words = sample.split()
    printable = 1 - len(_UNPRINTABLE.findall(sample)) / len(sample) if sample else 0.0
    is_scan = bool(pages) and len(raw) < _SCAN_CHARS * pages and has_images
    return Quality(
        page_count=pages,
        printable_ratio=round(printable, 4),
        wordlike_ratio=round(sum(map(_is_word, words)) / max(1, len(words)), 4),
        needs_ocr=is_scan or (bool(sample) and printable < _PRINTABLE),
    )


def _is_word(token: str) -> bool:
    return bool((len(token) <= _MAX_WORD and _WORD.fullmatch(token)) or _UNSPACED.search(token))
