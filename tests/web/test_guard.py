"""What every request passes first, and what every answer carries (security T22, section 6)."""

from __future__ import annotations

import re
import socket
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from inside_sqlite import database_of
from service import Here

JSON = {"Content-Type": "application/json"}
LOGIN = {"email": "x@example.org", "password": "wrong and long enough"}


@pytest.mark.parametrize(
    ("host", "status"),
    [
        ("127.0.0.1", 200),
        ("localhost:8420", 200),
        ("[::1]:1", 200),
        ("LOCALHOST", 200),
        ("evil.test", 421),
        ("localhost.evil.test", 421),
        ("", 421),
        ("[::1", 421),
        ("127.0.0.1.nip.io", 421),
    ],
)
def test_it_answers_to_its_own_names_only(office: Here, host: str, status: int) -> None:
    answer = office.anonymous().ask("GET", "/health", headers={"Host": host})
    assert answer.status == status
    if status == 421:
        assert answer.json["code"] == "wrong_host"


def test_the_public_name_is_one_of_them(tmp_path: Path) -> None:
    with Here(tmp_path, serve={"public_url": "https://veille.example.org"}) as office:
        client = office.anonymous()
        assert client.ask("GET", "/health", headers={"Host": "veille.example.org"}).status == 200
        assert client.ask("GET", "/health", headers={"Host": "example.org"}).status == 421
        assert "strict-transport-security" in client.ask("GET", "/health").headers


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({}, 401),
        ({"Sec-Fetch-Site": "same-origin"}, 401),
        ({"Sec-Fetch-Site": "none"}, 401),
        ({"Sec-Fetch-Site": "cross-site"}, 403),
        ({"Sec-Fetch-Site": "same-site"}, 403),
        ({"Origin": "https://evil.test"}, 403),
        ({"Origin": "null"}, 403),
        # The older header cannot make up for what the newer one says.
        ({"Sec-Fetch-Site": "cross-site", "Origin": "own"}, 403),
        ({"Origin": "own"}, 401),
        # A token beside a cookie is no excuse; a token alone is no browser's.
        ({"Sec-Fetch-Site": "cross-site", "Authorization": "Bearer x", "Cookie": "sid=1"}, 403),
        ({"Sec-Fetch-Site": "cross-site", "Authorization": "Bearer x"}, 401),
    ],
)
def test_no_other_site_acts_in_somebodys_name(office: Here, headers: dict[str, str], status: int) -> None:
    own = {name: office.url if value == "own" else value for name, value in headers.items()}
    answer = office.anonymous().ask("POST", "/api/auth/login", LOGIN, headers=own)
    # Login itself asks for nobody to be known; its 401 is that of a wrong password.
    assert answer.status in ({status} if status == 403 else {401, 429})


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({"Origin": "http://["}, 403),
        ({"Sec-Fetch-Site": "same-origin", "Referer": "http://[", "Accept": "text/html"}, 303),
        ({"Authorization": "Basic \xff\xff"}, 401),
        ({"Authorization": "Basic /w=="}, 401),
    ],
)
def test_headers_that_say_nothing_are_no_fault_of_ours(office: Here, headers: dict[str, str], status: int) -> None:
    answer = office.anonymous().ask("POST", "/settings/name", headers=headers)
    assert answer.status == status
    assert answer.headers.get("location", "/login") == "/login"


def test_no_other_site_has_a_page_fetched(office: Here) -> None:
    client = office.person("ann@example.org")
    dossier_id = client.post("/api/dossiers", {"name": "x"}, 201)["id"]
    path, foreign = f"/api/dossiers/{dossier_id}/reader", {"Sec-Fetch-Site": "cross-site"}
    assert client.ask("GET", path, headers=foreign, url="https://example.org/").json["code"] == "cross_site"
    assert client.ask("GET", f"/api/dossiers/{dossier_id}/documents", headers=foreign).status == 200


def test_json_in_disguise_is_refused(office: Here) -> None:
    for disguise in ("text/plain", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x", ""):
        answer = office.anonymous().ask("POST", "/api/auth/login", LOGIN, headers={"Content-Type": disguise})
        assert (answer.status, answer.json["code"]) == (415, "wrong_type")


@pytest.mark.parametrize(
    ("path", "way"),
    [
        ("/api/auth/login", "Content-Length: 1048577"),
        ("/api/auth/login", "Transfer-Encoding: chunked"),
        ("/connectivity/veille_stats", "Content-Length: 16777217"),
    ],
)
def test_too_much_is_refused_however_it_is_sent(office: Here, path: str, way: str) -> None:
    where = urlsplit(office.url)
    with socket.create_connection((where.hostname or "", where.port or 0)) as line:
        head = f"POST {path} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
        line.sendall(f"{head}{way}\r\n\r\n".encode())
        if "chunked" in way:
            piece = b" " * 65536
            for _ in range(17):
                line.sendall(b"%x\r\n%s\r\n" % (len(piece), piece))
        answer = b""
        while b"}" not in answer and (part := line.recv(65536)):
            answer += part
    assert b" 413 " in answer.partition(b"\r\n")[0]
    assert b"too_large" in answer


def test_every_answer_carries_the_headers(office: Here) -> None:
    client = office.anonymous()
    for answer in (client.ask("GET", "/health"), client.ask("GET", "/nothing"), client.ask("POST", "/health")):
        headers = answer.headers
        assert re.fullmatch("[0-9a-f]{8}", headers["x-trace-id"])
        assert headers["x-content-type-options"] == "nosniff"
        assert headers["x-frame-options"] == "DENY"
        assert headers["referrer-policy"] == "no-referrer"
        assert "default-src 'none'" in headers["content-security-policy"]
        assert "frame-ancestors 'none'" in headers["content-security-policy"]
        assert headers["cross-origin-opener-policy"] == headers["cross-origin-resource-policy"] == "same-origin"
        assert "camera=()" in headers["permissions-policy"]
        assert "server" not in headers
        assert "access-control-allow-origin" not in headers
    ids = {client.ask("GET", "/health").headers["x-trace-id"] for _ in range(5)}
    assert len(ids) == 5


@pytest.mark.parametrize("accept", ["text/html", "application/json"])
def test_also_an_answer_that_a_fault_of_ours_ends(office: Here, accept: str) -> None:
    dossier_id = office.dossier(f"faulty {accept}")
    with office.program() as app, app.dossiers.open(dossier_id) as store:
        database_of(store).execute("DROP TABLE runs")
    answer = office.person("ada@example.org").ask("GET", f"/d/{dossier_id}/runs", headers={"Accept": accept})
    assert answer.status == 500
    assert b"Internal error" in answer.body
    assert answer.headers["x-frame-options"] == "DENY"
    assert answer.headers["cache-control"] == "no-store"
    assert "default-src 'none'" in answer.headers["content-security-policy"]


def test_every_error_has_the_one_shape(office: Here) -> None:
    client = office.anonymous()
    problems = [
        client.ask("GET", "/nothing"),
        client.ask("POST", "/health"),
        client.ask("POST", "/api/auth/login", b"{", headers=JSON),
        client.ask("POST", "/api/auth/login", {"email": 1}),
        client.ask("GET", "/api/auth/me"),
    ]
    assert [one.status for one in problems] == [404, 405, 400, 400, 401]
    for one in problems:
        assert set(one.json) == {"error", "code"}
        assert one.headers["content-type"] == "application/json"


def test_forwarded_addresses_are_believed_of_trusted_proxies_only(tmp_path: Path) -> None:
    told = {"X-Forwarded-For": "203.0.113.7", "X-Forwarded-Proto": "https"}
    for trusted, address, cookie in (((), "127.0.0.1", "sid="), (("127.0.0.0/8",), "203.0.113.7", "__Host-sid=")):
        folder = tmp_path / address
        with Here(folder, serve={"trusted_proxies": trusted}) as office:
            with office.program() as app:
                link = app.accounts.setup_link(app.accounts.local())
            came = office.anonymous().ask("POST", "/setup", headers=told, token=link)
            assert came.headers["set-cookie"].startswith(cookie)
            with office.program() as app:
                lines = app.accounts.audit(app.accounts.local())
            assert [line.address for line in lines if line.action == "link.use"] == [address]


def test_only_those_who_are_let_in_learn_what_is_wrong_with_their_parameters(office: Here) -> None:
    dossier_id = office.dossier("parameters")
    ada, eve = office.person("ada@example.org"), office.person("eve@example.org")
    for path in ("/?show=nonsense", f"/d/{dossier_id}?show=nonsense"):
        assert office.anonymous().ask("GET", path).status == 401
        assert ada.ask("GET", path).json["code"] == "bad_request"
    stranger = eve.ask("GET", f"/d/{dossier_id}?show=nonsense")
    assert (stranger.status, stranger.json["code"]) == (404, "not_found")
