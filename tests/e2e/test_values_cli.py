"""`veille values` as a user types it."""

from __future__ import annotations

from pathlib import Path

from command import Cli
from samples import STORY
from world import Site

HOWTO = Path(__file__).parents[2] / "docs" / "howto" / "follow-a-value.md"


def _tea(site: Site, price: str) -> None:
    site["/tea"] = (
        f"<html lang=en><title>Green tea</title><main><p>{STORY}</p></main><footer><b class=price>{price}</b></footer>"
    )


def test_a_value_is_followed_listed_and_left(cli: Cli, site: Site) -> None:
    _tea(site, "12.90 EUR")
    cli("add", f"{site.url}/tea", "--kind", "page", "--name", "tea")
    cli("values")
    assert "There are no values" in cli.stderr
    added = cli.json("values", "add", "tea", "price", "--selector", ".price")
    assert added["config"]["values"] == {"price": {"selector": ".price"}}
    cli("run")
    _tea(site, "11.50 EUR")
    cli("run")
    (line,) = cli.json("values")
    assert (line["dossier"], line["source_name"], line["title"], line["name"]) == (
        "default", "tea", "Green tea", "price",
    )  # fmt: skip
    assert (line["now"]["number"], line["now"]["unit"], line["before"]["text"]) == (11.5, "EUR", "12.90 EUR")
    assert cli.json("values", "--name", "weight") == []
    assert [one["value"]["number"] for one in cli.json("values", "tea", "--name", "price", "--since", "30d")] == [
        12.9, 11.5,
    ]  # fmt: skip
    for shown in (cli("values"), cli("values", "tea"), cli("values", "show", "tea", "--name", "price")):
        assert "11.50 EUR" in shown
        assert "12.90 EUR" in shown
    assert "values" not in cli.json("values", "delete", "tea", "price")["config"]


def test_mistakes_with_values_say_what_to_do(cli: Cli, site: Site) -> None:
    _tea(site, "12.90 EUR")
    cli("add", f"{site.url}/tea", "--kind", "page", "--name", "tea")
    for given, code in (
        (("add", "tea", "price"), "exactly one of selector, xpath, path, near"),
        (("add", "tea", "price", "--selector", "b", "--near", "a {}"), "exactly one of"),
        (("add", "tea", "price", "--path", "price"), "bad_value"),
        (("delete", "tea", "price"), "no_value"),
        (("show", "coffee"), "no_source"),
        (("tea", "--since", "soon"), "bad_"),
    ):
        cli("values", *given, status=2)
        assert code in cli.stderr, given
    assert cli.json("sources")[0]["config"] == {}
