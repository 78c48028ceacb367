"""`--insecure-local`: a machine that is its owner's alone, where browsers need no password."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from people import PASSWORD
from service import Client, Here

BROWSER = {"Sec-Fetch-Site": "same-origin"}


@pytest.fixture
def home(tmp_path: Path) -> Iterator[Here]:
    with Here(tmp_path, serve={"insecure_local": True}) as office:
        yield office


def test_a_browser_at_home_is_the_owner(home: Here) -> None:
    with home.program() as app:
        app.create_dossier("there before")
    me = Client(home.url, BROWSER)
    assert me.get("/api/auth/me")["role"] == "admin"
    assert [one["name"] for one in me.get("/api/dossiers")] == ["there before"]
    me.post("/api/dossiers", {"name": "mine"}, 201)
    made = me.post("/api/auth/tokens", {"name": "robot", "scopes": ["read"]}, 201)
    assert len(Client(home.url, {"Authorization": f"Bearer {made['token']}"}).get("/api/dossiers")) == 2


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({}, 401),
        ({"Sec-Fetch-Site": "cross-site"}, 401),
        ({"Sec-Fetch-Site": "same-site"}, 401),
        ({**BROWSER, "Host": "evil.test"}, 421),
        ({**BROWSER, "X-Forwarded-For": "203.0.113.7"}, 401),
        ({**BROWSER, "Via": "1.1 proxy"}, 401),
        ({**BROWSER, "Cookie": "sid=guess"}, 401),
        ({**BROWSER, "Authorization": "Bearer vk_guess"}, 401),
    ],
)
def test_nobody_else_is_at_home(home: Here, headers: dict[str, str], status: int) -> None:
    assert Client(home.url, headers).ask("GET", "/api/dossiers").status == status
    changed = Client(home.url, headers).ask("POST", "/api/dossiers", {"name": "x"})
    assert changed.status == (403 if headers.get("Sec-Fetch-Site") in {"cross-site", "same-site"} else status)


def test_programs_need_a_token_at_home_too(home: Here) -> None:
    me = Client(home.url, BROWSER)
    assert me.ask("POST", "/mcp", {}).status == 401
    assert me.ask("POST", "/connectivity/veille_list_dossiers", {}).status == 401


def test_with_the_first_password_the_door_is_shut(home: Here) -> None:
    me = Client(home.url, BROWSER)
    me.get("/api/auth/me")
    me.post("/api/auth/password", {"new": PASSWORD})
    me.get("/api/auth/me", 401)
    me.post("/api/auth/login", {"email": "owner", "password": PASSWORD})


def test_without_being_told_so_nobody_is_at_home(office: Here) -> None:
    Client(office.url, BROWSER).get("/api/dossiers", 401)
