"""Word documents, read from their own XML: headings by style or outline level, lists, tables, notes, properties.

Our own reader, because it keeps more than mammoth or kreuzberg (numbered lists, merged cells, notes, properties,
but no deleted or hidden text) and is faster; `bench/case_documents.py` measures both.
"""

from __future__ import annotations

from veille.core.formats import Format, Options, Paper
from veille.core.formats._inside import WORD, is_zip_of
from veille.core.formats._quality import judge
from veille.core.formats._sniff import OLE, is_old_book
from veille.core.formats.office.office import CORE, CUSTOM, office_paper, properties, targets
from veille.core.formats.office.word import Story, Styles
from veille.core.formats.office.xml import parse_xml
from veille.core.formats.office.zip import members
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

    @classmethod
    def recognises(cls, data: bytes) -> bool:
        # Office files from before 2007 and protected ones are claimed too, to report them as such.
        return is_zip_of(data, inside=WORD) or (data.startswith(OLE) and not is_old_book(data))

    def read(self, data: bytes, options: Options) -> Paper:
        del options
        pictures = False

        def wanted(name: str) -> bool:
            nonlocal pictures
            pictures = pictures or name.startswith("word/media/")
            is_part = name.startswith("word/") and name.count("/") <= 2 and name.endswith((".xml", ".rels"))  # noqa: PLR2004 - word/_rels/x
            return is_part or name in {CORE, CUSTOM, "_rels/.rels"}

        parts = members(data, wanted)
        main = targets(parts, "").get("officeDocument", _MAIN)
        if main not in parts:
            raise ReadError("The document has no text part; it is no Word file.", code="corrupt")
        near = targets(parts, main)
        styles = Styles(parts.get(near.get("styles", "")), parts.get(near.get("numbering", "")))
        story = Story(styles)
        story.read(parse_xml(parts[main]))
        for kind in ("footnotes", "endnotes"):
            if near.get(kind) in parts:
                story.notes(parse_xml(parts[near[kind]]))
        said = properties(parts)
        raw = "\n".join(section.text or section.title for section in story.sections)
        said = said._replace(language=said.language or styles.language)
        return office_paper(said, story.sections, judge(raw, pages=0, has_images=pictures))
