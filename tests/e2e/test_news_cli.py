"""The walk-through of NewsPipeline's manual, typed as it stands there, with either kind of workbook."""

from __future__ import annotations

import json
import os
import re
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from command import run_here
from presses import Desk, print_paper
from sheets_server import SheetsServer, key_file, too_many
from veille.adapters.workbook.google import WAITS_S
from veille.interfaces.cli import main as start_veille
from world import Site

DOCS = Path(__file__).parents[2] / "docs"
COMMANDS = ("ensure", "discovery", "poll", "work", "analyse")

pytestmark = pytest.mark.timeout(180)


@pytest.fixture
def google() -> Iterator[SheetsServer]:
    with SheetsServer() as server:
        yield server


@pytest.fixture(params=["file", "sheets"])
def desk(request: pytest.FixtureRequest, google: SheetsServer, tmp_path: Path) -> Desk:
    return Desk(tmp_path / "news", google if request.param == "sheets" else None)


def _check(name: str, value: Any) -> None:
    schema = json.loads((DOCS / "reference" / "schemas" / f"{name}.json").read_text())
    Draft202012Validator.check_schema(schema)
    Draft202012Validator(schema, format_checker=Draft202012Validator.FORMAT_CHECKER).validate(value)


@pytest.mark.covers("R-035", "R-034", "R-028", "R-186", "R-187", "R-188", "R-189", "R-198", "R-234")
def test_the_walk_through_of_the_manual(desk: Desk, site: Site) -> None:
    world, sport = print_paper(site, "world", 3), print_paper(site, "sport", 2)
    made = desk.process("ensure")
    assert made["workbook"].endswith("Google Sheets: news" if desk.google else "My News.xlsx")
    _check("news-ensure", made)
    found = desk.discover(world, sport)
    assert [feed["finding"] for feed in found["feeds"]] == ["ok", "ok"]
    assert [row["status"] for row in desk.rows("Feeds")] == ["active", "active"]
    _check("news-discovery", found)
    polled = desk("poll")
    assert (polled["figures"]["new_items"], [row["status"] for row in desk.rows()]) == (5, ["pending"] * 5)
    worked = desk("work", "--worker-id", "my-worker")
    assert (worked["figures"]["new_articles"], [row["status"] for row in desk.rows()]) == (5, ["stored"] * 5)
    _check("news-run", polled)
    _check("news-run", worked)
    _check("news-analyse", desk("analyse"))
    assert [row["row_id_raw"] for row in desk.rows("Analyses")] == [row["row_id"] for row in desk.rows()]
    assert {Path(row["full_text_ref"]) for row in desk.rows()} == set((desk.folder / "texts").rglob("*.txt"))
    assert all(row["title"] in row["clean_text"] and row["text_hash"] for row in desk.rows())
    before = desk.rows()
    assert desk("poll")["figures"]["fetch_304"] == 2
    assert desk("work", "--worker-id", "my-worker")["figures"]["fetch_200"] == 0
    assert desk.rows() == before
    assert [row["command"] for row in desk.rows("Diagnostics")] == ["discovery", "poll", "work", "poll", "work"]


@pytest.mark.covers("R-183", "R-028")
def test_exit_codes_tell_what_failed(site: Site, tmp_path: Path) -> None:
    desk = Desk(tmp_path)
    refused = desk("discovery", "--feed", f"{site.url}/none.xml", status=1)
    assert refused["feeds"][0]["finding"] == "http.404"
    _check("news-discovery", refused)
    assert desk("ensure", status=78, FRESH_DAYS_LIMIT="soon")["code"] == "bad_setting"
    assert desk("work", "--worker-id", "a@b", status=2)["code"] == "bad_worker"
    assert desk("poll", "--dossier", "nowhere", status=2)["code"] == "no_dossier"


@pytest.mark.covers("R-028", "R-164")
def test_settings_come_from_the_file_and_variables_win(site: Site, tmp_path: Path) -> None:
    (tmp_path / "veille").mkdir()
    (tmp_path / "veille" / "veille.toml").write_text(
        "[news]\npending_batch_size = 1\nmax_items_per_feed_per_poll = 3\n"
    )
    desk = Desk(tmp_path / "news", XDG_CONFIG_HOME=str(tmp_path))
    desk.discover(print_paper(site, "world", 5))
    assert desk.process("poll")["figures"]["new_items"] == 3
    assert desk.process("work", "--worker-id", "w")["figures"]["new_articles"] == 1
    assert desk.process("work", "--worker-id", "w", PENDING_BATCH_SIZE="2")["figures"]["new_articles"] == 2


@pytest.mark.covers("R-183", "R-230")
@pytest.mark.parametrize(
    ("variables", "code"),
    [
        ({"SPREADSHEET_ID": "1abc"}, "sheets.key_file"),
        ({"GOOGLE_SERVICE_ACCOUNT_JSON": "none.json"}, "sheets.key_file"),
        ({"GOOGLE_SERVICE_ACCOUNT_JSON": '{"private_key": "top secret"}'}, "sheets.key_file"),
    ],
)
def test_without_a_service_account_nothing_is_begun(
    site: Site, tmp_path: Path, variables: dict[str, str], code: str
) -> None:
    feed = print_paper(site, "world", 1)
    desk = Desk(tmp_path)
    for words in (["ensure"], ["discovery", "--feed", feed], ["poll"], ["work", "--worker-id", "w"]):
        told = desk(*words, status=2, **variables)
        assert told["code"] == code
        assert "top secret" not in told["error"]
    assert site.seen == []


@pytest.mark.covers("R-183", "R-230")
def test_a_wrong_spreadsheet_id_names_who_it_is_to_be_shared_with_and_nothing_is_lost(
    google: SheetsServer, site: Site, tmp_path: Path
) -> None:
    desk = Desk(tmp_path / "news", google)
    wrong = {"SPREADSHEET_ID": "nowhere"}
    told = desk("ensure", status=2, **wrong)
    assert (told["code"], "veille@example.test" in told["error"]) == ("sheets.access", True)
    found = desk("discovery", "--feed", print_paper(site, "world", 2), status=1, **wrong)
    assert (found["feeds"][0]["accepted"], found["run"]["code"]) == (True, "sheets.access")
    _check("news-discovery", found)
    run = desk("poll", status=1, **wrong)
    assert (run["figures"]["new_items"], run["synced"], run["code"]) == (2, None, "sheets.access")
    _check("news-run", run)
    assert desk("ensure")["articles"] == 2
    assert [row["command"] for row in desk.rows("Diagnostics")] == ["discovery", "poll"]


@pytest.mark.covers("R-142", "R-143", "R-245")
def test_a_sheet_that_is_down_for_a_while_holds_up_nobody_and_gets_everything_once_and_in_order(
    site: Site, tmp_path: Path
) -> None:
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    google = SheetsServer(port)
    with google:
        desk = Desk(tmp_path / "news", google, VEILLE_BUFFER_DIR=str(tmp_path / "buffer"))
        desk.discover(print_paper(site, "world", 2))
        desk("poll")
    for articles in (4, 6):
        print_paper(site, "world", articles)
        assert desk("poll", status=1)["code"] == "sheets.unreachable"
        worked = desk("work", "--worker-id", "w", status=1)
        assert worked["code"] == "sheets.unreachable"
        assert [delivery["code"] for delivery in worked["deliveries"]] == [""]
        _check("news-run", worked)
    assert len(list((tmp_path / "buffer").rglob("*.md"))) == 6, "the buffer had everything at once"
    assert {row["status"] for row in google.rows("Raw", "news")} == {"pending"}
    back = SheetsServer(port)
    back.books, back.columns = google.books, google.columns
    with back:
        desk.google = back
        desk("ensure")
        assert [row["row_id"] for row in desk.rows()] == [1, 2, 3, 4, 5, 6]
        assert {row["status"] for row in desk.rows()} == {"stored"}
        commands = [row["command"] for row in desk.rows("Diagnostics")]
        assert commands == ["discovery", "poll", "poll", "work", "poll", "work"]
        assert desk("ensure")["written"] == 0


@pytest.mark.covers("R-143")
def test_a_used_up_quota_is_waited_for(google: SheetsServer, site: Site, tmp_path: Path) -> None:
    desk = Desk(tmp_path / "news", google)
    desk.discover(print_paper(site, "world", 2))
    google.failing = [too_many("1")]
    desk("poll")
    assert [row["status"] for row in desk.rows()] == ["pending", "pending"]
    google.failing = [too_many("0") for _ in range(len(WAITS_S) + 1)]
    assert desk("work", "--worker-id", "w", status=1)["code"] == "sheets.quota"
    desk("ensure")
    assert [row["status"] for row in desk.rows()] == ["stored", "stored"]


@pytest.mark.covers("R-197")
@pytest.mark.parametrize("command", COMMANDS)
def test_the_help_of_every_command_shows_examples(command: str) -> None:
    code, out, err = run_here(start_veille, ["veille", "news", command, "--help"], {"PATH": os.environ["PATH"]})
    assert code == 0, err
    assert "Exit status" in out
    assert len(re.findall(rf"^\W*(?:\w+=.*)?veille news {command}", out, re.MULTILINE)) >= 2, out


@pytest.mark.covers("R-035", "R-160")
def test_the_how_to_does_what_it_says(google: SheetsServer, site: Site, tmp_path: Path) -> None:
    page = (DOCS / "howto" / "news-in-a-spreadsheet.md").read_text()
    here, there = re.findall(r"```console\n(.*?)```", page, re.DOTALL)
    print_paper(site, "news", 2)
    print_paper(site, "world", 2)
    google.books["1AbC"] = {"Sheet1": []}
    key_file(tmp_path, f"{google.url}/token")
    environment = {
        "PATH": os.environ["PATH"],
        "VEILLE_DATA": "data",
        "VEILLE_FETCH__ALLOW_NETWORKS": '["127.0.0.0/8"]',
        "VEILLE_FETCH__HOST_DELAY_MS": "0",
        "VEILLE_NEWS__GOOGLE_API_URL": google.url,
    }
    for block in (here, there):
        typed = [line.removeprefix("$ ") for line in block.splitlines() if not line.startswith("$ pip ")]
        script = "\n".join(["set -e", f'veille() {{ {sys.executable} -m veille "$@"; }}', *typed])
        subprocess.run(
            ["bash", "-c", script.replace("https://example.org", site.url)], cwd=tmp_path, env=environment, check=True
        )
    assert (tmp_path / "data" / "NewsPipeline.xlsx").exists()
    assert [row["status"] for row in google.rows("Raw", "1AbC")] == ["stored"] * 4
    assert len(list((tmp_path / "storage" / "articles").rglob("*.txt"))) == 4
