"""Keyboard shortcuts, as the help lists them; `static/keys.js` implements them.

A shortcut to one link, button or field is declared on that element (`data-key="g s"`); this list has all of them.
"""

from __future__ import annotations

from typing import Final

KEYS: Final = {
    "In a list": {
        "j": "next",
        "k": "previous",
        "o": "open here, or close",
        "v": "open the original",
        "m": "read or unread",
        "s": "keep or let go",
        "x": "choose it, where there are boxes; else what changed",
        "A": "all read",
        "R": "check this source now",
    },
    "In a document": {
        "[": "revision before",
        "]": "revision after",
        "x": "what changed, and back",
        "←": "change before, in what changed",
        "→": "change after, in what changed",
        "v": "the original",
        "m": "read or unread",
        "s": "keep or let go",
    },
    "Go to": {
        "g h": "what changed, everywhere",
        "g k": "what you keep",
        "g p": "your settings",
    },
    "Within a dossier, or in all of them, go to": {
        "g c": "what changed here",
        "g d": "documents",
        "g t": "stories",
        "g w": "what happened",
        "g a": "alerts",
        "g s": "sources",
        "g e": "searches",
        "g i": "ask",
        "g q": "questions",
        "g r": "runs and hosts",
        "g f": "statistics",
    },
    "Anywhere": {
        "/": "search",
        "+": "watch something new",
        "?": "these keys",
    },
}
