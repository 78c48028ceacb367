"""Pictures of pages: read, compared and drawn. It may take seconds: only tasks of the workshop call this.

Two pictures are compared pixel by pixel by what people see (colours as luma and chroma). Edges that were only smoothed
otherwise (anti-aliasing) do not count.
"""

from __future__ import annotations

import hashlib
import io
from base64 import b64decode, b64encode
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Annotated, Any, Final

from pydantic import BeforeValidator, PlainSerializer

from veille.core.browsing.visit import MOST_HEIGHT, WINDOW
from veille.errors import ReadError

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Pixels = NDArray[np.uint8]
    Mask = NDArray[np.bool_]

#: Bytes that pass through JSON.
Blob = Annotated[
    bytes,
    BeforeValidator(lambda value: b64decode(value) if isinstance(value, str) else value),
    PlainSerializer(lambda value: b64encode(value).decode(), when_used="json"),
]
#: The most pixels of a picture; ours have a third of that.
_MOST_PIXELS: Final = 3 * WINDOW[0] * MOST_HEIGHT
#: A thumbnail has twice the pixels of its place, for fine screens.
THUMBNAIL: Final = (184, 104)
#: A larger picture is kept with losses.
_MOST_BYTES: Final = 6_000_000
_LOSSY: Final = 85
#: The smallest difference of two colours that people see, and the largest there is: squared, weighted YIQ.
_LARGEST: Final = 35215.0
_SEEN: Final = _LARGEST * 0.1 * 0.1
#: Of more differing pixels the edges are not looked at: it is a change in any case.
_MOST_EDGES: Final = 1_500_000
_CHUNK: Final = 250_000
_AROUND: Final = ((-1, -1), (-1, 0), (-1, 1), (0, -1), (0, 1), (1, -1), (1, 0), (1, 1))
#: Of its eight neighbours, as many as this are equal to a pixel inside an area of one colour, and at most so many to
#: one on a smoothed edge.
_SIBLINGS: Final = 3
_MOST_ALIKE: Final = 2
_RED: Final = (211, 47, 47)


@dataclass(frozen=True, slots=True, kw_only=True)
class Picture:
    """A picture as it is kept: WebP, identified by its pixels."""

    hash: str
    width: int
    height: int
    webp: Blob = field(repr=False)
    #: How much of it differs from the picture of the last revision, in percent; None if they were not compared.
    difference: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class DrawnDifference:
    """Two pictures compared: how much differs, in percent, and where, as WebP."""

    percent: float
    width: int
    height: int
    webp: Blob = field(repr=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class Thumbnail:
    """The top of a picture, small, as WebP."""

    webp: Blob = field(repr=False)


def picture_of(png: bytes, kept: bytes = b"", first: bytes = b"") -> Picture:
    """The picture to be kept, compared with the one that is kept.

    With the `first` of two pictures of a change, only what both of them show counts: the rest changes by itself.
    """
    import numpy as np  # noqa: PLC0415 - few sources have pictures

    pixels = _pixels(png)
    webp = _webp(pixels)
    if len(webp) > _MOST_BYTES:
        webp = _webp(pixels, quality=_LOSSY)
        # As it will be compared next time.
        pixels = _pixels(webp)
    digest = hashlib.sha256(f"{pixels.shape}".encode() + np.ascontiguousarray(pixels).tobytes()).hexdigest()
    difference = None
    if kept:
        before = _pixels(kept)
        mask = differing(before, pixels)
        if first and mask.any():
            passing = differing(_pixels(first), pixels)
            mask &= ~_fitted(passing, mask.shape)
        difference = share(mask)
    height, width = pixels.shape[:2]
    return Picture(hash=digest, width=width, height=height, webp=webp, difference=difference)


def drawn_difference(before: bytes, after: bytes) -> DrawnDifference:
    """The second picture in pale grey, with what differs from the first in red."""
    import numpy as np  # noqa: PLC0415 - likewise

    old, new = _pixels(before), _pixels(after)
    mask = differing(old, new)
    height, width = mask.shape
    grey = np.full((height, width), 255, dtype=np.uint8)
    luma = new @ np.array([0.299, 0.587, 0.114], dtype=np.float32)
    grey[: new.shape[0], : new.shape[1]] = (255 - (255 - luma) * 0.25).astype(np.uint8)
    drawn = np.repeat(grey[:, :, None], 3, axis=2)
    drawn[_thicker(mask)] = _RED
    return DrawnDifference(percent=share(mask), width=width, height=height, webp=_webp(drawn))


def thumbnail(picture: bytes) -> Thumbnail:
    """The top of a picture in the size of a list."""
    from PIL import Image, ImageOps  # noqa: PLC0415 - an extra

    image = ImageOps.fit(Image.fromarray(_pixels(picture)), THUMBNAIL, centering=(0.5, 0))
    out = io.BytesIO()
    image.save(out, "WEBP", quality=_LOSSY, method=1)
    return Thumbnail(webp=out.getvalue())


def share(mask: Mask) -> float:
    """How much of a mask is set, in percent."""
    return round(float(mask.mean()) * 100, 3) if mask.size else 0.0


def differing(before: Pixels, after: Pixels) -> Mask:
    """Where two pictures differ visibly; what only one of them has, differs."""
    import numpy as np  # noqa: PLC0415 - likewise

    height, width = (max(one, other) for one, other in zip(before.shape[:2], after.shape[:2], strict=True))
    shared = min(before.shape[0], after.shape[0]), min(before.shape[1], after.shape[1])
    mask = np.ones((height, width), dtype=np.bool_)
    one, other = (np.ascontiguousarray(side[: shared[0], : shared[1]]) for side in (before, after))
    inner = np.zeros(shared, dtype=np.bool_)
    rows, columns = np.nonzero((one != other).any(axis=2))
    for start in range(0, len(rows), _CHUNK):
        places = rows[start : start + _CHUNK], columns[start : start + _CHUNK]
        inner[places] = _colour_distance(one[places], other[places]) > _SEEN
    rows, columns = np.nonzero(inner)
    if len(rows) <= _MOST_EDGES:
        for start in range(0, len(rows), _CHUNK):
            y, x = rows[start : start + _CHUNK], columns[start : start + _CHUNK]
            smoothed = _on_smoothed_edge(one, other, y, x) | _on_smoothed_edge(other, one, y, x)
            inner[y[smoothed], x[smoothed]] = False
    mask[: shared[0], : shared[1]] = inner
    return mask


def _colour_distance(one: Pixels, other: Pixels) -> Any:
    """The squared distance of colours in YIQ, weighted as people see it."""
    import numpy as np  # noqa: PLC0415 - likewise

    r, g, b = np.moveaxis(one.astype(np.float32) - other.astype(np.float32), -1, 0)
    y = r * 0.29889531 + g * 0.58662247 + b * 0.11448223
    i = r * 0.59597799 - g * 0.27417610 - b * 0.32180189
    q = r * 0.21147017 - g * 0.52261711 + b * 0.31114694
    return 0.5053 * y * y + 0.299 * i * i + 0.1957 * q * q


def _on_smoothed_edge(one: Pixels, other: Pixels, y: Any, x: Any) -> Mask:
    """Which pixels of a picture lie on a smoothed edge: between a darker and a brighter area of both pictures."""
    import numpy as np  # noqa: PLC0415 - likewise

    weights = np.array([0.29889531, 0.58662247, 0.11448223], dtype=np.float32)
    own = one[y, x].astype(np.float32) @ weights
    steps = np.empty((len(_AROUND), len(y)), dtype=np.float32)
    alike = np.zeros(len(y), dtype=np.int8)
    for place, (dy, dx) in enumerate(_AROUND):
        ny, nx, is_inside = _beside(one, y + dy, x + dx)
        near = one[ny, nx]
        steps[place] = np.where(is_inside, near.astype(np.float32) @ weights - own, 0)
        alike += is_inside & (near == one[y, x]).all(axis=1)
    darkest, brightest = steps.argmin(axis=0), steps.argmax(axis=0)
    is_between = (steps.min(axis=0) < 0) & (steps.max(axis=0) > 0) & (alike <= _MOST_ALIKE)
    moves = np.array(_AROUND)
    found = np.zeros(len(y), dtype=np.bool_)
    for which in (darkest, brightest):
        ny, nx, _ = _beside(one, y + moves[which, 0], x + moves[which, 1])
        found |= _in_one_colour(one, ny, nx) & _in_one_colour(other, ny, nx)
    on_edge: Mask = is_between & found
    return on_edge


def _in_one_colour(pixels: Pixels, y: Any, x: Any) -> Mask:
    """Which of these pixels have enough neighbours of their own colour."""
    import numpy as np  # noqa: PLC0415 - likewise

    alike = np.zeros(len(y), dtype=np.int8)
    for dy, dx in _AROUND:
        ny, nx, is_inside = _beside(pixels, y + dy, x + dx)
        alike += is_inside & (pixels[ny, nx] == pixels[y, x]).all(axis=1)
    enough: Mask = alike >= _SIBLINGS
    return enough


def _beside(pixels: Pixels, y: Any, x: Any) -> tuple[Any, Any, Mask]:
    height, width = pixels.shape[:2]
    is_inside = (y >= 0) & (y < height) & (x >= 0) & (x < width)
    return y.clip(0, height - 1), x.clip(0, width - 1), is_inside


def _thicker(mask: Mask) -> Mask:
    """A mask with each point two pixels wider, so that a small one is seen."""
    wide = mask.copy()
    for _ in range(2):
        grown = wide.copy()
        grown[1:] |= wide[:-1]
        grown[:-1] |= wide[1:]
        grown[:, 1:] |= wide[:, :-1]
        grown[:, :-1] |= wide[:, 1:]
        wide = grown
    return wide


def _fitted(mask: Mask, shape: tuple[int, ...]) -> Mask:
    """A mask cut or filled up (with what differs) to a shape."""
    import numpy as np  # noqa: PLC0415 - likewise

    fitted = np.ones(shape, dtype=np.bool_)
    height, width = min(shape[0], mask.shape[0]), min(shape[1], mask.shape[1])
    fitted[:height, :width] = mask[:height, :width]
    return fitted


def _pixels(data: bytes) -> Pixels:
    """The pixels of a picture, in rows; ReadError if it is damaged, too large, or the extra is missing."""
    import numpy as np  # noqa: PLC0415 - likewise

    try:
        from PIL import Image  # noqa: PLC0415 - an extra
    except ImportError:
        raise ReadError("Pictures need an extra: pip install 'veille[pictures]'.", code="needs_extra") from None
    try:
        with Image.open(io.BytesIO(data), formats=("PNG", "WEBP")) as image:
            if image.width * image.height > _MOST_PIXELS:
                raise ReadError("The picture is too large to be compared.", code="bad_picture")
            return np.asarray(image.convert("RGB"))
    except (OSError, ValueError, SyntaxError) as error:
        raise ReadError("The picture cannot be read.", code="bad_picture") from error


def _webp(pixels: Pixels, quality: int = 0) -> bytes:
    from PIL import Image  # noqa: PLC0415 - an extra

    out = io.BytesIO()
    options: dict[str, Any] = {"quality": quality} if quality else {"lossless": True, "quality": 40}
    Image.fromarray(pixels).save(out, "WEBP", method=1, **options)
    return out.getvalue()
