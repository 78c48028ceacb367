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


#: Items that the search of the rules does not find: they are deep in the answer, beside another list.
ITEMS = [
    {"label": f"Tariff {n} for ferries", "href": f"/tariffs/{n}", "note": f"It costs {n} euros from May."}
    for n in range(6)
]
REARRANGED = {
    "links": [{"title": f"Page {n}", "url": f"/page/{n}", "text": "More of it."} for n in range(9)],
    "response": {"data": {"content": {"rows": ITEMS}}},
}


def _rearranged(watch: Watch) -> str:
    """A source whose answer was arranged in another way; its id."""
    watch.site.json(
        "/tariffs", {"items": [{"title": one["label"], "url": one["href"], "text": one["note"]} for one in ITEMS]}
    )
    source = watch.add("/tariffs", kind="api", result_path="items")
    watch.run()
    watch.site.json("/tariffs", REARRANGED)
    for _ in range(3):
        watch.turn()
    return source.id


def test_paths_of_a_rearranged_answer_are_found_with_an_idea(watch: Watch, oracle: Oracle) -> None:
    right = {"result_path": "response.data.content.rows", "title": "label", "text": "note", "url": "href"}
    oracle.rule = lambda _: {"paths": [{"result_path": "links"}, {"result_path": "nowhere"}, right]}
    source_id = _rearranged(watch)
    source = watch.app.sources.find(watch.dossier_id, source_id)
    (repair,) = watch.app.repairs.all(watch.dossier_id)
    assert (repair.rule, repair.status) == ("found_again", "applied")
    assert source.state is State.UNCHANGED, "it has read the same items again"
    assert "oracle" in repair.proof
    heard = oracle.heard[0]
    assert "response.data.content.rows.*.label 'Tariff 0 for ferries'" in heard.materials["the outline of the answer"]
    assert "Tariff 3 for ferries" in heard.materials["the content as it was"]
    watch.app.repairs.undo(watch.dossier_id, repair.id)
    assert watch.app.sources.find(watch.dossier_id, source_id).config["result_path"] == "items"


@pytest.mark.parametrize(
    "reply",
    [
        {"paths": []},
        {"paths": [{"result_path": "links", "title": "url"}, {"result_path": "response"}]},
        {"paths": "none"},
    ],
)
def test_paths_without_a_proof_change_nothing(watch: Watch, oracle: Oracle, reply: Reply) -> None:
    oracle.rule = lambda _: reply
    source_id = _rearranged(watch)
    assert oracle.heard
    assert watch.app.sources.find(watch.dossier_id, source_id).config["result_path"] == "items"
    assert all(one.rule != "found_again" for one in watch.app.repairs.all(watch.dossier_id))


TALE = "The ferry to the island sails at nine, and in winter at ten, unless there is ice in the sound. " * 8


def _gone(watch: Watch) -> str:
    """A page that is gone, while its site links to it by another name; the id of its source."""
    watch.site["/old/ferries"] = f"<title>Ferries</title><main><h1>Ferries</h1><p>{TALE}</p></main>"
    source = watch.add("/old/ferries", look_twice=False)
    watch.run()
    watch.site["/old/ferries"] = Page(b"gone", status=410)
    watch.site["/crossings"] = f"<title>How to get there</title><main><h1>How to get there</h1><p>{TALE}</p></main>"
    watch.site["/shop"] = "<title>Shop</title><main><p>Buy a hat.</p></main>"
    watch.site["/"] = (
        "<title>The island</title><p>Welcome.</p><a href=/shop>Shop</a> <a href=/crossings>Getting there</a>"
    )
    for _ in range(4):
        watch.turn()
    return source.id


def test_a_page_that_moved_is_found_behind_a_link_that_the_model_chose(watch: Watch, oracle: Oracle) -> None:
    oracle.rule = lambda heard: {
        "addresses": [
            "https://evil.example/",
            *(line.split()[0] for line in heard.materials["the links of the site"].splitlines()),
        ]
    }
    source_id = _gone(watch)
    (repair,) = [one for one in watch.app.repairs.all(watch.dossier_id) if one.rule == "relocated"]
    assert repair.status == "applied"
    assert "oracle" in repair.proof
    assert watch.app.sources.find(watch.dossier_id, source_id).url == f"{watch.site.url}/crossings"
    assert "Ferries" in oracle.heard[0].materials["the content as it was"]
    watch.app.repairs.undo(watch.dossier_id, repair.id)
    assert watch.app.sources.find(watch.dossier_id, source_id).url.endswith("/old/ferries")


@pytest.mark.parametrize("chosen", [[], ["/shop"], ["https://evil.example/"]])
def test_addresses_without_a_proof_change_nothing(watch: Watch, oracle: Oracle, chosen: list[str]) -> None:
    oracle.rule = lambda _: {"addresses": [one if "//" in one else f"{watch.site.url}{one}" for one in chosen]}
    source_id = _gone(watch)
    assert oracle.heard
    assert watch.app.sources.find(watch.dossier_id, source_id).url.endswith("/old/ferries")
    assert all(one.rule != "relocated" for one in watch.app.repairs.all(watch.dossier_id))
