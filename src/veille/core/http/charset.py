"""Decode bytes to text: byte order mark, then header, then what the page declares, then a guess.

Labels go through the WHATWG table, never through Python's codec registry: `charset=zip` or `idna` must not apply codecs
that are no text encodings to an attacker's bytes.
"""

from __future__ import annotations

import re
from functools import lru_cache

import webencodings

_SNIFF = 4096
#: Enough for a guess; more only costs time.
_GUESS = 20_000
_BOMS = ((b"\xef\xbb\xbf", "utf-8"), (b"\xff\xfe", "utf-16le"), (b"\xfe\xff", "utf-16be"))
_META = re.compile(
    rb"""<meta[^>]+?charset\s*=\s*["']?\s*([a-zA-Z0-9_:.\-]+)|<\?xml[^>]+?encoding\s*=\s*["']([a-zA-Z0-9_:.\-]+)""",
    re.IGNORECASE,
)
_PARAMETER = re.compile(r"""charset\s*=\s*["']?\s*([^\s"';,]+)""", re.IGNORECASE)

#: An escape of JSON. The first group is one of half a character, without the other half behind it.
_ESCAPE = re.compile(
    r"\\(?:u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|(u[dD][89a-fA-F][0-9a-fA-F]{2})|.)", re.DOTALL
)


def label(name: str) -> str:
    """The WHATWG name of an encoding label; empty if browsers do not know it."""
    encoding = webencodings.lookup(name)
    return "" if encoding is None or encoding.name == "replacement" else str(encoding.name)


def header_text(value: str) -> str:
    r"""A header as it was meant: what is not UTF-8 is Latin-1, as it was first agreed on.

    It comes with a lone surrogate for each byte that is no UTF-8, which nothing after it could take.

    >>> header_text("caf\udce9"), header_text("日本")
    ('café', '日本')
    """
    try:
        value.encode()
    except UnicodeEncodeError:
        return value.encode("utf-8", "surrogateescape").decode("latin-1")
    return value


def without_halves(text: str) -> str:
    r"""JSON of a site without escapes of half characters: scripts cut texts in the middle of an emoji.

    >>> without_halves(r'["Ferry \ud83d", "\ud83d\udea2 \\ud83d"]')
    '["Ferry ", "\\ud83d\\udea2 \\\\ud83d"]'
    """
    if "\\ud" not in text and "\\uD" not in text:
        return text
    return _ESCAPE.sub(lambda found: "" if found[1] else found[0], text)


@lru_cache(maxsize=256)
def from_header(content_type: str) -> str:
    """The encoding that a Content-Type names; empty if it is not a known one.

    >>> from_header("text/html; charset=ISO-8859-1"), from_header("text/html; charset=zip")
    ('windows-1252', '')
    """
    match = _PARAMETER.search(content_type)
    return label(match[1]) if match else ""


def encoding_of(body: bytes, header: str) -> str:
    """The encoding of a body, given the encoding from the header."""
    for mark, name in _BOMS:
        if body.startswith(mark):
            return name
    return header or _named(body[:_SNIFF]) or _guessed(body)


def decoded(body: bytes, header: str = "") -> tuple[str, str]:
    """The text and its encoding. Never fails: invalid bytes become U+FFFD."""
    name = encoding_of(body, header)
    encoding = webencodings.lookup(name) or webencodings.UTF8
    text, used = webencodings.decode(body, encoding, errors="replace")
    return text, used.name


def _named(head: bytes) -> str:
    match = _META.search(head)
    if match is None:
        return ""
    name = label((match[1] or match[2]).decode("ascii", "replace"))
    # The HTML standard: a page that could be read as ASCII to find this cannot be UTF-16.
    return "utf-8" if name.startswith("utf-16") else name


def _guessed(body: bytes) -> str:
    try:
        body.decode("utf-8")
    except UnicodeDecodeError as error:
        if error.start >= len(body) - 3:
            return "utf-8"
    else:
        return _utf16(body) or "utf-8"
    return _utf16(body) or _statistical(body[:_GUESS])


def _utf16(body: bytes) -> str:
    """Detect UTF-16 without a byte order mark: in markup, about every second byte is zero."""
    sample = body[:_SNIFF]
    if len(sample) < 4 or b"\0" not in sample:  # noqa: PLR2004 - two characters
        return ""
    half = len(sample) // 2
    if sample[1::2].count(0) > half * 0.4 and sample[0::2].count(0) < half * 0.05:
        return "utf-16le"
    if sample[0::2].count(0) > half * 0.4 and sample[1::2].count(0) < half * 0.05:
        return "utf-16be"
    return ""


def _statistical(sample: bytes) -> str:
    from charset_normalizer import from_bytes  # noqa: PLC0415 - needed for one page in hundreds

    best = from_bytes(sample).best()
    return (label(best.encoding.replace("_", "-")) if best is not None else "") or "windows-1252"
