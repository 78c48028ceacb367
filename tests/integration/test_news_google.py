"""The same workbook in Google Sheets, against a server that speaks its API, through gspread."""

from __future__ import annotations

import base64
import json
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import parse_qs

import pytest

from newsroom import Newsroom, article, listed
from sheets_server import SheetsServer, failed, key_file, too_many
from veille.adapters.workbook.google import (
    MAX_WAIT_S,
    SCOPES_BY_ID,
    SCOPES_BY_TITLE,
    WAITS_S,
    GoogleAccount,
    GoogleWorkbook,
)
from veille.core.news.sheets import CONFIG, RAW, SHEETS, Row
from veille.errors import ConfigError, SinkError
from world import Page, Site

SUBJECTS = ("bridges", "roads", "canals")


@pytest.fixture
def google() -> Iterator[SheetsServer]:
    with SheetsServer() as server:
        server.books["book"] = {"Sheet1": []}
        yield server


@pytest.fixture
def room(site: Site, google: SheetsServer, tmp_path: Path) -> Iterator[Newsroom]:
    key = key_file(tmp_path, f"{google.url}/token")
    where = {"spreadsheet_id": "book", "google_service_account_json": key, "google_api_url": google.url}
    with Newsroom(site, tmp_path, **where) as opened:
        for subject in SUBJECTS:
            site[f"/{subject}"] = article(subject)
        opened.discover(opened.feed("/feed.xml", [(f"/{subject}", subject) for subject in SUBJECTS]))
        yield opened


def _book(google: SheetsServer, folder: Path, waits: list[float], **given: str) -> GoogleWorkbook:
    account = {"spreadsheet_id": "book", "title": "T"} | given
    key = key_file(folder, f"{google.url}/token")
    return GoogleWorkbook(
        GoogleAccount(key_file=key, api_url=google.url, **account), folder / "lock", pause=waits.append
    )


def _raw(row_id: int = 1, **given: str) -> Row:
    return {**dict.fromkeys(RAW.columns, ""), "row_id": row_id, **given}


def _save(book: GoogleWorkbook, rows: list[Row]) -> dict[str, str]:
    """Save rows, and say which saving it was; what was said before."""
    with book.editing(SHEETS) as page:
        before = page.config()
        page.put(RAW, rows)
        page.put(CONFIG, [{"key": "cursor", "value": "1"}])
    return before


@pytest.mark.covers("R-140", "R-141", "R-035", "R-234", "R-235")
def test_the_walk_through_in_google_sheets(room: Newsroom, google: SheetsServer) -> None:
    room.site["/copy"] = article("bridges")
    room.feed("/feed.xml", [*((f"/{subject}", subject) for subject in SUBJECTS), ("/copy", "bridges")])
    room.poll()
    assert [row["status"] for row in google.rows("Raw")] == ["pending"] * 4
    room.work()
    rows = google.rows("Raw")
    assert sorted(row["status"] for row in rows) == ["duplicate", "stored", "stored", "stored"]
    (copy,) = [row for row in rows if row["status"] == "duplicate"]
    assert [row["row_id"] for row in rows if copy["article_url_canon"] in listed(row["aliases"])] != []
    assert [google.books["book"][sheet.name][0] for sheet in SHEETS] == [list(sheet.columns) for sheet in SHEETS]
    assert [row["command"] for row in google.rows("Diagnostics")] == ["discovery", "poll", "work"]
    before, calls = google.books["book"]["Raw"], google.calls["all"]
    room.poll()
    room.work()
    assert (len(google.rows("Raw")), google.books["book"]["Raw"]) == (4, before)
    assert google.calls["all"] - calls <= 8, "two commands"


def test_rows_that_people_sorted_are_found_by_their_id(room: Newsroom, google: SheetsServer) -> None:
    room.poll()
    head, *rows = google.books["book"]["Raw"]
    google.books["book"]["Raw"] = [[*head, "mine"], *([*row, f"note {row[0]}"] for row in reversed(rows))]
    room.work()
    assert [(row["row_id"], row["status"], row["mine"]) for row in google.rows("Raw")] == [
        (number, "stored", f"note {number}") for number in (3, 2, 1)
    ]


@pytest.mark.covers("R-143")
def test_too_many_calls_are_waited_for_and_repeats_write_nothing_twice(google: SheetsServer, tmp_path: Path) -> None:
    waits: list[float] = []
    book = _book(google, tmp_path, waits)
    with book.editing(SHEETS):
        pass
    google.failing = [too_many("7"), failed(503)]
    with book.editing(SHEETS) as page:
        page.put(RAW, [_raw(number) for number in range(1, 4)])
        google.failing.append(failed(500))
    assert waits == [7.0, WAITS_S[1], WAITS_S[0]]
    assert [row["row_id"] for row in google.rows("Raw")] == [1, 2, 3]


@pytest.mark.covers("R-143")
def test_a_quota_that_stays_used_up_loses_nothing(room: Newsroom, google: SheetsServer) -> None:
    room.poll()
    google.failing = [too_many() for _ in range(len(WAITS_S) + 1)]
    run = room.work()
    assert (run.code, run.figures["new_articles"]) == ("sheets.quota", 3)
    assert {row["status"] for row in google.rows("Raw")} == {"pending"}
    room.desk.ensure()
    assert {row["status"] for row in google.rows("Raw")} == {"stored"}
    assert [row["command"] for row in google.rows("Diagnostics")] == ["discovery", "poll", "work"]


def test_a_wrong_id_is_told(google: SheetsServer, tmp_path: Path) -> None:
    with (
        pytest.raises(SinkError, match="shared with") as told,
        _book(google, tmp_path, [], spreadsheet_id="x").editing([]),
    ):
        pass
    assert told.value.code == "sheets.access"


def test_a_missing_key_file_is_told(google: SheetsServer, tmp_path: Path) -> None:
    account = GoogleAccount(key_file=tmp_path / "none.json", spreadsheet_id="book", title="T", api_url=google.url)
    with pytest.raises(ConfigError) as told:
        GoogleWorkbook(account, tmp_path / "lock")
    assert told.value.code == "sheets.key_file"


def test_a_server_that_is_down_is_told(tmp_path: Path) -> None:
    with SheetsServer() as server:
        book = _book(server, tmp_path, [])
    with pytest.raises(SinkError) as told, book.editing([]):
        pass
    assert told.value.code == "sheets.unreachable"


@pytest.mark.covers("R-230")
def test_an_account_that_is_not_accepted_is_told(google: SheetsServer, tmp_path: Path) -> None:
    google.made["/token"] = lambda _: Page(b'{"error": "invalid_grant"}', "application/json", 400, validates=False)
    with pytest.raises(SinkError, match="invalid_grant") as told, _book(google, tmp_path, []).editing([]):
        pass
    assert told.value.code == "sheets.account"


def test_nobody_waits_while_a_run_goes_on(google: SheetsServer, tmp_path: Path) -> None:
    waits: list[float] = []
    book = _book(google, tmp_path, waits)
    google.failing = [too_many("7")]
    with pytest.raises(SinkError) as told, book.editing(SHEETS, patient=False):
        pass
    assert (told.value.code, waits) == ("sheets.quota", [])
    with (
        _book(google, tmp_path, []).editing(SHEETS),
        pytest.raises(SinkError) as busy,
        book.editing(SHEETS, patient=False),
    ):
        pass
    assert busy.value.code == "workbook.busy"


def test_whoever_asks_for_a_long_wait_is_waited_for_so_long_only(google: SheetsServer, tmp_path: Path) -> None:
    waits: list[float] = []
    google.failing = [too_many("86400")]
    with _book(google, tmp_path, waits).editing(SHEETS):
        pass
    assert waits == [MAX_WAIT_S]


def test_an_empty_sheet_that_somebody_made_gets_its_columns(google: SheetsServer, tmp_path: Path) -> None:
    google.books["book"] = {"Sheet1": [], "Raw": []}
    google.columns["Raw"] = 26
    with _book(google, tmp_path, []).editing(SHEETS) as page:
        page.put(RAW, [_raw(1, last_seen_rss="now")])
    assert (google.books["book"]["Raw"][0], google.columns["Raw"]) == (list(RAW.columns), 33)
    assert [row["last_seen_rss"] for row in google.rows("Raw")] == ["now"]


@pytest.mark.covers("R-230")
def test_as_little_as_may_be_is_asked_of_google(google: SheetsServer, tmp_path: Path) -> None:
    for given, scopes in (("book", SCOPES_BY_ID), ("", SCOPES_BY_TITLE)):
        with _book(google, tmp_path, [], spreadsheet_id=given).editing(SHEETS):
            pass
        (asked,) = [seen for seen in google.seen if seen.path == "/token"]
        claims = parse_qs(asked.body.decode())["assertion"][0].split(".")[1]
        found = json.loads(base64.urlsafe_b64decode(claims + "=="))["scope"]
        assert set(found.split()) == set(scopes)
        google.seen.clear()


def test_a_title_finds_the_spreadsheet_or_makes_it(google: SheetsServer, tmp_path: Path) -> None:
    for _ in range(2):
        book = _book(google, tmp_path, [], spreadsheet_id="", title="My News", share_with="ann@example.test")
        with book.editing(SHEETS) as page:
            page.put(CONFIG, [{"key": "a", "value": "b"}])
    assert (google.titles, google.shared) == ({"made": "My News"}, ["ann@example.test"])
    assert google.rows("Config", "made") == [{"key": "a", "value": "b"}]


@pytest.mark.covers("R-141", "R-143")
def test_a_saving_that_broke_off_half_way_is_made_good_and_nothing_is_twice(
    google: SheetsServer, tmp_path: Path
) -> None:
    rows = [_raw(number, clean_text="x" * 30_000) for number in range(1, 121)]
    book = _book(google, tmp_path, [])
    with book.editing(SHEETS):
        pass
    google.breaks_at = google.writes + 2
    with pytest.raises(SinkError) as told:
        _save(book, rows)
    assert told.value.code == "sheets.failed"
    assert 0 < len(google.rows("Raw")) < 120
    assert google.rows("Config") == []
    assert _save(book, rows) == {}
    assert [row["row_id"] for row in google.rows("Raw")] == list(range(1, 121))


def test_a_full_spreadsheet_is_told(google: SheetsServer, tmp_path: Path) -> None:
    said = "This action would increase the number of cells in the workbook above the limit of 10000000 cells."
    google.failing = [failed(400, said)]
    with pytest.raises(SinkError, match="--dossier") as told, _book(google, tmp_path, []).editing(SHEETS):
        pass
    assert told.value.code == "sheets.full"


@pytest.mark.covers("R-143", "R-122", "R-236")
def test_many_rows_take_few_calls_within_the_limits(google: SheetsServer, tmp_path: Path) -> None:
    book = _book(google, tmp_path, [])
    with book.editing(SHEETS):
        pass
    google.calls.clear()
    with book.editing(SHEETS) as page:
        page.put(RAW, [_raw(number, clean_text="x" * 3000, title="=1+1") for number in range(1, 1501)])
        page.put(RAW, [_raw(1501, clean_text="y" * 60_000)])
        page.put(RAW, [_raw(number, clean_text="й🦊" * 10_000) for number in range(1502, 1510)])
        page.put(RAW, [_raw(1510, clean_text="🦊" * 32_000, title="a\x00b\ud800c")])
    assert google.calls["all"] <= 10, google.calls
    assert google.largest < 2_000_000
    rows = google.rows("Raw")
    assert ([row["row_id"] for row in rows], len(rows[1500]["clean_text"])) == ([*range(1, 1511)], 50_000)
    assert (rows[0]["title"], rows[-1]["title"], rows[-1]["clean_text"]) == ("=1+1", "abc", "🦊" * 25_000)
