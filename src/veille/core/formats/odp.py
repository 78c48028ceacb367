"""OpenDocument presentations (LibreOffice Impress, and exports of PowerPoint and Google Slides)."""

from __future__ import annotations

from lxml.etree import _Element

from veille.core.formats import Format, FormatOptions, Paper
from veille.core.formats.office.odf import DRAW, PRESENTATION, TEXT, odf_file, styles_with
from veille.core.formats.office.odf_body import OdfBody
from veille.errors import ReadError

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
    zip_member = b"mimetypeapplication/vnd.oasis.opendocument.presentation"

    def read(self, data: bytes, options: FormatOptions) -> Paper:
        file = odf_file(data, "presentation", "slides")
        body = OdfBody(file)
        hidden = styles_with([file.root], "drawing-page-properties", f"{PRESENTATION}visibility", "hidden")
        slides = [slide for slide in file.body.iterfind(f"{DRAW}page") if slide.get(f"{DRAW}style-name") not in hidden]
        if len(slides) > options.max_pages:
            raise ReadError(f"The presentation has more than {options.max_pages:,} slides.", code="too_large")
        for slide in slides:
            _read_slide(slide, body)
        return body.finished(pages=len(slides))


def _read_slide(slide: _Element, body: OdfBody) -> None:
    body.begin_slide()
    notes = []
    frames = []
    for child in slide:
        if child.tag == f"{PRESENTATION}notes":
            notes = [frame for frame in child if frame.get(_CLASS) == "notes"]
        elif child.get(_CLASS) == "title":
            body.add_text(" ".join(map(body.text, child.iter(f"{TEXT}p"))), level=2)
        elif child.get(_CLASS) not in _FURNITURE:
            frames.append(child)
    # The title comes first wherever it is placed, as people read it.
    for frame in (*frames, *notes):
        body.read(frame)
