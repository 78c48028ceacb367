"""Repair of nearly well-formed XML, so that one bare `&` does not send a whole feed to the slow reader."""

from __future__ import annotations

import re
from html.entities import name2codepoint

from veille.core.feeds.names import USUAL

#: Forbidden characters are moved here while XML is parsed: a plane that nobody uses.
_SHELF = 0xF8000
_FORBIDDEN = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff\ud800-\udfff]")
_SHELVED = re.compile(f"[{chr(_SHELF)}-{chr(_SHELF + 0xFFFF)}]")
_AMPERSAND = re.compile(
    r"(<!\[CDATA\[.*?\]\]>)|&(?!(?:amp|lt|gt|quot|apos);)(?:#([0-9]{1,7}|[xX][0-9a-fA-F]{1,6});|([a-zA-Z][-.a-zA-Z0-9]*);?)?",
    re.DOTALL,
)
# Whether there is anything to repair: searching is faster than skipping all CDATA sections.
_BARE = re.compile(r"&(?!(?:amp|lt|gt|quot|apos|#(?:[3-9][0-9]|[1-9][0-9]{2,4})|#x[0-9a-fA-F]{2,5});)")
_PREFIX = re.compile(r"</?([a-zA-Z_][-.\w]*):|\s([a-zA-Z_][-.\w]*):[-.\w]+=")
_DECLARED = re.compile(r"xmlns:([-.\w]+)\s*=")
_ROOT = re.compile(r"<[a-zA-Z_][-.\w:]*")


def mended(text: str) -> str:
    """The document with bare ampersands, undeclared entities and control characters repaired."""
    text = _FORBIDDEN.sub(lambda found: chr(_SHELF + ord(found[0])), text.lstrip())
    if text.startswith("<?xml"):
        text = text[text.find("?>") + 2 :]
    return _AMPERSAND.sub(_ampersand, text) if _BARE.search(text) else text


def unshelved(text: str) -> str:
    """A value from a mended document, with the characters that XML forbids restored."""
    return text if text.isascii() else _SHELVED.sub(lambda found: chr(ord(found[0]) - _SHELF), text)


def unquoted(text: str) -> str:
    """A text as the reference parser decodes it: one kind of entity after another, so that `&amp;quot;` is `"`."""
    return text.replace("&quot;", '"').replace("&apos;", "'").replace("&#x2f;", "/")


def _ampersand(found: re.Match[str]) -> str:
    section, number, name = found.groups()
    if section:
        return section
    if number:
        value = int(number[1:], 16) if number[0] in "xX" else int(number)
        return found[0] if _is_character(value) else chr(_SHELF + value % 0x10000)
    if not name:
        return "&amp;" + found[0][1:]
    if name in {"amp", "lt", "gt", "quot", "apos"}:
        return f"&{name};"
    if name in name2codepoint:
        return chr(name2codepoint[name])
    # The reference parser takes "&b=2" for an entity without its semicolon.
    return f"&amp;{name};"


def _is_character(value: int) -> bool:
    return value in {9, 10, 13} or 0x20 <= value <= 0xD7FF or 0xE000 <= value <= 0xFFFD or 0x10000 <= value <= 0x10FFFF  # noqa: PLR2004 - as defined by XML


def with_prefixes(text: str) -> str:
    """The document with a declaration for every prefix it uses."""
    used = {name for pair in _PREFIX.findall(text) for name in pair if name}
    missing = used - set(_DECLARED.findall(text)) - {"xml", "xmlns"}
    root = _ROOT.search(text)
    if not missing or not root:
        return text
    declarations = "".join(f' xmlns:{name}="{USUAL.get(name, f"urn:undeclared:{name}")}"' for name in sorted(missing))
    return text[: root.end()] + declarations + text[root.end() :]
