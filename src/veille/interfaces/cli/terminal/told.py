"""What a change says, for a terminal."""

from __future__ import annotations

from veille.core.told import EditKind, ToldChange
from veille.interfaces.cli.terminal.text import Text, is_terminal, printable

#: Letters of a change in a table.
_TOLD = 90


def told_text(told: ToldChange, most: int = _TOLD) -> Text:
    """What a change says, in about so many letters: words struck and added, or why a document is gone.

    Without colours (a pipe, a log) it reads `costs [-12.50-]{+13.90+} crowns`.
    """
    styles = {EditKind.EQUAL: "", EditKind.DELETE: "red strike", EditKind.INSERT: "green"}
    marks = {EditKind.EQUAL: "{}", EditKind.DELETE: "[-{}-]", EditKind.INSERT: "{{+{}+}}"}
    if told.reason:
        return Text().add(told.reason)
    text = Text()
    is_plain = not is_terminal()
    edits = told.excerpt
    for place, edit in enumerate(edits):
        left = most - len(text.plain)
        if left <= 0:
            return text.add(" …")
        shown = printable(edit.text)
        if len(shown) > left:
            # What changed is worth more than what stands before it.
            leads_on = edit.kind is EditKind.EQUAL and place + 1 < len(edits)
            shown = f"…{shown[-left:]}" if leads_on else f"{shown[:left]}…"
        text.add(marks[edit.kind].format(shown) if is_plain else shown, styles[edit.kind])
        if not is_plain and edit.kind is EditKind.DELETE and place + 1 < len(edits):
            text.add(" → " if edits[place + 1].kind is EditKind.INSERT else "")
    percent = told.values[0].percent if told.values else None
    return text.add(f"  {percent:+g} %", "bold") if percent else text
