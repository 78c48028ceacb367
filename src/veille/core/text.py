"""Text normalisation: the stored form keeps paragraphs and code lines, the compared form is one line."""

from __future__ import annotations

import json
import re
import unicodedata
from typing import Any, TypeVar

from veille.core.compiled import BUILT, native

# Zero-width characters, soft hyphen, byte-order mark, bidi controls and the invisible "tag" letters: they display
# nothing, but can hide instructions and make equal texts differ.
_HIDDEN = re.compile(
    "[\u00ad\u180e\u200b-\u200f\u202a-\u202e\u2060-\u2064\u2066-\u206f\ufeff\U000e0000-\U000e007f"
    r"\x00-\x08\x0b\x0e-\x1f\x7f-\x84\x86-\x9f\ud800-\udfff]"
)
#: Control characters, which can move the cursor of a terminal or do worse; except line ends and tabs.
_CONTROLS = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]")
#: Scripts without spaces between words, as parts of a pattern: Chinese and Japanese, where two signs are about a
#: word; Thai, Lao, Burmese and Khmer, which are alphabetic.
UNSPACED_SIGNS = "\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
UNSPACED_LETTERS = "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff"
#: Characters that XML cannot contain.
_UNWRITABLE = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_BLANKS = re.compile(r"[^\S\n]+")
_BLANK_LINES = re.compile(r"\n{3,}")
_Value = TypeVar("_Value")
#: Nesting limit. Options and records have three or four levels; JSON of 255 levels can be read, but not written again.
_MOST_LEVELS = 50
_HIDDEN_LATIN = bytes(code for code in range(256) if _HIDDEN.match(chr(code)))


def clean(text: str) -> str:
    """The stored form: NFC, no invisible characters, no trailing blanks, at most one empty line in a row."""
    lines = "\n".join([line.rstrip() for line in visible(text).splitlines()]).strip("\n ")
    return _BLANK_LINES.sub("\n\n", lines) if "\n\n\n" in lines else lines


def tidy(text: str) -> str:
    """The stored form of prose: as `clean`, with runs of blanks in a line collapsed."""
    return clean(_BLANKS.sub(" ", visible(text)).replace("\n ", "\n"))


def flat(text: str) -> str:
    """The text as one line: the form that is hashed, so that layout never counts as a change."""
    return native.joined(visible(text)) if BUILT else " ".join(visible(text).split())


def printed(name: str) -> str:
    """A name without non-printable characters."""
    return flat("".join(letter for letter in flat(name) if letter.isprintable()))


def word_count(text: str) -> int:
    """The number of words separated by whitespace."""
    return native.words(text) if BUILT else len(text.split())


def visible(text: str) -> str:
    """The text without invisible characters."""
    return text if BUILT and native.plain(text) else plain_visible(text)


def plain_visible(text: str) -> str:
    """The same, without first checking whether there is anything to remove."""
    try:
        # Much text is Latin-1, where dropping bytes is 20 times as fast as a regex and nothing needs composing.
        return text.encode("latin-1").translate(None, _HIDDEN_LATIN).decode("latin-1")
    except UnicodeEncodeError:
        # NFC last: a removed character may have been between a letter and its accent.
        return unicodedata.normalize("NFC", _HIDDEN.sub("", text))


def without_controls(text: str) -> str:
    """The text without control characters: safe to show, also in a terminal. Line breaks are kept."""
    if BUILT and not native.controlled(text):
        return text
    return _CONTROLS.sub("", text)


def xml_safe(text: str) -> str:
    """The text without the characters that XML cannot contain."""
    return _UNWRITABLE.sub("", text)


def storable(value: _Value) -> _Value:
    """The JSON value from a client, if it can be stored and returned; else ValueError.

    Half a surrogate pair is valid JSON, but cannot be encoded; and very deep nesting can be read, but not written.
    """
    if _is_deeper(value, _MOST_LEVELS):
        raise ValueError(f"there are more than {_MOST_LEVELS} lists and objects within each other")
    try:
        json.dumps(value, ensure_ascii=False, default=str).encode()
    except UnicodeEncodeError as error:
        raise ValueError("there is half a character in a text") from error
    return value


def _is_deeper(value: Any, levels: int) -> bool:
    inner = value.values() if isinstance(value, dict) else value if isinstance(value, list | tuple) else None
    return inner is not None and (not levels or any(_is_deeper(one, levels - 1) for one in inner))
