"""The end-to-end scenarios of the first such service, by name, over REST."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from samples import STORY
from service import Client, Here
from world import Asked, Page, Site

TOKEN = "bridge-token-1"


class Scene:
    """One dossier of one user, and the site that is watched."""

    def __init__(self, office: Here, site: Site) -> None:
        self.office = office
        self.site = site
        self.me = office.robot("ann@example.org")
        self.dossier_id = self.me.post("/api/dossiers", {"name": "news"}, 201)["id"]
        self.path = f"/api/dossiers/{self.dossier_id}"

    def add(self, path: str, source_type: str = "", **given: Any) -> dict[str, Any]:
        wish = {"name": path, "url": self.site.url + path, "source_type": source_type, **given}
        made: dict[str, Any] = self.me.post(f"{self.path}/sources", wish, 201)
        return made

    def fetch(self, source: dict[str, Any], status: int = 200) -> Any:
        return self.me.post(f"{self.path}/sources/{source['id']}/fetch", status=status)

    def search(self, text: str) -> list[dict[str, Any]]:
        found: list[dict[str, Any]] = self.me.get(f"{self.path}/search", q=text)
        return found

    def history(self, source: dict[str, Any]) -> list[dict[str, Any]]:
        found: list[dict[str, Any]] = self.me.get(f"{self.path}/sources/{source['id']}/history")
        return found

    def extractions(self, source: dict[str, Any]) -> list[dict[str, Any]]:
        found: list[dict[str, Any]] = self.me.get(f"{self.path}/sources/{source['id']}/extractions")
        return found

    def files(self) -> list[str]:
        return [path.read_text() for path in sorted((self.office.folder / "buffer").rglob("*.md"))]


@pytest.fixture
def scene(tmp_path: Path, site: Site) -> Iterator[Scene]:
    def answer(asked: Asked) -> Page:
        if asked.headers.get("Authorization") != f"Bearer {TOKEN}":
            return Page(b"", status=401, validates=False)
        posts = [{"title": "Post", "content": f"{STORY} post", "url": "https://social.example/1", "content_hash": ""}]
        return Page(json.dumps({"extractions": posts}).encode(), type="application/json", validates=False)

    site.made["/socmed_fetch"] = answer
    bridges = {"socmed": {"url": f"{site.url}/socmed_fetch", "token": TOKEN}}
    with Here(tmp_path, bridges=bridges) as office:
        yield Scene(office, site)


@pytest.fixture(scope="module")
def empty(office: Here) -> Iterator[Scene]:
    """For tests after which it is as it was before."""
    with Site() as site:
        yield Scene(office, site)


@pytest.mark.covers("R-161", "R-217")
def test_full_cycle(scene: Scene) -> None:
    scene.site.article("/a", "Whales", STORY)
    source = scene.add("/a")
    assert (source["source_type"], source["enabled"], source["fetch_interval"]) == ("web", True, 3_600_000)
    assert scene.me.get(f"{scene.path}/sources") == [source]
    assert scene.fetch(source) == {"status": "fetched"}
    (hit,) = scene.search(STORY.split()[0])
    (extraction,) = scene.extractions(source)
    assert (hit["extraction_id"], hit["source_id"]) == (extraction["id"], source["id"])
    assert scene.me.get(f"{scene.path}/stats") == {"sources": 1, "extractions": 1, "fetch_logs": 1}
    (log,) = scene.history(source)
    assert (log["status"], log["status_code"]) == ("ok", 200)
    (now,) = scene.me.get(f"{scene.path}/sources")
    assert (now["last_status"], now["fail_count"]) == ("ok", 0)
    assert scene.me.delete(f"{scene.path}/sources/{source['id']}") == {"status": "deleted"}
    assert scene.search(STORY.split()[0]) == []
    scene.me.delete(f"{scene.path}/sources/{source['id']}", 404)


def test_tenant_isolation(scene: Scene) -> None:
    bob = scene.office.robot("bob@example.org")
    other = bob.post("/api/dossiers", {"name": "news"}, 201)["id"]
    for who, path, word in ((scene.me, scene.path, "zebra"), (bob, f"/api/dossiers/{other}", "giraffe")):
        scene.site.article(f"/{word}", word, f"{STORY} {word}")
        source = who.post(f"{path}/sources", {"name": word, "url": f"{scene.site.url}/{word}"}, 201)
        who.post(f"{path}/sources/{source['id']}/fetch")
    assert len(scene.search("zebra")) == 1
    assert scene.search("giraffe") == []
    assert bob.get(f"/api/dossiers/{other}/search", q="zebra") == []
    assert len(bob.get(f"/api/dossiers/{other}/search", q="giraffe")) == 1
    bob.get(f"{scene.path}/search", 404, q="zebra")


def test_duplicate_rejected(scene: Scene) -> None:
    urls = ("https://example.com/feed", "HTTPS://Example.COM/feed/", "https://example.com/feed#top")
    scene.me.post(f"{scene.path}/sources", {"name": "a", "url": urls[0], "source_type": "rss"}, 201)
    for url in urls:
        answer = scene.me.post(f"{scene.path}/sources", {"name": "b", "url": url, "source_type": "rss"}, 409)
        assert answer["code"] == "duplicate_source"
    other = scene.me.post(f"{scene.path}/sources", {"name": "c", "url": "https://example.com/c"}, 201)
    scene.me.put(f"{scene.path}/sources/{other['id']}", {"url": urls[1]}, 409)
    same = scene.me.put(f"{scene.path}/sources/{other['id']}", {"url": other["url"]})
    assert same["url"] == other["url"]


INVALID: dict[str, dict[str, Any]] = {
    "no name": {"name": ""},
    "long name": {"name": "x" * 513},
    "no address": {"url": ""},
    "long address": {"url": f"https://example.org/{'x' * 4096}"},
    "bad type": {"source_type": "telepathy"},
    "often": {"fetch_interval": 59_999},
    "seldom": {"fetch_interval": 604_800_001},
    "no JSON": {"config_json": "{"},
    "much JSON": {"config_json": json.dumps({"x": "y" * 8192})},
    "private": {"url": "http://10.0.0.1/"},
    "metadata": {"url": "http://169.254.169.254/latest"},
    "file": {"url": "file:///etc/passwd"},
    "ftp": {"url": "ftp://example.org/x"},
    "traversal": {"url": "..%2F..%2Fetc/passwd", "source_type": "document"},
    "no address at all": {"url": "not a url at all"},
    "unknown field": {"color": "red"},
    "wrong type": {"fetch_interval": "often"},
}


@pytest.mark.parametrize("what", INVALID)
def test_invalid_input_rejected(empty: Scene, what: str) -> None:
    right = {"name": "a", "url": "https://example.org/a"}
    answer = empty.me.post(f"{empty.path}/sources", right | INVALID[what], 400)
    assert set(answer) == {"error", "code"}
    assert empty.me.get(f"{empty.path}/sources") == []


def test_rss_cycle(scene: Scene) -> None:
    scene.site.feed("/feed", [("/1", "One", f"<p>{STORY} one</p>"), ("/2", "Two", f"<p>{STORY} two</p>")])
    source = scene.add("/feed", "rss", config_json=json.dumps({"follow_links": False}))
    scene.fetch(source)
    scene.fetch(source)
    assert len(scene.extractions(source)) == 2
    assert len(scene.files()) == 2
    assert len(scene.search("two")) == 1
    assert len(scene.history(source)) >= 2


def test_api_cycle(scene: Scene) -> None:
    scene.site.json("/api", {"data": {"items": [{"title": f"Item {n}", "text": f"{STORY} {n}"} for n in (1, 2)]}})
    config = {"result_path": "data.items", "fields": {"title": "title", "text": "text"}}
    source = scene.add("/api", "api", config_json=json.dumps(config))
    scene.fetch(source)
    assert {one["title"] for one in scene.extractions(source)} == {"Item 1", "Item 2"}
    scene.fetch(source)
    assert len(scene.extractions(source)) == 2


def test_bridge(scene: Scene) -> None:
    wish = {"name": "ann", "url": "https://social.example/@ann", "source_type": "socmed"}
    source = scene.me.post(f"{scene.path}/sources", wish, 201)
    scene.fetch(source)
    scene.fetch(source)
    (extraction,) = scene.extractions(source)
    assert extraction["title"] == "Post"


def test_github(scene: Scene) -> None:
    """Issues of a repository, in the shape that GitHub's API gives them."""
    issues = [
        {"title": f"Issue {n}", "body": f"{STORY} {n}", "html_url": f"https://github.com/a/b/{n}"} for n in (1, 2)
    ]
    scene.site.json("/repos/a/b/issues", issues)
    config = {"fields": {"title": "title", "text": "body", "url": "html_url"}}
    source = scene.add("/repos/a/b/issues", "api", config_json=json.dumps(config))
    scene.fetch(source)
    scene.fetch(source)
    assert {one["url"] for one in scene.extractions(source)} == {one["html_url"] for one in issues}


def test_question_lifecycle(scene: Scene) -> None:
    hits = [
        {"title": f"Hit {n}", "url": f"{scene.site.url}/r/{n}", "description": f"{STORY} number {n}"} for n in (1, 2, 3)
    ]
    scene.site.made["/engine"] = lambda _: Page(json.dumps({"hits": hits}).encode(), type="application/json")
    engine = {
        "id": "local",
        "url_template": f"{scene.site.url}/engine?q={{query}}",
        "result_path": "hits",
        "rate_limit_ms": 0,
    }
    with scene.office.program() as app:
        app.catalogue.put_engine(scene.dossier_id, engine)
    wish = {"text": "Who rebuilds the bridge?", "channels": '["local"]', "follow_links": False}
    question = scene.me.post(f"{scene.path}/questions", wish, 201)
    assert (question["schedule_ms"], question["max_results"]) == (86_400_000, 20)
    where = f"{scene.path}/questions/{question['id']}"
    assert scene.me.post(f"{where}/run") == {"status": "ok", "new_results": 3}
    results = scene.me.get(f"{where}/results")
    assert len(results) == 3
    assert {json.loads(one["metadata_json"])["question_id"] for one in results} == {question["id"]}
    files = scene.files()
    assert len(files) == 3
    assert all("source_type: question" in text.replace('"', "") for text in files)
    assert scene.me.post(f"{where}/run") == {"status": "ok", "new_results": 0}
    (listed,) = scene.me.get(f"{scene.path}/questions")
    assert listed["total_results"] == 3
    # Only what was sent is changed.
    paused = scene.me.put(where, {"enabled": False})
    assert (paused["text"], paused["schedule_ms"], paused["enabled"]) == (question["text"], 86_400_000, False)
    assert scene.me.delete(where) == {"status": "deleted"}
    assert scene.me.get(f"{scene.path}/questions") == []


def test_a_change_wipes_nothing_that_was_not_sent(scene: Scene) -> None:
    scene.site.json("/api", [])
    config = json.dumps({"headers": {"X-Key": "${secret:KEY}"}, "result_path": "data"})
    source = scene.add("/api", "api", config_json=config, fetch_interval=120_000)
    where = f"{scene.path}/sources/{source['id']}"
    for method in ("PUT", "PATCH"):
        changed = scene.me.ask(method, where, {"name": method}).json
        kept = {key: value for key, value in changed.items() if key not in {"name", "updated_at"}}
        assert kept == {key: value for key, value in source.items() if key not in {"name", "updated_at"}}
        assert changed["name"] == method
    assert scene.me.put(where, {})["name"] == "PATCH"
    paused = scene.me.put(where, {"enabled": False})
    assert (paused["enabled"], paused["config_json"]) == (False, source["config_json"])


@pytest.mark.covers("R-208")
def test_a_fetch_that_fails_says_why(scene: Scene) -> None:
    source = scene.add("/gone")
    answer = scene.fetch(source, 500)
    assert answer["code"] == "fetch_failed"
    assert "404" in answer["error"]
    admin = scene.office.robot("root@example.org", is_admin=True)
    (failing,) = admin.get("/api/admin/source-health")
    assert failing["dossier_id"] == scene.dossier_id
    assert (failing["source"]["id"], failing["source"]["fail_count"]) == (source["id"], 1)


@pytest.mark.parametrize("text", ["C++", 'a "stray quote', "-secret:x", "o'brien", "5%", "NEAR(", "\x00", "*", ""])
def test_any_text_is_a_search(empty: Scene, text: str) -> None:
    assert empty.search(text) == []


def test_the_quota_of_sources(tmp_path: Path, site: Site) -> None:
    with Here(tmp_path, quotas={"sources": 2}) as office:
        scene = Scene(office, site)
        for n in range(2):
            scene.add(f"/{n}")
        answer = scene.me.post(f"{scene.path}/sources", {"name": "x", "url": f"{site.url}/x"}, 429)
        assert answer["code"] == "quota_sources"


def test_a_ready_made_source_from_the_registry(scene: Scene) -> None:
    entries = scene.me.get("/api/source-registry")
    assert entries == sorted(entries, key=lambda entry: (entry["category"], entry["name"]))
    entry = entries[0]
    where = f"{scene.path}/sources/from-registry"
    source = scene.me.post(f"{where}/{entry['id']}", status=201)
    assert (source["name"], source["url"], source["source_type"]) == (
        entry["name"],
        source["url"],
        entry["source_type"],
    )
    scene.me.post(f"{where}/{entry['id']}", status=409)
    scene.me.post(f"{where}/nothing", status=404)
    poured = scene.me.post(f"{scene.path}/catalogue/{entry['category']}")
    assert poured["skipped"] == 1


def test_the_overview_of_an_administrator(scene: Scene) -> None:
    scene.add("/a")
    admin = scene.office.robot("root@example.org", is_admin=True)
    overview = admin.get("/api/admin/overview")
    assert {one["email"] for one in overview["users"]} == {"ann@example.org", "root@example.org"}
    assert overview["shards"] == [
        {"dossier_id": scene.dossier_id, "name": "news", "stats": {"sources": 1, "extractions": 0}}
    ]
    assert Client(scene.office.url, admin.headers).get("/api/dossiers") == []


@pytest.mark.covers("R-208", "R-209", "R-210", "R-211")
def test_a_source_that_breaks_is_probed_swept_and_reset(scene: Scene) -> None:
    admin = scene.office.robot("root@example.org", is_admin=True)
    health = "/api/admin/source-health"
    assert admin.get(health) == admin.post(f"{health}/sweep") == []
    source = scene.add("/moody")
    scene.fetch(source, 500)
    (failing,) = admin.get(health)
    assert failing["source"]["last_status"] in {"broken", "error"}
    probed = admin.post(f"{health}/probe", {"url": source["url"]})
    assert (probed["url"], probed["status_code"]) == (source["url"], 404)
    assert probed["error"]
    (swept,) = admin.post(f"{health}/sweep")
    assert (swept["source_id"], swept["recovered"], swept["status_code"]) == (source["id"], False, 404)
    while scene.me.get(f"{scene.path}/sources")[0]["last_status"] != "broken":
        assert scene.fetch(source, 500)["code"] == "fetch_failed"
    (repair,) = scene.me.get(f"{scene.path}/repairs")
    assert repair["source_id"] == source["id"]
    where = f"{scene.path}/repairs/{repair['id']}"
    assert scene.me.post(f"{where}/apply", status=409)["code"] == "repair_done"
    assert scene.me.post(f"{where}/undo")["undone_at"]
    assert scene.me.post(f"{where}/undo", status=409)["code"] == "repair_done"
    assert scene.me.post(f"{scene.path}/sources/{source['id']}/reset") == {"status": "reset"}
    (now,) = scene.me.get(f"{scene.path}/sources")
    assert (now["fail_count"], now["last_status"]) == (0, "pending")
    scene.fetch(source, 500)
    scene.site.article("/moody", "Back", STORY)
    (swept,) = admin.post(f"{health}/sweep")
    assert (swept["recovered"], "error" in swept) == (True, False)
    assert admin.get(health) == []
    assert admin.post(f"{health}/probe", {"url": source["url"]}) == {"url": source["url"], "status_code": 200}


@pytest.mark.covers("R-210")
def test_a_probe_goes_where_everything_may_go_and_nowhere_else(scene: Scene) -> None:
    admin = scene.office.robot("root@example.org", is_admin=True)
    answer = admin.post("/api/admin/source-health/probe", {"url": "http://169.254.169.254/"})
    assert (answer["status_code"], "address" in answer["error"]) == (0, True)
    admin.post("/api/admin/source-health/probe", {"url": "nonsense"}, 400)
    scene.me.post("/api/admin/source-health/probe", {"url": "https://example.org/"}, 403)
