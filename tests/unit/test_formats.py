from __future__ import annotations

import json
import zipfile
from io import BytesIO

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from bombs import BOMBS, document, docx, pptx, workbook, zipped
from documents import CASES, case_bytes, case_names, facts, input_of, kept
from veille.core.formats import PACKAGE, Format, FormatOptions, detect, extensions, read_paper
from veille.core.formats._tables import labelled
from veille.core.formats.office.zip import Limits, members, repacked
from veille.errors import ReadError
from veille.registry import names

CODES = {"needs_password", "corrupt", "too_large", "unsupported", "empty", "hostile"}
#: pdfium and calamine's reader of old workbooks may bring the process down, so these are only ever broken in a child
#: (tests/integration/test_workshop.py).
OWN = sorted(set(names(PACKAGE, Format)) - {"pdf", "xls"})


@pytest.mark.covers("R-125", "R-126", "R-016")
@pytest.mark.parametrize("case", case_names())
def test_every_heading_table_cell_and_property_of_a_document_is_kept(case: str) -> None:
    assert kept(case) == json.loads((CASES / case / "expected.json").read_text(encoding="utf-8"))


@pytest.mark.parametrize("case", ["report-docx", "report-odt"])
def test_word_and_opendocument_files_of_one_source_give_the_same_paper(case: str) -> None:
    assert {**kept(case), "format": ""} == {**kept("report-docx"), "format": ""}


def test_the_printed_form_keeps_the_words_of_every_heading_and_cell() -> None:
    printed = " ".join(kept("report-pdf")["text"])
    written = kept("report-docx")
    words = [title for _, title in written["headings"]] + [cell for row in written["tables"][0] for cell in row]
    assert [word for word in words if word not in printed] == []


@pytest.mark.parametrize(
    ("media_type", "url", "expected"),
    [
        ("application/pdf", "https://example.org/a", "pdf"),
        ("application/octet-stream", "https://example.org/a.docx?x=1", "docx"),
        ("text/plain; ", "https://example.org/a.txt", None),
        ("text/plain", "https://example.org/README.md", "md"),
        ("text/plain", "https://example.org/data.csv", "csv"),
        ("application/vnd.ms-excel", "https://example.org/data.csv", "csv"),
        ("text/plain", "https://example.org/a.pdf", "txt"),
        ("text/html", "https://example.org/a.md", None),
        ("", "https://example.org/a", None),
    ],
)
def test_without_a_word_from_the_bytes_the_media_type_and_then_the_extension_decide(
    media_type: str, url: str, expected: str | None
) -> None:
    assert detect(b"Just words, no magic.", media_type, url) == expected


@pytest.mark.parametrize(
    ("case", "name"),
    [
        ("report-pdf", "pdf"),
        ("report-docx", "docx"),
        ("report-odt", "odt"),
        ("catch-xlsx", "xlsx"),
        ("catch-ods", "ods"),
        ("catch-xls", "xls"),
        ("slides-pptx", "pptx"),
        ("slides-odp", "odp"),
        ("book-epub", "epub"),
        ("locked-docx", "docx"),
    ],
)
def test_the_bytes_have_the_first_word_about_what_a_document_is(case: str, name: str) -> None:
    assert detect(case_bytes(case), "text/html", "https://example.org/a.txt") == name


def test_an_error_page_under_the_name_of_a_document_is_a_page() -> None:
    page = b"<!DOCTYPE html><title>Not found</title>"
    assert detect(page, "application/pdf", "https://example.org/a.pdf") is None


@pytest.mark.covers("R-127")
@pytest.mark.parametrize("case", ["report-docx", "report-odt", "catch-xlsx", "catch-ods", "book-epub", "report-pdf"])
def test_half_a_document_is_corrupt(case: str) -> None:
    data = case_bytes(case)
    name = str(kept(case)["format"])
    with pytest.raises(ReadError) as caught:
        facts(read_paper(data[: len(data) // 2], name))
    assert caught.value.code == "corrupt"


@pytest.mark.parametrize("name", ["docx", "xlsx", "odt", "ods", "epub", "pdf"])
def test_text_under_the_name_of_a_document_is_corrupt(name: str) -> None:
    with pytest.raises(ReadError) as caught:
        read_paper(b"Just words.", name)
    assert caught.value.code == "corrupt"


@pytest.mark.parametrize("name", names(PACKAGE, Format))
def test_nothing_at_all_is_empty(name: str) -> None:
    with pytest.raises(ReadError) as caught:
        read_paper(b"", name)
    assert caught.value.code == "empty"


def test_a_document_without_words_is_empty() -> None:
    with pytest.raises(ReadError) as caught:
        read_paper(docx(document("<w:p/>")), "docx")
    assert caught.value.code == "empty"


@pytest.mark.parametrize("name", ["letter.doc", "talk.ppt", "letter"])
def test_a_word_or_powerpoint_file_of_before_2007_is_unsupported_and_not_followed(name: str) -> None:
    data = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + b"\0" * 600
    found = detect(data, "application/octet-stream", name)
    assert found is not None
    with pytest.raises(ReadError) as caught:
        read_paper(data, found)
    assert caught.value.code == "unsupported"
    assert not extensions() & {"doc", "ppt"}


def test_powerpoint_and_opendocument_slides_of_one_source_give_the_same_paper() -> None:
    slides = [kept(case) for case in ("slides-pptx", "slides-odp")]
    assert [paper.pop("format") for paper in slides] == ["pptx", "odp"]
    assert slides[0] == slides[1]


def test_old_and_new_workbooks_of_one_source_have_the_same_sheets_and_cells() -> None:
    old, new = kept("catch-xls"), kept("catch-xlsx")
    assert [old[part] for part in ("sheets", "tables", "text")] == [new[part] for part in ("sheets", "tables", "text")]


@pytest.mark.parametrize("title", ["PowerPoint Presentation", "Présentation PowerPoint", "PowerPoint-Präsentation"])
def test_what_powerpoint_calls_every_presentation_is_no_title(title: str) -> None:
    shape = '<p:sp><p:nvSpPr><p:nvPr><p:ph type="ctrTitle"/></p:nvPr></p:nvSpPr><p:txBody><a:p xmlns:a='
    shape += (
        '"http://schemas.openxmlformats.org/drawingml/2006/main"><a:r><a:t>Harbour</a:t></a:r></a:p></p:txBody></p:sp>'
    )
    core = f'<c:coreProperties xmlns:c="c" xmlns:dc="http://purl.org/dc/elements/1.1/"><dc:title>{title}</dc:title>'
    with zipfile.ZipFile(BytesIO(pptx(shape))) as archive:
        parts = {name: archive.read(name) for name in archive.namelist()}
    paper = read_paper(zipped({**parts, "docProps/core.xml": f"{core}</c:coreProperties>".encode()}), "pptx")
    assert (paper.title, paper.text) == ("Harbour", "Harbour")


def test_a_word_file_with_a_workbook_inside_is_no_workbook() -> None:
    streams = ("WordDocument", "Workbook\0")
    old = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + b"".join(name.encode("utf-16-le") for name in streams) + bytes(600)
    assert detect(old, "application/vnd.ms-excel", "https://example.org/a.xls") == "docx", "which refuses it"


SHAPE = "<p:sp><p:nvSpPr><p:nvPr>{}</p:nvPr></p:nvSpPr><p:txBody>{}</p:txBody></p:sp>"
POINT = '<a:p xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main"><a:pPr>{}</a:pPr><a:r><a:t>{}</a:t></a:r></a:p>'


def test_what_has_two_forms_in_a_presentation_is_read_once() -> None:
    shape = SHAPE.format("", POINT.format("", "Energy of the tide"))
    both = "<mc:AlternateContent xmlns:mc='http://schemas.openxmlformats.org/markup-compatibility/2006'>"
    both += f"<mc:Choice>{shape}</mc:Choice><mc:Fallback>{shape}</mc:Fallback></mc:AlternateContent>"
    assert read_paper(pptx(both), "pptx").text == "Energy of the tide"


def test_paragraphs_of_a_slide_are_points_where_they_have_a_mark() -> None:
    marked, plain, counted = '<a:buChar char="•"/>', "<a:buNone/>", '<a:buAutoNum type="arabicPeriod"/>'
    free = SHAPE.format("", POINT.format("", "one") + POINT.format("", "two") + POINT.format(marked, "three"))
    body = SHAPE.format('<p:ph idx="1"/>', "".join(POINT.format(mark, mark[3:8]) for mark in ("", plain, counted)))
    paper = read_paper(pptx(free + body), "pptx")
    kinds = [(section.kind, section.text) for section in paper.sections if section.kind != "page"]
    assert kinds[:3] == [("paragraph", "one"), ("paragraph", "two"), ("list", "- three")]
    assert kinds[3:] == [("paragraph", "buNon"), ("list", "1. buAut")]


def test_an_encrypted_opendocument_file_needs_its_password() -> None:
    data = case_bytes("report-odt")
    manifest = b"<manifest><file-entry><encryption-data/></file-entry></manifest>"
    with zipfile.ZipFile(BytesIO(data)) as archive:
        parts = {name: archive.read(name) for name in archive.namelist()}
    with pytest.raises(ReadError) as caught:
        read_paper(zipped({**parts, "META-INF/manifest.xml": manifest}), "odt")
    assert caught.value.code == "needs_password"


@pytest.mark.parametrize("bomb", sorted(BOMBS))
def test_a_bomb_is_told_by_its_code(bomb: str) -> None:
    make, codes = BOMBS[bomb]
    with pytest.raises(ReadError) as caught:
        read_paper(make(), bomb.rpartition(".")[2])
    assert caught.value.code in codes


def test_more_than_is_read_is_an_error_and_never_a_cut() -> None:
    rows = "".join(f'<row r="{n}"><c r="A{n}"><v>{n}</v></c></row>' for n in range(1, 102))
    book = workbook(
        f'<worksheet xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"><sheetData>{rows}'
        "</sheetData></worksheet>".encode()
    )
    assert len(read_paper(book, "xlsx").sections[1].rows) == 101
    for name, data, options in (
        ("xlsx", book, FormatOptions(max_rows=100)),
        ("xlsx", book, FormatOptions(max_cells=100)),
        ("csv", b"a\n" * 101, FormatOptions(max_rows=100)),
        ("txt", b"word " * 100, FormatOptions(max_chars=100)),
        ("pdf", case_bytes("report-pdf"), FormatOptions(max_pages=1)),
        ("ods", case_bytes("catch-ods"), FormatOptions(max_cells=3)),
    ):
        with pytest.raises(ReadError) as caught:
            read_paper(data, name, options)
        assert caught.value.code == "too_large", name


def test_the_members_of_a_zip_come_out_within_limits() -> None:
    data = zipped({"a": b"a" * 100, "b": b"b" * 100})
    assert members(data, "a".__eq__) == {"a": b"a" * 100}
    assert members(repacked({"x": b"1"}), lambda _: True) == {"x": b"1"}
    for limits in (Limits(member_bytes=99), Limits(total_bytes=150), Limits(ratio=2, ratio_from=50), Limits(members=1)):
        with pytest.raises(ReadError):
            members(data, lambda _: True, limits)


def test_a_damaged_member_is_noticed() -> None:
    data = bytearray(zipped({"a": b"abc" * 100}))
    data[40] ^= 0xFF
    with pytest.raises(ReadError) as caught:
        members(bytes(data), lambda _: True)
    assert caught.value.code in {"corrupt", "hostile"}


@given(st.sampled_from(OWN), st.binary(max_size=400))
def test_any_bytes_at_all_give_a_paper_or_a_declared_error(name: str, data: bytes) -> None:
    _read(name, data)


@given(
    st.sampled_from("report-docx report-odt catch-xlsx catch-ods slides-pptx slides-odp book-epub".split()), st.data()
)
@settings(max_examples=150, deadline=None)
def test_a_document_with_any_bytes_changed_gives_a_paper_or_a_declared_error(case: str, data: st.DataObject) -> None:
    content = bytearray(case_bytes(case))
    for _ in range(data.draw(st.integers(1, 8))):
        content[data.draw(st.integers(0, len(content) - 1))] = data.draw(st.integers(0, 255))
    _read(input_of(case).suffix[1:], bytes(content))


@given(st.text(max_size=300))
@example("| a |\n|---|\n| b |")
@example("# \n---\n```\n")
def test_any_text_is_readable_markdown_and_csv(text: str) -> None:
    for name in ("md", "csv", "txt"):
        _read(name, text.encode())


@pytest.mark.parametrize(
    ("written", "read"),
    [
        ("Set MAX_RETRY_COUNT in my_app_conf.", "Set MAX_RETRY_COUNT in my_app_conf."),
        ("See https://example.org/a_long_way/to_it.", "See https://example.org/a_long_way/to_it."),
        ("An _old_ and a __new__ (_and_) a ___third___ one.", "An old and a new (and) a third one."),
        ("A **bold** *one* of `my_own_*code*`, `__init__`.", "A bold one of my_own_*code*, __init__."),
        ("2 * 3 * 4 and _not_this", "2 * 3 * 4 and _not_this"),
        ("die_größte_zahl", "die_größte_zahl"),
        ("A `vector<int>` in <b>`<main>`</b>.", "A vector<int> in <main>."),
        ("See [`List<T>`](https://example.org/a) and **`[x](y)`**.", "See List<T> and [x](y)."),
        ("<i>0</i> `a` `<b>` `c`", "0 a <b> c"),
    ],
)
def test_underscores_inside_words_are_no_emphasis_in_markdown(written: str, read: str) -> None:
    assert [one.text for one in read_paper(written.encode(), "md").sections] == [read]


@pytest.mark.parametrize(
    "line", ["*a " * 60_000, "[](" * 60_000, "# " + " " * 99_000 + "x", " " * 99_000 + "-|x", "<a" * 60_000]
)
def test_a_line_of_markdown_takes_time_that_grows_with_its_length_only(line: str) -> None:
    _read("md", f"{line}\n{line}".encode())  # the time limit of every test is the assertion


def test_a_table_gives_each_value_with_its_label() -> None:
    rows = (("Prices", "", ""), ("Tea", "Euro", ""), ("Assam", "3", "late"), ("", "", ""), ("Sencha", "", ""))
    assert labelled(rows, "Shop").split("\n") == [
        "Shop",
        "Prices",
        "Tea | Euro",
        "Tea: Assam | Euro: 3 | late",
        "Tea: Sencha",
    ]


def test_a_table_of_numbers_has_no_labels() -> None:
    assert labelled((("1", "2"), ("3", "4"))) == "1 | 2\n3 | 4"


def _read(name: str, data: bytes) -> None:
    code = ""
    try:
        paper = read_paper(data, name)
    except ReadError as error:
        code = error.code
    assert code in CODES or (not code and (paper.text or paper.quality.needs_ocr))
