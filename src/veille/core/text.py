"""The normal form of text: what is stored keeps paragraphs and code lines, what is compared is flat."""

from __future__ import annotations

import re
import unicodedata

# Zero-width characters, soft hyphen, byte-order mark, bidi controls and the invisible "tag" letters: they show nothing,
# but hide instructions and make equal texts look different.
_INVISIBLE = re.compile("[\u00ad\u180e\u200b-\u200f\u202a-\u202e\u2060-\u2064\u2066-\u206f\ufeff\U000e0000-\U000e007f]")
_CONTROL = re.compile(r"[\x00-\x08\x0b\x0e-\x1f\x7f-\x84\x86-\x9f]|[\ud800-\udfff]")
_NEWLINES = re.compile(r"\r\n?|[\x0c\x85\u2028\u2029]")
_BLANKS = re.compile(r"[^\S\n]+")
_BLANK_LINES = re.compile(r"\n{3,}")
_SPACE = re.compile(r"\s+")


def clean(text: str) -> str:
    """The stored form: composed Unicode, nothing invisible, no trailing blanks, at most one empty line in a row."""
    text = visible(text)
    lines = [line.rstrip() for line in _NEWLINES.sub("\n", text).split("\n")]
    return _BLANK_LINES.sub("\n\n", "\n".join(lines)).strip("\n ")


def tidy(text: str) -> str:
    """The stored form of prose: as `clean`, and runs of blanks inside a line become one."""
    return clean(_BLANKS.sub(" ", visible(text)).replace("\n ", "\n"))


def flat(text: str) -> str:
    """One line: the form that is hashed, so that layout never counts as a change."""
    return _SPACE.sub(" ", visible(text)).strip()


def visible(text: str) -> str:
    """Without the characters nobody can see."""
    # Composed last: what was removed may have stood between a letter and its accent.
    return unicodedata.normalize("NFC", _CONTROL.sub("", _INVISIBLE.sub("", text)))
