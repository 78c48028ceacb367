"""The smallest telling part of a change: what was struck and what was added, with a few words around it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Final

from veille.core.compare.diff import word_diff
from veille.core.told import EditKind, TextEdit

#: About how many letters an excerpt has.
LETTERS: Final = 240
#: Letters that stayed between two changes that are shown together, and around them.
_GAP: Final = 40
_AROUND: Final = 60
_NUMBER: Final = re.compile(r"\d+(?:[.,'\u2019\u00a0\u202f]\d+)*")


def excerpt(old: str, new: str, *, hints: Sequence[str] = (), letters: int = LETTERS) -> tuple[TextEdit, ...]:
    """The part of a change that says most, as edits in one line; of a text that is new or gone, its beginning.

    A part that has one of the hints (a value, a passage) comes first, then the largest. Cuts are marked with `…`.

    >>> [(edit.kind.value, edit.text) for edit in excerpt("Tea costs 12 EUR.", "Tea costs 11 EUR.")]
    [('equal', 'Tea costs '), ('delete', '12'), ('insert', '11'), ('equal', ' EUR.')]
    """
    if not old or not new:
        kind = EditKind.EQUAL if new else EditKind.DELETE
        lead = _head(" ".join((new or old)[: 4 * letters].split()), letters)
        return (TextEdit(kind, lead),) if lead else ()
    edits = word_diff(old, new)
    # Spaces that changed say nothing.
    weights = {group: weight for group in _groups(edits) if (weight := _weight(edits, group, hints, letters))[1]}
    if not weights:
        return ()
    # The first of those that say most.
    start, end = max(weights, key=lambda group: weights[group])
    room = max(40, (letters - _AROUND) // max(1, sum(edit.kind is not EditKind.EQUAL for edit in edits[start:end])))
    inner = list(_begun([_short(edit, room) for edit in edits[start:end]], letters))
    end = start + len(inner)
    before = _tail(edits[start - 1].text, is_first=start == 1) if start else ""
    after = _head(_one_line(edits[end].text), _AROUND, is_last=end == len(edits) - 1) if end < len(edits) else ""
    around = [TextEdit(EditKind.EQUAL, before), *inner, TextEdit(EditKind.EQUAL, after)]
    return tuple(edit for edit in around if edit.text)


def below_title(title: str, *texts: str) -> tuple[str, ...]:
    r"""The texts without the title at their head, if all have it: a row, a message and a page have said it already.

    >>> below_title("Smoked tea", "Smoked tea\n\nPrice: 12", "Smoked tea\n\nPrice: 13")
    ('Price: 12', 'Price: 13')
    """
    head = f"{title.strip()}\n"
    stripped = [text.lstrip() for text in texts]
    if head == "\n" or not all(text.startswith(head) for text in stripped if text):
        return texts
    return tuple(text[len(head) :].lstrip() for text in stripped)


def _groups(edits: list[TextEdit]) -> Iterator[tuple[int, int]]:
    """Changes that are close to each other: where each group begins and ends."""
    start: int | None = None
    end = 0
    for at, edit in enumerate(edits):
        if edit.kind is EditKind.EQUAL:
            if start is not None and (len(edit.text) > _GAP or "\n\n" in edit.text):
                yield start, end
                start = None
            continue
        start = at if start is None else start
        end = at + 1
    if start is not None:
        yield start, end


def _weight(edits: list[TextEdit], group: tuple[int, int], hints: Sequence[str], letters: int) -> tuple[bool, int]:
    start, end = group
    changed = [edit.text for edit in edits[start:end] if edit.kind is not EditKind.EQUAL]
    size = sum(len("".join(text.split())) for text in changed)
    if not any(hints):
        return False, min(letters, size)
    numbers = {number for text in changed for number in _numbers(text)}
    sides = [_side(edits, start, end, without) for without in (EditKind.INSERT, EditKind.DELETE)]
    return any(_is_shown(hint, numbers, sides) for hint in hints), min(letters, size)


def _is_shown(hint: str, numbers: set[str], sides: list[str]) -> bool:
    """Whether a value is in a change; numbers are written in other ways there: 12.90 EUR is 12,90 € on a page."""
    wanted = _numbers(hint)
    return numbers.issuperset(wanted) if wanted else any(_folded(hint) in side for side in sides)


def _side(edits: list[TextEdit], start: int, end: int, without: EditKind) -> str:
    """A part of the old or the new text: of a value of several words, some may have stayed."""
    before = edits[start - 1].text[-_GAP:] if start else ""
    after = edits[end].text[:_GAP] if end < len(edits) else ""
    return _folded("".join([before, *(edit.text for edit in edits[start:end] if edit.kind is not without), after]))


def _folded(text: str) -> str:
    return " ".join(text.casefold().split())


def _numbers(text: str) -> set[str]:
    """The digits that count of each number: the same in every way to write it."""
    found = {"".join(filter(str.isdigit, number)).strip("0") for number in _NUMBER.findall(text)}
    return found - {""}


def _begun(edits: list[TextEdit], letters: int) -> Iterator[TextEdit]:
    """The first of many small changes; what was struck and what was put in its place stay together."""
    for edit in edits:
        if letters <= 0 and edit.kind is EditKind.EQUAL:
            return
        letters -= len(edit.text)
        yield edit


def _short(edit: TextEdit, room: int) -> TextEdit:
    text = _one_line(edit.text)
    if len(text) <= room:
        return TextEdit(edit.kind, text)
    half = room // 2
    return TextEdit(edit.kind, f"{text[:half].rstrip()} … {text[-half:].lstrip()}")


def _one_line(text: str) -> str:
    """The text without line breaks; spaces at its ends are kept as one."""
    inner = " ".join(text.split())
    if not inner:
        return " " if text else ""
    return " " * text[0].isspace() + inner + " " * text[-1].isspace()


def _head(text: str, letters: int, *, is_last: bool = True) -> str:
    """The beginning of a text, up to a whole word."""
    if len(text) <= letters:
        return text if is_last else text.rstrip() + " …" * (len(text) > 1)
    cut = text[:letters]
    return (cut[: cut.rfind(" ", letters // 2) if " " in cut[letters // 2 :] else letters]).rstrip() + " …"


def _tail(text: str, *, is_first: bool) -> str:
    """The end of a text, from a whole word on."""
    text = _one_line(text)
    if len(text) <= _AROUND:
        return text if is_first else "… " + text.lstrip() if text.strip() else text
    cut = text[-_AROUND:]
    return "… " + cut[cut.find(" ") + 1 if " " in cut[: _AROUND // 2] else 0 :]
