"""A language model is asked where the content is now: its ideas are tried, and nothing else of it counts."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from oracle import Oracle, Reply
from veille.core.models import State
from watching import Watch
from world import Page, Site

pytestmark = pytest.mark.covers("R-180")

TABLE = "".join(
    f"<tr><td>Line {n} of the tariff for ferries and small boats</td><td>{n} euros</td></tr>" for n in range(12)
)
NOISE = "<p>" + "Something quite different stands between its lines now, and much of it. " * 6 + "</p>"
#: No element has all of it and little else: a search finds nothing, but a person would see what the lines are.
NEW = "".join(
    f"<div class=tariff-line>Line {n} of the tariff for ferries and small boats {n} euros from May on</div>{NOISE}"
    for n in range(12)
)


@pytest.fixture
def oracle(site: Site) -> Oracle:
    return Oracle(site)


@pytest.fixture
def watch(site: Site, oracle: Oracle, tmp_path: Path) -> Iterator[Watch]:
    with Watch(site, tmp_path, model=oracle.settings | {"timeout_s": 10}) as watched:
        yield watched


def _redesigned(watch: Watch) -> str:
    """A source whose table became something else; its id."""
    watch.site["/t"] = f"<title>Tariff</title><table id=tariff>{TABLE}</table>"
    source = watch.add("/t", mode="css", selectors=["#tariff"], look_twice=False)
    watch.run()
    watch.site["/t"] = f"<title>Tariff</title><main>{NEW}</main>"
    for _ in range(3):
        watch.turn()
    return source.id


def _outcome(watch: Watch, source_id: str) -> tuple[State, list[str], list[str]]:
    source = watch.app.sources.find(watch.dossier_id, source_id)
    repairs = watch.app.repairs.all(watch.dossier_id)[::-1]
    return source.state, source.config.get("selectors", []), [f"{one.rule} {one.status}" for one in repairs]


def test_an_idea_that_gives_what_was_there_is_applied_with_its_proof_and_can_be_undone(
    watch: Watch, oracle: Oracle
) -> None:
    oracle.rule = lambda _: {"selectors": ["#nowhere", ".tariff-line", "body"]}
    source_id = _redesigned(watch)
    assert _outcome(watch, source_id) == (State.OK, [".tariff-line"], ["found_again applied"])
    (repair,) = watch.app.repairs.all(watch.dossier_id)
    assert "oracle" in repair.proof
    heard = oracle.heard[0]
    assert "div.tariff-line" in heard.materials["the outline of the page"]
    assert "Line 3 of the tariff" in heard.materials["the content as it was"]
    watch.app.repairs.undo(watch.dossier_id, repair.id)
    assert _outcome(watch, source_id)[1:] == (["#tariff"], ["found_again undone"])


@pytest.mark.parametrize(
    "reply",
    [
        "I cannot help with that.",
        {"selectors": []},
        {"selectors": ["p[", "body > *", "#nothing", "p", ""]},
        Page(b"{}", status=500, validates=False),
    ],
)
def test_ideas_without_a_proof_change_nothing(watch: Watch, oracle: Oracle, reply: Reply) -> None:
    oracle.rule = lambda _: reply
    source_id = _redesigned(watch)
    state, selectors, repairs = _outcome(watch, source_id)
    assert (selectors, repairs) == (["#tariff"], ["drifted applied"])
    assert state is State.OK
