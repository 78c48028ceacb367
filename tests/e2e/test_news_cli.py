"""The walk-through of NewsPipeline's manual, typed as it stands there."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from contextlib import ExitStack
from datetime import UTC, datetime
from email.utils import format_datetime
from pathlib import Path
from typing import Any

import openpyxl
import pytest

from newsroom import article
from world import Page, Site

KILLS = ("after_fetch", "before_commit", "during_file_write")


def _environment(folder: Path, **more: str) -> dict[str, str]:
    return {
        "PATH": os.environ["PATH"],
        "VEILLE_DATA": str(folder / "data"),
        "VEILLE_FETCH__ALLOW_NETWORKS": '["127.0.0.0/8"]',
        "VEILLE_FETCH__HOST_DELAY_MS": "0",
        "VEILLE_LEASE_S": "2",
        "SPREADSHEET_TITLE": "My News",
        "FULLTEXT_DIR": str(folder / "texts"),
        **more,
    }


def _start(folder: Path, *arguments: str, **more: str) -> subprocess.Popen[str]:
    command = [sys.executable, "-m", "veille", "--json", "news", *arguments]
    return subprocess.Popen(
        command, env=_environment(folder, **more), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )


def _run(folder: Path, *arguments: str, code: int = 0, **more: str) -> Any:
    process = _start(folder, *arguments, **more)
    out, err = process.communicate()
    assert process.returncode == code, err
    return json.loads(out or err)


def _fill(site: Site, name: str, count: int) -> str:
    items = []
    for number in range(count):
        site[f"/{name}/{number}"] = article(f"{name} number {number}")
        items.append(f"<item><link>{site.url}/{name}/{number}</link><title>{name} number {number}</title><pubDate>")
        items.append(format_datetime(datetime.now(UTC)) + "</pubDate></item>")  # noqa: TID251 - news is new
    body = f"<rss version='2.0'><channel><language>en-us</language>{''.join(items)}</channel></rss>"
    site[f"/{name}.xml"] = Page(body.encode(), type="application/rss+xml")
    return f"{site.url}/{name}.xml"


def _rows(folder: Path, sheet: str = "Raw") -> list[dict[str, Any]]:
    book = openpyxl.load_workbook(folder / "data" / "My News.xlsx", read_only=True)
    head, *rows = book[sheet].iter_rows(values_only=True)
    book.close()
    return [dict(zip(map(str, head), row, strict=True)) for row in rows]


@pytest.mark.covers("R-035", "R-034", "R-028", "R-186", "R-187", "R-188", "R-189")
def test_the_walk_through_of_the_manual(site: Site, tmp_path: Path) -> None:
    world, sport = _fill(site, "world", 3), _fill(site, "sport", 2)
    assert _run(tmp_path, "ensure")["workbook"].endswith("My News.xlsx")
    found = _run(tmp_path, "discovery", "--feed", world, "--feed", sport)
    assert [feed["finding"] for feed in found["feeds"]] == ["ok", "ok"]
    assert _run(tmp_path, "poll")["figures"]["new_items"] == 5
    assert _run(tmp_path, "work", "--worker-id", "my-worker")["figures"]["new_articles"] == 5
    assert [row["status"] for row in _rows(tmp_path)] == ["stored"] * 5
    assert len(list((tmp_path / "texts").rglob("*.txt"))) == 5
    assert [row["command"] for row in _rows(tmp_path, "Diagnostics")] == ["discovery", "poll", "work"]


@pytest.mark.covers("R-183", "R-028")
def test_exit_codes_tell_what_failed(site: Site, tmp_path: Path) -> None:
    refused = _run(tmp_path, "discovery", "--feed", f"{site.url}/none.xml", code=1)
    assert refused["feeds"][0]["finding"] == "http.404"
    assert _run(tmp_path, "ensure", code=2, FRESH_DAYS_LIMIT="soon")["code"] == "bad_setting"
    assert _run(tmp_path, "ensure", code=2, SPREADSHEET_ID="1abc")["code"] == "sheets.key_file"
    assert _run(tmp_path, "work", "--worker-id", "a@b", code=2)["code"] == "bad_worker"
    assert _run(tmp_path, "poll", "--dossier", "nowhere", code=2)["code"] == "no_dossier"


@pytest.mark.covers("R-164", "R-163", "R-236")
@pytest.mark.timeout(120)
def test_several_workers_share_the_load_and_kills_change_nothing(tmp_path: Path) -> None:
    with ExitStack() as stack:
        sites = [stack.enter_context(Site()) for _ in range(3)]
        feeds = [_fill(site, f"paper{number}", 12) for number, site in enumerate(sites)]
        _run(tmp_path, "discovery", *(part for feed in feeds for part in ("--feed", feed)))
        _run(tmp_path, "poll")
        for point in KILLS:
            killed = _start(tmp_path, "work", "--worker-id", "k", PENDING_BATCH_SIZE="5", VEILLE_FAILPOINT=point)
            killed.communicate()
            assert killed.returncode == -9
        workers = [_start(tmp_path, "work", "--worker-id", f"w{number}", "--drain") for number in range(3)]
        shares = [json.loads(worker.communicate()[0])["figures"]["new_articles"] for worker in workers]
        calm = tmp_path / "calm"
        _run(calm, "discovery", *(part for feed in feeds for part in ("--feed", feed)))
        _run(calm, "poll")
        _run(calm, "work", "--worker-id", "calm", "--drain")
    rows = _rows(tmp_path)
    assert [row["row_id"] for row in rows] == list(range(1, 37))
    assert {row["status"] for row in rows} == {"stored"}
    assert len({row["text_hash"] for row in rows}) == 36
    assert 0 < sum(shares) <= 36, "what the killed ones committed is not done again"
    assert _told(tmp_path) == _told(calm), "as if nothing had happened"


def _told(folder: Path) -> list[tuple[str, ...]]:
    """What does not depend on when it was done."""
    raw = "article_url article_url_canon url_hash text_hash title clean_text status retries error_msg aliases".split()
    index = "url_hash text_hash is_duplicate reason rev_n category_guess".split()
    return sorted(
        tuple(str(row[name]) for name in names)
        for sheet, names in (("Raw", raw), ("ArticlesIndex", index))
        for row in _rows(folder, sheet)
    )
