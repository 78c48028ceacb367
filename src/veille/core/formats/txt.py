"""Plain text: only its paragraphs."""

from __future__ import annotations

import re

from veille.core.formats import Format, FormatOptions, Paper, Section, judge, text_in

_GAP = re.compile(r"\n[^\S\n]*\n\s*")


class TxtFormat(Format):
    """Blank lines separate paragraphs; the lines within stay verbatim."""

    media_types = ("text/plain",)
    extensions = ("txt", "text", "log")
    is_text = True

    def read(self, data: bytes, options: FormatOptions) -> Paper:
        raw = text_in(data, options.charset).replace("\r\n", "\n").replace("\r", "\n")
        paragraphs = [piece.strip("\n") for piece in _GAP.split(raw)]
        sections = tuple(Section(kind="paragraph", text=piece) for piece in paragraphs if piece.strip())
        return Paper(sections=sections, quality=judge(raw))
