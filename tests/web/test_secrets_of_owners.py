"""Secrets over the web: owners set them for hosts, and no editor gets them anywhere else."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from paper import alert, refused, sent, shown, words
from service import Client, Here
from veille.core.access.access import Role
from veille.core.urls import host_of
from world import Site

VALUE = "hunter2-very-secret"
OWNER, EDITOR = "own@example.org", "eve@example.org"


@pytest.fixture
def house(tmp_path: Path) -> Iterator[Here]:
    with Here(tmp_path) as office:
        yield office


@pytest.fixture
def dossier_id(house: Here) -> str:
    made = house.dossier("shared", OWNER)
    house.person(EDITOR)
    house.give(EDITOR, made, Role.EDITOR)
    return made


def _all_answers(*people: Client, paths: list[str]) -> str:
    return "".join(one.ask("GET", path).body.decode("utf-8", "replace") for one in people for path in paths)


@pytest.mark.covers("R-032", "R-006")
def test_owners_set_secrets_and_nobody_is_shown_a_value(house: Here, dossier_id: str, tmp_path: Path) -> None:
    own, eve = house.person(OWNER), house.person(EDITOR)
    where = f"/api/dossiers/{dossier_id}/secrets"
    body = {"value": VALUE, "hosts": ["API.example.org", "*.example.net:8443"]}
    kept = {"name": "KEY", "hosts": ["api.example.org", "*.example.net:8443"]}
    assert own.put(f"{where}/KEY", body) == kept
    assert own.get(where) == [kept]
    for refused_body in ({"value": VALUE, "hosts": []}, {"value": VALUE, "hosts": ["https://x.example/"]}):
        assert own.put(f"{where}/KEY", refused_body, 400)["code"] == "bad_secret_host"
    own.put(f"{where}/KEY", {"value": VALUE}, 400)
    eve.get(where, 404)
    eve.put(f"{where}/KEY", {"value": "mine", "hosts": ["evil.example"]}, 404)
    eve.delete(f"{where}/KEY", 404)
    log = own.get(f"/api/dossiers/{dossier_id}/audit")
    assert [line["action"] for line in log if line["action"].startswith("secret")] == ["secret.put"]
    pages = [f"/d/{dossier_id}/settings", f"/d/{dossier_id}/audit", f"/d/{dossier_id}/engines", where]
    assert VALUE not in _all_answers(own, eve, paths=pages) + json.dumps(log)
    assert own.delete(f"{where}/KEY") == {"status": "deleted"}
    own.delete(f"{where}/KEY", 404)
    assert own.get(where) == []
    assert not any(VALUE.encode() in path.read_bytes() for path in tmp_path.rglob("*") if path.is_file())


def test_owners_set_secrets_on_a_page(house: Here, dossier_id: str) -> None:
    own, eve = house.person(OWNER), house.person(EDITOR)
    home = f"/d/{dossier_id}/settings"
    page = refused(own, f"{home}/secrets", name="KEY", value=VALUE, hosts="")
    assert "hosts" in alert(page)
    assert VALUE not in str(page.html)
    sent(own, f"{home}/secrets", name="KEY", value=VALUE, hosts="api.example.org *.example.net")
    assert "api.example.org, *.example.net" in words(shown(own, home).css("#secrets tbody")[0])
    assert not shown(eve, home).css("#secrets")
    sent(eve, f"{home}/secrets", 404, name="KEY", value="mine", hosts="evil.example")
    sent(eve, f"{home}/secrets/KEY/delete", 404)
    sent(own, f"{home}/secrets/KEY/delete")
    assert not shown(own, home).css("#secrets tbody")


@pytest.mark.covers("R-032", "R-006")
def test_an_editor_gets_neither_secrets_nor_written_headers_sent_to_a_host_of_their_own(
    house: Here, dossier_id: str, site: Site
) -> None:
    own, eve = house.person(OWNER), house.robot(EDITOR, dossiers=[dossier_id])
    where = f"/api/dossiers/{dossier_id}"
    own.put(f"{where}/secrets/KEY", {"value": VALUE, "hosts": ["api.example.org"]})
    by_name = json.dumps({"headers": {"Authorization": "Bearer ${secret:KEY}"}})
    wish = {"name": "A", "url": "https://api.example.org/a", "source_type": "web", "config_json": by_name}
    first = own.post(f"{where}/sources", wish, 201)["id"]
    written = json.dumps({"headers": {"X-Key": VALUE}})
    second = own.post(
        f"{where}/sources", wish | {"name": "B", "url": "https://api.example.org/b", "config_json": written}, 201
    )["id"]
    # By name, it may be moved: the secret stays behind.
    eve.put(f"{where}/sources/{first}", {"url": f"{site.url}/a"})
    failed = eve.post(f"{where}/sources/{first}/fetch", None, 500)
    assert f"veille secrets set KEY --host {host_of(site.url)}" in failed["error"]
    # As it is written, it may not, whatever else is sent along.
    shown_config = next(one["config_json"] for one in eve.get(f"{where}/sources") if one["id"] == second)
    assert VALUE not in shown_config
    for config in ({}, {"config_json": shown_config}):
        change = {"url": f"{site.url}/b"} | config
        assert eve.put(f"{where}/sources/{second}", change, 400)["code"] == "headers_elsewhere"
    assert site.seen == []
