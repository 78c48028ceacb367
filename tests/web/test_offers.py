"""What administrators offer to all dossiers: search engines and ready-made sources."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from samples import STORY
from service import Client, Here
from world import Asked, Page, Site

ENGINES = "/api/admin/engines"
REGISTRY = "/api/admin/source-registry"
ENTRY_FIELDS = {
    "id", "name", "url", "source_type", "category", "config_json", "description", "fetch_interval", "enabled",
    "created_at", "updated_at",
}  # fmt: skip
ENGINE_FIELDS = {
    "id", "name", "strategy", "url_template", "api_config", "selectors", "rate_limit_ms", "max_pages", "enabled",
    "created_at", "updated_at",
}  # fmt: skip


@pytest.fixture
def house(tmp_path: Path) -> Iterator[Here]:
    with Here(tmp_path) as office:
        yield office


def _by_id(records: list[dict[str, Any]]) -> dict[str, dict[str, Any]]:
    return {one["id"]: one for one in records}


def _dossier(who: Client, name: str) -> str:
    return f"/api/dossiers/{who.post('/api/dossiers', {'name': name}, 201)['id']}"


@pytest.mark.covers("R-031")
def test_the_engines_that_come_along_are_listed_by_name(house: Here) -> None:
    admin = house.person("root@example.org", is_admin=True)
    found = admin.get(ENGINES)
    assert [one["name"] for one in found] == sorted(one["name"] for one in found)
    assert all(set(one) == ENGINE_FIELDS for one in found)
    enabled = {one["id"]: one["enabled"] for one in found}
    assert (enabled["brave_api"], enabled["ddg_html"], enabled["scholar"]) == (True, False, False)
    brave = json.loads(_by_id(found)["brave_api"]["api_config"])
    assert brave["headers"]["X-Subscription-Token"] == "${secret:BRAVE_API_KEY}"
    assert brave["result_path"] == "web.results"
    assert json.loads(_by_id(found)["ddg_html"]["selectors"])["result_item"] == ".result"


CITY = {
    "name": "The City",
    "api_config": json.dumps({"headers": {"X-Key": "plain-key-1"}, "result_path": "hits"}),
    "rate_limit_ms": 0,
}


@pytest.mark.covers("R-031")
def test_an_engine_is_offered_and_withdrawn_for_all_dossiers(house: Here) -> None:
    admin, ann = house.person("root@example.org", is_admin=True), house.robot("ann@example.org")
    news, wish = _dossier(ann, "news"), CITY | {"url_template": "https://example.org/?q={query}"}
    assert admin.post(ENGINES, wish, 201) == {"id": "the_city", "name": "The City"}
    assert admin.post(ENGINES, wish, 409)["code"] == "engine_exists"
    listed = _by_id(admin.get(ENGINES))["the_city"]
    assert (listed["strategy"], listed["enabled"], listed["created_at"] > 0) == ("api", True, True)
    assert "the_city" in _by_id(ann.get(f"{news}/engines"))
    assert "plain-key-1" not in json.dumps([listed, ann.get(f"{news}/engines")])
    assert admin.delete(f"{ENGINES}/the_city") == {"status": "deleted"}
    admin.delete(f"{ENGINES}/the_city", 404)
    admin.put(f"{ENGINES}/the_city", {"max_pages": 2}, 404)
    assert "the_city" not in _by_id(ann.get(f"{news}/engines"))


def test_questions_go_on_with_an_engine_as_it_is_changed_and_hidden_keys_stay(house: Here, site: Site) -> None:
    admin, ann = house.person("root@example.org", is_admin=True), house.robot("ann@example.org")
    news, keys = _dossier(ann, "news"), []

    def answer(asked: Asked) -> Page:
        keys.append((asked.query, asked.headers["X-Key"]))
        hit = {"title": "Hit", "url": f"{site.url}/r", "description": STORY}
        return Page(json.dumps({"hits": [hit]}).encode(), type="application/json")

    site.made["/find"] = site.made["/search"] = answer
    admin.post(ENGINES, CITY | {"url_template": f"{site.url}/find?q={{query}}"}, 201)
    wish = {"text": "bridge", "channels": '["the_city"]', "follow_links": False}
    run = f"{news}/questions/{ann.post(f'{news}/questions', wish, 201)['id']}/run"
    assert ann.post(run) == {"status": "ok", "new_results": 1}
    # What was shown is sent back as it was, and the key is still there.
    before = _by_id(admin.get(ENGINES))["the_city"]
    sent = {name: before[name] for name in ("name", "api_config", "selectors", "max_pages", "enabled")}
    for change in (sent | {"url_template": f"{site.url}/search?w={{query}}"}, {"max_pages": 2}):
        assert admin.put(f"{ENGINES}/the_city", change) == {"id": "the_city", "status": "updated"}
    after = _by_id(admin.get(ENGINES))["the_city"]
    assert (after["max_pages"], after["api_config"]) == (2, before["api_config"])
    ann.post(run)
    assert keys == [({"q": "bridge"}, "plain-key-1"), ({"w": "bridge"}, "plain-key-1")]
    elsewhere = {"url_template": "https://example.org/?q={query}"}
    for change in (sent | elsewhere, elsewhere):
        assert admin.put(f"{ENGINES}/the_city", change, 400)["code"] == "bad_engine"
    inside = CITY | {"id": "inside", "url_template": "http://db/?q={query}"}
    assert admin.post(ENGINES, inside, 400)["code"] == "unsafe_address"


@pytest.mark.covers("R-031")
def test_what_comes_along_can_be_changed_withdrawn_and_brought_back(house: Here) -> None:
    admin, ann = house.person("root@example.org", is_admin=True), house.robot("ann@example.org")
    news = _dossier(ann, "news")
    admin.put(f"{ENGINES}/scholar", {"enabled": True})
    assert _by_id(ann.get(f"{news}/engines"))["scholar"]["enabled"]
    # A dossier's own choice comes first.
    ann.put(f"{news}/engines/scholar", {"enabled": False})
    admin.put(f"{ENGINES}/scholar", {"max_pages": 3})
    assert not _by_id(ann.get(f"{news}/engines"))["scholar"]["enabled"]
    assert _by_id(admin.get(ENGINES))["scholar"]["enabled"]
    before = _by_id(admin.get(ENGINES))["ddg_html"]
    admin.delete(f"{ENGINES}/ddg_html")
    assert "ddg_html" not in _by_id(admin.get(ENGINES))
    assert "ddg_html" not in _by_id(ann.get(f"{news}/engines"))
    again = {name: before[name] for name in ("id", "name", "strategy", "url_template", "api_config", "selectors")}
    assert admin.post(ENGINES, again, 201) == {"id": "ddg_html", "name": "DuckDuckGo HTML"}
    assert "ddg_html" in _by_id(ann.get(f"{news}/engines"))


WRONG_ENGINES: dict[str, dict[str, Any]] = {
    "no place for the words": {"url_template": "https://example.org/"},
    "no web address": {"url_template": "ftp://example.org/{query}"},
    "a page without selectors": {"strategy": "generic"},
    "no JSON": {"api_config": "{"},
    "no object": {"selectors": "[]"},
    "beside and inside": {"api_config": '{"enabled": false}'},
    "unknown option": {"api_config": '{"colour": "red"}'},
    "unknown field": {"colour": "red"},
    "bad id": {"id": "A B"},
    "no name": {"name": ""},
    "a secret in the address": {"url_template": "https://example.org/{query}?key=${secret:K}"},
}


@pytest.mark.parametrize("what", WRONG_ENGINES)
def test_an_engine_that_cannot_be_asked_is_refused(office: Here, what: str) -> None:
    admin = office.person("root@example.org", is_admin=True)
    right = {"name": "E", "url_template": "https://example.org/?q={query}"}
    before = admin.get(ENGINES)
    assert set(admin.post(ENGINES, right | WRONG_ENGINES[what], 400)) == {"error", "code"}
    assert admin.get(ENGINES) == before


FERRIES = {
    "name": "Ferries",
    "url": "https://example.org/ferries.json",
    "source_type": "api",
    "config_json": json.dumps({"headers": {"X-Key": "plain-key-2"}}),
    "category": "islands",
    "description": "All of them.",
}


@pytest.mark.covers("R-030")
def test_a_ready_made_source_is_offered_and_withdrawn(house: Here) -> None:
    admin, ann = house.person("root@example.org", is_admin=True), house.robot("ann@example.org")
    made = admin.post(REGISTRY, FERRIES, 201)
    assert (set(made), made["name"]) == ({"id", "name"}, "Ferries")
    assert admin.post(REGISTRY, FERRIES | {"url": "HTTPS://Example.org/ferries.json#x"}, 409)["code"] == "entry_exists"
    entries = admin.get(REGISTRY)
    assert entries == sorted(entries, key=lambda entry: (entry["category"], entry["name"]))
    assert all(set(one) == ENTRY_FIELDS for one in entries)
    mine = _by_id(entries)[made["id"]]
    assert (mine["category"], mine["description"], mine["fetch_interval"]) == ("islands", "All of them.", 3_600_000)
    assert "plain-key-2" not in json.dumps(entries) + json.dumps(ann.get("/api/source-registry"))
    where = f"{REGISTRY}/{made['id']}"
    assert admin.delete(where) == {"status": "deleted"}
    admin.delete(where, 404)
    admin.put(where, {}, 404)
    assert made["id"] not in _by_id(ann.get("/api/source-registry"))


@pytest.mark.covers("R-030")
def test_dossiers_pick_a_ready_made_source_as_it_was_changed(house: Here) -> None:
    admin, ann = house.person("root@example.org", is_admin=True), house.robot("ann@example.org")
    news, made = _dossier(ann, "news"), admin.post(REGISTRY, FERRIES, 201)
    where, pick = f"{REGISTRY}/{made['id']}", f"{news}/sources/from-registry/{made['id']}"
    shown = _by_id(admin.get(REGISTRY))[made["id"]]
    sent_back = {"config_json": shown["config_json"], "fetch_interval": 5_400_000, "name": "Ferries 2"}
    assert admin.put(where, sent_back) == {"id": made["id"], "status": "updated"}
    for sent in ({}, sent_back):
        assert admin.put(where, sent | {"url": "https://example.com/mine"}, 400)["code"] == "headers_elsewhere"
    source = ann.post(pick, status=201)
    assert (source["name"], source["fetch_interval"], source["source_type"]) == ("Ferries 2", 5_400_000, "api")
    with house.program() as app:
        (kept,) = app.sources.all(news.rpartition("/")[2])
    assert kept.config["headers"] == {"X-Key": "plain-key-2"}
    assert ann.post(f"{news}/catalogue/islands") == {"category": "islands", "added": 0, "skipped": 1}
    admin.put(where, {"enabled": False})
    assert made["id"] in _by_id(admin.get(REGISTRY))
    assert made["id"] not in _by_id(ann.get("/api/source-registry"))
    ann.post(pick, status=404)
    ann.post(f"{news}/catalogue/islands", status=404)
    admin.delete(where)
    assert len(ann.get(f"{news}/sources")) == 1


def test_a_ready_made_source_that_comes_along_is_withdrawn_for_good(tmp_path: Path) -> None:
    with Here(tmp_path) as house:
        admin = house.person("root@example.org", is_admin=True)
        entry = admin.get(REGISTRY)[0]
        assert entry["created_at"] == 0
        admin.put(f"{REGISTRY}/{entry['id']}", {"category": "moved"})
        admin.delete(f"{REGISTRY}/{admin.get(REGISTRY)[-1]['id']}")
    with Here(tmp_path) as again:
        admin = again.person("root@example.org", is_admin=True)
        assert _by_id(admin.get(REGISTRY))[entry["id"]]["category"] == "moved"
        assert len(admin.get(REGISTRY)) == 14


WRONG_ENTRIES: dict[str, dict[str, Any]] = {
    "private": {"url": "http://10.0.0.1/"},
    "file": {"url": "file:///etc/passwd"},
    "no address": {"url": "nowhere"},
    "bad type": {"source_type": "telepathy"},
    "a question": {"source_type": "question"},
    "often": {"fetch_interval": 59_999},
    "seldom": {"fetch_interval": 604_800_001},
    "no JSON": {"config_json": "{"},
    "long category": {"category": "x" * 101},
    "long description": {"description": "x" * 2001},
    "unknown option": {"config_json": '{"colour": "red"}'},
    "a secret in the address": {"url": "https://example.org/?key=${secret:K}"},
}


@pytest.mark.parametrize("what", WRONG_ENTRIES)
def test_a_ready_made_source_that_cannot_be_watched_is_refused(office: Here, what: str) -> None:
    admin = office.person("root@example.org", is_admin=True)
    before = admin.get(REGISTRY)
    answer = admin.post(REGISTRY, {"name": "E", "url": "https://example.org/e"} | WRONG_ENTRIES[what], 400)
    assert set(answer) == {"error", "code"}
    admin.put(f"{REGISTRY}/{before[0]['id']}", WRONG_ENTRIES[what], 400)
    assert admin.get(REGISTRY) == before


def test_offers_are_in_the_audit_log(house: Here) -> None:
    admin = house.person("root@example.org", is_admin=True)
    admin.put(f"{ENGINES}/scholar", {"enabled": True})
    admin.delete(f"{REGISTRY}/{admin.get(REGISTRY)[0]['id']}")
    actions = [line["action"] for line in admin.get("/api/admin/audit")]
    assert {"engine.put", "entry.delete"} <= set(actions)
