"""When a source breaks, as a user sees it."""

from __future__ import annotations

import pytest

from command import Cli
from world import Page, Site

TEXT = "The ferry to the outer islands leaves at dawn and comes back after dark, every day but Sunday. " * 5


@pytest.mark.covers("R-167", "R-169", "R-176")
def test_repairs_are_listed_with_reasons_undone_and_applied_again(cli: Cli, site: Site) -> None:
    site.article("/old", "The ferry", TEXT)
    cli("add", f"{site.url}/old", "--name", "Ferry", "--yes")
    cli("run")
    site["/old"] = Page(b"", status=308, headers={"Location": "/new"})
    site.article("/new", "The ferry", TEXT)
    cli("run")
    assert cli.json("repairs") == []
    cli("run")
    (moved,) = cli.json("repairs")
    assert (moved["rule"], moved["status"], moved["dossier"]) == ("moved", "applied", "default")
    assert (moved["before"], moved["after"]) == ({"url": f"{site.url}/old"}, {"url": f"{site.url}/new"})
    assert "The last 2 checks" in moved["proof"]
    shown = cli("repairs")
    assert "Ferry" in shown
    assert moved["id"][-12:] in shown
    cli("repairs", "undo", moved["id"][-12:])
    assert [source["url"] for source in cli.json("sources")] == [f"{site.url}/old"]
    assert cli.json("repairs", "apply", moved["id"])["status"] == "applied"
    assert "no_repair" in _complaint(cli, "repairs", "undo", "*")
    assert "repair_done" in _complaint(cli, "repairs", "apply", moved["id"])


@pytest.mark.covers("R-172", "R-209", "R-210", "R-211")
def test_a_broken_source_is_probed_swept_and_reset(cli: Cli, site: Site) -> None:
    cli("add", f"{site.url}/new", "--kind", "page", "--name", "Ferry")
    cli("run", status=1)
    cli("run", status=1)
    assert [source["state"] for source in cli.json("sources", "--failing")] == ["broken"]
    assert cli.json("doctor", status=1)["dossiers"][0]["healthy"] is False
    (swept,) = cli.json("sweep")
    assert (swept["status_code"], swept["recovered"], swept["state"]) == (404, False, "broken")
    assert cli.json("probe", f"{site.url}/new", status=1)["status_code"] == 404
    site.article("/new", "The ferry", TEXT)
    assert cli.json("probe", f"{site.url}/new") == {
        "url": f"{site.url}/new", "status_code": 200, "ok": True, "code": "", "error": "",
    }  # fmt: skip
    assert cli.json("reset", "Ferry")["state"] == "pending"
    cli("run", "--due")
    assert [source["state"] for source in cli.json("sources")] == ["ok"]
    assert cli.json("sources", "--failing") == []


def test_a_schedule_is_given_shown_and_changed(cli: Cli, site: Site) -> None:
    site.article("/ferry", "The ferry", TEXT)
    added = cli.json("add", f"{site.url}/ferry", "--cron", "0 6 * * *", "--kind", "page", "--set", "tags=sea")
    assert (added["cron"], added["config"]["tags"]) == ("0 6 * * *", ["sea"])
    assert "at 0 6 * * *" in cli("sources")
    changed = cli.json("sources", "edit", added["url"], "--every", "2h", "--set", "delay_s=2")
    assert (changed["cron"], changed["interval_ms"]) == ("", 7_200_000)
    assert changed["config"] == {"tags": ["sea"], "delay_s": 2.0}
    cli("sources", "edit", added["url"], "--adaptive", "--unset", "tags")
    (last,) = cli.json("sources")
    assert (last["pace_ms"], last["config"], last["name"]) == (7_200_000, {"delay_s": 2.0}, added["name"])
    assert "bad_option" in _complaint(cli, "sources", "edit", added["url"], "--set", "nonsense=1")
    assert "bad_cron" in _complaint(cli, "add", f"{site.url}/b", "--cron", "often")
    assert "bad_option" in _complaint(cli, "add", f"{site.url}/b", "--cron", "0 6 * * *", "--every", "1h")


def _complaint(cli: Cli, *arguments: str) -> str:
    cli(*arguments, status=2)
    return cli.stderr
