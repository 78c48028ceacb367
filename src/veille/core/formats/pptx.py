"""PowerPoint presentations, read from their own XML: slides in order, titles, lists, tables, notes, properties."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace

from lxml.etree import _Element

from veille.core.formats import Format, FormatOptions, Paper, Section, with_sections
from veille.core.formats.office.office import PROPERTIES, properties, relations, targets
from veille.core.formats.office.slides import P, Slide, notes
from veille.core.formats.office.xml import parse_xml
from veille.core.formats.office.zip import Limits, parts_and_pictures
from veille.errors import ReadError

_MAIN = "ppt/presentation.xml"
_ID = "{http://schemas.openxmlformats.org/officeDocument/2006/relationships}id"
#: Default titles of PowerPoint in several languages.
_NO_TITLE = re.compile(r"presentation|powerpoint[- ]\w+|\w+(?: \w+)? powerpoint", re.IGNORECASE)
#: A slide with notes has four members or more.
_LIMITS = Limits(members=20_000)


class PptxFormat(Format):
    """PowerPoint 2007 and later."""

    media_types = (
        "application/vnd.openxmlformats-officedocument.presentationml.presentation",
        "application/vnd.openxmlformats-officedocument.presentationml.slideshow",
        "application/vnd.openxmlformats-officedocument.presentationml.template",
        "application/vnd.ms-powerpoint.presentation.macroenabled.12",
    )
    extensions = ("pptx", "pptm", "ppsx", "potx")
    zip_member = b"ppt/presentation"

    def read(self, data: bytes, options: FormatOptions) -> Paper:
        parts, pictures = parts_and_pictures(data, _is_read, "ppt/media/", _LIMITS)
        main = targets(parts, "").get("officeDocument", _MAIN)
        if main not in parts:
            raise ReadError("The document has no list of slides; it is no PowerPoint file.", code="corrupt")
        slides = list(_slides(parts, main))
        if len(slides) > options.max_pages:
            raise ReadError(f"The presentation has more than {options.max_pages:,} slides.", code="too_large")
        sections: list[Section] = []
        shown = 0
        for name in slides:
            root = parse_xml(parts[name])
            if root.get("show") not in {"0", "false"}:
                shown += 1
                sections += _slide(parts, name, root)
        about = properties(parts)
        about = replace(about, title="" if _NO_TITLE.fullmatch(about.title) else about.title)
        return with_sections(about, sections, pages=shown, has_images=pictures)


def _is_read(name: str) -> bool:
    """Whether a part is read: slides, notes and diagrams with their relations, not layouts, themes and media."""
    folder, _, file = name.removeprefix("ppt/").rpartition("/")
    known = {"", "_rels", "slides", "slides/_rels", "notesSlides", "diagrams"}
    is_part = name.startswith("ppt/") and folder in known and file.endswith((".xml", ".rels"))
    return is_part or name in PROPERTIES


def _slides(parts: dict[str, bytes], main: str) -> Iterator[str]:
    """The parts that are slides, in presentation order."""
    near = {relation.id: relation for relation in relations(parts, main)}
    for entry in parse_xml(parts[main]).iterfind(f"{P}sldIdLst/{P}sldId"):
        relation = near.get(str(entry.get(_ID)))
        if relation is not None and relation.target in parts:
            yield relation.target


def _slide(parts: dict[str, bytes], name: str, root: _Element) -> Iterator[Section]:
    slide = Slide()
    for tree in root.iterfind(f"{P}cSld/{P}spTree"):
        slide.read(tree)
    near = [relation for relation in relations(parts, name) if relation.target in parts]
    for relation in near:
        if relation.kind == "diagramData":
            slide.read_diagram(parse_xml(parts[relation.target]))
    yield Section(kind="page")
    yield from slide.titles
    yield from slide.sections
    for relation in near:
        if relation.kind == "notesSlide" and (text := notes(parse_xml(parts[relation.target]))):
            yield Section(kind="paragraph", text=text)
