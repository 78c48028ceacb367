"""Words struck and added as HTML: the same in rows, feeds and reader apps."""

from __future__ import annotations

from collections.abc import Iterable
from html import escape
from itertools import pairwise
from typing import Final

from veille.core.told import EditKind, TextEdit, hugged

_MARKS: Final = {EditKind.EQUAL: "{}", EditKind.DELETE: "<del>{}</del>", EditKind.INSERT: "<ins>{}</ins>"}
_END: Final = TextEdit(EditKind.EQUAL, "")


def marked_html(edits: Iterable[TextEdit]) -> str:
    """Edits as HTML; all but the marks is escaped, and what takes the place of something stands beside it.

    >>> marked_html([TextEdit(EditKind.DELETE, "going "), TextEdit(EditKind.EQUAL, "out")])
    '<del>going</del> out'
    """
    made = ""
    for edit, following in pairwise([*edits, _END]):
        # A cut stands beside its last word, never alone on a line.
        before, words, behind = hugged(escape(edit.text, quote=False).replace(" …", "\u00a0…"))
        made += f"{before}{_MARKS[edit.kind].format(words) if words else ''}{behind}"
        if edit.kind is EditKind.DELETE and following.kind is EditKind.INSERT:
            made += " "
    return made
