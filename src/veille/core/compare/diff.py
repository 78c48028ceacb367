"""Word-level differences between two texts.

Lines are matched first, then the words of the lines that differ. Both take bounded time for any texts
(`core/compare/alignment.py`): if there is too much to compare, whole lines count as replaced.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from difflib import SequenceMatcher
from enum import StrEnum
from typing import Any, Final

from veille.core.compare.alignment import aligned
from veille.core.text import UNSPACED_LETTERS, UNSPACED_SIGNS, flat

_TOKEN: Final = re.compile(rf"\s+|[{UNSPACED_SIGNS}{UNSPACED_LETTERS}]|[^\s{UNSPACED_SIGNS}{UNSPACED_LETTERS}]+")
#: How many words and spaces of changed lines are compared, in both texts together: a second or two. The rest
#: counts as replaced.
_MAX_WORDS: Final = 600_000
#: Changed lines with more characters than this are not split into words.
_MAX_LETTERS: Final = 6_000_000


class EditKind(StrEnum):
    """The kind of an edit."""

    EQUAL = "equal"
    DELETE = "delete"
    INSERT = "insert"


@dataclass(frozen=True, slots=True)
class TextEdit:
    """A stretch of text that stayed, was deleted or was inserted.

    All edits but insertions make up the old text; all but deletions, the new one.
    """

    kind: EditKind
    text: str


def word_diff(old: str, new: str) -> list[TextEdit]:
    """The edits that turn the old text into the new one, in order."""
    before, after = old.splitlines(keepends=True), new.splitlines(keepends=True)
    raw: list[TextEdit] = []
    left = _MAX_WORDS
    for i, i_end, j, j_end, same in aligned(before, after):
        gone, come = "".join(before[i:i_end]), "".join(after[j:j_end])
        if same:
            raw.append(TextEdit(EditKind.EQUAL, gone))
            continue
        words, left = _words(gone, come, left)
        raw += words
    return _joined(raw)


def differs(old: str, new: str) -> bool:
    """Whether two texts differ visibly: layout and invisible characters do not count."""
    return flat(old) != flat(new)


def under_titles(older: tuple[str, str], newer: tuple[str, str]) -> tuple[str, str]:
    """What to compare of two documents, given as title and text: the texts, under the titles if these differ."""
    if not differs(older[0], newer[0]):
        return older[1], newer[1]
    old, new = ("\n\n".join(filter(None, one)) for one in (older, newer))
    return old, new


def unified(old: str, new: str, names: tuple[str, str] = ("old", "new"), context: int = 3) -> list[str]:
    """The lines of a unified diff, as `diff -u` writes them; empty if the texts are equal."""
    before, after = old.splitlines(), new.splitlines()
    lines: list[str] = []
    for hunk in _Aligned(before, after).get_grouped_opcodes(context):
        (_, i, _, j, _), (_, _, i_end, _, j_end) = hunk[0], hunk[-1]
        lines.append(f"@@ -{_range(i, i_end)} +{_range(j, j_end)} @@")
        for tag, a, a_end, b, b_end in hunk:
            lines += [f"{' ' if tag == 'equal' else '-'}{line}" for line in before[a:a_end]]
            lines += [] if tag == "equal" else [f"+{line}" for line in after[b:b_end]]
    return [f"--- {names[0]}", f"+++ {names[1]}", *lines] if lines else []


def _words(old: str, new: str, left: int) -> tuple[list[TextEdit], int]:
    """The edits of changed lines, word by word while the budget lasts; and the budget that remains."""
    if len(old) + len(new) > _MAX_LETTERS:
        return _replaced(old, new), left
    before, after = _TOKEN.findall(old), _TOKEN.findall(new)
    stretches = aligned(before, after, most=left)
    edits: list[TextEdit] = []
    for i, i_end, j, j_end, same in stretches:
        gone, come = "".join(before[i:i_end]), "".join(after[j:j_end])
        edits += [TextEdit(EditKind.EQUAL, gone)] if same else _replaced(gone, come)
    # Common ends cost next to nothing.
    ends = sum(i_end - i for i, i_end, _, _, same in (stretches[0], stretches[-1]) if same)
    return edits, left - min(left, len(before) + len(after) - 2 * ends)


def _joined(raw: list[TextEdit]) -> list[TextEdit]:
    """Merge edits of a kind, put deletions before insertions, and include a space between two changes in both."""
    out: list[TextEdit] = []
    gone = come = ""
    for at, edit in enumerate(raw):
        if edit.kind is EditKind.DELETE:
            gone += edit.text
        elif edit.kind is EditKind.INSERT:
            come += edit.text
        elif edit.text == " " and gone and come and _changes_on(raw, at + 1):
            gone, come = gone + " ", come + " "
        else:
            out += _change(gone, come)
            gone = come = ""
            if out and out[-1].kind is EditKind.EQUAL:
                out[-1] = TextEdit(EditKind.EQUAL, out[-1].text + edit.text)
            elif edit.text:
                out.append(edit)
    return out + _change(gone, come)


def _changes_on(raw: list[TextEdit], at: int) -> bool:
    """Whether both texts have more changes before they agree again."""
    return at + 1 < len(raw) and all(edit.text and edit.kind is not EditKind.EQUAL for edit in raw[at : at + 2])


def _replaced(gone: str, come: str) -> list[TextEdit]:
    return [TextEdit(EditKind.DELETE, gone), TextEdit(EditKind.INSERT, come)]


def _change(gone: str, come: str) -> list[TextEdit]:
    return [edit for edit in _replaced(gone, come) if edit.text]


class _Aligned(SequenceMatcher[str]):
    """The standard library's hunks, over our alignment: its own may take quadratic time."""

    def __init__(self, before: list[str], after: list[str]) -> None:
        super().__init__()
        self._stretches = aligned(before, after)

    def get_opcodes(self) -> list[Any]:
        return [("equal" if same else "replace", *places) for *places, same in self._stretches]


def _range(start: int, end: int) -> str:
    """A line range in the notation of a unified diff."""
    length = end - start
    return f"{start + 1}" if length == 1 else f"{start + (length > 0)},{length}"
