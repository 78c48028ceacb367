"""Every route there is, walked: strangers, other tenants, roles and scopes; and what the OpenAPI document promises."""

from __future__ import annotations

import io
import itertools
import json
import re
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any

import anyio
import jsonschema
import pytest
from fastapi.routing import APIRoute

from command import SCHEMAS
from service import Answer, Client, Here
from veille.core.access.access import LEAST_ROLE, SCOPES, Role
from veille.core.alerts.records import AlertFilter
from veille.core.models import Scope
from veille.core.show.shared_link import SHARE_DAYS
from veille.interfaces.web import all_routes, make_api
from veille.interfaces.web._switchboard import Switchboard
from veille.services.alerts.channels import ChannelWish
from veille.services.alerts.rules import RuleWish
from veille.services.watching.questions import Asking
from veille.services.watching.sources import Wish
from veille.settings import load_settings
from world import Site

#: What a stranger may call; everything else is 401 or 404.
PUBLIC = {
    ("GET", "/health"),
    ("GET", "/setup"),
    ("POST", "/setup"),
    ("POST", "/api/auth/login"),
    ("POST", "/api/auth/logout"),
    ("GET", "/api/proxy-image"),
}
#: Served by others than `Routes`; they ask for a token themselves.
BESIDE = ["/mcp", "/connectivity/{service:path}"]
ABSENT = "01a1dd3b-7c00-7000-8000-00000000dead"


@dataclass(frozen=True)
class Route:
    method: str
    path: str
    auth: dict[str, Any]
    operation: dict[str, Any]

    @property
    def name(self) -> str:
        return f"{self.method} {self.path}"

    @property
    def in_dossier(self) -> bool:
        return self.path.startswith("/api/dossiers/{dossier_id}")

    def body(self, document: dict[str, Any]) -> Any:
        """Something that is right, from the examples and types of the document."""
        content = self.operation.get("requestBody", {}).get("content", {})
        if "application/json" not in content:
            return b"<opml/>" if content else None
        return _filled(content["application/json"]["schema"], document)


def _filled(schema: dict[str, Any], document: dict[str, Any]) -> Any:
    if "$ref" in schema:
        return _filled(document["components"]["schemas"][schema["$ref"].rpartition("/")[2]], document)
    if examples := schema.get("examples"):
        return examples[0]
    if "enum" in schema:
        return schema["enum"][0]
    if schema.get("type") == "object":
        required = schema.get("required", [])
        return {name: _filled(one, document) for name, one in schema.get("properties", {}).items() if name in required}
    return {"string": "x", "integer": 1, "number": 1, "boolean": True, "array": []}.get(schema.get("type", ""))


#: As it is published; `test_docs.py` compares it with the program. To make it takes a second in every worker.
DOCUMENT = json.loads((SCHEMAS / "openapi.json").read_text(encoding="utf-8"))
ROUTES = [
    Route(method.upper(), path, operation["x-auth"], operation)
    for path, operations in DOCUMENT["paths"].items()
    for method, operation in operations.items()
]


def _name(route: Route) -> str:
    return route.name


@dataclass
class Tenants:
    """Ann's dossier with something of everything in it, and Bob, who has one of his own."""

    office: Here
    ann: Client
    bob: Client
    ids: dict[str, str]

    def path(self, route: Route, **other: str) -> str:
        ids = self.ids | other
        return re.sub(r"{(\w+)}", lambda match: ids[match[1]], route.path)

    def ask(self, who: Client, route: Route, **other: str) -> Answer:
        query = {"q": "word", "url": "https://example.org/", "token": "x"}
        wanted = {one["name"] for one in route.operation.get("parameters", []) if one.get("required")}
        headers = {"Content-Type": "text/x-opml"} if route.path.endswith("/opml") else None
        return who.ask(
            route.method,
            self.path(route, **other),
            route.body(DOCUMENT),
            headers,
            **{name: value for name, value in query.items() if name in wanted},
        )


@pytest.fixture(scope="module")
def tenants(office: Here) -> Tenants:
    ann, bob = office.person("ann@example.org"), office.person("bob@example.org")
    dossier_id = ann.post("/api/dossiers", {"name": "anns"}, 201)["id"]
    bob.post("/api/dossiers", {"name": "bobs"}, 201)
    made = ann.post("/api/auth/tokens", {"name": "t", "scopes": ["read"]}, 201)
    search = ann.post(f"/api/dossiers/{dossier_id}/searches", {"name": "s", "query": "whale"}, 201)
    with Site() as site, office.program() as app:
        site.article("/a", "Whales", "Whales sing at night, and nobody knows why. " * 20)
        site.article("/b", "Whales too", "Whales sing at night, and nobody knows why. " * 19 + "They do.")
        source = app.sources.add(dossier_id, Wish(url=f"{site.url}/a", kind="page"))
        app.sources.add(dossier_id, Wish(url=f"{site.url}/b", kind="page"))
        (run,) = app.run(Scope(dossiers=frozenset({dossier_id})))
        engine = next(iter(app.catalogue.engines(dossier_id).values()))
        question = app.questions.add(dossier_id, Asking(text="Why?", channels=(engine.id,)))
        with app.dossiers.open(dossier_id) as store:
            (story,) = store.stories.all()
        document_id = run.items[0].document_id
        share, _ = app.sharing.share(dossier_id, ann.get("/api/auth/me")["id"], document_id, SHARE_DAYS[0])
        hook = ChannelWish(name="hook", kind="webhook", options={"url": f"{site.url}/hook"})
        channel = app.channels.add(dossier_id, hook)
        rule = app.rules.add(dossier_id, RuleWish(expression='"porpoise" is there', tell=(channel.id,)))
        app.channels.pause(dossier_id, channel.id)
        site.article("/c", "Porpoises", "A porpoise came into the old harbour, and stayed for a week. " * 20)
        app.check_now(dossier_id, app.sources.add(dossier_id, Wish(url=f"{site.url}/c", kind="page")).id)
        app.deliver([dossier_id])
        app.analyses.run(dossier_id)
        alert = app.rules.alerts(dossier_id, AlertFilter())[0].alert
    ids = {
        "dossier_id": dossier_id,
        "source_id": source.id,
        "question_id": question.id,
        "document_id": document_id,
        "document": document_id,
        "story_id": story.id,
        "run_id": run.id,
        "search_id": search["id"],
        "engine_id": engine.id,
        "rule_id": rule.id,
        "channel_id": channel.id,
        "alert_id": alert.id,
        "share_id": share.id,
        "number": "1",
        "user": "ann@example.org",
        "user_id": ann.get("/api/auth/me")["id"],
        "session_id": ann.get("/api/auth/sessions")[0]["id"],
        "token_id": made["id"],
        "entry_id": ann.get("/api/source-registry")[0]["id"],
        "repair_id": ABSENT,
        "page_id": ABSENT,
        "name": "KEY",
        "category": ann.get("/api/source-registry")[0]["category"],
    }
    return Tenants(office, ann, bob, ids)


async def _served(data: Path) -> list[Any]:
    """The routes of a service that runs."""
    api = make_api(load_settings(data=data))
    async with api.router.lifespan_context(api):
        return list(api.routes)


def test_no_route_is_registered_without_saying_who_may_call_it(tmp_path: Path) -> None:
    registered = {
        (method, route.path)
        for topic in all_routes()
        for route in topic.router.routes
        if isinstance(route, APIRoute) and route.include_in_schema
        for method in route.methods or ()
    }
    assert registered == {(route.method, route.path) for route in ROUTES}
    # In a thread of its own: a browser of other tests may have an event loop in this one.
    with ThreadPoolExecutor(1) as thread:
        served = thread.submit(anyio.run, _served, tmp_path).result()
    switchboards = [one for one in served if isinstance(one, Switchboard)]
    assert [one.topics for one in switchboards] == [list(all_routes())]
    beside = [getattr(one, "path", "?") for one in served if not isinstance(one, Switchboard)]
    assert beside == BESIDE, "something is served beside the routes"
    assert {(route.method, route.path) for route in ROUTES if route.auth["who"] == "anybody"} == PUBLIC
    with pytest.raises(TypeError, match="auth"):
        next(iter(all_routes())).get("/x")  # type: ignore[call-arg]  # that is the point


@pytest.mark.parametrize("route", [one for one in ROUTES if (one.method, one.path) not in PUBLIC], ids=_name)
def test_a_stranger_gets_nothing(tenants: Tenants, route: Route) -> None:
    for who in ({}, {"Cookie": "sid=guess"}, {"Authorization": "Bearer vk_guess"}, {"Authorization": "nonsense"}):
        answer = tenants.ask(Client(tenants.office.url, who), route)
        assert answer.status == 401, answer.body
        assert answer.json == {"error": "non authentifie", "code": "login"}


@pytest.mark.parametrize("path", ["/mcp", "/connectivity/veille_list_dossiers", "/connectivity/none"])
def test_a_stranger_gets_nothing_beside_the_routes(tenants: Tenants, path: str) -> None:
    for who in ({}, {"Authorization": "Bearer vk_guess"}, {"Cookie": tenants.ann.headers["Cookie"]}):
        for method in ("GET", "POST", "DELETE"):
            assert Client(tenants.office.url, who).ask(method, path, {}).status == 401
    foreign = {"Host": "evil.test", **tenants.office.robot("ann@example.org").headers}
    assert Client(tenants.office.url, foreign).ask("POST", path, {}).status == 421


def test_programs_come_in_with_their_token(tenants: Tenants) -> None:
    robot = tenants.office.robot("bob@example.org")
    mine = robot.get("/api/dossiers")
    assert robot.post("/connectivity/veille_list_dossiers", {}) == mine
    hello = {
        "jsonrpc": "2.0",
        "id": 1,
        "method": "initialize",
        "params": {
            "protocolVersion": "2025-06-18",
            "capabilities": {},
            "clientInfo": {"name": "test", "version": "1"},
        },
    }
    both = {"Accept": "application/json, text/event-stream"}
    answer = robot.ask("POST", "/mcp", hello, both)
    assert (answer.status, answer.json["result"]["serverInfo"]["name"]) == (200, "veille")


@pytest.mark.parametrize("route", [one for one in ROUTES if one.in_dossier], ids=_name)
def test_another_tenants_things_are_as_absent_as_what_does_not_exist(tenants: Tenants, route: Route) -> None:
    mine = tenants.bob.get("/api/dossiers")[0]["id"]
    theirs = tenants.ask(tenants.bob, route)
    absent = tenants.ask(tenants.bob, route, dossier_id=ABSENT)
    assert theirs.status == absent.status == 404
    assert theirs.body == absent.body
    # In one's own dossier, another's things are absent too.
    inner = [name for name in re.findall(r"{(\w+)}", route.path)[1:] if name in _OF_A_DOSSIER]
    for name in inner:
        own = tenants.ask(tenants.bob, route, dossier_id=mine)
        missing = tenants.ask(tenants.bob, route, dossier_id=mine, **{name: ABSENT})
        assert own.status == 404
        assert own.body == missing.body


_OF_A_DOSSIER = {
    "source_id", "question_id", "document_id", "story_id", "run_id", "search_id", "rule_id", "channel_id", "alert_id",
    "share_id",
}  # fmt: skip


@pytest.mark.parametrize("route", [one for one in ROUTES if one.auth["who"] == "admin"], ids=_name)
def test_administration_is_not_for_users(tenants: Tenants, route: Route) -> None:
    answer = tenants.ask(tenants.bob, route)
    assert (answer.status, answer.json) == (403, {"error": "admin requis", "code": "not_admin"})


@pytest.mark.parametrize("who", list(Role))
def test_a_role_allows_what_it_is_for_and_no_more(tenants: Tenants, who: Role) -> None:
    office, dossier_id = tenants.office, tenants.ids["dossier_id"]
    person = office.person(f"{who}@example.org")
    office.give(f"{who}@example.org", dossier_id, who)
    for route in ROUTES:
        if not route.in_dossier or _is_costly(route):
            continue
        allowed = who.covers(LEAST_ROLE[route.auth["scope"]])
        # Things that are not there: what may be done is told by 404 as well, so only a list tells them apart.
        answer = tenants.ask(person, route, user="nobody@example.org", **dict.fromkeys(_OF_A_DOSSIER, ABSENT))
        if not allowed:
            assert answer.status == 404, (route.name, answer.body)
        elif not set(re.findall(r"{(\w+)}", route.path)[1:]):
            assert answer.status < 400 or answer.status in {400, 409}, (route.name, answer.body)


def _is_costly(route: Route) -> bool:
    return route.name == "DELETE /api/dossiers/{dossier_id}" or "/reader" in route.path or "catalogue" in route.path


@pytest.mark.parametrize("scope", SCOPES)
def test_a_token_without_the_scope_is_told_so(tenants: Tenants, scope: str) -> None:
    robot = tenants.office.robot("ann@example.org", scope)
    for route in ROUTES:
        if route.in_dossier and route.auth["scope"] != scope:
            answer = tenants.ask(robot, route)
            assert (answer.status, answer.json["code"]) == (403, "no_scope"), route.name


def test_a_token_confined_to_a_dossier_reaches_no_other(tenants: Tenants) -> None:
    other = tenants.ann.post("/api/dossiers", {"name": "other"}, 201)["id"]
    robot = tenants.office.robot("ann@example.org", dossiers=[other])
    assert [one["id"] for one in robot.get("/api/dossiers")] == [other]
    for route in ROUTES:
        if route.in_dossier:
            assert tenants.ask(robot, route).status == 404, route.name
    robot.post("/api/dossiers", {"name": "more"}, 403)
    tenants.ann.delete(f"/api/dossiers/{other}")


READING = [
    route
    for route in ROUTES
    if route.method == "GET"
    and route.auth["who"] in {"known", "person"}
    and route.path != "/api/dossiers/{dossier_id}/reader"
]


@pytest.mark.parametrize("route", READING, ids=_name)
def test_what_comes_back_is_what_the_document_promises(tenants: Tenants, route: Route) -> None:
    answer = tenants.ask(tenants.ann, route)
    if route.path.endswith("/diff"):
        assert answer.json["code"] == "one_revision"
        return
    assert answer.status == 200, answer.body
    content = route.operation["responses"]["200"].get("content", {})
    if "application/json" in content and content["application/json"]["schema"]:
        schema = {**content["application/json"]["schema"], "components": DOCUMENT["components"]}
        jsonschema.Draft202012Validator(schema).validate(answer.json)
        if schema.get("type") == "array":
            assert isinstance(answer.json, list)


def test_lists_of_an_empty_dossier_are_empty_lists(tenants: Tenants) -> None:
    empty = tenants.bob.get("/api/dossiers")[0]["id"]
    lists = [
        route
        for route in ROUTES
        if route.method == "GET"
        and re.fullmatch(r"/api/dossiers/{dossier_id}/[a-z]+", route.path)
        and route.operation["responses"]["200"]
        .get("content", {})
        .get("application/json", {})
        .get("schema", {})
        .get("type")
        == "array"
    ]
    assert len(lists) > 8
    for route in lists:
        answer = tenants.ask(tenants.bob, route, dossier_id=empty)
        if not route.path.endswith(("/members", "/audit", "/engines")):
            assert answer.body == b"[]", route.name


def test_every_answer_and_body_of_the_document_has_an_example_or_fields() -> None:
    names = set(itertools.chain.from_iterable(re.findall(r"schemas/(\w+)", str(route.operation)) for route in ROUTES))
    bare = [
        name
        for name in names
        if not DOCUMENT["components"]["schemas"][name].get("properties")
        and not DOCUMENT["components"]["schemas"][name].get("enum")
    ]
    assert bare == []
    assert all(route.operation.get("description") or route.operation.get("summary") for route in ROUTES)
    ids = [route.operation["operationId"] for route in ROUTES]
    assert len(ids) == len(set(ids))
    titles = [schema.get("title", name) for name, schema in DOCUMENT["components"]["schemas"].items()]
    assert sorted(titles) == sorted(set(DOCUMENT["components"]["schemas"])), "two shapes of one name"


@pytest.fixture(scope="module")
def generated(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The name of a package that the usual generator makes from the document."""
    pytest.importorskip("openapi_python_client")
    folder = tmp_path_factory.mktemp("client")
    (folder / "openapi.json").write_text(json.dumps(DOCUMENT))
    (folder / "config.yml").write_text("post_hooks: []\n")
    command = [sys.executable, "-m", "openapi_python_client", "generate", "--meta", "none"]
    options = ["--path", "openapi.json", "--config", "config.yml", "--output-path", "veille_client"]
    done = subprocess.run([*command, *options], cwd=folder, capture_output=True, text=True, check=False)
    assert (done.returncode, "Warning" in done.stdout + done.stderr) == (0, False), done.stdout + done.stderr
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(folder))
        yield "veille_client"


def test_a_generated_client_can_call_whatever_can_be_got_and_send_a_list(tenants: Tenants, generated: str) -> None:
    token = tenants.office.robot("ann@example.org").headers["Authorization"].removeprefix("Bearer ")
    made = import_module(f"{generated}.client").AuthenticatedClient(base_url=tenants.office.url, token=token)
    with made as client:
        for route in READING:
            found = import_module(f"{generated}.api.{route.operation['tags'][0]}.{route.operation['operationId']}")
            wanted = [one["name"] for one in route.operation.get("parameters", []) if one.get("required")]
            given = tenants.ids | {"q": "word", "url": "https://example.org/", "number": 1}
            answer = found.sync_detailed(client=client, **{name: given[name] for name in wanted})
            if route.auth["who"] == "person":
                assert answer.status_code == 403, route.name
            elif route.path.endswith("/diff"):
                assert answer.parsed.code == "one_revision"
            else:
                assert answer.status_code == 200, (route.name, answer.content)
                is_told = bool(route.operation["responses"]["200"].get("content"))
                assert (answer.parsed is not None) == is_told, route.name
        send = import_module(f"{generated}.api.feeds.take_opml").sync
        file = import_module(f"{generated}.types").File
        text = b'<opml><body><outline type="rss" text="F" xmlUrl="https://feeds.example.org/f"/></body></opml>'
        (taken,) = send(tenants.ids["dossier_id"], client=client, body=file(payload=io.BytesIO(text)))
        assert (taken.url, taken.code) == ("https://feeds.example.org/f", "")
