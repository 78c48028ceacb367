"""Things are named by the beginning of their id, or by the number of their row in the last list."""

from __future__ import annotations

from pathlib import Path

import pytest

from command import Cli
from world import Page, Site


@pytest.fixture
def cli(tmp_path: Path, site: Site) -> Cli:
    cli = Cli(tmp_path, XDG_STATE_HOME=str(tmp_path / "state"))
    for name in ("tea", "coffee"):
        site.pages[f"/{name}"] = Page(f"<title>{name}</title><main><p>The price of {name} is 12.".encode())
        cli("add", f"{site.url}/{name}", "--kind", "page", "--name", name, "--dossier", cli_dossier(cli))
    cli("run")
    return cli


def cli_dossier(cli: Cli) -> str:
    if not cli.json("dossiers"):
        cli("dossiers", "add", "shops")
    return "shops"


def test_a_row_of_the_last_list_names_a_source_with_its_dossier(cli: Cli) -> None:
    first = cli("sources").splitlines()[1].split()
    assert first[:3] == ["1", "shops", "tea"]
    cli("sources", "pause", "1")
    assert {one["name"]: one["enabled"] for one in cli.json("sources")} == {"tea": False, "coffee": True}


def test_rows_name_the_sources_of_a_run_and_of_options(cli: Cli, site: Site) -> None:
    cli("dossiers", "add", "other")
    cli("add", f"{site.url}/tea", "--kind", "page", "--name", "other tea", "--dossier", "other")
    rows = {line.split()[2]: line.split()[0] for line in cli("sources", "--dossier", "shops").splitlines()[1:]}
    ran = cli.json("run", rows["tea"], rows["coffee"])["runs"]
    assert {item["url"] for one in ran for item in one["items"]} == {f"{site.url}/tea", f"{site.url}/coffee"}
    ran = cli.json("run", rows["coffee"])["runs"]
    assert [item["url"] for one in ran for item in one["items"]] == [f"{site.url}/coffee"]
    rule = cli.json("rules", "add", "is changed", "--source", rows["coffee"])
    assert rule["sources"] == ["coffee"], "and the dossier is that of the row"
    assert cli.json("reread", "--source", rows["tea"], "--dry-run")
    cli("run", "#9", status=2)
    assert "[no_row]" in cli.stderr


def test_a_row_of_the_changes_names_a_document(cli: Cli) -> None:
    rows = [line.split() for line in cli("changes").splitlines()[1:]]
    number = next(row[0] for row in rows if "coffee" in row)
    assert "The price of coffee" in cli("show", number)
    cli("search", "tea")
    assert "The price of tea" in cli("show", "1"), "the last list counts"
    cli("show", "#7", status=2)
    assert "[no_row]" in cli.stderr


def test_the_beginning_of_an_id_is_enough_if_only_one_begins_so(cli: Cli) -> None:
    tea, coffee = (one["id"] for one in cli.json("sources"))
    shared = next(n for n in range(36) if tea[n] != coffee[n])
    cli("sources", "pause", tea[: shared + 1], "--dossier", "shops")
    assert [one["enabled"] for one in cli.json("sources")] == [False, True]
    cli("sources", "pause", tea[:8], "--dossier", "shops", status=2)
    assert "[ambiguous_source]" in cli.stderr
    assert tea in cli.stderr
    assert coffee in cli.stderr


def test_the_only_dossier_is_meant_where_none_is_named(cli: Cli) -> None:
    assert "The price of tea is 12." in cli("ask", "what is the price of tea?")
    cli("sources", "pause", "tea")
    assert [one["name"] for one in cli.json("dossiers")] == ["shops"], "asking made no other"
    cli("dossiers", "add", "libraries")
    cli("ask", "what is the price of tea?", status=2)
    assert "libraries, shops. [ambiguous_dossier]" in cli.stderr
    cli("dossiers", "add", "default")
    assert cli.json("ask", "what is the price of tea?")["code"] == "no_answer"


def test_rules_channels_and_dossiers_are_named_so_too(cli: Cli, site: Site) -> None:
    rule = cli.json("rules", "add", "price < 12", "--dossier", "shops")["id"]
    channel = cli.json("channels", "add", "me", f"{site.url}/hook", "--dossier", "shops")["id"]
    dossier = cli.json("dossiers")[0]["id"]
    assert not cli.json("rules", "pause", rule[:20], "--dossier", dossier[:20])["enabled"]
    cli("channels")
    cli("rules")
    assert cli.json("rules", "resume", "1")["enabled"]
    assert cli.json("channels", "pause", "1")["id"] == channel
