"""What bytes are, from their beginning."""

from __future__ import annotations

import re
from urllib.parse import urlsplit

from veille.core.http.charset import decoded, label
from veille.errors import ReadError

#: What servers say when they do not know.
GENERIC_TYPES = frozenset(
    {"", "application/octet-stream", "binary/octet-stream", "application/zip", "application/x-zip-compressed"}
)
#: The container of Office files before 2007, and of password-protected ones since.
OLE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
#: The name, in UTF-16, of the stream that a password-protected Office file is in.
ENCRYPTED_STREAM = "EncryptedPackage".encode("utf-16-le")
#: The names of the streams that a workbook of Excel 97 to 2003 is in, and those of files that may have one inside.
_OTHER_STREAMS = tuple(name.encode("utf-16-le") for name in ("WordDocument", "PowerPoint Document", "EncryptedPackage"))
_BOOK_STREAMS = tuple(name.encode("utf-16-le") for name in ("Workbook\0", "Book\0"))

_MARKUP = re.compile(
    rb"(?:\xef\xbb\xbf)?\s*(?:<!--.*?-->\s*)*<(?:!doctype|html|head|body|\?xml|rss|feed|svg)\b",
    re.IGNORECASE | re.DOTALL,
)
_HEAD = 1024
_WIDE = (b"\xff\xfe", b"\xfe\xff")


def is_markup(data: bytes) -> bool:
    """Whether this is HTML or XML, whatever its name says (error pages are sent under any name)."""
    return _MARKUP.match(data[:_HEAD]) is not None


def is_binary(data: bytes) -> bool:
    """Whether this cannot be text: there are zero bytes, and no mark of a wide encoding."""
    return b"\0" in data[:_HEAD] and not data.startswith(_WIDE)


def text_in(data: bytes, charset: str = "") -> str:
    """The text of a file that is nothing else, without its byte-order mark."""
    if is_binary(data):
        raise ReadError("This is binary data, not text.", code="unsupported")
    return decoded(data, label(charset))[0].removeprefix("\ufeff")


def is_old_book(data: bytes) -> bool:
    """Whether this is a workbook of Excel before 2007."""
    if not data.startswith(OLE) or any(name in data for name in _OTHER_STREAMS):
        return False
    return any(name in data for name in _BOOK_STREAMS)


def suffix_of(url: str) -> str:
    """The extension of the file that an address names, without the dot.

    >>> suffix_of("https://example.org/a/Report.PDF?x=1.doc")
    'pdf'
    """
    try:
        name = urlsplit(url).path.rpartition("/")[2]
    except ValueError:
        return ""
    return name.rpartition(".")[2].lower() if "." in name else ""
