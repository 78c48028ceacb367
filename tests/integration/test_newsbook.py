"""The workbook: what people may do to it, and what happens when it cannot be had."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from zipfile import ZipFile

import openpyxl
import pytest

from newsroom import Newsroom, article
from veille.adapters.workbook.xlsx import MAX_CELL, XlsxWorkbook
from veille.core.news.sheets import CONFIG, RAW, Row
from veille.errors import SinkError
from world import Site

SUBJECTS = ("bridges", "roads", "canals")


@pytest.fixture
def room(site: Site, tmp_path: Path) -> Iterator[Newsroom]:
    """A newsroom with three articles that wait."""
    with Newsroom(site, tmp_path) as opened:
        for subject in SUBJECTS:
            site[f"/{subject}"] = article(subject)
        opened.discover(opened.feed("/feed.xml", [(f"/{subject}", subject) for subject in SUBJECTS]))
        opened.poll()
        yield opened


def _raw(**given: str) -> Row:
    return {**dict.fromkeys(RAW.columns, ""), "row_id": 1, **given}


def _shuffled(path: Path) -> None:
    """As an analyst would leave it: sorted, with a column and a sheet of her own."""
    book = openpyxl.load_workbook(path)
    sheet = book["Raw"]
    rows = list(sheet.iter_rows(min_row=2, values_only=True))
    for line, row in enumerate(reversed(rows), 2):
        for column, value in enumerate(row, 1):
            sheet.cell(line, column).value = value
        sheet.cell(line, 34).value = f"note on {row[0]}"
    sheet.cell(1, 34).value = "my notes"
    book.create_sheet("Analyses").append(["mine"])
    book.save(path)


@pytest.mark.covers("R-141", "R-142")
def test_rows_are_found_by_their_id_after_people_sorted_them_and_what_they_added_stays(room: Newsroom) -> None:
    _shuffled(room.book)
    room.work()
    rows = room.rows()
    assert [row["row_id"] for row in rows] == [3, 2, 1]
    assert {row["status"] for row in rows} == {"stored"}
    assert all(row["my notes"] == f"note on {row['row_id']}" and row["title"] in row["clean_text"] for row in rows)
    assert room.rows("Analyses") == []
    room.site["/dams"] = article("dams")
    room.feed("/feed.xml", [("/dams", "dams")])
    room.poll()
    assert [row["row_id"] for row in room.rows()] == [3, 2, 1, 4], "appended at the end"


@pytest.mark.covers("R-141")
def test_only_rows_that_changed_are_written(room: Newsroom) -> None:
    room.work()
    before = room.book.stat().st_mtime_ns
    again = room.desk.ensure()
    assert (again.articles, again.written, room.book.stat().st_mtime_ns) == (3, 0, before)


def test_a_workbook_that_was_deleted_comes_back_whole(room: Newsroom) -> None:
    room.work()
    before = _content(room)
    room.book.unlink()
    room.desk.ensure()
    assert _content(room) == before


def test_an_older_copy_that_was_put_back_is_brought_up_to_date(room: Newsroom) -> None:
    old = room.book.read_bytes()
    room.work()
    before = _content(room)
    room.book.write_bytes(old)
    room.desk.ensure()
    assert _content(room) == before


@pytest.mark.parametrize("mark", [".~lock.NewsPipeline.xlsx#", "~$NewsPipeline.xlsx"])
def test_a_workbook_open_in_another_program_is_left_alone_and_nothing_is_lost(room: Newsroom, mark: str) -> None:
    before = room.book.read_bytes()
    (room.folder / mark).touch()
    run = room.work()
    assert (run.code, run.synced, run.figures["new_articles"]) == ("workbook.open", None, 3)
    assert room.book.read_bytes() == before
    (room.folder / mark).unlink()
    room.desk.ensure()
    assert {row["status"] for row in room.rows()} == {"stored"}
    assert [row["command"] for row in room.rows("Diagnostics")] == ["discovery", "poll", "work"]


def test_a_damaged_workbook_is_told_and_left_as_it_is(room: Newsroom) -> None:
    damaged = room.book.read_bytes()[:1000]
    room.book.write_bytes(damaged)
    assert room.work().code == "workbook.corrupt"
    assert room.book.read_bytes() == damaged
    with pytest.raises(SinkError, match="Move it away"):
        room.desk.ensure()
    room.book.unlink()
    assert room.desk.ensure().articles == 3


def test_a_renamed_column_is_named_and_nothing_is_written(room: Newsroom) -> None:
    book = openpyxl.load_workbook(room.book)
    book["Raw"].cell(1, 12).value = "headline"
    book.save(room.book)
    run = room.work()
    assert run.code == "workbook.columns"
    assert "column 12 must be called 'title'" in run.error


def test_an_empty_sheet_that_somebody_made_gets_its_columns(tmp_path: Path) -> None:
    path = tmp_path / "a.xlsx"
    book = openpyxl.Workbook()
    book.worksheets[0].title = "Raw"
    book.save(path)
    with XlsxWorkbook(path).editing([RAW, CONFIG]) as page:
        page.put(RAW, [_raw(title="one")])
    rows = list(openpyxl.load_workbook(path)["Raw"].iter_rows(values_only=True))
    assert (rows[0], len(rows), rows[1][11]) == (RAW.columns, 2, "one")


def test_the_workbook_of_another_dossier_is_refused(room: Newsroom) -> None:
    other = room.app.create_dossier("other")
    with pytest.raises(Exception, match="another dossier") as refused:
        room.app.news(other.id).ensure()
    assert getattr(refused.value, "code", "") == "workbook.other_dossier"


def test_a_folder_that_cannot_be_written_is_told(room: Newsroom, tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(SinkError) as told, XlsxWorkbook(tmp_path / "file" / "a.xlsx").editing([RAW]):
        pass
    assert told.value.code == "workbook.write"
    assert room.book.exists()


def test_a_full_text_that_cannot_be_written_is_told_and_comes_later(room: Newsroom) -> None:
    texts = room.folder / "texts"
    texts.write_text("a file where a folder should be")
    run = room.work()
    assert (run.code, run.figures["new_articles"]) == ("fulltext.write", 3)
    assert {row["status"] for row in room.rows()} == {"pending"}
    texts.unlink()
    room.desk.ensure()
    assert all(Path(row["full_text_ref"]).exists() for row in room.rows())


def test_a_workbook_that_somebody_saves_meanwhile_is_not_overwritten(tmp_path: Path) -> None:
    path = tmp_path / "a.xlsx"
    with XlsxWorkbook(path).editing([RAW]):
        pass
    with pytest.raises(SinkError) as told, XlsxWorkbook(path).editing([RAW, CONFIG]):
        path.write_bytes(b"saved by another program")
    assert told.value.code == "workbook.busy"
    assert path.read_bytes() == b"saved by another program"


def test_one_editor_at_a_time(tmp_path: Path) -> None:
    path = tmp_path / "a.xlsx"
    with (
        XlsxWorkbook(path).editing([RAW]),
        pytest.raises(SinkError) as told,
        XlsxWorkbook(path, patience_s=0.1).editing([RAW]),
    ):
        pass
    assert told.value.code == "workbook.busy"


@pytest.mark.covers("R-140")
@pytest.mark.parametrize("text", ["=1+1", '=HYPERLINK("http://evil","x")', "+1", "-2", "@SUM(A1)", "\t=1", "plain"])
def test_text_is_never_a_formula(tmp_path: Path, text: str) -> None:
    path = tmp_path / "a.xlsx"
    with XlsxWorkbook(path).editing([RAW, CONFIG]) as page:
        page.put(RAW, [_raw(title=text)])
    cell = openpyxl.load_workbook(path)["Raw"]["L2"]
    assert (cell.value, cell.data_type, bool(cell.quotePrefix)) == (text, "s", text != "plain")
    with ZipFile(path) as file:
        assert b"<f>" not in file.read("xl/worksheets/sheet1.xml")
    with XlsxWorkbook(path).editing([RAW, CONFIG]) as page:
        page.put(CONFIG, [{"key": "a", "value": 1}])
    assert openpyxl.load_workbook(path)["Raw"]["L2"].data_type == "s", "also after the file was read and saved again"


def test_what_a_cell_cannot_hold_is_left_out(tmp_path: Path) -> None:
    path = tmp_path / "a.xlsx"
    with XlsxWorkbook(path).editing([RAW]) as page:
        page.put(RAW, [_raw(title="a\x00b\x1bc\ud800", clean_text="🦊" * 20_000, source="x" * 40_000)])
    row = next(openpyxl.load_workbook(path)["Raw"].iter_rows(min_row=2, values_only=True))
    found: dict[str, Any] = dict(zip(RAW.columns, row, strict=True))
    assert (found["title"], len(found["source"])) == ("abc", MAX_CELL)
    assert found["clean_text"] == "🦊" * (MAX_CELL // 2)


@pytest.mark.covers("R-122", "R-028")
def test_long_text_is_cut_in_the_workbook_only_and_its_length_is_true(site: Site, tmp_path: Path) -> None:
    with Newsroom(site, tmp_path, clean_text_sheets_limit=100) as room:
        site["/bridges"] = article("bridges")
        room.discover(room.feed("/feed.xml", [("/bridges", "bridges")]))
        room.poll()
        room.work()
        row = room.raw("/bridges")
        full = Path(row["full_text_ref"]).read_text()
    assert len(row["clean_text"]) == 100 < row["clean_text_len"] <= len(full) == row["full_text_len"]


@pytest.mark.parametrize("point", ["during_file_write", "before_outbox_mark"])
def test_killed_while_the_workbook_is_written_the_next_command_makes_it_right(room: Newsroom, point: str) -> None:
    room.app.close()
    command = [sys.executable, "-m", "veille", "news", "work", "--worker-id", "w", "--data", str(room.folder / "data")]
    environment = _environment(room)
    killed = subprocess.run(command, env=environment | {"VEILLE_FAILPOINT": point}, check=False, capture_output=True)
    assert killed.returncode == -9, killed.stderr
    assert subprocess.run(command, env=environment, check=False).returncode == 0
    assert [row["row_id"] for row in room.rows()] == [1, 2, 3]
    assert {row["status"] for row in room.rows()} == {"stored"}
    commands = [row["command"] for row in room.rows("Diagnostics")]
    assert commands == ["discovery", "poll", "work", "work"]


def _environment(room: Newsroom) -> dict[str, str]:
    return {
        "VEILLE_NEWS__WORKBOOK": str(room.book),
        "FULLTEXT_DIR": str(room.folder / "texts"),
        "VEILLE_FETCH__ALLOW_NETWORKS": '["127.0.0.0/8"]',
        "VEILLE_FETCH__HOST_DELAY_MS": "0",
    }


def _content(room: Newsroom) -> dict[str, list[dict[str, Any]]]:
    return {name: room.rows(name) for name in ("Feeds", "Raw", "ArticlesIndex", "Diagnostics")}
