"""OpenDocument text (LibreOffice, and exports of Word and Google Docs)."""

from __future__ import annotations

from veille.core.formats import Format, Options, Paper
from veille.core.formats._inside import ODT, is_zip_of
from veille.core.formats._quality import judge
from veille.core.formats.office.odf import OFFICE, odf_parts, odf_properties
from veille.core.formats.office.odf_story import Story, language_of
from veille.core.formats.office.office import office_paper
from veille.core.formats.office.xml import parse_xml
from veille.errors import ReadError


class OdtFormat(Format):
    """Headings by outline level, lists, tables, notes, properties; deleted and hidden text left out."""

    media_types = (
        "application/vnd.oasis.opendocument.text",
        "application/vnd.oasis.opendocument.text-template",
    )
    extensions = ("odt", "ott")

    @classmethod
    def recognises(cls, data: bytes) -> bool:
        return is_zip_of(data, inside=ODT)

    def read(self, data: bytes, options: Options) -> Paper:
        del options
        parts, pictures = odf_parts(data)
        root = parse_xml(parts["content.xml"])
        body = root.find(f"{OFFICE}body/{OFFICE}text")
        if body is None:
            raise ReadError("The document has no text body; it is no OpenDocument text.", code="corrupt")
        styles = [root, parse_xml(parts["styles.xml"])] if "styles.xml" in parts else [root]
        story = Story(styles)
        story.read(body)
        story.finish()
        said = odf_properties(parts)
        raw = "\n".join(section.text or section.title for section in story.sections)
        said = said._replace(language=said.language or language_of(styles))
        return office_paper(said, story.sections, judge(raw, pages=0, has_images=pictures))
