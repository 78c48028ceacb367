"""The normal form of text: what is stored keeps paragraphs and code lines, what is compared is flat."""

from __future__ import annotations

import json
import re
import unicodedata
from typing import Any, TypeVar

from veille.core.compiled import BUILT, native

# Zero-width characters, soft hyphen, byte-order mark, bidi controls and the invisible "tag" letters: they show nothing,
# but hide instructions and make equal texts look different.
_HIDDEN = re.compile(
    "[\u00ad\u180e\u200b-\u200f\u202a-\u202e\u2060-\u2064\u2066-\u206f\ufeff\U000e0000-\U000e007f"
    r"\x00-\x08\x0b\x0e-\x1f\x7f-\x84\x86-\x9f\ud800-\udfff]"
)
#: What moves the cursor of a terminal, or does worse; line ends and tabs do not count.
_CONTROLS = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]")
#: Scripts that write no spaces between words, as parts of a pattern: Chinese and Japanese, where two signs are about a
#: word; Thai, Lao, Burmese and Khmer, which spell.
UNSPACED_SIGNS = "\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
UNSPACED_LETTERS = "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff"
_BLANKS = re.compile(r"[^\S\n]+")
_BLANK_LINES = re.compile(r"\n{3,}")
_Value = TypeVar("_Value")
#: Options and records have three or four; 255 can be read, and not be written again.
_MOST_LEVELS = 50
_HIDDEN_LATIN = bytes(code for code in range(256) if _HIDDEN.match(chr(code)))


def clean(text: str) -> str:
    """The stored form: composed Unicode, nothing invisible, no trailing blanks, at most one empty line in a row."""
    lines = "\n".join([line.rstrip() for line in visible(text).splitlines()]).strip("\n ")
    return _BLANK_LINES.sub("\n\n", lines) if "\n\n\n" in lines else lines


def tidy(text: str) -> str:
    """The stored form of prose: as `clean`, and runs of blanks inside a line become one."""
    return clean(_BLANKS.sub(" ", visible(text)).replace("\n ", "\n"))


def flat(text: str) -> str:
    """One line: the form that is hashed, so that layout never counts as a change."""
    return native.joined(visible(text)) if BUILT else " ".join(visible(text).split())


def printed(name: str) -> str:
    """A name without the characters that cannot be seen."""
    return flat("".join(letter for letter in flat(name) if letter.isprintable()))


def word_count(text: str) -> int:
    """How many words there are, as blanks part them."""
    return native.words(text) if BUILT else len(text.split())


def visible(text: str) -> str:
    """Without the characters nobody can see."""
    return text if BUILT and native.plain(text) else plain_visible(text)


def plain_visible(text: str) -> str:
    """The same without the look whether there is anything to do."""
    try:
        # Much text is Latin-1, where bytes can be dropped at 20 times the speed of a pattern and nothing is decomposed.
        return text.encode("latin-1").translate(None, _HIDDEN_LATIN).decode("latin-1")
    except UnicodeEncodeError:
        # Composed last: what was removed may have stood between a letter and its accent.
        return unicodedata.normalize("NFC", _HIDDEN.sub("", text))


def without_controls(text: str) -> str:
    """Without control characters: harmless wherever it is shown, also in a terminal. Lines stay lines."""
    return _CONTROLS.sub("", text)


def storable(value: _Value) -> _Value:
    """What somebody sent as JSON, if it can be kept and shown again; else a ValueError.

    Half a surrogate pair is valid JSON, but no text; and values within values without end can be read, but not written.
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
