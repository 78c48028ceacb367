"""The changed paragraphs of a text, for a row that is opened in place."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from veille.core.compare.diff import word_diff
from veille.core.told import EditKind, TextEdit

#: Of each text so many letters are compared, and so many paragraphs are shown; the page of the diff has the others.
_LETTERS: Final = 100_000
_PARAGRAPHS: Final = 12
#: A longer paragraph is cut.
_LONG: Final = 4000


@dataclass(frozen=True, slots=True)
class ChangedParagraphs:
    """Paragraphs in which something changed; an empty one stands for those between that stayed."""

    paragraphs: list[list[TextEdit]]
    #: Whether there is more than is shown.
    is_cut: bool


def changed_paragraphs(old: str, new: str, most: int = _PARAGRAPHS) -> ChangedParagraphs:
    r"""The paragraphs that differ, word by word.

    >>> [[edit.text for edit in one] for one in changed_paragraphs("a\n\nb\n\nc", "a\n\nx\n\nc").paragraphs]
    [[], ['b', 'x'], []]
    """
    is_cut = max(len(old), len(new)) > _LETTERS
    shown: list[list[TextEdit]] = []
    found = 0
    for paragraph in _paragraphs(word_diff(old[:_LETTERS], new[:_LETTERS])):
        if all(edit.kind is EditKind.EQUAL for edit in paragraph):
            if any(edit.text.strip() for edit in paragraph) and (not shown or shown[-1]):
                shown.append([])
            continue
        found += 1
        if found <= most:
            shown.append([TextEdit(edit.kind, edit.text[:_LONG]) for edit in paragraph])
    return ChangedParagraphs(shown, is_cut or found > most)


def beginning(text: str, most: int = 4) -> ChangedParagraphs:
    """The first paragraphs of a text."""
    paragraphs = list(filter(None, map(str.strip, text[:_LETTERS].split("\n\n"))))
    shown = [[TextEdit(EditKind.EQUAL, one[:_LONG])] for one in paragraphs[:most]]
    return ChangedParagraphs(shown, is_cut=len(paragraphs) > most or len(text) > _LETTERS)


def _paragraphs(edits: list[TextEdit]) -> list[list[TextEdit]]:
    """Edits cut where paragraphs end."""
    made: list[list[TextEdit]] = [[]]
    for edit in edits:
        first, *others = edit.text.split("\n\n")
        made[-1] += [TextEdit(edit.kind, first)] if first else []
        for other in others:
            if made[-1]:
                made.append([])
            made[-1] += [TextEdit(edit.kind, other)] if other else []
    return [one for one in made if one]
