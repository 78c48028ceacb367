"""Every page there is, walked: by strangers and by other tenants."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

import pytest
from fastapi.routing import APIRoute
from pydantic import BaseModel

from service import Answer, Client, Here
from veille.interfaces.web import all_routes
from veille.interfaces.web._routes import AppRoutes
from world import Site

#: What a stranger may call; everywhere else they are led to the login.
LEAVING = "/unsubscribe/{dossier_id}/{channel_id}/{token}"
PUBLIC = {
    ("GET", "/login"),
    ("POST", "/login"),
    ("POST", "/logout"),
    ("GET", "/static/{of}/{name}"),
    ("GET", "/manifest.webmanifest"),
    ("GET", "/offline"),
    ("GET", "/s/{token}"),
    ("GET", "/s/{token}/changes"),
    ("GET", LEAVING),
    ("POST", LEAVING),
}
#: What goes on and on.
ENDLESS = {"/live"}
ABSENT = "01a1dd3b-7c00-7000-8000-00000000dead"
BROWSER = {"Accept": "text/html", "Sec-Fetch-Site": "same-origin"}
FORM = {"Content-Type": "application/x-www-form-urlencoded"}


@dataclass(frozen=True)
class Page:
    method: str
    path: str
    auth: dict[str, Any]
    #: What its address may say behind the question mark.
    words: tuple[str, ...]

    def __str__(self) -> str:
        return f"{self.method} {self.path}"

    def at(self, ids: dict[str, str]) -> str:
        return re.sub(r"{(\w+)(:path)?}", lambda found: ids.get(found[1], ABSENT), self.path)

    def call(self, client: Client, ids: dict[str, str]) -> Answer:
        body = b"value=1" if self.method == "POST" else None
        return client.ask(self.method, self.at(ids), body, {**BROWSER, **FORM}, seq=1)


def _words(route: APIRoute) -> tuple[str, ...]:
    """The names of the parameters, also of those that come as one object."""
    objects = [field.field_info.annotation for field in route.dependant.query_params]
    inside = [
        name for one in objects if isinstance(one, type) and issubclass(one, BaseModel) for name in one.model_fields
    ]
    return (*(field.alias for field in route.dependant.query_params), *inside)


PAGES = [
    Page(method, route.path, (route.openapi_extra or {})["x-auth"], _words(route))
    for topic in all_routes()
    # Reader apps see no pages: test_reader_apps.py.
    if not isinstance(topic, AppRoutes)
    for route in topic.router.routes
    if isinstance(route, APIRoute) and not route.include_in_schema
    for method in route.methods or ()
]
INSIDE = [page for page in PAGES if "{dossier_id}" in page.path]


@pytest.fixture(scope="module")
def ids(office: Here) -> dict[str, str]:
    """What is in a dossier of Ann's."""
    with Site() as site:
        site.article("/one", "One", " ".join(f"word{n}" for n in range(90)))
        dossier_id = office.dossier("hers", "ann@example.org")
        source_id = office.watch(dossier_id, f"{site.url}/one")
        office.look(dossier_id)
    with office.program() as app, app.dossiers.open(dossier_id) as store:
        (document,) = store.records.documents()
        run = store.runs.report()
    assert run
    return {
        "dossier_id": dossier_id,
        "source_id": source_id,
        "document_id": document.document_id,
        "run_id": run.id,
        "number": "1",
        "question_id": source_id,
        "engine_id": "hn_search",
        "repair_id": "none",
    }


def test_a_page_is_public_or_for_people_who_are_known() -> None:
    assert {(page.method, page.path) for page in PAGES if page.auth["who"] == "anybody"} == PUBLIC


@pytest.mark.parametrize("page", [one for one in PAGES if (one.method, one.path) not in PUBLIC], ids=str)
def test_a_stranger_is_led_to_the_login(page: Page, office: Here, ids: dict[str, str]) -> None:
    answer = page.call(office.anonymous(), ids)
    assert answer.status == 303
    assert answer.headers["location"].startswith("/login")


@pytest.mark.parametrize("page", INSIDE, ids=str)
def test_another_tenant_finds_nothing_and_cannot_tell_it_from_nothing(
    page: Page, office: Here, ids: dict[str, str]
) -> None:
    bob = office.person("bob@example.org")
    hers = page.call(bob, ids)
    absent = page.call(bob, {})
    assert hers.status == absent.status == 404
    assert hers.body == absent.body


@pytest.fixture(scope="module")
def ann(office: Here, ids: dict[str, str]) -> Client:
    assert ids, "she made the dossier, and manages the instance"
    return office.person("ann@example.org")


@pytest.mark.parametrize("page", [one for one in PAGES if one.method == "GET" and one.path not in ENDLESS], ids=str)
def test_garbage_in_an_address_is_told_of_on_a_page(page: Page, ann: Client, ids: dict[str, str]) -> None:
    for word in {"cursor", "before", *page.words}:
        for garbage in ("garbage", "9" * 400, "<b>\x00"):
            answer = ann.ask("GET", page.at(ids), None, BROWSER, **{word: garbage})
            assert answer.status in {200, 303, 400, 404}, (word, garbage, answer.status, answer.body[:300])
            if answer.status in {400, 404}:
                assert answer.headers["content-type"].startswith("text/html"), (word, garbage)
                assert b"<h1" in answer.body, (word, garbage)
                assert b"<b>" not in answer.body, "what was sent is escaped"


@pytest.mark.parametrize("page", [one for one in PAGES if one.method == "POST" and one.path != LEAVING], ids=str)
def test_no_other_site_sends_a_form_in_somebodys_name(page: Page, office: Here, ids: dict[str, str]) -> None:
    ann = office.person("ann@example.org")
    path = page.at(ids)
    for said in ({"Sec-Fetch-Site": "cross-site"}, {"Origin": "https://evil.test"}, {}):
        answer = ann.ask("POST", path, b"value=1", {**FORM, **said})
        assert answer.status in {403, 415}
