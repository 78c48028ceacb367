"""Characters in pictures: lines of text from a grey picture, by the models of PaddleOCR (PP-OCRv6, small) on the CPU.

One model finds regions of text, the other reads one region at a time. Both come inside the package `rapidocr` of the
extra `ocr`, so nothing is ever downloaded. The package's own code is not used: it imports an HTTP client, which the
child forbids, and takes twice the time and memory. The result depends on the picture alone, never on the time it took:
a deadline that cuts would report changes where nothing changed.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from veille.core.formats._lines import Line
from veille.core.formats.scans._models import NEEDS_EXTRA, is_installed, models
from veille.core.formats.scans._order import Words, lines_in
from veille.core.formats.scans._regions import regions

if TYPE_CHECKING:
    from PIL.Image import Image

__all__ = ["DPI", "MAX_DRAWN", "MAX_PIXELS", "NEEDS_EXTRA", "Seen", "is_installed", "read_picture", "scale_of"]

#: Pages are drawn at this resolution, if they do not get larger than `MAX_DRAWN`.
DPI: Final = 200
#: The most pixels that are looked at: an A3 page at 200 dpi. Larger pictures are scaled down.
MAX_DRAWN: Final = 8_000_000
#: The most pixels of a picture that is unpacked at all: an A4 page at 700 dpi.
MAX_PIXELS: Final = 50_000_000
#: Regions are found in a picture of at most this many pixels a side. At 960, small print was missed; 1600 takes 1.6
#: times as long and found no more.
_SIDE: Final = 1280
#: More regions are no page of text; each takes 40 to 120 ms to read.
_MOST_REGIONS: Final = 600
#: Lines that the model is less sure of are noise, such as ornaments and stamps.
_SURE: Final = 0.5


@dataclass(frozen=True, slots=True)
class Seen:
    """The lines of one picture, and how sure the model is of them, from 0 to 1."""

    lines: list[Line]
    confidence: float


def scale_of(pixels: float) -> float:
    """The factor for the sides of a picture with that many pixels, so that it has no more than `MAX_DRAWN`.

    >>> scale_of(2_000_000), scale_of(32_000_000)
    (1.0, 0.5)
    """
    return min(1.0, math.sqrt(MAX_DRAWN / max(pixels, 1)))


def read_picture(picture: Image, dpi: float = DPI) -> Seen:
    """The lines of a grey picture in reading order, with sizes and positions in points; ReadError without the extra."""
    finder, reader = models()
    found = regions(finder.probabilities(picture, _SIDE), picture.size)[:_MOST_REGIONS]
    words = []
    sure = letters = 0.0
    for region in found:
        text, confidence = reader.text(region.cut_from(picture))
        if text.strip() and confidence >= _SURE:
            words.append(Words(text=text.strip(), x=region.x, y=region.y, width=region.width, height=region.height))
            sure += confidence * len(text)
            letters += len(text)
    return Seen(lines_in(words, dpi), round(sure / letters, 4) if letters else 0.0)
