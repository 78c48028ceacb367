"""Everything before the root element. Document types are removed: no later reader sees a declaration.

Entities that stand for plain characters are replaced here; those made of other entities or of external files are
used for bombs and leaks, and stay unresolved.
"""

from __future__ import annotations

import re

from veille.errors import ReadError

_SKIPPED = re.compile(r"\s+|<\?.*?\?>|<!--.*?-->", re.DOTALL)
_DOCTYPE = re.compile(
    r"""<!DOCTYPE(?:[^\[>"']++|"[^"]*+"|'[^']*+')*+"""
    r"""(?:\[((?:[^\]"'<]++|"[^"]*+"|'[^']*+'|<!--(?s:.*?)-->|<\?(?s:.*?)\?>|<)*+)\]\s*+)?>""",
    re.IGNORECASE,
)
_CRUDE = re.compile(r"<!DOCTYPE[^>]*>", re.IGNORECASE)
_ENTITY = re.compile(r"""<!ENTITY\s+(\w+)\s+"(&#\w+;|[^&"]*)"\s*>""")
_DECLARATION = re.compile(r"<!(?=ENTITY|DOCTYPE)", re.IGNORECASE)
_REFERENCE = re.compile(r"<!\[CDATA\[.*?\]\]>|&(\w+);", re.DOTALL)

#: Characters that entities may add to a feed; Latin-1 letters need a few kilobytes.
MAX_GROWTH = 1_000_000
#: How many items before the root are skipped; comments and instructions are few.
_MAX_STEPS = 1000


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
        return text[:place] + _DECLARATION.sub("&lt;!", text[place:])
    entities = dict(_ENTITY.findall(found[1])) if found.re is _DOCTYPE and found[1] else {}
    rest = text[found.end() :]
    # Remaining declarations, before the root or in a broken subset, become text.
    begin = re.search(r"<\w", rest)
    head = rest[: begin.start()] if begin else rest
    if _DECLARATION.search(head):
        rest = _DECLARATION.sub("&lt;!", head) + rest[len(head) :]
    return text[:place] + (_written_out(rest, entities) if entities else rest)


def _written_out(text: str, entities: dict[str, str]) -> str:
    growth = sum(len(entities.get(found[1] or "", "")) for found in _REFERENCE.finditer(text))
    if growth > MAX_GROWTH:
        raise ReadError(
            "The feed grows enormously through the entities it declares; such feeds are refused.", code="feed.hostile"
        )
    return _REFERENCE.sub(lambda found: entities.get(found[1] or "", found[0]), text)
