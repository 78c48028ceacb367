"""OpenDocument presentations (LibreOffice Impress, and exports of PowerPoint and Google Slides)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from veille.core.formats import Format, Options, Paper, Section
from veille.core.formats._inside import ODP, is_zip_of
from veille.core.formats._quality import judge
from veille.core.formats.office.odf import DRAW, OFFICE, PRESENTATION, STYLE, TEXT, odf_parts, odf_properties
from veille.core.formats.office.odf_story import Story, language_of
from veille.core.formats.office.office import office_paper
from veille.core.formats.office.xml import parse_xml
from veille.core.text import flat
from veille.errors import ReadError

if TYPE_CHECKING:
    from lxml.etree import _Element

_CLASS = f"{PRESENTATION}class"
#: Boxes that repeat on every slide.
_FURNITURE = frozenset({"date-time", "footer", "header", "page-number", "page"})


class OdpFormat(Format):
    """Each slide is a heading with its lists, tables and notes; hidden slides are left out."""

    media_types = (
        "application/vnd.oasis.opendocument.presentation",
        "application/vnd.oasis.opendocument.presentation-template",
    )
    extensions = ("odp", "otp")

    @classmethod
    def recognises(cls, data: bytes) -> bool:
        return is_zip_of(data, inside=ODP)

    def read(self, data: bytes, options: Options) -> Paper:
        parts, pictures = odf_parts(data)
        root = parse_xml(parts["content.xml"])
        deck = root.find(f"{OFFICE}body/{OFFICE}presentation")
        if deck is None:
            raise ReadError("The document has no slides; it is no OpenDocument presentation.", code="corrupt")
        styles = [root, parse_xml(parts["styles.xml"])] if "styles.xml" in parts else [root]
        story, hidden = Story(styles), _hidden(root)
        slides = [slide for slide in deck.iterfind(f"{DRAW}page") if slide.get(f"{DRAW}style-name") not in hidden]
        if len(slides) > options.max_pages:
            raise ReadError(f"The presentation has more than {options.max_pages:,} slides.", code="too_large")
        for slide in slides:
            _read_slide(slide, story)
        story.finish()
        said = odf_properties(parts)
        said = said._replace(language=said.language or language_of(styles))
        raw = "\n".join(section.text or section.title for section in story.sections)
        return office_paper(said, story.sections, judge(raw, pages=len(slides), has_images=pictures))


def _read_slide(slide: _Element, story: Story) -> None:
    story.begin_slide()
    notes = []
    frames = []
    for child in slide:
        if child.tag == f"{PRESENTATION}notes":
            notes = [frame for frame in child if frame.get(_CLASS) == "notes"]
        elif child.get(_CLASS) == "title":
            title = flat(" ".join(map(story.text, child.iter(f"{TEXT}p"))))
            story.sections += [Section(kind="heading", title=title, level=2)] if title else []
        elif child.get(_CLASS) not in _FURNITURE:
            frames.append(child)
    # The title comes first wherever it is placed, as people read it.
    for frame in (*frames, *notes):
        story.read(frame)


def _hidden(root: _Element) -> frozenset[str]:
    """The names of the styles of hidden slides."""
    return frozenset(
        str(style.get(f"{STYLE}name"))
        for style in root.iter(f"{STYLE}style")
        for looks in style.iterfind(f"{STYLE}drawing-page-properties")
        if looks.get(f"{PRESENTATION}visibility") == "hidden"
    )
