"""Documents that are not web pages, one module per format. Pure: bytes in, a paper or a ReadError out.

Error codes: `needs_password`, `corrupt`, `too_large`, `unsupported`, `empty`, `hostile`, `needs_extra`.
"""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from dataclasses import dataclass
from functools import cache
from typing import ClassVar

from veille.core.formats._paper import Paper, Section, completed, judge, text_of, with_sections, with_sheets
from veille.core.http.charset import decoded, label
from veille.errors import ReadError
from veille.registry import load_all

__all__ = [
    "PACKAGE",
    "Format",
    "FormatOptions",
    "Paper",
    "Section",
    "detect",
    "extensions",
    "is_binary",
    "judge",
    "may_be_scanned",
    "media_type_of",
    "name_of",
    "read_paper",
    "text_in",
    "with_sections",
    "with_sheets",
]

PACKAGE = "veille.core.formats"
#: Media types that servers send if they do not know the type.
_GENERIC_TYPES = frozenset(
    {"", "application/octet-stream", "binary/octet-stream", "application/zip", "application/x-zip-compressed"}
)
_MARKUP = re.compile(
    rb"(?:\xef\xbb\xbf)?\s*(?:<!--.*?-->\s*)*<(?:!doctype|html|head|body|\?xml|rss|feed|svg)\b",
    re.IGNORECASE | re.DOTALL,
)
_TAG = re.compile(rb"(?:\xef\xbb\xbf)?\s*<[a-z!?]", re.IGNORECASE)
#: What is before and after the path of an address.
_AROUND_PATH = re.compile(r"\A(?:[a-zA-Z][a-zA-Z0-9+.-]*:)?//[^/?#]*|[?#].*", re.DOTALL)
_HEAD = 1024
_WIDE = (b"\xff\xfe", b"\xfe\xff")
#: Formats whose pages can be pictures of text.
_SCANNED = ("pdf", "picture")


@dataclass(frozen=True, slots=True, kw_only=True)
class FormatOptions:
    """External hints, and the limits. Exceeding a limit is an error, never a silent cut."""

    #: The charset of the Content-Type header, for plain-text formats.
    charset: str = ""
    #: The address; its file name is a last hint of the version.
    url: str = ""
    max_chars: int = 10_000_000
    max_pages: int = 2_000
    max_cells: int = 2_000_000
    max_rows: int = 200_000
    #: The most pages of pictures whose text is recognised; 0 for none. The number of those left out is reported.
    ocr_pages: int = 0


class Format(ABC):
    """One document format. To add one, add one module to `core/formats`; import its library inside `read`."""

    entry_points: ClassVar[str] = "veille.formats"
    media_types: ClassVar[tuple[str, ...]]
    extensions: ClassVar[tuple[str, ...]]
    #: Whether it is plain text, which servers send under many media types.
    is_text: ClassVar[bool] = False
    #: Whether it is read only where characters are recognised. Crawls do not follow links to such files.
    only_with_ocr: ClassVar[bool] = False
    #: For a zipped format, the beginning of a member that no other format has. It is searched for in the bytes: names
    #: are stored uncompressed, and reading the directory of a hostile zip would cost much more.
    zip_member: ClassVar[bytes] = b""

    @classmethod
    def recognises(cls, data: bytes) -> bool:
        """Whether the bytes themselves identify this format."""
        return bool(cls.zip_member) and data.startswith(b"PK\x03\x04") and _zip_member(data) == cls.zip_member

    @abstractmethod
    def read(self, data: bytes, options: FormatOptions) -> Paper:
        """The paper, or a ReadError with one of the codes above."""


def detect(data: bytes, media_type: str = "", url: str = "", *, ocr: bool = False) -> str | None:
    """The name of the format by its bytes, then the media type, then the extension. None for web pages.

    For generic types (`application/octet-stream`, `text/plain` for a .csv) the extension decides. Pictures are a format
    only with `ocr`.
    """
    formats = {name: known for name, known in _formats().items() if ocr or not known.only_with_ocr}
    for name, candidate in formats.items():
        if candidate.recognises(data):
            return name
    if _is_markup(data):
        return None
    named = _by(formats, "media_types", media_type)
    by_suffix = _by(formats, "extensions", _suffix(url))
    if by_suffix is not None and formats[by_suffix].is_text and not is_binary(data):
        # Servers send a .csv as an Excel sheet and a .md as plain text.
        return by_suffix if named is not None or media_type in _GENERIC_TYPES else None
    return by_suffix if media_type in _GENERIC_TYPES else named


def read_paper(data: bytes, name: str, options: FormatOptions = FormatOptions()) -> Paper:
    """Read a document of the named format; any bytes result in a paper or a ReadError."""
    if not data:
        raise ReadError("The document is empty: there is not one byte in it.", code="empty")
    try:
        paper = _formats()[name]().read(data, options)
        text = text_of(paper.sections)
    except RecursionError as error:
        raise ReadError(f"The {name} document is nested too deeply.", code="hostile") from error
    if len(text) > options.max_chars:
        raise ReadError(f"The document has more than {options.max_chars:,} characters.", code="too_large")
    if not text and not paper.quality.needs_ocr:
        raise ReadError("The document has no text.", code="empty")
    return completed(paper, text, options.url.rpartition("/")[2])


def may_be_scanned(data: bytes) -> bool:
    """Whether these may be pictures of text, by their first bytes: then reading them can take long."""
    formats = _formats()
    return any(formats[name].recognises(data) for name in _SCANNED)


def extensions() -> frozenset[str]:
    """The extensions of all readable files, without the dot; not of those that need character recognition."""
    readable = (known for known in _formats().values() if not known.only_with_ocr)
    return frozenset(ending.lstrip(".") for known in readable for ending in known.extensions)


def media_type_of(name: str) -> str:
    """The media type of the named format."""
    return _formats()[name].media_types[0]


@cache
def name_of(media_type: str) -> str | None:
    """The name of the format with that media type, if there is one."""
    return next((name for name, known in _formats().items() if known.media_types[0] == media_type), None)


def is_binary(data: bytes) -> bool:
    """Whether this cannot be text: it has NUL bytes, and neither a byte-order mark of a wide encoding nor a tag first.

    Browsers show pages with stray NUL bytes, and so do we.
    """
    head = data[:_HEAD]
    return b"\0" in head and not head.startswith(_WIDE) and not _TAG.match(head.replace(b"\0", b""))


def text_in(data: bytes, charset: str = "") -> str:
    """The text of a plain-text file, without its byte-order mark."""
    if is_binary(data):
        raise ReadError("This is binary data, not text.", code="unsupported")
    return decoded(data, label(charset))[0].removeprefix("\ufeff")


@cache
def _formats() -> dict[str, type[Format]]:
    return load_all(PACKAGE, Format)


def _zip_member(data: bytes) -> bytes:
    """The first member in a zip that identifies a format; empty if there is none."""
    members = (known.zip_member for known in _formats().values() if known.zip_member)
    found = {member: at for member in members if (at := data.find(member)) >= 0}
    return min(found, key=lambda member: found[member], default=b"")


def _by(formats: dict[str, type[Format]], attribute: str, value: str) -> str | None:
    return next((name for name, candidate in formats.items() if value in getattr(candidate, attribute)), None)


def _is_markup(data: bytes) -> bool:
    """Whether this is HTML or XML, whatever its name (error pages are sent under any name)."""
    return _MARKUP.match(data[:_HEAD].replace(b"\0", b"")) is not None


def _suffix(url: str) -> str:
    """The extension of the file name in an address, without the dot.

    >>> _suffix("https://example.org/a/Report.PDF?x=1.doc")
    'pdf'
    """
    name = _AROUND_PATH.sub("", url).rpartition("/")[2]
    return name.rpartition(".")[2].lower() if "." in name else ""
