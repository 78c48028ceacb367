"""PDF, through pdfium: lines are combined into headings and paragraphs by their font size."""

from __future__ import annotations

import ctypes
import re
from typing import TYPE_CHECKING

from veille.core.dates import parse_date
from veille.core.formats import Format, FormatOptions, Paper, judge
from veille.core.formats._lines import Line, sections_of
from veille.core.formats.office.office import people
from veille.core.formats.scans.pages import read_scans
from veille.core.text import flat
from veille.errors import ReadError

if TYPE_CHECKING:
    from pypdfium2 import PdfDocument, PdfTextPage

_HEAD = 1024
# Pictures are streams, and a stream's dictionary is never compressed, so it can be found without parsing the file.
_IMAGE = re.compile(rb"/Subtype\s{0,4}/Image\b")
_DATE = re.compile(r"(?:D:)?(\d{4})(\d\d)?(\d\d)?(\d\d)?(\d\d)?(\d\d)?\s*(Z|[-+]\d\d'?(?:\d\d)?)?")
#: Placeholder titles that producers write.
_NO_TITLE = re.compile(
    r"(?:microsoft (?:word|powerpoint|excel) - .*|untitled.*|.*\.(?:docx?|pdf|indd|qxd|tex|dvi|pptx?))", re.IGNORECASE
)
_PASSWORD_ERROR = 4
_LANGUAGE_BYTES = 80
#: Adobe's field for a version in the document's metadata.
_XMP_VERSION = re.compile(rb"<(?:xmpMM:VersionID|pdf:Version|xmp:Version)>\s{0,9}([\w.]{1,20})\s{0,9}<")


class PdfFormat(Format):
    """Pages are sections; headings are recognised by their size."""

    media_types = ("application/pdf", "application/x-pdf")
    extensions = ("pdf",)

    @classmethod
    def recognises(cls, data: bytes) -> bool:
        return b"%PDF-" in data[:_HEAD]

    def read(self, data: bytes, options: FormatOptions) -> Paper:
        document = _opened(data)
        try:
            count = len(document)
            if count > options.max_pages:
                raise ReadError(f"The PDF has {count:,} pages, {options.max_pages:,} are read.", code="too_large")
            pages, raw = _pages(document, options)
            recognised = read_scans(document, pages, raw, options.ocr_pages) if options.ocr_pages else None
            said = document.get_metadata_dict()
            language = _language(document)
        finally:
            document.close()
        if not count:
            raise ReadError("The PDF has no pages.", code="empty")
        title = flat(said.get("Title", ""))
        version = _XMP_VERSION.search(data)
        return Paper(
            title="" if _NO_TITLE.fullmatch(title) else title,
            authors=people(said.get("Author", "")),
            created=pdf_date(said.get("CreationDate", "")),
            modified=pdf_date(said.get("ModDate", "")),
            language=language,
            version_hint=version[1].decode("latin-1") if version else "",
            sections=tuple(sections_of(pages)),
            quality=judge("\n".join(raw), pages=count, has_images=_IMAGE.search(data) is not None),
            recognised=recognised,
        )


def pdf_date(text: str) -> int | None:
    """The time that a PDF date names.

    >>> pdf_date("D:20260224143000+01'00'") == pdf_date("D:20260224133000Z")
    True
    """
    match = _DATE.match(text.strip())
    if match is None:
        return None
    year, month, day, hour, minute, second = (match[index] or fill for index, fill in enumerate(_FILL, 1))
    zone = (match[7] or "Z").replace("'", "")
    return parse_date(f"{year}-{month}-{day}T{hour}:{minute}:{second}{zone}")


_FILL = ("1970", "01", "01", "00", "00", "00")


def _opened(data: bytes) -> PdfDocument:
    from pypdfium2 import PdfDocument, PdfiumError  # noqa: PLC0415 - lazy

    try:
        return PdfDocument(data)
    except PdfiumError as error:
        if getattr(error, "err_code", 0) == _PASSWORD_ERROR:
            raise ReadError("The PDF is protected by a password.", code="needs_password") from error
        raise ReadError(f"The PDF is broken: {error}", code="corrupt") from error


def _language(document: PdfDocument) -> str:
    from pypdfium2 import raw as pdfium  # noqa: PLC0415 - lazy

    buffer = (ctypes.c_ushort * (_LANGUAGE_BYTES // 2))()
    size = pdfium.FPDFCatalog_GetLanguage(document, buffer, _LANGUAGE_BYTES)
    name = bytes(buffer)[: max(0, min(size, _LANGUAGE_BYTES) - 2)].decode("utf-16-le", "ignore")
    return name.partition("-")[0].strip().lower()


def _pages(document: PdfDocument, options: FormatOptions) -> tuple[list[list[Line]], list[str]]:
    from pypdfium2 import PdfiumError  # noqa: PLC0415 - lazy

    pages: list[list[Line]] = []
    raw: list[str] = []
    size = 0
    for index in range(len(document)):
        try:
            page = document[index]
            text_page = page.get_textpage()
        except PdfiumError as error:
            raise ReadError(f"Page {index + 1} of the PDF is broken.", code="corrupt") from error
        text = text_page.get_text_range()
        size += len(text)
        if size > options.max_chars:
            raise ReadError(f"The PDF has more than {options.max_chars:,} characters.", code="too_large")
        raw.append(text)
        pages.append(_lines(text_page, text))
        text_page.close()
        page.close()
    return pages, raw


def _lines(text_page: PdfTextPage, text: str) -> list[Line]:
    """The lines with their font size and position, both taken from the first letter."""
    from pypdfium2 import raw as pdfium  # noqa: PLC0415 - lazy

    x, y = ctypes.c_double(), ctypes.c_double()
    lines = []
    start = 0
    for words in text.split("\r\n"):
        if words.strip():
            at = pdfium.FPDFText_GetCharIndexFromTextIndex(text_page, start + len(words) - len(words.lstrip()))
            size = pdfium.FPDFText_GetFontSize(text_page, at)
            pdfium.FPDFText_GetCharOrigin(text_page, at, x, y)
            lines.append(Line(text=words, size=round(size, 1), y=y.value))
        start += len(words) + 2
    return lines
