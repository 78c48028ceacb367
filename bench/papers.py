"""The documents that the cases read, and who reads them."""

from __future__ import annotations

import io
import sys
import zipfile
from collections.abc import Callable

from measure import HERE

CASES = HERE.parent / "tests" / "cases" / "documents"
#: Times a small case is put together into a document of ordinary length.
LONG = 40
ROWS = 5_000
Reader = Callable[[bytes], str]


def documents() -> list[tuple[str, str, bytes]]:
    """Name, format and bytes of what is read."""
    report = (CASES / "report-docx" / "input.docx").read_bytes()
    return [
        ("PDF, 2 pages", "pdf", (CASES / "report-pdf" / "input.pdf").read_bytes()),
        (f"PDF, {2 * LONG} pages", "pdf", long_pdf()),
        ("DOCX, 2 pages", "docx", report),
        (f"DOCX, {2 * LONG} pages", "docx", long_docx(report)),
        (f"XLSX, {ROWS:,} rows", "xlsx", long_xlsx()),
        ("EPUB", "epub", (CASES / "book-epub" / "input.epub").read_bytes()),
    ]


def _veille(kind: str) -> Reader:
    from veille.core.formats import read_paper

    return lambda data: read_paper(data, kind).text


def _markitdown(kind: str) -> Reader:
    from markitdown import MarkItDown, StreamInfo

    converter = MarkItDown()
    info = StreamInfo(extension=f".{kind}")
    return lambda data: str(converter.convert_stream(io.BytesIO(data), stream_info=info).markdown)


def _pypdf(kind: str) -> Reader:
    from pypdf import PdfReader

    del kind
    return lambda data: "\n".join(page.extract_text() for page in PdfReader(io.BytesIO(data)).pages)


READERS: dict[str, Callable[[str], Reader]] = {"veille": _veille, "markitdown": _markitdown, "pypdf": _pypdf}


def long_docx(data: bytes) -> bytes:
    """The body of a document many times over."""
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        parts = {name: archive.read(name) for name in archive.namelist()}
    head, _, rest = parts["word/document.xml"].partition(b"<w:body>")
    body, mark, tail = rest.rpartition(b"<w:sectPr")
    parts["word/document.xml"] = head + b"<w:body>" + body * LONG + mark + tail
    return _zipped(parts)


def long_pdf() -> bytes:
    """The pages of a document many times over, each a page of its own."""
    import pypdfium2

    source = pypdfium2.PdfDocument((CASES / "report-pdf" / "input.pdf").read_bytes())
    target = pypdfium2.PdfDocument.new()
    for _ in range(LONG):
        target.import_pages(source)
    out = io.BytesIO()
    target.save(out)
    return out.getvalue()


def long_xlsx() -> bytes:
    """A sheet of numbers and words in eight columns."""
    sys.path.insert(0, str(HERE.parent / "tests"))
    from bombs import SHEET, workbook

    cells = '<c r="{c}{n}" t="inlineStr"><is><t>Word {n} {c}</t></is></c>'
    rows = "".join(
        f'<row r="{n}">'
        + "".join(cells.format(c=c, n=n) for c in "ABCD")
        + "".join(f'<c r="{c}{n}"><v>{n}.5</v></c>' for c in "EFGH")
        + "</row>"
        for n in range(1, ROWS + 1)
    )
    return workbook(f'<worksheet xmlns="{SHEET}"><sheetData>{rows}</sheetData></worksheet>'.encode())


def _zipped(parts: dict[str, bytes]) -> bytes:
    target = io.BytesIO()
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in parts.items():
            archive.writestr(name, content)
    return target.getvalue()
