"""Decoding of a feed's bytes: the declared encoding first, then common ones, in feedparser's order."""

from __future__ import annotations

import codecs
import re

#: First bytes of a document and the encoding they imply; longer ones first.
_MARKS = (
    (codecs.BOM_UTF32_BE, "utf-32be", True),
    (codecs.BOM_UTF32_LE, "utf-32le", True),
    (codecs.BOM_UTF8, "utf-8", True),
    (codecs.BOM_UTF16_BE, "utf-16be", True),
    (codecs.BOM_UTF16_LE, "utf-16le", True),
    (b"\x4c\x6f\xa7\x94", "cp037", False),
    (b"\x00\x3c\x00\x3f", "utf-16be", False),
    (b"\x3c\x00\x3f\x00", "utf-16le", False),
    (b"\x00\x00\x00\x3c", "utf-32be", False),
    (b"\x3c\x00\x00\x00", "utf-32le", False),
)
_DECLARED = re.compile(rb"""<\?[^>]*?encoding=['"]([^'">]*)['"][^>]*\?>""")
_DECLARATION = re.compile(r"<\?xml[^>]*?>")
_WIDE = frozenset(
    "u16 utf-16 utf16 utf_16 u32 utf-32 utf32 utf_32 iso-10646-ucs-2 iso-10646-ucs-4 csucs4 csunicode ucs-2 "
    "ucs-4".split()
)
#: Codecs that Python counts as text but that decode escapes or host names, or take quadratic time.
_REFUSED = frozenset({"idna", "punycode", "unicode-escape", "raw-unicode-escape", "undefined", "mbcs", "oem"})


def decoded(data: bytes, charset: str = "") -> str:
    """The text without its XML declaration. Bytes that fit no encoding are decoded as UTF-8 with replacements."""
    mark = ""
    for start, encoding, is_mark in _MARKS:
        if data.startswith(start):
            mark, data = encoding, data[len(start) if is_mark else 0 :]
            break
    declared = _declared(data, mark)
    for encoding in dict.fromkeys((declared or charset or "utf-8", mark, "utf-8", "windows-1252", "iso-8859-2")):
        text = _try(data, encoding)
        if text is not None:
            break
    else:
        text = data.decode("utf-8", "replace")
    return _DECLARATION.sub("", text, count=1) if text.startswith("<?xml") else text


def _declared(data: bytes, mark: str) -> str:
    head = data[:2048]
    if mark:
        head = head.decode(mark, "ignore").encode("utf-8", "ignore")
    found = _DECLARED.match(head)
    encoding = found[1].decode("ascii", "ignore").lower() if found else ""
    if mark and encoding in _WIDE:
        return mark
    # The superset, because feeds that declare GB2312 seldom keep to it.
    return "gb18030" if encoding == "gb2312" else encoding


def _try(data: bytes, encoding: str) -> str | None:
    try:
        if not encoding or codecs.lookup(encoding).name in _REFUSED:
            return None
        return data.decode(encoding)
    except (UnicodeError, LookupError, ValueError):  # ValueError: a name with a NUL in it
        return None
