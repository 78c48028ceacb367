"""Everything that leaves as JSON is as its documented schema says, and every field is documented."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator, ValidationError

from command import run_here
from receiver import SECRET, Receiver, answer
from veille.core.outgoing.export_record import FIELDS
from veille.interfaces.cli import main as start_veille
from watching import Watch
from world import Page, Site

REFERENCE = Path(__file__).parent.parent.parent / "docs" / "reference"


def _check(name: str, value: Any) -> None:
    schema = json.loads((REFERENCE / "schemas" / f"{name}.json").read_text())
    Draft202012Validator.check_schema(schema)
    Draft202012Validator(schema, format_checker=Draft202012Validator.FORMAT_CHECKER).validate(value)


@pytest.fixture
def watch(site: Site, tmp_path: Path) -> Iterator[Watch]:
    """A dossier with something new, changed and removed, and a receiver that failed once."""
    receiver = Receiver(site)
    sinks = {"hook": {"kind": "webhook", "url": receiver.url, "secret": SECRET, "batch": 2}}
    with Watch(site, tmp_path, sinks=sinks) as watching:
        site.feed("/feed", [("/a", "One", "Text a"), ("/b", "Two", "Text b")])
        site.article("/page", "A page", "The old bridge is closed. " * 9)
        watching.add("/feed")
        watching.add("/page")
        watching.run()
        site.article("/page", "A page", "The new bridge is open now. " * 9)
        watching.turn()
        watching.turn()
        site["/page"] = Page(b"", status=410)
        watching.turn()
        receiver.moods.append(answer(500))
        watching.deliver()
        watching.app.deliver([watching.dossier_id], at_once=True)
        assert len(receiver.changes) == 5
        for body in receiver.bodies:
            _check("webhook", body)
        yield watching


def _veille(watch: Watch, *arguments: str) -> str:
    command = ["veille", "--data", str(watch.folder / "data"), *arguments]
    status, out, errors = run_here(start_veille, command, {"VEILLE_BUFFER_DIR": str(watch.folder / "buffer")})
    assert status == 0, errors
    return out


def test_every_answer_in_json_is_as_its_schema_says(watch: Watch) -> None:
    changes = json.loads(_veille(watch, "changes", "--json"))
    assert [change["change"] for change in changes["changes"]].count("removed") == 1
    _check("changes", changes)
    _check("deliver", json.loads(_veille(watch, "deliver", "--json")))
    deliveries = json.loads(_veille(watch, "deliveries", "--json"))
    assert {one["code"] for one in deliveries} == {"", "sink.webhook"}
    _check("deliveries", deliveries)
    _check("export", json.loads(_veille(watch, "export", "--json", "--out", str(watch.folder / "x"))))
    _check(
        "sources-export", json.loads(_veille(watch, "sources", "export", "--json", "--opml", str(watch.folder / "y")))
    )
    for url in (f"{watch.site.url}/a", f"{watch.site.url}/page"):
        chunks = json.loads(_veille(watch, "chunks", url, "--size", "16", "--overlap", "0", "--json"))
        assert chunks
        _check("chunks", chunks)
    for options in ((), ("--since", "0"), ("--since", "3")):
        lines = _veille(watch, "export", *options).splitlines()
        assert lines
        for line in lines:
            _check("record", json.loads(line))


@pytest.mark.parametrize(
    "command",
    [
        ("changes", "--since", "nonsense"),
        ("export",),
        ("export", "--format", "telepathy", "--out", "x"),
        ("deliver", "--dossier", "nobody"),
        ("deliveries", "--dossier", "nobody"),
        ("sources", "export", "--opml", "/no/such/folder/x"),
    ],
    ids=" ".join,
)
def test_a_command_that_cannot_run_says_so_as_its_schema_says(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, command: tuple[str, ...]
) -> None:
    monkeypatch.chdir(tmp_path)
    status, out, errors = run_here(start_veille, ["veille", "--data", str(tmp_path / "data"), *command, "--json"], {})
    assert (status, out) == (2, "")
    _check("error", json.loads(errors))


def test_changes_can_be_followed_page_by_page(watch: Watch) -> None:
    seen: list[int] = []
    cursor = "0"
    while True:
        page = json.loads(_veille(watch, "changes", "--since", cursor, "--limit", "2", "--json"))
        if not page["changes"]:
            break
        seen += [change["seq"] for change in page["changes"]]
        cursor = page["cursor"]
    assert seen == [1, 2, 3, 4, 5]
    assert cursor == f"{watch.dossier_id}:5"
    assert _veille(watch, "export", "--since", cursor) == ""


def test_a_schema_refuses_what_it_does_not_know() -> None:
    with pytest.raises(ValidationError):
        _check("changes", {"changes": [], "cursor": "0", "more": 1})
    with pytest.raises(ValidationError):
        _check("webhook", {"changes": []})


def test_every_field_is_documented_in_its_order() -> None:
    page = (REFERENCE / "exchange.md").read_text()
    table = page.partition("## Formats")[0]
    assert re.findall(r"^\| `(\w+)` \|", table, re.MULTILINE) == list(FIELDS)
