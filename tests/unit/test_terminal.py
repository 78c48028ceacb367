"""What people see on a terminal: tables that fit it, and words instead of data."""

from __future__ import annotations

import io
import sys
import time
from pathlib import Path

import pytest

from veille.errors import NotFoundError
from veille.interfaces.cli._shared import SHARED
from veille.interfaces.cli.terminal.listing import Row, recall, remember, row_meant
from veille.interfaces.cli.terminal.table import At, Wide, ago, print_table
from veille.interfaces.cli.terminal.text import Text, cells, clipped, in_words, plural

NOW = time.time_ns() // 1_000_000
HOUR = 3_600_000
COLUMNS = ("#", "Dossier", "When", "Title", Wide("Address"))
ROWS = [
    (1, "demo", At(NOW - 2 * HOUR), "A title " * 20, "https://example.org/" + "x" * 60),
    (2, "demo", At(None, "never"), "日本の" * 30, "https://example.org/"),
]


class Terminal(io.StringIO):
    """A stream that says it is a terminal."""

    def isatty(self) -> bool:
        return True


def shown(monkeypatch: pytest.MonkeyPatch, out: io.StringIO, *, wide: bool = False) -> str:
    monkeypatch.setattr(sys, "stdout", out)
    monkeypatch.setattr(SHARED, "wide", wide)
    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.setenv("NO_COLOR", "1")
    print_table(COLUMNS, ROWS, [Text().add("why " * 40), None])
    return out.getvalue()


def test_a_table_fits_the_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    lines = shown(monkeypatch, Terminal()).splitlines()
    assert max(map(cells, lines)) <= 80
    assert lines[0].split() == ["#", "When", "Title"]
    assert lines[1].startswith("1  2h ago  A title A title")
    assert lines[1].endswith("…")
    assert lines[2].startswith("   why why")
    assert lines[3].startswith("2  never   日本の")


@pytest.mark.parametrize("is_wide", [False, True])
def test_nothing_is_cut_or_left_out_elsewhere_or_if_so_wanted(monkeypatch: pytest.MonkeyPatch, is_wide: bool) -> None:  # noqa: FBT001
    text = shown(monkeypatch, Terminal() if is_wide else io.StringIO(), wide=is_wide)
    assert text.splitlines()[0].split() == ["#", "Dossier", "When", "Title", "Address"]
    assert "x" * 60 in text
    assert "…" not in text
    assert "Z  A title" in text, "the time is exact"


def test_times_are_told_in_one_unit() -> None:
    spans = {
        30_000: "now",
        5 * 60_000: "5m ago",
        26 * HOUR: "1d ago",
        20 * 24 * HOUR: "2w ago",
        90 * 24 * HOUR: "3mo ago",
    }
    assert {span: ago(NOW - span, NOW) for span in spans} == spans
    assert ago(NOW + 3 * HOUR, NOW) == "in 3h"


def test_text_is_cut_by_its_width_and_keeps_its_styles() -> None:
    assert clipped("日本語", 5) == "日本…"
    cut = Text().add("red ", "red").add("and green", "green").cut(8)
    assert cut.plain == "red and…"
    assert cut.shown(coloured=True) == "\x1b[31mred \x1b[0m\x1b[32mand…\x1b[0m"


def test_lines_are_broken_between_words_and_keep_their_styles() -> None:
    text = Text().add("the old ", "").add("harbour  porpoises", "mark").add(" are back\nagain", "")
    broken = text.folded(12)
    assert broken.plain == "the old\nharbour\nporpoises\nare back\nagain"
    assert broken.parts == [("the old\n", ""), ("harbour\nporpoises", "mark"), ("\nare back\nagain", "")]


@pytest.mark.parametrize(
    ("value", "said"),
    [([], "none"), ({}, "none"), (["a", 2], "a, 2"), ({"a": [1]}, "a: 1"), (False, "no"), (1.5, "1.5"), (None, "")],
)
def test_no_value_is_shown_as_python_writes_it(value: object, said: str) -> None:
    assert in_words(value) == said


def test_one_thing_is_not_many() -> None:
    assert [plural(n, "dossier") for n in (0, 1, 2)] == ["0 dossiers", "1 dossier", "2 dossiers"]


def test_a_row_is_meant_by_its_number(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    rows = [Row("d", "a1", "Tea"), Row("e", "b2", "2024")]
    remember(tmp_path, "sources", rows)
    remember(tmp_path, "rules", [])
    assert recall(tmp_path, "sources") == rows
    assert row_meant(tmp_path, "sources", "2") == row_meant(tmp_path, "sources", "#2") == rows[1]
    assert row_meant(tmp_path, "sources", "Tea") is None
    assert row_meant(tmp_path, "sources", "2024") is None, "it is a name"
    assert row_meant(tmp_path / "other", "sources", "1") is None
    with pytest.raises(NotFoundError, match="had 2 rows"):
        row_meant(tmp_path, "sources", "#3")


def test_a_folder_that_cannot_be_written_is_no_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "file").touch()
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "file"))
    remember(tmp_path, "sources", [Row("d", "a1", "Tea")])
    assert recall(tmp_path, "sources") == []
