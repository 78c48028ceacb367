"""Who gets to the tools and services over HTTP, and who does not."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from http.client import HTTPConnection
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest

import veille
from agents import agent_over_http, serving
from people import People
from samples import STORY
from veille.interfaces.operations import OPERATIONS
from veille.services.people.access import Access
from watching import FAST
from world import Page, Site

HELLO = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "initialize",
    "params": {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}},
}


@dataclass
class Hub:
    crowd: People
    url: str
    ada: Access
    mine: str

    def token(self, *scopes: str, by: Access | None = None) -> str:
        return self.crowd.token(by or self.ada, *scopes)[1]

    def ask(
        self, path: str, body: Any, token: str = "", method: str = "POST", **headers: str
    ) -> tuple[int, bytes, str]:
        connection = HTTPConnection(urlsplit(self.url).netloc, timeout=20)
        given = {"Content-Type": "application/json", "Accept": "application/json, text/event-stream"}
        given |= {"Authorization": f"Bearer {token}"} if token else {}
        given |= {name.replace("_", "-"): value for name, value in headers.items()}
        data = body if isinstance(body, bytes) else json.dumps(body).encode()
        connection.request(method, path, data, given)
        answer = connection.getresponse()
        found = answer.status, answer.read(), answer.getheader("Content-Type") or ""
        connection.close()
        return found

    def service(self, what: str, token: str, **given: Any) -> tuple[int, Any]:
        status, body, _ = self.ask(f"/connectivity/veille_{what}", {"dossier_id": self.mine} | given, token)
        return status, json.loads(body) if status == 200 else body.decode()


@pytest.fixture
def hub(tmp_path: Path) -> Iterator[Hub]:
    with _hub(tmp_path, calls_per_minute=200) as opened:
        yield opened


@contextmanager
def _hub(folder: Path, calls_per_minute: int) -> Iterator[Hub]:
    opened = veille.open_app(data=folder, fetch=FAST, calls_per_minute=calls_per_minute)
    with opened as app, serving(app, ("veille.test",)) as url:
        crowd = People(app, app.clock)  # type: ignore[arg-type]
        ada = crowd.enter("ada")
        yield Hub(crowd, url, ada, ada.create("mine").id)


def test_mcp_lets_in_nobody_without_a_token_for_it(hub: Hub) -> None:
    good = hub.token("read", "mcp")
    assert hub.ask("/mcp", HELLO)[0] == 401
    assert hub.ask("/mcp", HELLO, "vk_nonsense")[0] == 401
    assert hub.ask("/mcp", HELLO, hub.crowd.cookies["ada"])[0] == 401
    assert hub.ask("/mcp", HELLO, hub.token("read", "write"))[0] == 403
    status, body, _ = hub.ask("/mcp", HELLO, good)
    assert (status, json.loads(body)["result"]["serverInfo"]["name"]) == (200, "veille")


def test_mcp_answers_only_to_its_own_names_and_pages(hub: Hub) -> None:
    token = hub.token("read", "mcp")
    assert hub.ask("/mcp", HELLO, token, Host="evil.test")[0] == 421
    assert hub.ask("/mcp", HELLO, token, Host="veille.test")[0] == 200
    assert hub.ask("/mcp", HELLO, token, Origin="https://evil.test")[0] == 403
    assert hub.ask("/mcp", HELLO, token, Origin="https://veille.test")[0] == 200


def test_a_revoked_token_ends_at_once(hub: Hub) -> None:
    token_id, text = hub.crowd.token(hub.ada, "read", "mcp")
    with agent_over_http(hub.url, text) as agent:
        assert agent.get("stats", dossier_id=hub.mine)["sources"] == 0
        hub.crowd.accounts.tokens.revoke(hub.ada, token_id)
        assert hub.ask("/mcp", HELLO, text)[0] == 401
        assert hub.service("stats", text)[0] == 401


def test_every_call_of_a_tool_is_in_the_audit_log_without_its_words(hub: Hub) -> None:
    with agent_over_http(hub.url, hub.token("read", "mcp")) as agent:
        agent.get("search", dossier_id=hub.mine, query="confidential")
    (line,) = [line for line in hub.crowd.accounts.audit(hub.ada, hub.mine) if line.action == "search"]
    assert (line.detail["via"], line.who, line.address) == ("mcp", "ada", "127.0.0.1")
    assert line.way.startswith("token:")
    assert "confidential" not in str(line)


@pytest.mark.covers("R-213")
def test_the_operations_are_services_of_other_programs(hub: Hub, site: Site) -> None:
    site.article("/a", "Whales", STORY)
    token = hub.token("read", "write", "fetch")
    status, source = hub.service("add_source", token, name="S", url=f"{site.url}/a")
    assert status == 200
    assert hub.service("list_sources", token) == (200, [source])
    assert hub.service("fetch_now", token, source_id=source["id"]) == (200, {"status": "fetched"})
    assert hub.service("search", token, query=STORY.split()[0])[1][0]["source_id"] == source["id"]
    assert hub.service("stats", token) == (200, {"sources": 1, "extractions": 1, "fetch_logs": 1})
    assert len(hub.service("fetch_history", token, source_id=source["id"])[1]) == 1
    assert hub.service("delete_source", token, source_id=source["id"]) == (200, {"status": "deleted"})
    answer = hub.ask("/connectivity/veille_stats", {"dossier_id": hub.mine}, token)
    assert answer[2] == "application/octet-stream"


def test_a_service_that_cannot_do_it_says_why(hub: Hub) -> None:
    token = hub.token("read", "write")
    asked = {"dossier_id": hub.mine}
    assert hub.ask("/connectivity/veille_stats", asked)[0] == 401
    assert hub.ask("/connectivity/veille_stats", asked, token, method="GET")[0] == 405
    assert hub.ask("/connectivity/nothing", asked, token)[0] == 404
    assert hub.ask("/connectivity/nothing", asked)[0] == 401
    assert hub.service("fetch_now", token, source_id="x")[0] == 403
    status, message = hub.service("search", token)
    assert (status, message) == (500, "invalid arguments: query: Field required")
    for body, wrong in ((b"[]", b"no JSON object"), (b"{", b"no JSON: "), (b" " * 1_000_000, b"no JSON: ")):
        answer = hub.ask("/connectivity/veille_stats", body, token)
        assert answer[0] == 500
        assert answer[1].startswith(b"invalid arguments: this is " + wrong)


IN_DOSSIER = [name for name, one in OPERATIONS.items() if "dossier_id" in one.arguments.model_fields]
WORDS = {
    "source_id": "x",
    "source_ids": ["x"],
    "tag": "x",
    "brands": [],
    "question": "x",
    "question_id": "x",
    "document": "x",
    "engine_id": "x",
    "rule_id": "x",
    "channel_id": "x",
    "alert_id": "x",
    "document_id": "x",
    "share_id": "x",
    "until": "day",
    "to": "x",
    "expression": "x",
    "query": "x",
    "text": "x",
    "category": "tech",
    "name": "x",
    "url": "https://example.org/",
}


@pytest.mark.covers("R-002")
def test_with_another_tenants_token_every_service_answers_as_if_the_dossier_were_not(hub: Hub) -> None:
    token = hub.token(by=hub.crowd.enter("bob"))
    for name in IN_DOSSIER:
        given = {key: value for key, value in WORDS.items() if key in OPERATIONS[name].arguments.model_fields}
        answers = [
            hub.ask(f"/connectivity/{name}", given | {"dossier_id": dossier_id}, token)[:2]
            for dossier_id in (hub.mine, "01234567-0000-7000-8000-000000000000")
        ]
        assert answers[0] == answers[1]
        assert b"no such dossier" in answers[0][1]


def test_whoever_asks_too_often_waits_and_others_do_not(tmp_path: Path) -> None:
    # Few, so that the minute is not over before they are used up, on a busy machine.
    with _hub(tmp_path, calls_per_minute=5) as hub:
        busy, other = hub.token("read"), hub.token("read")
        answers = {hub.service("stats", busy)[0] for _ in range(15)}
        assert answers == {200, 429}
        assert hub.service("stats", other)[0] == 200


def test_slow_fetches_of_one_token_leave_room_for_others(hub: Hub, site: Site) -> None:
    site["/slow"] = Page(f"<p>{STORY}</p>".encode(), delay_s=2)
    token = hub.token()
    for name in ("1", "2", "3"):
        hub.service("add_source", token, name=name, url=f"{site.url}/slow?{name}")
        site[f"/slow?{name}"] = site.pages["/slow"]
    started = threading.Barrier(4)
    found: list[int] = []

    def fetch(name: str) -> None:
        started.wait()
        found.append(hub.service("fetch_now", token, source_id=name)[0])

    threads = [threading.Thread(target=fetch, args=(name,)) for name in ("1", "2", "3")]
    for thread in threads:
        thread.start()
    started.wait()
    for thread in threads:
        thread.join()
    assert sorted(found) == [200, 200, 429]
    assert hub.service("fetch_now", token, source_id="3")[0] == 200
