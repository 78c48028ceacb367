"""Pages that are empty until a script fills them."""

from __future__ import annotations

import re

#: Longer pages are never "clearly" empty, and looking costs time.
MAX_BYTES = 64 * 1024
MAX_TEXT = 60

# Each opening is followed to the next one of its kind at most: many that nothing closes would take seconds.
_HIDDEN = re.compile(
    rb"<(script|style|noscript|template|svg|head)\b(?:(?!<\1\b).)*?</\1\s*>|<!--.*?-->", re.IGNORECASE | re.DOTALL
)
_TAG = re.compile(rb"<[^>]*>")
_MOUNT = re.compile(
    rb"""<(?:div|main|section|body)[^>]*\bid\s*=\s*["']?(?:root|app|__next|__nuxt|___gatsby|svelte|q-app|react-root)\b"""
    rb"""|<(?:app-root|ng-app)\b""",
    re.IGNORECASE,
)
_ASKS = re.compile(rb"<noscript\b[^>]*>[^<]*(?:<(?!/?noscript)[^<]*)*javascript", re.IGNORECASE)


def is_empty_shell(body: bytes) -> bool:
    """Whether a page has scripts, next to no text, and says or shows that a script is to bring it.

    >>> is_empty_shell(b'<div id="root"></div><script src="/app.js"></script>')
    True
    >>> is_empty_shell(b'<div id="root"><p>' + b'A page with its text in it. ' * 9 + b'</p></div><script></script>')
    False
    """
    if len(body) > MAX_BYTES or (b"<script" not in body and b"<SCRIPT" not in body):
        return False
    if not (_MOUNT.search(body) or _ASKS.search(body)):
        return False
    text = _TAG.sub(b" ", _HIDDEN.sub(b" ", body))
    return len(b" ".join(text.split())) <= MAX_TEXT
