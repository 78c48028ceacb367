"""Plain text out of bytes: the byte-order mark, then UTF-8, then what the server said, then Windows' old encoding."""

from __future__ import annotations

import re

from veille.core.formats._sniff import is_binary
from veille.errors import ReadError

#: Only these reach Python's codecs: its registry also has `zip`, `idna` and others that are no encodings of text.
_KNOWN = re.compile(
    r"utf-?(?:8|16|16le|16be|16-le|16-be)|(?:iso-?|iso_)?8859-\d{1,2}|latin-?1|(?:windows-|cp)125\d|koi8-[ru]|gbk|gb2312"
    r"|gb18030|big5|big5-hkscs|shift_jis|shift-jis|euc-jp|euc-kr|iso-2022-jp|macintosh|tis-620"
)
_WIDE = {b"\xff\xfe": "utf-16", b"\xfe\xff": "utf-16"}


def decoded(data: bytes, charset: str = "") -> str:
    """The text. Raises ReadError `unsupported` when it cannot be text."""
    if is_binary(data):
        raise ReadError("This is binary data, not text.", code="unsupported")
    wide = _WIDE.get(data[:2])
    if wide:
        return data.decode(wide, "replace")
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError:
        pass
    named = charset.strip().lower()
    if not _KNOWN.fullmatch(named) or named in {"utf-8", "utf8", "iso-8859-1", "latin-1", "latin1"}:
        named = "cp1252"  # what browsers take ISO 8859-1 for, too
    return data.decode(named, "replace")
