"""Word documents, read from their own XML: headings by style or outline level, lists, tables, notes, properties.

Our own reader, because it keeps more than mammoth or kreuzberg (numbered lists, merged cells, notes, properties,
but no deleted or hidden text) and is faster; `bench/case_documents.py` measures both.
"""

from __future__ import annotations

from dataclasses import replace

from veille.core.formats import Format, FormatOptions, Paper, with_sections
from veille.core.formats.office.office import PROPERTIES, properties, targets
from veille.core.formats.office.word import Styles, WordBody
from veille.core.formats.office.xml import parse_xml
from veille.core.formats.office.zip import OLE, is_old_book, parts_and_pictures
from veille.errors import ReadError

_MAIN = "word/document.xml"


class DocxFormat(Format):
    """Word 2007 and later."""

    media_types = (
        "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
        "application/vnd.openxmlformats-officedocument.wordprocessingml.template",
        "application/vnd.ms-word.document.macroenabled.12",
        "application/msword",
    )
    extensions = ("docx", "docm", "dotx")
    zip_member = b"word/document"

    @classmethod
    def recognises(cls, data: bytes) -> bool:
        # Office files from before 2007 and protected ones are accepted here, so that the error names the reason.
        return super().recognises(data) or (data.startswith(OLE) and not is_old_book(data))

    def read(self, data: bytes, options: FormatOptions) -> Paper:
        del options
        parts, pictures = parts_and_pictures(data, _is_read, "word/media/")
        main = targets(parts, "").get("officeDocument", _MAIN)
        if main not in parts:
            raise ReadError("The document has no text part; it is no Word file.", code="corrupt")
        near = targets(parts, main)
        styles = Styles(parts.get(near.get("styles", "")), parts.get(near.get("numbering", "")))
        body = WordBody(styles)
        body.read(parse_xml(parts[main]))
        for kind in ("footnotes", "endnotes"):
            if near.get(kind) in parts:
                body.notes(parse_xml(parts[near[kind]]))
        about = properties(parts)
        about = replace(about, language=about.language or styles.language)
        return with_sections(about, body.sections, has_images=pictures)


def _is_read(name: str) -> bool:
    is_part = name.startswith("word/") and name.count("/") <= 2 and name.endswith((".xml", ".rels"))  # noqa: PLR2004 - word/_rels/x
    return is_part or name in PROPERTIES
