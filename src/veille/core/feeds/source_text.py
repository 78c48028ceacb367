"""From the bytes of a feed to the text that is parsed: decoded, and without a document type.

The declared encoding is tried first, then common ones, in feedparser's order. No later reader sees a declaration:
entities that stand for plain characters are replaced here; those made of other entities or of external files are used
for bombs and leaks, and stay unresolved.
"""

from __future__ import annotations

import codecs
import re

from veille.errors import ReadError

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

_SKIPPED = re.compile(r"\s+|<\?.*?\?>|<!--.*?-->", re.DOTALL)
_DOCTYPE = re.compile(
    r"""<!DOCTYPE(?:[^\[>"']++|"[^"]*+"|'[^']*+')*+"""
    r"""(?:\[((?:[^\]"'<]++|"[^"]*+"|'[^']*+'|<!--(?s:.*?)-->|<\?(?s:.*?)\?>|<)*+)\]\s*+)?>""",
    re.IGNORECASE,
)
_CRUDE = re.compile(r"<!DOCTYPE[^>]*>", re.IGNORECASE)
_ENTITY = re.compile(r"""<!ENTITY\s+(\w+)\s+"(&#\w+;|[^&"]*)"\s*>""")
_MARKUP_DECLARATION = re.compile(r"<!(?=ENTITY|DOCTYPE)", re.IGNORECASE)
_REFERENCE = re.compile(r"<!\[CDATA\[.*?\]\]>|&(\w+);", re.DOTALL)

#: Characters that entities may add to a feed; Latin-1 letters need a few kilobytes.
_MAX_GROWTH = 1_000_000
#: How many items before the root are skipped; comments and instructions are few.
_MAX_STEPS = 1000


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


def without_doctype(text: str) -> str:
    """The document without its DOCTYPE, with harmless entities replaced."""
    place = 0
    for _ in range(_MAX_STEPS):
        skipped = _SKIPPED.match(text, place)
        if not skipped:
            break
        place = skipped.end()
    if text[place : place + 9].upper() != "<!DOCTYPE":
        return text
    found = _DOCTYPE.match(text, place) or _CRUDE.match(text, place)
    if not found:
        return text[:place] + _MARKUP_DECLARATION.sub("&lt;!", text[place:])
    entities = dict(_ENTITY.findall(found[1])) if found.re is _DOCTYPE and found[1] else {}
    rest = text[found.end() :]
    # Remaining declarations, before the root or in a broken subset, become text.
    begin = re.search(r"<\w", rest)
    head = rest[: begin.start()] if begin else rest
    if _MARKUP_DECLARATION.search(head):
        rest = _MARKUP_DECLARATION.sub("&lt;!", head) + rest[len(head) :]
    return text[:place] + (_written_out(rest, entities) if entities else rest)


def _written_out(text: str, entities: dict[str, str]) -> str:
    growth = sum(len(entities.get(found[1] or "", "")) for found in _REFERENCE.finditer(text))
    if growth > _MAX_GROWTH:
        raise ReadError(
            "The feed grows enormously through the entities it declares; such feeds are refused.", code="feed.hostile"
        )
    return _REFERENCE.sub(lambda found: entities.get(found[1] or "", found[0]), text)
