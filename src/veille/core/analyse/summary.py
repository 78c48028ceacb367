"""A summary without a model: the first good sentences. No extractive method that was tried beats them on news."""

from __future__ import annotations

import re
from typing import Final

from veille.core.ask.addressed import is_addressed_to_a_machine
from veille.core.language.sentences import sentences
from veille.core.search.snippets import folded
from veille.core.text import UNSPACED_SIGNS, flat

#: How many sentences, and how long they are together; a sign of Chinese or Japanese says as much as three letters.
_MOST_SENTENCES: Final = 3
_MOST_CHARS: Final = 500
_LEAST_CHARS: Final = 30
_READ: Final = 6000
_SIGN: Final = re.compile(f"[{UNSPACED_SIGNS}]")
#: A sentence ends with one of these, perhaps in quotation marks; a caption, a menu or a byline does not.
_GOOD_END: Final = re.compile(r"[.!?…。！？।॥؟۔።][\"'”’»)\]」』]*$")  # noqa: RUF001 - as they are written
#: What stands above an article without belonging to it, in lower case and without accents.
_FURNITURE: Final = (
    "by ", "published ", "updated ", "last updated", "photo", "image", "share ", "advertisement", "click ", "listen ",
    "watch ", "sign up", "subscribe", "read more", "cookies", "we use cookies", "von ", "foto", "bild:", "stand:",
    "par ", "publie ", "mis a jour", "por ", "publicado", "actualizado", "di ", "pubblicato", "опубликовано", "фото",
)  # fmt: skip
#: Furniture is short; a sentence that begins with the same word is not.
_SHORT: Final = 80


def summary(title: str, text: str) -> str:
    """The first sentences of a text that are sentences; without any, its beginning, cut between words.

    What a text says to machines that read it is left out.
    """
    head, room = text[:_READ], _MOST_CHARS
    plain: list[str] = []
    chosen: list[str] = []
    said = folded(flat(title))
    for start, end in sentences(head):
        sentence = flat(head[start:end])
        if is_addressed_to_a_machine(sentence):
            continue
        plain.append(sentence)
        if end == len(head) < len(text):
            break
        length = _length(sentence)
        if not _is_good(sentence, length, said):
            continue
        if chosen and length > room:
            break
        chosen.append(sentence if length <= _MOST_CHARS else _cut(sentence, _MOST_CHARS))
        room -= length
        if len(chosen) == _MOST_SENTENCES:
            break
    # Signs are written without spaces between sentences.
    glue = "" if chosen and _SIGN.search(chosen[0]) and len(_SIGN.findall(chosen[0])) > len(chosen[0]) / 2 else " "
    return glue.join(chosen) or _cut(" ".join(plain), _MOST_CHARS // 2)


def _length(sentence: str) -> int:
    return len(sentence) + 2 * len(_SIGN.findall(sentence))


def _is_good(sentence: str, length: int, title: str) -> bool:
    if length < _LEAST_CHARS or not _GOOD_END.search(sentence):
        return False
    plain = folded(sentence)
    return plain.rstrip(".!?") != title and not (length < _SHORT and plain.startswith(_FURNITURE))


def _cut(text: str, most: int) -> str:
    if len(text) <= most:
        return text
    end = text.rfind(" ", most // 2, most)
    return f"{text[: end if end > 0 else most].rstrip(' ,;:')} …"
