from __future__ import annotations

import struct
import zlib
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image, ImageDraw

from scans import LINES, font, page, picture_file, recall, scan
from veille.core.formats import FormatOptions, Paper, detect, extensions, may_be_scanned, read_paper
from veille.core.formats.scans import MAX_PIXELS
from veille.core.formats.scans._order import Words, lines_in
from veille.errors import ReadError

OCR = FormatOptions(ocr_pages=20)


def paper_of(data: bytes, name: str = "pdf", options: FormatOptions = OCR) -> Paper:
    return read_paper(data, name, options)


@pytest.mark.parametrize(("name", "lines"), [("DejaVuSans", LINES), ("DejaVuSerif", LINES[::3])])
def test_nine_of_ten_words_of_a_clean_scan_are_read_with_their_accents_and_digits(
    name: str, lines: tuple[str, ...]
) -> None:
    paper = paper_of(scan(page(lines, name=name)))
    assert recall(paper.text, lines) >= 0.9, paper.text
    assert paper.recognised is not None
    assert paper.recognised.pages == (1,)
    assert paper.recognised.confidence > 0.9
    assert not paper.quality.needs_ocr


def test_a_page_that_lies_askew_is_read() -> None:
    askew = page(LINES[:6]).rotate(1.5, fillcolor=255, resample=Image.Resampling.BICUBIC)
    assert recall(paper_of(scan(askew)).text, LINES[:6]) >= 0.9


def test_without_the_option_nothing_is_recognised() -> None:
    paper = read_paper(scan(page(LINES[:2])), "pdf")
    assert (paper.text, paper.recognised, paper.quality.needs_ocr) == ("", None, True)


def test_pages_beyond_the_limit_are_counted_and_not_read() -> None:
    pages = [page((f"Sheet number {number} of the archive",)) for number in range(1, 5)]
    paper = paper_of(scan(*pages), options=FormatOptions(ocr_pages=2))
    assert paper.recognised is not None
    assert (paper.recognised.pages, paper.recognised.left_out) == ((1, 2), 2)
    assert "number 2" in paper.text
    assert "number 3" not in paper.text


def test_larger_print_is_a_heading() -> None:
    picture = page(LINES[:5])
    ImageDraw.Draw(picture).text((160, 60), "Annual report", fill=0, font=font("DejaVuSans", 24))
    paper = paper_of(scan(picture))
    assert [part.title for part in paper.sections if part.kind == "heading"] == ["Annual report"]
    assert paper.title == "Annual report"


def test_a_blank_page_stays_without_text() -> None:
    paper = paper_of(scan(page(())))
    assert (paper.text, paper.recognised and paper.recognised.pages, paper.quality.needs_ocr) == ("", (), True)


@pytest.mark.parametrize("form", ["PNG", "JPEG", "TIFF", "WEBP"])
def test_pictures_are_read_like_scans_if_they_are_asked_for(form: str) -> None:
    data = picture_file(page(LINES[:2]), form)
    assert detect(data, f"image/{form.lower()}", "a") is None
    assert detect(data, f"image/{form.lower()}", "a", ocr=True) == "picture"
    assert may_be_scanned(data)
    assert recall(paper_of(data, "picture").text, LINES[:2]) >= 0.9


def test_crawls_do_not_follow_links_to_pictures() -> None:
    assert not extensions() & {"png", "jpg", "tiff"}


def test_a_transparent_picture_is_black_on_white() -> None:
    clear = Image.new("RGBA", (1200, 200), (0, 0, 0, 0))
    ImageDraw.Draw(clear).text((20, 60), "Ferries leave at nine", fill="black", font=font("DejaVuSans", 16))
    assert paper_of(picture_file(clear), "picture").text == "Ferries leave at nine"


def test_all_pages_of_a_tiff_are_read_up_to_the_limit() -> None:
    frames = [page((f"Sheet number {number} of the archive",)) for number in (1, 2, 3)]
    data = picture_file(frames[0], "TIFF", save_all=True, append_images=frames[1:])
    paper = paper_of(data, "picture", FormatOptions(ocr_pages=2))
    assert paper.recognised is not None
    assert (paper.recognised.pages, paper.recognised.left_out) == ((1, 2), 1)
    assert "number 2" in paper.text


@pytest.mark.covers("R-127")
@pytest.mark.parametrize("side", [10_000, 1_000_000_000])
def test_a_picture_of_huge_dimensions_is_refused_before_it_is_unpacked(side: int) -> None:
    with pytest.raises(ReadError) as caught:
        paper_of(_bomb(side), "picture")
    assert caught.value.code == "too_large"


def test_a_page_with_a_huge_picture_is_left_out() -> None:
    side = int(MAX_PIXELS**0.5) + 1
    paper = paper_of(scan(page(LINES[:2]), Image.new("1", (side, side), 1)))
    assert paper.recognised is not None
    assert (paper.recognised.pages, paper.recognised.left_out) == ((1,), 1)


def test_noise_is_not_text() -> None:
    noise = Image.frombytes("L", (1000, 1000), Random(1).randbytes(1_000_000))
    assert paper_of(scan(noise)).text == ""


@given(cut=st.integers(0, 4000), flips=st.lists(st.tuples(st.integers(8, 4000), st.integers(0, 255)), max_size=6))
@pytest.mark.parametrize("form", ["PNG", "JPEG", "TIFF", "WEBP"])
def test_any_bytes_that_begin_like_a_picture_are_read_or_refused_with_a_code(
    form: str, cut: int, flips: list[tuple[int, int]]
) -> None:
    data = bytearray(picture_file(page(("A",)).resize((160, 220)), form))
    for at, value in flips:
        if at < len(data):
            data[at] = value
    try:
        paper_of(bytes(data[: len(data) - cut]), "picture")
    except ReadError as error:
        assert error.code in {"corrupt", "too_large", "empty"}  # noqa: PT017 - most are read


def test_two_columns_are_read_one_after_the_other_and_tables_by_rows() -> None:
    head = _words("A headline over both columns of the page", x=500, y=20, width=900)
    left = [_words(f"left {number}", x=220, y=100 + 40 * number, width=400) for number in range(4)]
    right = [_words(f"right {number}", x=760, y=110 + 40 * number, width=400) for number in range(4)]
    order = [line.text for line in lines_in([*right, *left, head], 200)]
    assert order == [head.text, *(word.text for word in left), *(word.text for word in right)]
    cells = [_words(f"{row}{column}", x=200 * column, y=40 * row, width=60) for row in range(4) for column in (1, 2)]
    assert [line.text for line in lines_in(cells, 200)] == ["01 02", "11 12", "21 22", "31 32"]


def test_a_word_that_was_cut_at_the_end_of_a_line_is_joined() -> None:
    paper = paper_of(scan(page(("All the ferries and the harbour adminis-", "tration stay open until Sunday."))))
    assert "administration" in paper.text


def _words(text: str, *, x: float, y: float, width: float) -> Words:
    return Words(text=text, x=x, y=y, width=width, height=30)


def _bomb(side: int) -> bytes:
    """A PNG of a few bytes that says it is very large."""
    head = b"IHDR" + struct.pack(">IIBBBBB", side, side, 8, 0, 0, 0, 0)
    body = b"IDAT" + zlib.compress(bytes(1000))
    chunks = (struct.pack(">I", len(part) - 4) + part + struct.pack(">I", zlib.crc32(part)) for part in (head, body))
    return b"\x89PNG\r\n\x1a\n" + b"".join(chunks)
