"""Pictures of text (PNG, JPEG, TIFF, WebP), for sources with `ocr`: each of their pages is recognised."""

from __future__ import annotations

import io
import struct
import warnings
from typing import TYPE_CHECKING, Any

from veille.core.formats import Format, FormatOptions, Paper, judge
from veille.core.formats._lines import sections_of
from veille.core.formats._paper import Recognised
from veille.core.formats.scans import DPI, MAX_PIXELS, NEEDS_EXTRA, read_picture, scale_of
from veille.errors import ReadError

if TYPE_CHECKING:
    from PIL.Image import Image

_TYPES = ("PNG", "JPEG", "TIFF", "WEBP")
#: What Pillow raises for broken pictures.
_BROKEN = (OSError, SyntaxError, ValueError, EOFError, LookupError, TypeError, ArithmeticError, struct.error)
_STARTS = (b"\x89PNG\r\n\x1a\n", b"\xff\xd8\xff", b"II*\x00", b"MM\x00*")


class PictureFormat(Format):
    """A picture is one page; a TIFF may have more."""

    media_types = ("image/png", "image/jpeg", "image/tiff", "image/webp")
    extensions = ("png", "jpg", "jpeg", "tif", "tiff", "webp")
    only_with_ocr = True

    @classmethod
    def recognises(cls, data: bytes) -> bool:
        return data.startswith(_STARTS) or (data.startswith(b"RIFF") and data[8:12] == b"WEBP")

    def read(self, data: bytes, options: FormatOptions) -> Paper:
        try:
            from PIL import Image  # noqa: PLC0415 - in an extra
        except ImportError as error:
            raise ReadError(NEEDS_EXTRA, code="needs_extra") from error
        with warnings.catch_warnings():
            # What its authors find too large, and what they find odd, is judged by our own limits.
            warnings.simplefilter("ignore")
            try:
                with Image.open(io.BytesIO(data), formats=_TYPES) as picture:
                    return _read(picture, options)
            except Image.DecompressionBombError as error:
                raise _too_large(str(error)) from error
            except _BROKEN as error:
                raise ReadError(f"The picture is broken: {error}", code="corrupt") from error


def _read(picture: Image, options: FormatOptions) -> Paper:
    count = getattr(picture, "n_frames", 1)
    kept = min(count, options.ocr_pages)
    seen = [read_picture(*_grey(picture, frame)) for frame in range(kept)]
    recognised = [number for number, page in enumerate(seen, 1) if page.lines]
    raw = "\n".join(line.text for page in seen for line in page.lines)
    return Paper(
        sections=tuple(sections_of([page.lines for page in seen])),
        quality=judge(raw, pages=count, has_images=True),
        recognised=Recognised.of(recognised, [page.confidence for page in seen], left_out=count - kept),
    )


def _grey(picture: Image, frame: int) -> tuple[Image, float]:
    """A page in grey, white where it is transparent, and its resolution."""
    from PIL import Image  # noqa: PLC0415 - in an extra

    picture.seek(frame)
    width, height = picture.size
    if width * height > MAX_PIXELS:
        raise _too_large(f"{width:,} x {height:,} pixels")
    factor = scale_of(width * height)
    if picture.has_transparency_data:
        full = picture.convert("RGBA")
        grey = Image.alpha_composite(Image.new("RGBA", full.size, "white"), full).convert("L")
    else:
        # Sixteen bits a pixel become eight by their share of the range, not by cutting them off.
        wide = picture.mode.startswith("I")
        grey = (picture.point(lambda value: value / 256) if wide else picture).convert("L")
    if factor < 1:
        grey = grey.resize((max(1, round(width * factor)), max(1, round(height * factor))), Image.Resampling.BILINEAR)
    return grey, _dpi(picture.info) * factor


def _dpi(info: dict[Any, Any]) -> float:
    """What the picture says of its resolution, if that can be right."""
    said = info.get("dpi")
    value = float(said[0]) if isinstance(said, tuple) and said else 0.0
    return value if DPI / 4 <= value <= DPI * 8 else DPI


def _too_large(what: str) -> ReadError:
    return ReadError(f"The picture is too large ({what}); up to {MAX_PIXELS:,} pixels are read.", code="too_large")
