"""Detection of pages that are empty until a script fills them."""

from __future__ import annotations

import re
from collections.abc import Iterator

#: Longer pages are never clearly empty, and checking costs time.
MAX_BYTES = 64 * 1024
MAX_TEXT = 60

#: A comment, or a tag with its name and attributes. Linear in the length of any page.
_TOKEN = re.compile(rb"<!--(?s:.*?)(?:-->|\Z)|<(/?)([a-zA-Z][^\s/>]*+)?+([^>]*+)>?+")
#: Elements that show nothing, and the end tag of each.
_HIDDEN = {
    name: re.compile(rb"</" + name + rb"\s*+>", re.IGNORECASE)
    for name in (b"script", b"style", b"noscript", b"template", b"svg", b"head")
}
_HOLDERS = frozenset({b"div", b"main", b"section", b"body"})
_MOUNTS = frozenset({b"app-root", b"ng-app"})
_MOUNT = re.compile(
    rb"""\bid\s*+=\s*+["']?(?:root|app|__next|__nuxt|___gatsby|svelte|q-app|react-root)\b""", re.IGNORECASE
)


def is_empty_shell(body: bytes) -> bool:
    """Whether a page has scripts, almost no text, and a mount point or a notice that it needs JavaScript.

    >>> is_empty_shell(b'<div id="root"></div><script src="/app.js"></script>')
    True
    >>> is_empty_shell(b'<div id="root"><p>' + b'A page with its text in it. ' * 9 + b'</p></div><script></script>')
    False
    """
    if len(body) > MAX_BYTES or (b"<script" not in body and b"<SCRIPT" not in body):
        return False
    waits, size = False, 0
    for name, piece in _pieces(body):
        if name:
            waits |= name in _MOUNTS or (name in _HOLDERS and _MOUNT.search(piece) is not None)
            waits |= name == b"noscript" and b"javascript" in piece.lower()
        elif words := piece.split():
            # With a space before all but the first: most pages are recognised by their first lines.
            size += len(b" ".join(words)) + bool(size)
            if size > MAX_TEXT:
                return False
    return waits


def _pieces(body: bytes) -> Iterator[tuple[bytes, bytes]]:
    """The page in pieces: texts with an empty name; tags with their name, and their hidden content or attributes."""
    at = 0
    unended: set[bytes] = set()
    while (token := _TOKEN.search(body, at)) is not None:
        yield b"", body[at : token.start()]
        at = token.end()
        name = (token[2] or b"").lower()
        if token[1] or not name:
            continue
        end = _HIDDEN[name].search(body, at) if name in _HIDDEN and name not in unended else None
        if end is not None:
            yield name, body[at : end.start()]
            at = end.end()
            continue
        # A missing end tag is not searched for again: a page of start tags only would take quadratic time.
        unended.add(name)
        yield name, token[3]
    yield b"", body[at:]
