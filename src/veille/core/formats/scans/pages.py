"""Pages of a PDF that are pictures of text: drawn, and recognised."""

from __future__ import annotations

import ctypes
from typing import TYPE_CHECKING, Final

from veille.core.formats._lines import Line
from veille.core.formats._paper import SCAN_CHARS, Recognised, is_printable
from veille.core.formats.scans import DPI, MAX_PIXELS, Seen, read_picture, scale_of

if TYPE_CHECKING:
    from pypdfium2 import PdfDocument, PdfObject, PdfPage

_POINTS: Final = 72
#: The least share of a page that pictures of text cover; a logo covers less.
_LEAST_SHARE: Final = 0.2
#: More objects of a page are not looked at; scans have one, or one per strip.
_MOST_OBJECTS: Final = 2_000


def read_scans(document: PdfDocument, pages: list[list[Line]], texts: list[str], most: int) -> Recognised | None:
    """Recognise the first `most` pages that need it, in place; None if none does."""
    recognised: list[int] = []
    confidences: list[float] = []
    tried = left_out = 0
    for index, text in enumerate(texts):
        if len(text.strip()) >= SCAN_CHARS and is_printable(text):
            continue
        page = document[index]
        try:
            pixels = _picture_pixels(page)
            if not pixels and is_printable(text):
                continue
            if tried == most or pixels > MAX_PIXELS:
                left_out += 1
                continue
            tried += 1
            seen = _drawn_and_read(page)
        finally:
            page.close()
        # A page with little text of its own shows that, too: nothing is read twice.
        found = "\n".join(line.text for line in seen.lines)
        if len(found) > len(text.strip()) or not is_printable(text):
            pages[index], texts[index] = seen.lines, found
            recognised.append(index + 1)
            confidences.append(seen.confidence)
    return Recognised.of(recognised, confidences, left_out=left_out) if tried or left_out else None


def _picture_pixels(page: PdfPage) -> int:
    """The pixels of the largest picture of a page; 0 if its pictures cover too little of it."""
    from pypdfium2 import raw as pdfium  # noqa: PLC0415 - lazy

    covered, largest = 0.0, 0
    width, height = ctypes.c_uint(), ctypes.c_uint()
    for number, found in enumerate(page.get_objects(filter=[pdfium.FPDF_PAGEOBJ_IMAGE], max_depth=3)):
        if number >= _MOST_OBJECTS:
            break
        if pdfium.FPDFImageObj_GetImagePixelSize(found, width, height):
            largest = max(largest, width.value * height.value)
        covered += _area(found)
    return largest if covered >= _LEAST_SHARE * page.get_width() * page.get_height() else 0


def _area(found: PdfObject) -> float:
    from pypdfium2 import PdfiumError  # noqa: PLC0415 - lazy

    try:
        left, bottom, right, top = found.get_bounds()
    except PdfiumError:
        return 0.0
    return float((right - left) * (top - bottom))


def _drawn_and_read(page: PdfPage) -> Seen:
    points = page.get_width() * page.get_height()
    dpi = DPI * scale_of(points * (DPI / _POINTS) ** 2)
    bitmap = page.render(scale=dpi / _POINTS, grayscale=True)
    try:
        return read_picture(bitmap.to_pil(), dpi)
    finally:
        bitmap.close()
