"""PowerPoint presentations, read from their own XML: each slide is a heading with its lists, tables and notes."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from veille.core.formats import Format, Options, Paper, Section
from veille.core.formats._inside import SLIDES, is_zip_of
from veille.core.formats._lists import Outline
from veille.core.formats._office import CORE, CUSTOM, office_paper, properties, relations, targets
from veille.core.formats._quality import judge
from veille.core.formats._xml import local, parse_xml
from veille.core.formats._zip import members
from veille.core.text import flat
from veille.errors import ReadError

if TYPE_CHECKING:
    from lxml.etree import _Element

_MAIN = "ppt/presentation.xml"
_PARTS = re.compile(
    r"ppt/(?:presentation\.xml|_rels/[^/]+|(?:slides|notesSlides|diagrams)/(?:[^/]+\.xml|_rels/[^/]+))|_rels/\.rels"
)
_A = "{http://schemas.openxmlformats.org/drawingml/2006/main}"
_R = "{http://schemas.openxmlformats.org/officeDocument/2006/relationships}"
_TITLES = frozenset({"title", "ctrTitle"})
#: Boxes that say the same on every slide, and the picture of the slide above its notes.
_FURNITURE = frozenset({"dt", "ftr", "hdr", "sldNum", "sldImg"})


class PptxFormat(Format):
    """PowerPoint 2007 and later; hidden slides are left out."""

    media_types = (
        "application/vnd.openxmlformats-officedocument.presentationml.presentation",
        "application/vnd.openxmlformats-officedocument.presentationml.slideshow",
        "application/vnd.openxmlformats-officedocument.presentationml.template",
        "application/vnd.ms-powerpoint.presentation.macroenabled.12",
    )
    extensions = ("pptx", "pptm", "ppsx", "potx")

    @classmethod
    def recognises(cls, data: bytes) -> bool:
        return is_zip_of(data, inside=SLIDES)

    def read(self, data: bytes, options: Options) -> Paper:
        del options
        pictures = False

        def wanted(name: str) -> bool:
            nonlocal pictures
            pictures = pictures or name.startswith("ppt/media/")
            return name in {CORE, CUSTOM} or _PARTS.fullmatch(name) is not None

        parts = members(data, wanted)
        main = targets(parts, "").get("officeDocument", _MAIN)
        if main not in parts:
            raise ReadError("The document has no list of slides; it is no PowerPoint file.", code="corrupt")
        slides = list(_slides(parts, main))
        sections = [section for name in slides for section in _slide(parts, name)]
        raw = "\n".join(section.text or section.title for section in sections)
        quality = judge(raw, pages=len(slides), has_images=pictures)
        return office_paper(properties(parts), sections, quality)


def _slides(parts: dict[str, bytes], main: str) -> Iterator[str]:
    """The slides in the order in which they are shown."""
    places = {relation.id: relation.target for relation in relations(parts, main)}
    for node in parse_xml(parts[main]).iter():
        if local(node) == "sldId":
            name = places.get(str(node.get(f"{_R}id")), "")
            if name in parts and parse_xml(parts[name]).get("show") not in {"0", "false"}:
                yield name


def _slide(parts: dict[str, bytes], name: str) -> Iterator[Section]:
    places = {relation.id: relation.target for relation in relations(parts, name)}
    titles: list[Section] = []
    others: list[Section] = []
    for shape in _shapes(parse_xml(parts[name])):
        kind = _placeholder(shape)
        if kind in _TITLES:
            title = flat(" ".join(text for _, text in _paragraphs(shape)))
            titles += [Section(kind="heading", title=title, level=2)] if title else []
        elif kind not in _FURNITURE:
            others += _read_shape(shape, parts, places)
    # The title is read first wherever it stands, as people do.
    yield from titles
    yield from others
    notes = next((relation.target for relation in relations(parts, name) if relation.kind == "notesSlide"), "")
    for shape in _shapes(parse_xml(parts[notes])) if notes in parts else ():
        if _placeholder(shape) not in _FURNITURE:
            yield from _text_sections(shape)


def _shapes(root: _Element) -> Iterator[_Element]:
    """The shapes of a slide in their order, those of groups too."""
    for node in root.iter():
        if local(node) in {"sp", "graphicFrame"}:
            yield node


def _placeholder(shape: _Element) -> str:
    """What kind of box a shape is; empty for one that is not part of the layout."""
    place = next((node for node in shape.iter() if local(node) == "ph"), None)
    return "" if place is None else str(place.get("type") or "body")


def _read_shape(shape: _Element, parts: dict[str, bytes], places: dict[str, str]) -> Iterator[Section]:
    table = next(shape.iter(f"{_A}tbl"), None)
    if table is not None:
        yield Section(kind="table", rows=tuple(_rows(table)))
        return
    diagram = next((node for node in shape.iter() if local(node) == "relIds"), None)
    if diagram is not None:
        drawn = places.get(str(diagram.get(f"{_R}dm")), "")
        yield from _text_sections(parse_xml(parts[drawn])) if drawn in parts else ()
        return
    yield from _text_sections(shape)


def _text_sections(shape: _Element) -> Iterator[Section]:
    """One paragraph as such; several in one box are its points."""
    found = [(depth, text) for depth, text in _paragraphs(shape) if text]
    if len(found) == 1:
        yield Section(kind="paragraph", text=found[0][1])
    elif found:
        points = Outline()
        for depth, text in found:
            points.add(flat(text), depth, "")
        yield Section(kind="list", text=points.taken())


def _paragraphs(shape: _Element) -> Iterator[tuple[int, str]]:
    """The paragraphs of a box, each with its level."""
    for paragraph in shape.iter(f"{_A}p"):
        settings = paragraph.find(f"{_A}pPr")
        level = str(settings.get("lvl") or "0") if settings is not None else "0"
        pieces = ["\n" if node.tag == f"{_A}br" else node.text or "" for node in paragraph.iter(f"{_A}t", f"{_A}br")]
        yield (int(level) if level in "012345678" else 0), "".join(pieces).strip()


def _rows(table: _Element) -> Iterator[tuple[str, ...]]:
    for row in table.iterfind(f"{_A}tr"):
        yield tuple(flat(" ".join(text for _, text in _paragraphs(cell))) for cell in row.iterfind(f"{_A}tc"))
