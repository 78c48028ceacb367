"""`veille news analyse`, as a user types it, into either kind of workbook: killed and undisturbed."""

from __future__ import annotations

import json
import shutil
import signal
from collections.abc import Iterator
from copy import deepcopy
from pathlib import Path
from typing import Any

import pytest

from oracle import Heard, Oracle, Reply
from presses import Desk, print_paper
from sheets_server import SheetsServer
from world import Site

#: More than are analysed at once.
ARTICLES = 30
#: When it was done is all that may differ.
TIMES = frozenset({"analysed_at"})

pytestmark = pytest.mark.timeout(240)


@pytest.fixture
def google() -> Iterator[SheetsServer]:
    with SheetsServer() as server:
        yield server


def _ready(folder: Path, google: SheetsServer | None, feed: str, **settings: str) -> Desk:
    """A desk with all articles stored."""
    desk = Desk(folder, google, MAX_ITEMS_PER_FEED_PER_POLL="1000", **settings)
    desk.discover(feed)
    desk("poll")
    desk("work", "--worker-id", "w", "--drain")
    return desk


def _twin(desk: Desk) -> Desk:
    """The same articles under the same numbers, with a workbook of their own."""
    folder = desk.folder.with_name("disturbed")
    shutil.copytree(desk.folder, folder)
    twin = Desk(folder, desk.google, **{name: text for name, text in desk.settings.items() if "model" in name.lower()})
    if desk.google is not None:
        desk.google.books[folder.name] = deepcopy(desk.google.books[desk.folder.name])
    return twin


def _analyses(desk: Desk) -> list[dict[str, Any]]:
    return [{name: cell for name, cell in row.items() if name not in TIMES} for row in desk.rows("Analyses")]


def _killed(desk: Desk, where: str) -> None:
    process = desk.start("analyse", VEILLE_FAILPOINT=f"{where}:kill")
    process.communicate()
    assert process.returncode == -signal.SIGKILL


@pytest.mark.covers("R-240", "R-241")
@pytest.mark.parametrize("kind", ["file", "sheets"])
def test_killed_twice_the_sheet_is_as_if_it_had_not_been(
    site: Site, google: SheetsServer, tmp_path: Path, kind: str
) -> None:
    feed, where = print_paper(site, "world", ARTICLES), google if kind == "sheets" else None
    calm = _ready(tmp_path / "calm", where, feed)
    disturbed = _twin(calm)
    done = calm.process("analyse")
    assert (done["articles"], done["run"]["analysed"], done["run"]["by_model"]) == (ARTICLES, ARTICLES, 0)
    _killed(disturbed, "after_analyses")
    _killed(disturbed, "before_outbox_mark")
    disturbed.process("analyse")
    rows = _analyses(calm)
    assert _analyses(disturbed) == rows
    assert [row["row_id_raw"] for row in rows] == list(range(1, ARTICLES + 1))
    assert {row["prompt_version"] for row in rows} == {"rules-1"}
    assert all(row["summary"] and row["keywords"] and row["topics"] and row["sentiment_label"] for row in rows)
    again = calm("analyse")
    assert (again["run"]["analysed"], again["synced"]["written"]) == (0, 0), "only new and changed articles"


def _said(heard: Heard) -> Reply:
    """A good answer about the document it was given."""
    title = heard.materials["document"].split("\n")[0]
    return {
        "summary": f"The parliament voted for a bill about {title}, and the government will sign it.",
        "tone": 0.4,
        "keywords": ["parliament", title, "unicorns"],
        "topics": ["politics", "http://spam.example/buy now"],
        "names": [{"text": "Nobody Mentioned", "kind": "person"}],
    }


@pytest.mark.covers("R-240")
@pytest.mark.parametrize("kind", ["file", "sheets"])
def test_with_a_model_every_article_is_paid_for_once_and_what_is_not_in_the_text_is_left_out(
    site: Site, google: SheetsServer, tmp_path: Path, kind: str
) -> None:
    feed, where = print_paper(site, "world", 12), google if kind == "sheets" else None
    oracle = Oracle(site, rule=_said)
    model = {
        "VEILLE_MODEL__KIND": "openai",
        "VEILLE_MODEL__OPTIONS": json.dumps(oracle.settings["options"]),
    }
    calm = _ready(tmp_path / "calm", where, feed, **model)
    disturbed = _twin(calm)
    done = calm.process("analyse")
    assert (done["run"]["by_model"], done["run"]["version"], len(oracle.heard)) == (12, "analyse/1", 12)
    _killed(disturbed, "before_analyses")
    _killed(disturbed, "before_outbox_mark")
    disturbed.process("analyse")
    rows = _analyses(calm)
    assert _analyses(disturbed) == rows
    assert len(oracle.heard) == 24, "what was answered before it was killed is not asked for again"
    assert {row["model"] for row in rows} == {"openai:oracle"}
    assert all(str(row["title"]) in str(row["summary"]) for row in rows)
    assert not any("unicorns" in str(row) or "Nobody" in str(row) or "spam" in str(row) for row in rows)


@pytest.mark.covers("R-240")
def test_a_changed_article_and_another_prompt_have_rows_of_their_own(site: Site, tmp_path: Path) -> None:
    feed = print_paper(site, "world", 3)
    desk = _ready(tmp_path, None, feed)
    desk("analyse")
    before = {row["row_id_raw"]: row for row in desk.rows("Analyses")}
    oracle = Oracle(site, rule=_said)
    model = {"VEILLE_MODEL__KIND": "openai", "VEILLE_MODEL__OPTIONS": json.dumps(oracle.settings["options"])}
    desk.settings |= model
    desk("analyse")
    rows = desk.rows("Analyses")
    assert [row["analysis_id"] for row in rows] == [
        *(f"{number}:rules-1" for number in (1, 2, 3)),
        *(f"{number}:analyse/1" for number in (1, 2, 3)),
    ]
    assert [row for row in rows if row["prompt_version"] == "rules-1"] == list(before.values()), "old rows stay"
