"""The searches that were made in a dossier, who sees them, and what they become."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from agents import agent_over_http
from service import Client, Here
from veille.core.access.access import Role


@pytest.fixture
def house(tmp_path: Path) -> Iterator[Here]:
    with Here(tmp_path, searches_kept=5) as office:
        yield office


class Desk:
    """Ann's dossier, and an administrator who has a role in it."""

    def __init__(self, house: Here, role: Role | None = Role.EDITOR) -> None:
        self.ann = house.robot("ann@example.org")
        self.dossier_id: str = self.ann.post("/api/dossiers", {"name": "news"}, 201)["id"]
        self.admin = house.person("root@example.org", is_admin=True)
        if role:
            house.give("root@example.org", self.dossier_id, role)
        self.path = f"/api/admin/overview/{self.dossier_id}"

    def search(self, words: str, who: Client | None = None) -> None:
        (who or self.ann).get(f"/api/dossiers/{self.dossier_id}/search", q=words)

    def made(self, **query: Any) -> list[dict[str, Any]]:
        found: list[dict[str, Any]] = self.admin.get(f"{self.path}/searches", **query)
        return found


def test_searches_are_kept_newest_first_and_so_many(house: Here) -> None:
    desk = Desk(house)
    assert desk.made() == []
    for number in range(7):
        desk.search(f"whale {number}")
    desk.search(" ")
    found = desk.made()
    assert [one["query"] for one in found] == [f"whale {number}" for number in (6, 5, 4, 3, 2)]
    assert all(set(one) == {"id", "query", "result_count", "searched_at"} for one in found)
    assert len({one["id"] for one in found}) == 5
    assert [one["query"] for one in desk.made(limit=1)] == ["whale 6"]


def test_searches_by_agents_and_services_count_too_and_each_dossier_has_its_own(house: Here) -> None:
    desk = Desk(house)
    other = Desk.__new__(Desk)
    other.ann, other.admin = desk.ann, desk.admin
    other.dossier_id = desk.ann.post("/api/dossiers", {"name": "other"}, 201)["id"]
    other.path = f"/api/admin/overview/{other.dossier_id}"
    house.give("root@example.org", other.dossier_id, Role.READER)
    token = desk.ann.headers["Authorization"].removeprefix("Bearer ")
    with agent_over_http(house.url, token) as agent:
        agent.get("search", dossier_id=desk.dossier_id, query="by an agent")
    desk.ann.post("/connectivity/veille_search", {"dossier_id": other.dossier_id, "query": "by a service"})
    assert [one["query"] for one in desk.made()] == ["by an agent"]
    assert [(one["query"], one["result_count"]) for one in other.made()] == [("by a service", 0)]


def test_what_was_searched_for_is_content_and_not_for_administrators_without_a_role(house: Here) -> None:
    desk = Desk(house, role=None)
    desk.search("private words")
    absent = desk.admin.get("/api/admin/overview/01a1dd3b-7c00-7000-8000-00000000dead/searches", 404)
    assert desk.admin.get(f"{desk.path}/searches", 404) == absent
    desk.admin.post(f"{desk.path}/promote", {"query": "x", "channels": ["hn_search"]}, 404)
    desk.ann.get(f"{desk.path}/searches", 403)
    # In an emergency they may read, which is told, and still not write.
    desk.admin.post(f"/api/admin/dossiers/{desk.dossier_id}/break-glass", {"reason": "A subpoena"})
    assert [one["query"] for one in desk.made()] == ["private words"]
    desk.admin.post(f"{desk.path}/promote", {"query": "x", "channels": ["hn_search"]}, 404)


def test_a_search_becomes_a_question(house: Here) -> None:
    desk = Desk(house)
    desk.search("whale song")
    (made,) = desk.made()
    promoted = desk.admin.post(f"{desk.path}/promote", {"query": made["query"], "channels": ["hn_search"]}, 201)
    (question,) = desk.ann.get(f"/api/dossiers/{desk.dossier_id}/questions")
    assert promoted == {"id": question["id"], "status": "promoted"}
    assert (question["text"], question["keywords"]) == ("whale song", "whale song")
    assert (question["schedule_ms"], question["max_results"], question["follow_links"]) == (86_400_000, 20, True)
    assert json.loads(question["channels"]) == ["hn_search"]
    again = {"query": "whale song", "channels": ["hn_search"]}
    assert desk.admin.post(f"{desk.path}/promote", again, 409)["code"] == "duplicate_source"
    desk.admin.post(f"{desk.path}/promote", {"query": "", "channels": []}, 400)
    desk.admin.post(f"{desk.path}/promote", {"query": "x", "channels": ["nobody"]}, 404)
    lines = desk.ann.get(f"/api/dossiers/{desk.dossier_id}/audit")
    assert ("root@example.org", "add_question") in {(line["who"], line["action"]) for line in lines}


def test_the_log_is_turned_off_and_what_was_in_it_goes(tmp_path: Path) -> None:
    with Here(tmp_path) as house:
        desk = Desk(house)
        desk.search("before")
        assert len(desk.made()) == 1
    with Here(tmp_path, searches_kept=0) as house:
        desk.admin, desk.ann = house.person("root@example.org"), house.robot("ann@example.org")
        desk.search("after")
        assert desk.made() == []
