"""Every address of the first veille's REST interface: its methods, statuses and the fields of its answers."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from people import PASSWORD
from samples import STORY
from service import Client, Here
from world import Page, Site

SOURCE = {
    "id", "name", "url", "source_type", "fetch_interval", "enabled", "config_json", "last_hash", "last_status",
    "last_error", "fail_count", "created_at", "updated_at",
}  # fmt: skip
EXTRACTION = {
    "id", "source_id", "content_hash", "title", "extracted_text", "extracted_html", "url", "extracted_at",
    "metadata_json",
}  # fmt: skip
FETCH_LOG = {
    "id", "source_id", "status", "status_code", "content_hash", "error_message", "duration_ms", "fetched_at",
}  # fmt: skip
QUESTION = {
    "id", "text", "keywords", "channels", "schedule_ms", "max_results", "follow_links", "enabled",
    "last_result_count", "total_results", "created_at", "updated_at",
}  # fmt: skip
HIT = {"extraction_id", "source_id", "title", "text", "rank"}
#: Ours beside theirs, in every error.
PROBLEM = {"error", "code"}


class Scene:
    """One user who is an administrator, and a dossier of theirs."""

    def __init__(self, office: Here, site: Site) -> None:
        self.office = office
        self.site = site
        self.me = office.person("root@example.org", is_admin=True)
        self.path = f"/api/dossiers/{self.me.post('/api/dossiers', {'name': 'news'}, 201)['id']}"

    def source(self, path: str, status: int = 201, **given: Any) -> dict[str, Any]:
        made: dict[str, Any] = self.me.post(
            f"{self.path}/sources", {"name": path, "url": self.site.url + path} | given, status
        )
        return made


@pytest.fixture
def scene(tmp_path: Path, site: Site) -> Iterator[Scene]:
    with Here(tmp_path, quotas={"sources": 3}) as office:
        yield Scene(office, site)


def test_coming_in(scene: Scene) -> None:
    anybody = scene.office.anonymous()
    assert anybody.get("/health") == {"status": "ok"}
    wish = {"email": "ada@example.org", "name": "Ada", "password": PASSWORD}
    made = scene.me.post("/api/admin/users", wish, 201)
    assert made == {"id": made["id"], "name": "Ada", "email": "ada@example.org", "role": "user"}
    came = anybody.ask("POST", "/api/auth/login", {"email": "ada@example.org", "password": PASSWORD})
    assert (came.status, came.json) == (200, {"id": made["id"], "name": "Ada", "role": "user"})
    ada = Client(scene.office.url, {"Cookie": came.headers["set-cookie"].partition(";")[0]})
    assert ada.get("/api/auth/me") == came.json
    wrong = anybody.post("/api/auth/login", {"email": "ada@example.org", "password": "wrong password"}, 401)
    assert (wrong["error"], set(wrong)) == ("identifiants invalides", PROBLEM)
    assert anybody.get("/api/auth/me", 401)["error"] == "non authentifie"
    assert ada.get("/api/admin/users", 403)["error"] == "admin requis"
    assert ada.post("/api/auth/logout") == {"status": "ok"}
    ada.get("/api/auth/me", 401)


def test_dossiers(scene: Scene) -> None:
    made = scene.me.post("/api/dossiers", {"name": "alpha"}, 201)
    assert set(made) == {"id", "name"}
    assert [one["name"] for one in scene.me.get("/api/dossiers")] == ["alpha", "news"]
    assert set(scene.me.post("/api/dossiers", {}, 400)) == PROBLEM
    assert scene.me.delete(f"/api/dossiers/{made['id']}") == {"status": "deleted"}
    scene.me.delete(f"/api/dossiers/{made['id']}", 404)


@pytest.mark.covers("R-021", "R-022")
def test_sources(scene: Scene) -> None:
    scene.site.article("/a", "Whales", STORY)
    source = scene.source("/a", source_type="web", fetch_interval=120_000)
    assert set(source) == SOURCE
    assert (source["last_status"], source["config_json"], source["fail_count"]) == ("pending", "{}", 0)
    scene.source("/a", 409)
    scene.source("/b", 400, source_type="telepathy")
    where = f"{scene.path}/sources/{source['id']}"
    assert scene.me.post(f"{where}/fetch") == {"status": "fetched"}
    (listed,) = scene.me.get(f"{scene.path}/sources")
    assert set(listed) == SOURCE | {"last_fetched_at"}
    assert [set(one) for one in scene.me.get(f"{where}/extractions", limit=5)] == [EXTRACTION]
    assert [set(one) for one in scene.me.get(f"{where}/history", limit=5)] == [FETCH_LOG]
    assert [set(one) for one in scene.me.get(f"{scene.path}/search", q=STORY.split()[0], limit=5)] == [HIT]
    assert scene.me.get(f"{scene.path}/stats") == {"sources": 1, "extractions": 1, "fetch_logs": 1}
    changed = scene.me.put(where, {"name": "A", "url": source["url"], "enabled": False, "fetch_interval": 60_000})
    assert (changed["name"], changed["enabled"], changed["fetch_interval"]) == ("A", False, 60_000)
    assert scene.me.post(f"{where}/reset") == {"status": "reset"}
    assert scene.me.delete(where) == {"status": "deleted"}
    for method, path in (("PUT", ""), ("DELETE", ""), ("POST", "/fetch"), ("POST", "/reset"), ("GET", "/history")):
        assert scene.me.ask(method, where + path, {} if method == "PUT" else None).status == 404


@pytest.mark.covers("R-030")
def test_sources_from_the_registry_and_as_many_as_there_may_be(scene: Scene) -> None:
    first, second = scene.me.get("/api/source-registry")[:2]
    pick = f"{scene.path}/sources/from-registry"
    assert set(scene.me.post(f"{pick}/{first['id']}", status=201)) == SOURCE
    scene.me.post(f"{pick}/nothing", status=404)
    scene.me.put(f"/api/admin/source-registry/{second['id']}", {"enabled": False})
    scene.me.post(f"{pick}/{second['id']}", status=404)
    scene.source("/1")
    scene.source("/2")
    assert scene.source("/3", 429)["code"] == "quota_sources"


def test_questions(scene: Scene) -> None:
    hits = [{"title": "Hit", "url": f"{scene.site.url}/r", "description": STORY}]
    scene.site.made["/find"] = lambda _: Page(json.dumps({"hits": hits}).encode(), type="application/json")
    engine = {"name": "E", "url_template": f"{scene.site.url}/find?q={{query}}", "rate_limit_ms": 0}
    scene.me.post("/api/admin/engines", engine | {"api_config": '{"result_path": "hits"}'}, 201)
    wish = {"text": "Who?", "keywords": "who", "channels": '["e"]', "schedule_ms": 120_000, "follow_links": False}
    question = scene.me.post(f"{scene.path}/questions", wish, 201)
    assert set(question) == QUESTION
    where = f"{scene.path}/questions/{question['id']}"
    assert scene.me.post(f"{where}/run") == {"status": "ok", "new_results": 1}
    assert [set(one) for one in scene.me.get(f"{where}/results", limit=5)] == [EXTRACTION]
    assert [set(one) for one in scene.me.get(f"{scene.path}/questions")] == [QUESTION | {"last_run_at"}]
    assert scene.me.put(where, {"max_results": 5, "enabled": False})["text"] == "Who?"
    # It is a source of the dossier, too.
    (source,) = scene.me.get(f"{scene.path}/sources")
    assert (source["id"], source["url"], source["name"]) == (question["id"], f"question://{question['id']}", "Q: Who?")
    assert json.loads(source["config_json"]) == {"question_id": question["id"]}
    assert scene.me.delete(where) == {"status": "deleted"}
    assert scene.me.get(f"{scene.path}/questions") == scene.me.get(f"{scene.path}/sources") == []


def test_administration(scene: Scene) -> None:
    users = scene.me.get("/api/admin/users")
    assert [set(one) for one in users] == [{"id", "name", "email", "role", "status", "created_at"}]
    made = scene.me.post("/api/admin/users", {"email": "ada", "name": "", "password": PASSWORD, "role": "admin"}, 201)
    assert scene.me.delete(f"/api/admin/users/{made['id']}") == {"status": "deleted"}
    assert {one["id"]: one["status"] for one in scene.me.get("/api/admin/users")}[made["id"]] == "deleted"
    overview = scene.me.get("/api/admin/overview")
    assert set(overview) == {"users", "shards"}
    assert [set(one) for one in overview["users"]] == [{"id", "name", "email", "role"}]
    (shard,) = overview["shards"]
    assert shard == {
        "dossier_id": scene.path.rpartition("/")[2],
        "name": "news",
        "stats": {"sources": 0, "extractions": 0},
    }


@pytest.mark.covers("R-208", "R-209", "R-210")
def test_health_of_sources(scene: Scene) -> None:
    health = "/api/admin/source-health"
    assert scene.me.get(health) == []
    source = scene.source("/gone")
    failed = scene.me.post(f"{scene.path}/sources/{source['id']}/fetch", status=500)
    assert (set(failed), "404" in failed["error"]) == (PROBLEM, True)
    (failing,) = scene.me.get(health)
    assert (set(failing), set(failing["source"]) >= SOURCE) == ({"dossier_id", "source"}, True)
    (swept,) = scene.me.post(f"{health}/sweep")
    theirs = {"source_id", "source_name", "url", "status_code", "recovered", "error"}
    assert set(swept) == theirs | {"dossier_id"}
    assert set(scene.me.post(f"{health}/probe", {"url": source["url"]})) == {"url", "status_code", "error"}
    scene.me.post(f"{health}/probe", {}, 400)


LISTS = ("sources", "questions", "search?q=x", "extractions", "repairs", "runs", "documents", "stories", "searches")


@pytest.mark.parametrize("path", LISTS)
def test_a_list_without_anything_in_it_is_an_empty_list(scene: Scene, path: str) -> None:
    assert scene.me.get(f"{scene.path}/{path}") == []
