"""Detection of formats from the first bytes."""

from __future__ import annotations

import re

from veille.core.http.charset import decoded, label
from veille.errors import ReadError

#: Media types that servers send if they do not know the type.
GENERIC_TYPES = frozenset(
    {"", "application/octet-stream", "binary/octet-stream", "application/zip", "application/x-zip-compressed"}
)
#: The container of Office files before 2007, and of password-protected ones since.
OLE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
#: The UTF-16 name of the stream that holds a password-protected Office file.
ENCRYPTED_STREAM = "EncryptedPackage".encode("utf-16-le")
#: Stream names of other Office files, which may embed a workbook, and of workbooks of Excel 97 to 2003.
_OTHER_STREAMS = tuple(name.encode("utf-16-le") for name in ("WordDocument", "PowerPoint Document", "EncryptedPackage"))
_BOOK_STREAMS = tuple(name.encode("utf-16-le") for name in ("Workbook\0", "Book\0"))

_MARKUP = re.compile(
    rb"(?:\xef\xbb\xbf)?\s*(?:<!--.*?-->\s*)*<(?:!doctype|html|head|body|\?xml|rss|feed|svg)\b",
    re.IGNORECASE | re.DOTALL,
)
#: What is before and after the path of an address.
_AROUND_PATH = re.compile(r"\A(?:[a-zA-Z][a-zA-Z0-9+.-]*:)?//[^/?#]*|[?#].*", re.DOTALL)
_HEAD = 1024
_WIDE = (b"\xff\xfe", b"\xfe\xff")


def is_markup(data: bytes) -> bool:
    """Whether this is HTML or XML, whatever its name (error pages are sent under any name)."""
    return _MARKUP.match(data[:_HEAD]) is not None


def is_binary(data: bytes) -> bool:
    """Whether this cannot be text: it has NUL bytes, and no byte-order mark of a wide encoding."""
    return b"\0" in data[:_HEAD] and not data.startswith(_WIDE)


def text_in(data: bytes, charset: str = "") -> str:
    """The text of a plain-text file, without its byte-order mark."""
    if is_binary(data):
        raise ReadError("This is binary data, not text.", code="unsupported")
    return decoded(data, label(charset))[0].removeprefix("\ufeff")


def is_old_book(data: bytes) -> bool:
    """Whether this is an Excel workbook from before 2007."""
    if not data.startswith(OLE) or any(name in data for name in _OTHER_STREAMS):
        return False
    return any(name in data for name in _BOOK_STREAMS)


def suffix_of(url: str) -> str:
    """The extension of the file name in an address, without the dot.

    >>> suffix_of("https://example.org/a/Report.PDF?x=1.doc")
    'pdf'
    """
    name = _AROUND_PATH.sub("", url).rpartition("/")[2]
    return name.rpartition(".")[2].lower() if "." in name else ""
