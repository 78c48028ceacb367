from __future__ import annotations

import io
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from veille.core.told import EditKind, TextEdit, ToldChange
from veille.interfaces.cli.terminal.text import Text
from veille.interfaces.cli.terminal.told import told_text

KINDS = {"=": EditKind.EQUAL, "-": EditKind.DELETE, "+": EditKind.INSERT}
LONG = "a sentence that leads on and on before anything is said, as sentences of ministries do, and then some more, "


def shown(*edits: str) -> str:
    """What a pipe is told; each edit begins with `=`, `-` or `+`."""
    return told_text(ToldChange(excerpt=tuple(TextEdit(KINDS[one[0]], one[1:]) for one in edits))).plain


@pytest.mark.parametrize(
    ("edits", "expected"),
    [
        (("=costs ", "-12.50", "+13.90", "= crowns"), "costs [-12.50-]{+13.90+} crowns"),
        # The words that changed are shown however much stands before them.
        (
            (f"={LONG}it costs ", "-12.50", "+13.90", "= crowns"),
            "… anything is said, as sentences of ministries do, and then some more, it costs [-12.50-]{+13.90+} …",
        ),
        # What was put in the place of many words is shown beside them.
        (("-" + "old words " * 20, "+new", "= and on"), "[-" + "old words " * 8 + "old …-]{+new+} …"),
        # No word is cut in two, and no cut is left without a sign.
        (
            (
                "-Three ships",
                "+One ship",
                "= in port; the lamp is ",
                "-off",
                "+lit",
                "=," + " quietly" * 20,
                "-b",
                "+c",
            ),
            "[-Three ships-]{+One ship+} in port; the lamp is [-off-]{+lit+}," + " quietly" * 5 + " …",
        ),
        (("=" + "words " * 40,), "words " * 14 + "words …"),
        # Nor is a word of a change cut in two where the line ends.
        (
            (
                "-Three ships lie",
                "+One ship lies",
                "= in the harbour, the tide is ",
                "-in,",
                "+going out,",
                "= and the lamp is ",
                "-lit.",
                "+dark.",
            ),
            "[-Three ships lie-]{+One ship lies+} in the harbour, the tide is [-in,-]{+going out,+} and the lamp is …",
        ),
        # Marks stand at words.
        (("=the tide is ", "+going ", "=out", "- again", "= now"), "the tide is {+going+} out [-again-] now"),
    ],
)
def test_a_pipe_is_told_the_change_first(edits: tuple[str, ...], expected: str) -> None:
    assert shown(*edits) == expected


@given(st.lists(st.tuples(st.sampled_from("=-+"), st.text("abc ,", min_size=1, max_size=150)), min_size=1, max_size=6))
def test_what_is_told_has_few_letters_and_something_of_the_first_change(some: list[tuple[str, str]]) -> None:
    told = shown(*(kind + text for kind, text in some))
    assert len(told) <= 90 + 8 * len(some) + 2
    assert told.endswith("…") or len(told) >= sum(len(text) for _, text in some) or "…" in told
    assert all(kind == "=" or not text.strip() for kind, text in some) or "[-" in told or "{+" in told


class Terminal(io.StringIO):
    """A stream that says it is a terminal."""

    def isatty(self) -> bool:
        return True


@pytest.mark.parametrize("columns", [60, 80, 120])
def test_a_line_of_a_terminal_shows_what_was_there_and_what_is_there_now(
    monkeypatch: pytest.MonkeyPatch, columns: int
) -> None:
    monkeypatch.setenv("COLUMNS", str(columns))
    monkeypatch.setattr(sys, "stdout", Terminal())
    text = told_text(
        ToldChange(
            excerpt=(
                TextEdit(EditKind.EQUAL, f"… {LONG} Correction: "),
                TextEdit(EditKind.DELETE, "the number in the second paragraph was too high by one."),
                TextEdit(EditKind.INSERT, "an earlier version of this article named the wrong day."),
                TextEdit(EditKind.EQUAL, " Sailors have begun to use the border as a mark."),
            )
        )
    ).cut(columns - 3)
    assert "Correction: the number" in text.plain
    assert " → an earlier" in text.plain
    assert len(text.plain) <= columns - 3


def test_a_text_is_cut_where_the_room_ends_not_where_a_piece_was_cut_before() -> None:
    text = Text().add("costs ").add("a lot …", "red").add(" → ").add("less", "green")
    assert text.cut(40).plain == "costs a lot … → less"
    assert text.cut(18).plain == "costs a lot … → l…"
