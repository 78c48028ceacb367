"""From bytes to UTF-8: byte order mark, then what the server said, then `meta`, then detection."""

from __future__ import annotations

import re
from typing import Final

import webencodings

_META: Final = re.compile(rb"""<meta[^>]{0,200}?charset\s*=\s*["']?\s*([\w:.-]{2,40})""", re.IGNORECASE)
_BOMS: Final = ((b"\xef\xbb\xbf", "utf-8"), (b"\xff\xfe", "utf-16-le"), (b"\xfe\xff", "utf-16-be"))
#: The standard looks for `meta` in the first 1,024 bytes; real pages put it later.
_META_BYTES: Final = 8192


def to_utf8(data: bytes, charset: str = "") -> bytes:
    """The same text in UTF-8, whatever the bytes are; what cannot be decoded is replaced."""
    for mark, label in _BOMS:
        if data.startswith(mark):
            return _recoded(data[len(mark) :], label)
    for label in (charset, _declared(data)):
        # Only labels of the WHATWG table: Python's own codecs include `zip`, `idna` and `unicode_escape`.
        encoding = webencodings.lookup(label) if label else None
        if encoding is not None:
            return _recoded(data, encoding.name)
    try:
        data.decode("utf-8")
    except UnicodeDecodeError:
        return _recoded(data, "windows-1252")
    return data


def _declared(data: bytes) -> str:
    match = _META.search(data, 0, _META_BYTES)
    label = match.group(1).decode("ascii", "replace") if match else ""
    # A page that can be read far enough to find this label is not UTF-16.
    return "utf-8" if label.lower().startswith("utf-16") else label


def _recoded(data: bytes, name: str) -> bytes:
    if name == "utf-8":
        return data
    encoding = webencodings.lookup(name) or webencodings.UTF8
    try:
        text, _length = encoding.codec_info.decode(data, "replace")
    except (UnicodeError, LookupError):
        return data
    return text.encode("utf-8", "replace")
