"""Login, links, sessions, tokens and users over REST."""

from __future__ import annotations

import base64
from pathlib import Path

import pytest

from people import PASSWORD
from service import Client, Here
from veille.core.access.access import Role


def _cookie(header: str) -> tuple[str, set[str]]:
    first, *flags = [part.strip() for part in header.split(";")]
    return first, {flag.lower() for flag in flags}


def test_login_sets_a_cookie_that_scripts_and_other_sites_do_not_get(office: Here) -> None:
    with office.program() as app:
        made = app.accounts.users.add(app.accounts.local(), "ada@example.org", "Ada", PASSWORD, is_admin=True)
    answer = office.anonymous().ask("POST", "/api/auth/login", {"email": "Ada@example.org", "password": PASSWORD})
    assert (answer.status, answer.json) == (200, {"id": made.id, "name": "Ada", "role": "admin"})
    cookie, flags = _cookie(answer.headers["set-cookie"])
    assert {"httponly", "samesite=lax", "path=/"} <= flags
    browser = Client(office.url, {"Cookie": cookie})
    assert browser.get("/api/auth/me") == answer.json
    assert [one["agent"] for one in browser.get("/api/auth/sessions")] == [""]
    assert browser.post("/api/auth/logout") == {"status": "ok"}
    assert browser.get("/api/auth/me", 401) == {"error": "non authentifie", "code": "login"}


def test_over_https_the_cookie_is_bound_to_our_name(tmp_path: Path) -> None:
    with Here(tmp_path, serve={"public_url": "https://veille.example.org"}) as office:
        with office.program() as app:
            link = app.accounts.setup_link(app.accounts.local())
        answer = office.anonymous().ask("POST", "/setup", token=link)
        cookie, flags = _cookie(answer.headers["set-cookie"])
        assert cookie.startswith("__Host-sid=")
        assert {"secure", "httponly", "samesite=lax", "path=/"} <= flags
        assert not any(flag.startswith("domain") for flag in flags)
        assert Client(office.url, {"Cookie": cookie}).get("/api/auth/me")["name"] == "Owner"
        # The plain name may have been set by another host of the same domain.
        Client(office.url, {"Cookie": cookie.replace("__Host-sid", "sid")}).get("/api/auth/me", 401)


def test_a_wrong_password_and_an_unknown_name_are_told_alike_and_have_to_wait(tmp_path: Path) -> None:
    with Here(tmp_path) as office:
        with office.program() as app:
            app.accounts.users.add(app.accounts.local(), "ada@example.org", "Ada", PASSWORD)
        client, wrong = office.anonymous(), {"email": "ada@example.org", "password": "wrong"}
        unknown = client.post("/api/auth/login", {"email": "b@example.org", "password": "wrong"}, 401)
        assert client.post("/api/auth/login", wrong, 401) == unknown
        assert unknown == {"error": "identifiants invalides", "code": "bad_login"}
        for _ in range(4):
            client.post("/api/auth/login", wrong, 401)
        limited = client.ask("POST", "/api/auth/login", wrong | {"password": PASSWORD})
        assert limited.status == 429
        assert 0 < int(limited.headers["retry-after"]) <= 60
        # It survives a restart.
    with Here(tmp_path) as office:
        office.anonymous().post("/api/auth/login", wrong, 429)


def test_a_one_time_link_is_used_by_its_button_and_once(tmp_path: Path) -> None:
    with Here(tmp_path) as office:
        with office.program() as app:
            link = app.accounts.setup_link(app.accounts.local())
        client = office.anonymous()
        for _ in range(2):
            page = client.ask("GET", "/setup", token=link)
            assert b'<form method="post">' in page.body
            assert "set-cookie" not in page.headers
        came = client.ask(
            "POST", "/setup", headers={"Accept": "text/html", "Sec-Fetch-Site": "same-origin"}, token=link
        )
        assert (came.status, came.headers["location"]) == (303, "/welcome")
        again = client.ask("POST", "/setup", token=link)
        assert (again.status, again.json["code"]) == (401, "bad_link")
        browser = Client(office.url, {"Cookie": _cookie(came.headers["set-cookie"])[0]})
        changed = browser.ask("POST", "/api/auth/password", {"new": PASSWORD})
        browser.get("/api/auth/me", 401)
        browser = Client(office.url, {"Cookie": _cookie(changed.headers["set-cookie"])[0]})
        assert browser.get("/api/auth/me")["role"] == "admin"
        assert browser.post("/api/auth/password", {"new": "password12"}, 401)["code"] == "bad_login"


def test_who_comes_with_a_link_is_asked_for_a_password_at_once(tmp_path: Path) -> None:
    form = {"Accept": "text/html", "Sec-Fetch-Site": "same-origin", "Content-Type": "application/x-www-form-urlencoded"}
    with Here(tmp_path) as office:
        eva = office.person("eva@example.org")
        assert b"eva@example.org" in eva.ask("GET", "/welcome", headers=form).body
        for sent, said in (("new=a&again=b", b"differ"), ("new=short&again=short", b'role="alert"')):
            answer = eva.ask("POST", "/welcome", sent.encode(), form)
            assert answer.status == 400
            assert said in answer.body
        word = PASSWORD.replace(" ", "+")
        answer = eva.ask("POST", "/welcome", f"new={word}&again={word}".encode(), form)
        assert (answer.status, answer.headers["location"]) == (303, "/")
        office.anonymous().post("/api/auth/login", {"email": "eva@example.org", "password": PASSWORD})
        again = office.person("eva@example.org")
        assert again.ask("GET", "/welcome", headers=form).headers["location"] == "/"
        assert again.ask("POST", "/welcome", b"new=x&again=x", form).status == 400, "not without the old one"


def test_sessions_are_listed_and_ended(office: Here) -> None:
    first, second = office.person("eva@example.org"), office.person("eva@example.org")
    ids = [one["id"] for one in first.get("/api/auth/sessions")]
    assert len(ids) == 2
    office.person("eve@example.org").delete(f"/api/auth/sessions/{ids[0]}", 404)
    for one in ids:
        ended = first.ask("DELETE", f"/api/auth/sessions/{one}")
        assert ended.status in {200, 401}
    assert 401 in {first.ask("GET", "/api/auth/me").status, second.ask("GET", "/api/auth/me").status}


def test_a_token_is_shown_once_and_ends_at_once(office: Here) -> None:
    person = office.person("ben@example.org")
    made = person.post("/api/auth/tokens", {"name": "robot", "scopes": ["read"]}, 201)
    robot = Client(office.url, {"Authorization": f"Bearer {made['token']}"})
    assert robot.get("/api/auth/me")["name"] == "ben@example.org"
    (listed,) = person.get("/api/auth/tokens")
    assert listed["token"] is None
    assert listed["scopes"] == ["read"]
    assert robot.post("/api/auth/tokens", {"name": "more", "scopes": ["read"]}, 403)["code"] == "not_a_person"
    assert robot.post("/api/dossiers", {"name": "x"}, 403)["code"] == "no_scope"
    assert person.post("/api/auth/tokens", {"name": "x", "scopes": ["fly"]}, 400)["code"] == "bad_scope"
    office.person("eve@example.org").delete(f"/api/auth/tokens/{made['id']}", 404)
    assert person.delete(f"/api/auth/tokens/{made['id']}") == {"status": "revoked"}
    robot.get("/api/auth/me", 401)


def test_a_token_for_some_networks_is_no_token_elsewhere(tmp_path: Path) -> None:
    with Here(tmp_path, serve={"trusted_proxies": ["127.0.0.0/8"]}) as office:
        person = office.person("ben@example.org")
        wish = {"name": "robot", "scopes": ["read", "mcp"], "networks": ["10.1.0.0/16", "2001:DB8::/32"]}
        made = person.post("/api/auth/tokens", wish, 201)
        assert made["networks"] == ["10.1.0.0/16", "2001:db8::/32"]
        assert person.get("/api/auth/tokens")[0]["networks"] == made["networks"]
        robot = Client(office.url, {"Authorization": f"Bearer {made['token']}"})
        for address, status in {
            "10.1.255.1": 200,
            "::ffff:10.1.0.1": 200,
            "2001:db8::1": 200,
            "10.2.0.1": 401,
            "2001:db9::1": 401,
            "": 401,
        }.items():
            told = {"X-Forwarded-For": address} if address else None
            answer = robot.ask("GET", "/api/auth/me", headers=told)
            assert answer.status == status, address
            called = robot.ask("POST", "/connectivity/veille_list_dossiers", {}, headers=told)
            assert called.status == status, address
        assert answer.json == robot.ask("GET", "/api/auth/me", headers={"Authorization": "Bearer vk_guess"}).json
        for wrong in (["10.1.0.1/16"], ["nowhere"], [""], ["10.0.0.0/33"], ["10.0.0.0/8"] * 51):
            refused = person.post("/api/auth/tokens", wish | {"networks": wrong}, 400)
            assert refused["code"] == "bad_network"


def test_a_feed_reader_gives_its_token_as_a_password(office: Here) -> None:
    robot = office.robot("reader@example.org", "read")
    token = robot.headers["Authorization"].removeprefix("Bearer ")
    for pair, status in ((f"anything:{token}", 200), ("anything:vk_wrong", 401), ("nothing", 401)):
        basic = base64.b64encode(pair.encode()).decode()
        answer = office.anonymous().ask("GET", "/api/dossiers", headers={"Authorization": f"Basic {basic}"})
        assert answer.status == status
    assert office.anonymous().ask("GET", "/api/dossiers", headers={"Authorization": "Basic ,"}).status == 401


def test_admins_manage_users_and_nobody_else(office: Here) -> None:
    admin, user = office.person("root@example.org", is_admin=True), office.person("ann@example.org")
    wish = {"email": "new@example.org", "name": "New", "password": PASSWORD}
    assert user.post("/api/admin/users", wish, 403) == {"error": "admin requis", "code": "not_admin"}
    assert user.get("/api/admin/users", 403)["error"] == "admin requis"
    made = admin.post("/api/admin/users", wish, 201)
    assert made == {"id": made["id"], "name": "New", "email": "new@example.org", "role": "user"}
    assert admin.post("/api/admin/users", wish, 409)["code"] == "user_exists"
    assert admin.post("/api/admin/users", wish | {"email": "n2@example.org", "password": "x"}, 400)
    robot = office.robot("root@example.org")
    assert robot.post("/api/admin/users", wish, 403)["code"] == "not_a_person"
    assert admin.delete(f"/api/admin/users/{made['id']}") == {"status": "deleted"}
    admin.delete(f"/api/admin/users/{made['id']}", 404)
    states = {one["email"]: one["status"] for one in admin.get("/api/admin/users")}
    assert states["new@example.org"] == "deleted"
    assert states["ann@example.org"] == "active"


def test_dossiers_are_made_shared_and_deleted(office: Here) -> None:
    owner, friend = office.person("owner1@example.org"), office.person("friend1@example.org")
    assert owner.get("/api/dossiers") == []
    second = owner.post("/api/dossiers", {"name": "b"}, 201)
    first = owner.post("/api/dossiers", {"name": "a"}, 201)
    assert owner.get("/api/dossiers") == [first, second]
    assert owner.post("/api/dossiers", {"name": "a"}, 409)["code"] == "dossier_exists"
    owner.post("/api/dossiers", {"name": " "}, 400)
    # Another's names are no hindrance, and tell nothing.
    friend.post("/api/dossiers", {"name": "a"}, 201)
    path = f"/api/dossiers/{first['id']}"
    friend.get(f"{path}/members", 404)
    owner.put(f"{path}/members/friend1@example.org", {"role": "reader"})
    assert {one["email"]: one["role"] for one in friend.get(f"{path}/members")} == {
        "owner1@example.org": "owner",
        "friend1@example.org": "reader",
    }
    friend.delete(path, 404)
    assert owner.delete(f"{path}/members/owner1@example.org", 409)["code"] == "last_owner"
    assert friend.delete(f"{path}/members/friend1@example.org") == {"status": "deleted"}
    friend.get(f"{path}/members", 404)
    actions = [line["action"] for line in owner.get(f"{path}/audit")]
    assert actions == ["member.remove", "member.add", "dossier.create"]
    assert owner.delete(path) == {"status": "deleted"}
    owner.get(f"{path}/members", 404)
    assert owner.get("/api/dossiers") == [second]


def test_an_admin_reads_no_dossier_but_in_an_emergency_that_is_told(office: Here) -> None:
    owner, admin = office.person("owner2@example.org"), office.person("root2@example.org", is_admin=True)
    made = owner.post("/api/dossiers", {"name": "private"}, 201)
    path = f"/api/dossiers/{made['id']}"
    admin.get(f"{path}/documents", 404)
    glass = f"/api/admin/dossiers/{made['id']}/break-glass"
    owner.post(glass, {"reason": "curious"}, 403)
    assert admin.post(glass, {"reason": " "}, 400)["code"] == "no_reason"
    assert admin.post(glass, {"reason": "subpoena"})["role"] == Role.READER
    assert admin.get(f"{path}/documents") == []
    admin.delete(path, 404)
    (line,) = [line for line in owner.get(f"{path}/audit") if line["action"] == "break_glass"]
    assert line["detail"]["reason"] == "subpoena"


@pytest.mark.parametrize("path", ["/metrics", "/api/openapi.json", "/api/admin/audit", "/api/admin/hosts"])
def test_what_the_service_says_of_itself_is_not_for_strangers(office: Here, path: str) -> None:
    office.anonymous().get(path, 401)
    answer = office.robot("root3@example.org", is_admin=True).ask("GET", path)
    assert answer.status == 200
    if path == "/metrics":
        assert b'veille_http_requests_total{method="GET",route=' in answer.body
        assert b"veille_requests_due 0.0" in answer.body
