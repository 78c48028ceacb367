"""Regions of text in a map of probabilities: connected pixels, each with the rectangle around them, also slanted."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray
    from PIL.Image import Image

#: The height of the pictures of lines that the reader takes.
LINE_HEIGHT: Final = 48
#: The most pixels of the length of such a picture: about 400 characters.
_MOST_WIDTH: Final = 4000
# The four below are PaddleOCR's own figures for this model.
_THRESHOLD, _SCORE, _LEAST_SIDE = 0.3, 0.5, 3
#: The model marks the core of a line; the rectangle around it is this much larger, by area and perimeter.
_GROWTH: Final = 1.6
#: Lines that are slanted more (in radians; 20 degrees) are not read as such.
_STEEPEST: Final = 0.35
#: A slant of fewer pixels between both ends is none.
_LEVEL: Final = 3
#: A page of text has a few thousand runs of pixels. A picture that is all noise has no text.
_MOST_RUNS: Final = 100_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Region:
    """A rectangle in a picture: its centre, its sides, and its slant in radians."""

    x: float
    y: float
    width: float
    height: float
    slant: float

    def cut_from(self, picture: Image) -> Image:
        """What the picture shows here, level and as high as the reader takes it."""
        from PIL.Image import Resampling, Transform  # noqa: PLC0415 - in an extra

        size = (max(8, min(_MOST_WIDTH, round(LINE_HEIGHT * self.width / self.height))), LINE_HEIGHT)
        half_width, half_height = self.width / 2, self.height / 2
        if abs(math.sin(self.slant)) * self.width < _LEVEL:
            box = (
                max(0.0, self.x - half_width),
                max(0.0, self.y - half_height),
                min(float(picture.width), self.x + half_width),
                min(float(picture.height), self.y + half_height),
            )
            return picture.resize(size, Resampling.BILINEAR, box=box)
        cosine, sine = math.cos(self.slant), math.sin(self.slant)
        left = self.x - half_width * cosine + half_height * sine
        top = self.y - half_width * sine - half_height * cosine
        level = picture.transform(
            (max(1, round(self.width)), max(1, round(self.height))),
            Transform.AFFINE,
            (cosine, -sine, left, sine, cosine, top),
            Resampling.BILINEAR,
            fillcolor=255,
        )
        return level.resize(size, Resampling.BILINEAR)


def regions(probabilities: NDArray[np.float32], size: tuple[int, int]) -> list[Region]:
    """The regions of text in a picture of that size, from top to bottom."""
    height, width = probabilities.shape
    across, down = size[0] / width, size[1] / height
    found = []
    for rows, starts, ends in _connected(probabilities > _THRESHOLD):
        region = _around(rows, starts, ends)
        if region is not None and _mean(probabilities, rows, starts, ends) >= _SCORE:
            found.append(
                Region(
                    x=region.x * across,
                    y=region.y * down,
                    width=region.width * across,
                    height=region.height * down,
                    slant=region.slant,
                )
            )
    return sorted(found, key=lambda region: (region.y, region.x))


def _around(rows: NDArray[np.intp], starts: NDArray[np.intp], ends: NDArray[np.intp]) -> Region | None:
    """The rectangle around the runs, grown; None if it is too small."""
    import numpy as np  # noqa: PLC0415 - lazy

    lengths = (ends - starts).astype(np.float64)
    total = lengths.sum()
    middles, centres = (starts + ends) * np.float64(0.5), rows + np.float64(0.5)
    x, y = float((middles * lengths).sum() / total), float((centres * lengths).sum() / total)
    slant = _slant(middles - x, centres - y, lengths)
    cosine, sine = math.cos(slant), math.sin(slant)
    across = np.concatenate([starts, starts, ends, ends]) - x
    down = np.concatenate([rows, rows + 1, rows, rows + 1]) - y
    along, aside = across * cosine + down * sine, down * cosine - across * sine
    width, height = float(np.ptp(along)), float(np.ptp(aside))
    if min(width, height) < _LEAST_SIDE:
        return None
    growth = _GROWTH * width * height / (width + height)
    at, off = float(along.max() + along.min()) / 2, float(aside.max() + aside.min()) / 2
    return Region(
        x=x + at * cosine - off * sine,
        y=y + at * sine + off * cosine,
        width=width + growth,
        height=height + growth,
        slant=slant,
    )


def _slant(across: NDArray[np.float64], down: NDArray[np.float64], lengths: NDArray[np.float64]) -> float:
    """The direction in which the runs extend most, if that is nearly level, by their second moments."""
    wide = float((across**2 * lengths + lengths**3 / 12).sum())
    high = float((down**2 * lengths + lengths / 12).sum())
    slant = 0.5 * math.atan2(2 * float((across * down * lengths).sum()), wide - high)
    return slant if abs(slant) <= _STEEPEST else 0.0


def _mean(
    probabilities: NDArray[np.float32], rows: NDArray[np.intp], starts: NDArray[np.intp], ends: NDArray[np.intp]
) -> float:
    runs = zip(rows.tolist(), starts.tolist(), ends.tolist(), strict=True)
    return sum(float(probabilities[row, start:end].sum()) for row, start, end in runs) / int((ends - starts).sum())


def _connected(mask: NDArray[np.bool_]) -> Iterator[tuple[NDArray[np.intp], NDArray[np.intp], NDArray[np.intp]]]:
    """Groups of runs (row, start, end) that touch each other, also by their corners."""
    import numpy as np  # noqa: PLC0415 - lazy

    height, width = mask.shape
    padded = np.zeros((height, width + 1), dtype=np.int8)
    padded[:, :width] = mask
    steps = np.diff(padded.ravel(), prepend=0)
    (begun,), (ended,) = np.nonzero(steps == 1), np.nonzero(steps == -1)
    if not 0 < len(begun) <= _MOST_RUNS:
        return
    rows, starts, ends = begun // (width + 1), begun % (width + 1), ended % (width + 1)
    groups = np.array(_grouped(rows.tolist(), starts.tolist(), ends.tolist()))
    order = np.argsort(groups, kind="stable")
    for part in np.split(order, np.flatnonzero(np.diff(groups[order])) + 1):
        yield rows[part], starts[part], ends[part]


def _grouped(rows: list[int], starts: list[int], ends: list[int]) -> list[int]:
    """The group of every run: runs in order, each joined with those of the row above that it touches."""
    parents = list(range(len(rows)))

    def top(run: int) -> int:
        while parents[run] != run:
            parents[run] = run = parents[parents[run]]
        return run

    first = 0
    for run, row in enumerate(rows):
        while rows[first] < row - 1 or (rows[first] == row - 1 and ends[first] < starts[run]):
            first += 1
        above = first
        while rows[above] == row - 1 and starts[above] <= ends[run]:
            parents[top(above)] = top(run)
            above += 1
    return [top(run) for run in range(len(rows))]
