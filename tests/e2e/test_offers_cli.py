"""What all dossiers are offered, as the operator sees to it at the command line."""

from __future__ import annotations

import json
from typing import Any

import pytest

from command import Cli
from world import Site

LONG = "The ferry to the outer islands leaves at dawn and comes back after dark, every day but Sunday. " * 3


def _file(cli: Cli, record: object) -> str:
    path = cli.folder / "engine.json"
    path.write_text(json.dumps(record), encoding="utf-8")
    return str(path)


def _engines(cli: Cli, *where: str) -> dict[str, dict[str, Any]]:
    return {one["id"]: one for one in cli.json(*where, "engines")}


@pytest.mark.covers("R-031")
def test_an_engine_is_offered_to_all_dossiers_changed_and_withdrawn(cli: Cli, site: Site) -> None:
    record = {"id": "city", "url_template": f"{site.url}/find?q={{query}}", "headers": {"X-Key": "in clear"}}
    assert cli.json("offers", "engines", "add", _file(cli, record))["headers"] == {"X-Key": "***"}
    cli("dossiers", "add", "one", "two")
    for dossier in ("one", "two"):
        assert "city" in {one["id"] for one in cli.json("engines", "--dossier", dossier)}
    shown = _engines(cli, "offers")["city"]
    assert shown["created_at"]
    # What was shown is sent back with a change, and the key is still there.
    changed = cli.json("offers", "engines", "add", _file(cli, shown | {"name": "The City"}))
    assert changed["name"] == "The City"
    site.json("/find?q=ferry", [{"title": "Ferry", "url": f"{site.url}/ferry", "text": LONG}])
    cli("questions", "add", "ferry", "-c", "city", "--snippets", "--dossier", "one")
    cli("run")
    assert [seen.headers["X-Key"] for seen in site.seen] == ["in clear"]
    assert cli.json("offers", "engines", "delete", "city") == {"id": "city", "status": "deleted"}
    assert "city" not in {one["id"] for one in cli.json("engines", "--dossier", "two")}
    cli("offers", "engines", "delete", "city", status=2)
    assert "no_engine" in cli.stderr
    cli("offers", "engines", "add", _file(cli, [1]), status=2)
    assert "bad_engine" in cli.stderr
    actions = [line["action"] for line in cli.json("audit") if line["action"].startswith("engine.")]
    assert actions == ["engine.delete", "engine.put", "engine.put"]


@pytest.mark.covers("R-031")
def test_an_engine_that_comes_along_is_switched_for_all_and_a_dossier_has_the_last_word(cli: Cli) -> None:
    assert _engines(cli, "offers")["ddg_html"]["created_at"] is None
    assert cli.json("offers", "engines", "enable", "ddg_html")["enabled"] is True
    assert _engines(cli)["ddg_html"]["enabled"] is True
    cli("engines", "enable", "ddg_html")
    assert cli.json("offers", "engines", "disable", "ddg_html")["enabled"] is False
    assert _engines(cli)["ddg_html"]["enabled"] is True
    assert "off" in cli("offers", "engines")


@pytest.mark.covers("R-030")
def test_a_ready_made_source_is_offered_changed_switched_off_and_withdrawn(cli: Cli, site: Site) -> None:
    site.feed("/f.rss", [("/one", "An entry about ferries", LONG)])
    made = cli.json(
        "offers", "sources", "add", f"{site.url}/f.rss", "-n", "Ferries", "-c", "sea", "-s", "follow_links=false"
    )
    assert (made["kind"], made["every"], made["config"]) == ("feed", "1h", {"follow_links": False})
    cli("offers", "sources", "add", f"{site.url}/f.rss", status=2)
    assert "entry_exists" in cli.stderr
    edited = cli.json("offers", "sources", "edit", "Ferries", "--every", "6h", "--unset", "follow_links")
    assert edited == made | {"every": "6h", "config": {}}
    assert cli.json("offers", "sources", "disable", made["id"])["enabled"] is False
    assert "Ferries" not in cli("catalogue")
    assert "Ferries" in cli("offers", "sources")
    cli("offers", "sources", "enable", "Ferries")
    assert [one["added"] for one in cli.json("catalogue", "add", "sea")] == [True]
    assert cli.json("offers", "sources", "delete", "Ferries") == {"id": made["id"], "status": "deleted"}
    assert [one["name"] for one in cli.json("sources")] == ["Ferries"], "who watches it goes on"
    cli("offers", "sources", "delete", "Ferries", status=2)
    assert "no_entry" in cli.stderr


def test_a_name_that_two_have_is_not_enough_and_bad_ones_are_refused(cli: Cli, site: Site) -> None:
    for path in ("/a", "/b"):
        cli("offers", "sources", "add", site.url + path, "-n", "Twins")
    cli("offers", "sources", "delete", "Twins", status=2)
    assert "ambiguous_entry" in cli.stderr
    cli("offers", "sources", "delete", f"{site.url}/b")
    cli("offers", "sources", "delete", "Twins")
    for arguments, code in (
        (("ftp://example.org/x",), "unsafe_address"),
        (("http://db/x",), "unsafe_address"),
        (("https://example.org/x", "--kind", "nothing"), "unknown_extension"),
        (("https://example.org/x", "--every", "1s"), "bad_interval"),
    ):
        cli("offers", "sources", "add", *arguments, status=2)
        assert code in cli.stderr


def test_help_shows_examples(cli: Cli) -> None:
    for command in ((), ("engines",), ("engines", "add"), ("sources",), ("sources", "add"), ("sources", "edit")):
        assert "Example" in cli("offers", *command, "--help"), command
