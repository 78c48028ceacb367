"""Differences between two revisions: in words, as a unified diff, in their metadata, and their size.

Lines are matched first, then the words of the lines that differ. Both take bounded time for any texts
(`core/compare/alignment.py`): if there is too much to compare, whole lines count as replaced.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass
from difflib import SequenceMatcher
from typing import Any, Final

from veille.core.compare.alignment import aligned
from veille.core.dates import iso
from veille.core.records import Revision
from veille.core.text import UNSPACED_LETTERS, UNSPACED_SIGNS, flat
from veille.core.told import EditKind, TextEdit

_TOKEN: Final = re.compile(rf"\s+|[{UNSPACED_SIGNS}{UNSPACED_LETTERS}]|[^\s{UNSPACED_SIGNS}{UNSPACED_LETTERS}]+")
#: How many words and spaces of changed lines are compared, in both texts together: a second or two. The rest
#: counts as replaced.
_MAX_WORDS: Final = 600_000
#: Changed lines with more characters than this are not split into words.
_MAX_LETTERS: Final = 6_000_000
#: Roughly a word, in writing with and without spaces.
_WORD: Final = re.compile(
    rf"[{UNSPACED_SIGNS}]{{1,2}}|[{UNSPACED_LETTERS}]{{1,6}}|[^\s{UNSPACED_SIGNS}{UNSPACED_LETTERS}]+"
)
_UNSPACED: Final = re.compile(f"[{UNSPACED_SIGNS}{UNSPACED_LETTERS}]")
#: For a longer change, the count is extrapolated from its beginning: pages measure a dozen revisions at once.
_COUNTED_LETTERS: Final = 500_000


@dataclass(frozen=True, slots=True)
class Fact:
    """A property of a document that changed."""

    name: str
    before: str
    after: str

    @property
    def edits(self) -> list[TextEdit]:
        """The difference word by word; empty if one of them is missing or no word stayed."""
        if not self.before or not self.after:
            return []
        found = word_diff(self.before, self.after)
        return found if any(one.kind is EditKind.EQUAL and one.text.strip() for one in found) else []


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


def compared(older: Revision | None, newer: Revision) -> tuple[str, str]:
    """What to compare of two revisions: their texts, under their titles if these differ."""
    if older is None or not differs(older.title, newer.title):
        return older.text if older else "", newer.text
    old, new = ("\n\n".join(filter(None, (one.title, one.text))) for one in (older, newer))
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


def facts_changed(older: Revision, newer: Revision) -> list[Fact]:
    """The differences besides title and text."""
    before, after = _facts(older), _facts(newer)
    return [Fact(name, before[name], after[name]) for name in before if before[name] != after[name]]


def change_size(old: str, new: str) -> tuple[int, int]:
    """Approximate number of words added and removed. They are counted, not aligned: that is fast for any texts."""
    before, after = Counter(old.splitlines()), Counter(new.splitlines())
    gone, went = _counted("\n".join((before - after).elements()))
    come, came = _counted("\n".join((after - before).elements()))
    return round((come - gone).total() * came), round((gone - come).total() * went)


def word_count(text: str) -> int:
    """The approximate number of words in a text."""
    return len(_words_in(text))


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


def _counted(text: str) -> tuple[Counter[str], float]:
    """The words of a text, or of its counted part; and the ratio of the text's length to that part."""
    part = text[:_COUNTED_LETTERS]
    return Counter(_words_in(part)), len(text) / len(part) if part else 1


def _words_in(text: str) -> list[str]:
    # Ten times as fast, with the same result.
    return _WORD.findall(text) if _UNSPACED.search(text) else text.split()


def _facts(revision: Revision) -> dict[str, str]:
    meta = revision.meta
    return {
        "Address": revision.url,
        "Language": revision.lang,
        "Authors": ", ".join(map(str, meta.get("authors") or ())),
        "Published": "" if revision.published_at is None else iso(revision.published_at),
        "Summary": str(meta.get("summary") or ""),
        "Type": str(meta.get("media_type") or ""),
        "Read by": revision.strategy,
    }
