"""Scripts without spaces (Chinese, Japanese, Thai): every character is indexed as a word, and searched as a phrase.

The index splits words at spaces and punctuation; without them, a whole sentence would be one word.
"""

from __future__ import annotations

import re

from veille.core.text import UNSPACED_LETTERS, UNSPACED_SIGNS

#: Zero-width space: invisible, and a word boundary for the index.
_GAP = "\u200b"
_UNSPACED = UNSPACED_SIGNS + UNSPACED_LETTERS
_SIGN = re.compile(f"[{_UNSPACED}]")
#: First bytes of such signs in UTF-8, and of hardly anything else: testing bytes is faster than a pattern.
_BEGINNINGS = b"\xe0\xe1\xe3\xe4\xe5\xe6\xe7\xe8\xe9\xef\xf0"
_SEAM = re.compile(rf"(?<=[{_UNSPACED}])(?=\w)|(?<=\w)(?=[{_UNSPACED}])")


def has_signs(text: str) -> bool:
    """Whether any of the text is written without spaces."""
    if text.isascii():
        return False
    written = text.encode("utf-8", "replace")
    return len(written.translate(None, _BEGINNINGS)) < len(written) and _SIGN.search(text) is not None


def apart(text: str) -> str:
    """The text with word boundaries for the index.

    >>> apart("AI芯片 chips").split("\u200b")
    ['AI', '芯', '片 chips']
    """
    return _SEAM.sub(_GAP, text) if has_signs(text) else text


def together(text: str) -> str:
    """The text without the word boundaries of `apart`."""
    return text if text.isascii() else text.replace(_GAP, "")
