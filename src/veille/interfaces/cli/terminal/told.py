"""What a change says, for a terminal."""

from __future__ import annotations

from collections.abc import Sequence
from shutil import get_terminal_size

from veille.core.told import EditKind, TextEdit, ToldChange, hugged, plain_edits
from veille.interfaces.cli._shared import SHARED
from veille.interfaces.cli.terminal.text import Text, is_terminal, printable

#: Letters of a change in a pipe; on a terminal, as many as fit a line that is indented.
_TOLD = 90
_INDENT = 5
_FEWEST = 30
#: Between what was there and what is there now.
ARROW = " → "
#: A cut is made between words that are shorter than this.
_WORD = 24
_STYLES = {EditKind.EQUAL: "", EditKind.DELETE: "red strike", EditKind.INSERT: "green"}


def told_text(told: ToldChange) -> Text:
    """What a change says, in one line: words struck and added, or why a document is gone.

    Without colours (a pipe, a log) it reads `costs [-12.50-]{+13.90+} crowns`.
    """
    if told.reason:
        return Text().add(told.reason)
    percent = told.values[0].percent if told.values else None
    rise = f"  {percent:+g} %" if percent else ""
    text = Text()
    is_plain = not is_terminal()
    most = _TOLD if is_plain or SHARED.wide else max(_FEWEST, get_terminal_size().columns - _INDENT - len(rise))
    edits = _fitting(told.excerpt, most, 0 if is_plain else len(ARROW))
    for place, edit in enumerate(edits):
        add_edit(text, TextEdit(edit.kind, printable(edit.text)), is_plain=is_plain)
        if not is_plain and is_replaced(edits, place):
            text.add(ARROW)
    return text.add(rise, "bold") if rise else text


def add_edit(text: Text, edit: TextEdit, *, is_plain: bool) -> None:
    """Add a stretch of a change: in colours, or between the marks of `wdiff`."""
    if is_plain:
        text.add(plain_edits([edit]))
        return
    before, words, behind = hugged(edit.text)
    text.add(before).add(words, _STYLES[edit.kind]).add(behind)


def _fitting(edits: tuple[TextEdit, ...], most: int, between: int) -> list[TextEdit]:
    """The edits in about so many letters, cut between words; what changed first has room before what leads to it."""
    first = next((place for place, edit in enumerate(edits) if edit.kind is not EditKind.EQUAL), 0)
    fitting: list[TextEdit] = []
    left = most - between * is_replaced(edits, first)
    for place, edit in enumerate(edits):
        # What comes next is to be seen, too: the words that were put in the place of these, or all that changed first.
        is_led_on = place < first or (edit.kind is EditKind.DELETE and place + 1 < len(edits))
        follows = sum(len(one.text) for one in edits[place + 1 : first + 2 if place < first else place + 2])
        # What leads to the change gets a third at most, where all has no room.
        room = max(left // (3 if place < first else 2), left - follows) if is_led_on else left
        if place > first and room < min(_WORD, len(edit.text.split(maxsplit=1)[0] if edit.text.strip() else "")):
            break  # not even its first word has room
        text = _tail(edit.text, room) if place < first else _head(edit.text, room)
        fitting.append(TextEdit(edit.kind, text))
        left -= len(text) + between * (place > first and is_replaced(edits, place))
        if left <= 0 or (text != edit.text and not is_led_on):
            break
    is_told = len(fitting) == len(edits) or fitting[-1].text.endswith("…")
    rest = "…" if fitting and fitting[-1].text.endswith(" ") else " …"
    return fitting if is_told else [*fitting, TextEdit(EditKind.EQUAL, rest)]


def is_replaced(edits: Sequence[TextEdit], place: int) -> bool:
    """Whether other words were put in the place of these."""
    kinds = tuple(edit.kind for edit in edits[place : place + 2])
    return kinds == (EditKind.DELETE, EditKind.INSERT)


def _head(text: str, letters: int) -> str:
    """The beginning of a text, up to a whole word."""
    if len(text) <= letters:
        return text
    cut = text[: letters + 1]
    end = cut.rfind(" ", max(0, letters - _WORD))
    return cut[: end if end >= 0 else letters].rstrip() + " …"


def _tail(text: str, letters: int) -> str:
    """The end of a text, from a whole word on."""
    if len(text) <= letters:
        return text
    cut = text[-letters - 1 :]
    start = cut.find(" ", 0, _WORD)
    return "… " + (cut[start + 1 :] if start >= 0 else cut[1:])
