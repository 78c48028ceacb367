from __future__ import annotations

import io

import numpy as np
import pytest
from PIL import Image, ImageDraw

from veille.core.browsing.pictures import differing, drawn_difference, picture_of, share
from veille.errors import ReadError

WHITE = (255, 255, 255)


def png(image: Image.Image) -> bytes:
    out = io.BytesIO()
    image.save(out, "PNG")
    return out.getvalue()


def canvas(height: int = 400) -> Image.Image:
    return Image.new("RGB", (400, height), WHITE)


def with_square(side: int, colour: str = "navy", at: tuple[int, int] = (50, 60)) -> Image.Image:
    image = canvas()
    ImageDraw.Draw(image).rectangle((*at, at[0] + side - 1, at[1] + side - 1), fill=colour)
    return image


def smooth_disc(shift: float) -> Image.Image:
    """A disc whose edge is smoothed: drawn eight times as large, and made small."""
    large = Image.new("L", (1600, 1600), 255)
    centre = 800 + shift * 8
    ImageDraw.Draw(large).ellipse((centre - 500, 300, centre + 500, 1300), fill=0)
    return large.resize((200, 200), Image.Resampling.BOX).convert("RGB")


@pytest.mark.parametrize(("side", "percent"), [(40, 1.0), (20, 0.25), (100, 6.25)])
def test_the_share_of_a_known_difference_is_exact(side: int, percent: float) -> None:
    before, after = png(canvas()), png(with_square(side))
    assert picture_of(after, before).difference == percent
    drawn = drawn_difference(before, after)
    assert (drawn.percent, drawn.width, drawn.height) == (percent, 400, 400)
    with Image.open(io.BytesIO(drawn.webp)) as image:
        assert image.format == "WEBP"
        assert image.convert("RGB").getpixel((60, 70)) == (211, 47, 47)


def test_the_same_pixels_are_the_same_picture_however_they_are_packed() -> None:
    one = picture_of(png(with_square(40)))
    other = picture_of(one.webp, png(with_square(40)))
    assert (other.hash, other.difference, one.difference) == (one.hash, 0.0, None)
    assert picture_of(png(with_square(41))).hash != one.hash


def test_an_edge_that_is_smoothed_otherwise_is_no_difference() -> None:
    before, after = smooth_disc(0), smooth_disc(0.4)
    plain = np.asarray(before) != np.asarray(after)
    assert share(plain.any(axis=2)) > 0.3
    assert picture_of(png(after), png(before)).difference == pytest.approx(0, abs=0.1)
    # A disc that moved for good is one.
    assert (picture_of(png(smooth_disc(6)), png(before)).difference or 0) > 2


def test_colours_that_nobody_tells_apart_are_no_difference() -> None:
    assert picture_of(png(with_square(100, "#ff0000")), png(with_square(100, "#fd0202"))).difference == 0


def test_a_longer_page_differs_by_what_was_added() -> None:
    assert picture_of(png(canvas(500)), png(canvas(400))).difference == 20.0
    assert picture_of(png(canvas(400)), png(canvas(500))).difference == 20.0


def test_what_differs_between_two_pictures_of_a_change_is_left_out() -> None:
    kept = canvas()
    first, second = with_square(40), with_square(40)
    for image, place in ((first, (200, 200)), (second, (300, 200))):
        ImageDraw.Draw(image).rectangle((*place, place[0] + 39, place[1] + 39), fill="orange")
    found = picture_of(png(second), png(kept), png(first))
    # The square is in both; the other one was elsewhere at each visit.
    assert found.difference == 1.0


@pytest.mark.parametrize("data", [b"", b"\x89PNG\r\n\x1a\n", b"GIF89a" + bytes(50), b"RIFF\0\0\0\0WEBPVP8 "])
def test_what_is_no_picture_is_refused(data: bytes) -> None:
    with pytest.raises(ReadError) as caught:
        picture_of(data)
    assert caught.value.code == "bad_picture"


def test_masks_have_the_size_of_both() -> None:
    one, other = (np.zeros(shape, dtype=np.uint8) for shape in ((10, 20, 3), (20, 10, 3)))
    assert differing(one, other).shape == (20, 20)
