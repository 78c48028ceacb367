"""Reader apps: the Google Reader and Fever protocols, with newsboat as a real app.

All tests read the same two dossiers, each as another person: marks are a person's own.
"""

from __future__ import annotations

import hashlib
import os
import re
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import quote, urlencode

import pytest
from fastapi.routing import APIRoute

from newsboat import NEWSBOAT, Newsboat
from service import Answer, Client, Here
from veille.core.access.access import Role
from veille.interfaces.web import all_routes
from veille.interfaces.web._routes import AppRoutes
from veille.services.reading import reader_apps
from world import Site

ADA = "ada@example.org"
READ, STARRED, ALL, UNREAD = (
    f"user/-/state/com.google/{name}" for name in ("read", "starred", "reading-list", "kept-unread")
)
_FORM = {"Content-Type": "application/x-www-form-urlencoded"}
_FEED = [
    (f"/{name}", f"On {name}", f"<p>All about {name}.</p><script>alert(1)</script>") for name in ("tea", "rain", "bees")
]


@dataclass
class App:
    """An app of a person, who has a browser as well."""

    url: str
    login: str
    password: str
    browser: Client
    dossiers: tuple[str, ...]
    client: Client = field(init=False)

    def __post_init__(self) -> None:
        self.client = Client(self.url, {"Authorization": f"GoogleLogin auth={self.password}"})

    def get(self, path: str, **query: Any) -> Any:
        answer = self.client.ask("GET", f"/reader/api/0/{path}?{urlencode(query | {'output': 'json'}, doseq=True)}")
        assert answer.status == 200, answer.body
        return answer.json

    def post(self, path: str, **form: Any) -> Answer:
        return self.client.ask("POST", f"/reader/api/0/{path}", urlencode(form, doseq=True).encode(), _FORM)

    def edit(self, **form: Any) -> None:
        answer = self.post("edit-tag", **form)
        assert (answer.status, answer.body) == (200, b"OK")

    def ids(self, **query: Any) -> list[str]:
        return [one["id"] for one in self.get("stream/items/ids", **({"s": ALL, "n": 1000} | query))["itemRefs"]]

    def contents(self, ids: list[str]) -> list[dict[str, Any]]:
        answer = self.post("stream/items/contents?output=json", i=ids)
        assert answer.status == 200, answer.body
        found: list[dict[str, Any]] = answer.json["items"]
        return found

    def titles(self, **query: Any) -> list[str]:
        return [one["title"] for one in self.contents(self.ids(**query))]

    def item(self, title: str) -> str:
        return next(number for number in self.ids() if self.contents([number])[0]["title"] == title)

    def feed(self, title: str) -> str:
        return next(str(one["id"]) for one in self.get("subscription/list")["subscriptions"] if one["title"] == title)

    def unread(self) -> int:
        counts: dict[str, int] = {one["id"]: one["count"] for one in self.get("unread-count")["unreadcounts"]}
        return counts.get(ALL, 0)

    def unread_on_pages(self) -> int:
        """What the rail of every page counts."""
        html = self.browser.ask("GET", "/", headers={"Accept": "text/html"}).body.decode()
        found = re.search(r"Changes</span>\s*<span class=\"count\" title=\"unread\">(\d+)", html)
        return int(found[1]) if found else 0

    def kept_on_pages(self) -> set[str]:
        html = self.browser.ask("GET", "/kept", headers={"Accept": "text/html"}).body.decode()
        return {title for title in ("On tea", "On rain", "On bees", "Prices") if title in html}

    def fever(self, question: str, **form: Any) -> Any:
        key = hashlib.md5(f"{self.login}:{self.password}".encode(), usedforsecurity=False).hexdigest()
        sent = urlencode({"api_key": key} | form).encode()
        answer = Client(self.url).ask("POST", f"/fever/?api&{question}", sent, _FORM)
        assert answer.status == 200, answer.body
        assert (answer.json["api_version"], answer.json["auth"]) == (3, 1)
        return answer.json


@dataclass
class Desk:
    """A service with two dossiers: a feed of three entries, and a page."""

    office: Here
    site: Site
    dossiers: tuple[str, str]
    people: int = 0

    def app(self, *scopes: str, role: Role = Role.READER) -> App:
        """The app of a new person, who has read nothing yet."""
        self.people += 1
        email = f"reader{self.people}@example.org"
        browser = self.office.person(email)
        with self.office.program() as program:
            accounts = program.accounts
            for dossier_id in self.dossiers:
                accounts.members.add(accounts.local(), dossier_id, email, role)
            _, password = accounts.tokens.add_app_password(accounts.local(), "phone", scopes or ("read",), user=email)
        return App(self.office.url, email, password, browser, self.dossiers)


@pytest.fixture(scope="module")
def desk(office: Here) -> Iterator[Desk]:
    with Site() as site:
        site.feed("/feed", _FEED)
        site.article("/prices", "Prices", "Tea costs 12.50 today.\nThere is a lot of fine tea in this shop.")
        site.article("/later", "Later", "Something that somebody adds with an app, and which is long enough.")
        news, shop = (office.dossier(name) for name in ("News", "Shop"))
        feed = {"tags": ["Daily"], "follow_links": False}
        office.watch(news, f"{site.url}/feed", kind="feed", name="Feed", config=feed)
        office.watch(shop, f"{site.url}/prices", kind="page", name="Prices")
        for dossier_id in (news, shop):
            office.look(dossier_id)
        yield Desk(office, site, (news, shop))


def test_an_app_signs_in_with_its_own_password_only(desk: Desk) -> None:
    app = desk.app()

    def login(email: str, password: str, **more: str) -> Answer:
        sent = urlencode({"Email": email, "Passwd": password} | more).encode()
        return Client(app.url).ask("POST", "/accounts/ClientLogin", sent, _FORM)

    entered = login(app.login, app.password)
    assert f"Auth={app.password}\n" in entered.body.decode()
    assert login(app.login, app.password, output="json").json["Auth"] == app.password
    assert login(app.login.upper(), app.password).status == 200
    assert {login(app.login, "wrong").status, login(ADA, app.password).status} == {401}
    info = app.get("user-info")
    assert info["userEmail"] == app.login
    assert app.client.ask("GET", "/reader/api/0/token").body.decode().isalnum()
    assert app.client.ask("GET", "/api/greader.php/reader/api/0/user-info").json == info, "as FreshRSS has it"
    assert app.browser.ask("GET", "/reader/api/0/user-info").status == 401, (
        "a cookie is no proof: it is sent by any site"
    )
    assert app.client.ask("GET", "/api/dossiers").status == 401, "it opens nothing else"
    with desk.office.program() as program:
        accounts = program.accounts
        token = accounts.tokens.all(accounts.local(), app.login)[0]
        accounts.tokens.revoke(accounts.local(), token.id)
    assert app.client.ask("GET", "/reader/api/0/user-info").status == 401
    assert (
        Client(app.url).ask("POST", "/fever/?api", urlencode({"api_key": "0" * 32}).encode(), _FORM).json["auth"] == 0
    )


def test_feeds_are_in_the_folders_of_their_dossier_and_tags(desk: Desk) -> None:
    app = desk.app()
    feeds = {one["title"]: one for one in app.get("subscription/list")["subscriptions"]}
    assert {one["label"] for one in feeds["Feed"]["categories"]} == {"News", "Daily"}
    assert feeds["Prices"]["url"] == f"{desk.site.url}/prices"
    tags = {one["id"]: one.get("type") for one in app.get("tag/list")["tags"]}
    assert tags == {STARRED: None} | {f"user/-/label/{name}": "folder" for name in ("News", "Daily", "Shop")}
    listed = app.client.ask("GET", "/reader/api/0/subscription/export").body.decode()
    assert f"{desk.site.url}/feed" in listed
    assert app.titles(s="user/-/label/Shop") == ["Prices"]
    assert len(app.ids(s="user/-/label/Daily")) == 3
    assert app.ids(s=feeds["Prices"]["id"]) == app.ids(s="user/-/label/Shop")


def test_items_are_found_by_all_forms_of_their_ids_and_have_clean_content(desk: Desk) -> None:
    app = desk.app()
    number = app.item("On tea")
    hexadecimal = f"{int(number):016x}"
    forms = [number, hexadecimal, f"tag:google.com,2005:reader/item/{hexadecimal}"]
    found = [app.contents([form])[0] for form in forms]
    assert {one["id"] for one in found} == {forms[2]}
    assert found[0]["content"]["content"] == "<p>All about tea.</p>"
    assert found[0]["canonical"] == [{"href": f"{desk.site.url}/tea"}]
    assert found[0]["origin"]["streamId"] == app.feed("Feed")
    assert {ALL, "user/-/label/News"} <= set(found[0]["categories"])
    assert app.contents(["nothing", "99999999", "-1"]) == []


def test_a_list_is_read_in_pages_in_both_orders_and_by_times(desk: Desk) -> None:
    app = desk.app()
    every = app.ids()
    assert len(every) == 4
    assert app.ids(r="o") == every[::-1]
    for order in ({}, {"r": "o"}):
        read: list[str] = []
        following: dict[str, str] = {}
        while True:
            page = app.get("stream/contents/" + quote(ALL, safe=""), n=3, **order, **following)
            read += [str(int(one["id"][-16:], 16)) for one in page["items"]]
            if "continuation" not in page:
                break
            following = {"c": page["continuation"]}
        assert read == (every[::-1] if order else every)
    assert app.ids(c="nonsense") == []
    at = int(app.contents(every[:1])[0]["crawlTimeMsec"]) // 1000
    assert app.ids(ot=at + 10) == app.ids(nt=at - 100) == []
    assert app.ids(ot=at - 100) == app.ids(nt=at + 10) == every
    assert app.client.ask("GET", "/reader/api/0/stream/items/ids?s=nonsense").status == 400


def test_a_long_answer_ends_early_and_the_next_goes_on(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    app = desk.app()
    every = app.ids()
    monkeypatch.setattr(reader_apps, "MOST_HTML", 1)
    read: list[str] = []
    following: dict[str, str] = {}
    while len(read) < len(every):
        page = app.get("stream/contents/" + quote(ALL, safe=""), **following)
        assert len(page["items"]) == 1
        read += [str(int(one["id"][-16:], 16)) for one in page["items"]]
        following = {"c": page.get("continuation", "")}
    assert (read, following) == (every, {"c": ""})
    assert len(app.contents(every)) == 1


def test_a_form_that_cannot_be_read_is_refused(desk: Desk) -> None:
    app = desk.app()
    body = b'--x\r\nContent-Disposition: form-data; name="i"\r\n\r\n\xff\r\n--x--\r\n'
    for charset, status in (("undefined", 400), ("none-such", 200), ("utf-8", 200)):
        head = {"Content-Type": f"multipart/form-data; boundary=x; charset={charset}"}
        assert app.client.ask("POST", "/reader/api/0/edit-tag", body, head).status == status, charset
        assert Client(app.url).ask("POST", "/fever/?api", body, head).status == status, charset


def test_marks_are_those_of_the_pages(desk: Desk) -> None:
    app = desk.app()
    tea, rain = app.item("On tea"), app.item("On rain")
    assert app.unread() == app.unread_on_pages() == 4
    app.edit(i=[tea, rain], a=READ, T="any")
    assert app.unread() == app.unread_on_pages() == 2
    assert sorted(app.titles(xt=READ)) == sorted(app.titles(it=UNREAD)) == ["On bees", "Prices"]
    assert sorted(app.titles(s=READ)) == ["On rain", "On tea"]
    app.edit(i=tea, r=READ, a=[UNREAD, "user/-/state/com.google/tracking-kept-unread"])
    assert app.unread() == app.unread_on_pages() == 3
    app.edit(i=rain, a=STARRED)
    assert app.titles(s=STARRED) == ["On rain"]
    assert app.kept_on_pages() == {"On rain"}
    app.edit(i=rain, r=STARRED)
    assert app.ids(s=STARRED) == []
    assert app.post("mark-all-as-read", s=app.feed("Feed"), ts="1").body == b"OK"
    assert app.unread() == 3, "nothing is that old"
    assert app.post("mark-all-as-read", s="user/-/label/News").body == b"OK"
    assert app.unread() == app.unread_on_pages() == 1
    assert app.post("mark-all-as-read", s=ALL).body == b"OK"
    assert app.unread() == app.unread_on_pages() == 0
    assert desk.app().unread() == 4, "marks are a person's own"


def test_a_change_is_another_item_and_an_app_that_was_away_does_not_mark_it(desk: Desk) -> None:
    desk.site.article("/diary", "Diary", "Today it rained a lot.\nThe bees stayed at home and nobody was stung.")
    diary = desk.office.dossier("Diary")
    desk.office.watch(diary, f"{desk.site.url}/diary", kind="page", name="Diary")
    desk.office.look(diary)
    app = desk.app()
    desk.office.give(app.login, diary, Role.READER)
    before = app.item("Diary")
    highest = max(int(number) for number in app.ids())
    desk.site.article("/diary", "Diary", "Today the sun shone a lot.\nThe bees stayed at home and nobody was stung.")
    desk.office.look(diary)
    after = app.item("Diary")
    assert int(after) > highest, "an app that asks for what is new finds it"
    assert app.ids(s="user/-/label/Diary") == [after]
    html = app.contents([after])[0]["content"]["content"]
    assert "<del>" in html
    assert "<ins>" in html
    app.edit(i=before, a=READ)
    assert app.titles(s="user/-/label/Diary", xt=READ) == ["Diary"], "what changed since was not read"
    app.edit(i=after, a=READ)
    assert app.ids(s="user/-/label/Diary", xt=READ) == []
    assert [one["title"] for one in app.contents([before])] == ["Diary"], "it can still be read"
    other = desk.app()
    assert (other.contents([before]), other.contents([after])) == ([], []), "dossiers of others do not exist"
    other.edit(i=after, a=STARRED)
    assert app.ids(s=STARRED) == []


def test_feeds_and_labels_are_changed_by_an_app_that_may_write(desk: Desk) -> None:
    reader = desk.app()
    assert reader.post("subscription/quickadd", quickadd=f"{desk.site.url}/later").status == 403
    assert reader.post("edit-tag", i=reader.item("On bees"), a="user/-/label/Insects").status == 403
    app = desk.app("read", "write")
    own = desk.office.dossier(f"Own of {app.login}", app.login)
    added = app.post("subscription/quickadd", quickadd=f"{desk.site.url}/later").json
    assert (added["numResults"], app.feed("Later")) == (1, added["streamId"])
    label = "user/-/label/Extra"
    assert app.post("subscription/edit", ac="edit", s=added["streamId"], t="Much later", a=label).body == b"OK"
    feed = next(one for one in app.get("subscription/list")["subscriptions"] if one["title"] == "Much later")
    assert "Extra" in {one["label"] for one in feed["categories"]}
    assert app.post("subscription/edit", ac="edit", s=added["streamId"], r=label).body == b"OK"
    end = time.monotonic() + 60
    # The service checks it beside: whoever comes second finds its host taken.
    while len(app.ids()) < 5:
        assert time.monotonic() < end
        desk.office.look(own)
    later = app.item("Later")
    app.edit(i=later, a="user/-/label/Soon")
    assert app.ids(s="user/-/label/Soon") == [later]
    assert {"id": "user/-/label/Soon", "type": "tag"} in app.get("tag/list")["tags"]
    app.edit(i=later, r="user/-/label/Soon")
    assert app.ids(s="user/-/label/Soon") == []
    assert app.post("edit-tag", i=app.item("On bees"), a="user/-/label/Soon").status == 404, "there they only read"
    assert app.post("subscription/edit", ac="unsubscribe", s=app.feed("Feed")).status == 404
    assert app.post("subscription/edit", ac="unsubscribe", s=added["streamId"]).body == b"OK"
    assert "Much later" not in {one["title"] for one in app.get("subscription/list")["subscriptions"]}
    assert app.post("subscription/quickadd", quickadd="/etc/passwd").status == 400
    assert app.post("subscription/edit", ac="dance", s=app.feed("Feed")).status == 400


def test_an_app_names_a_hundred_streams_at_most(desk: Desk) -> None:
    app = desk.app("read", "write", role=Role.EDITOR)
    feed, many = app.feed("Feed"), ["user/-/label/Extra"] * 101
    for sent in ({"s": [feed] * 101}, {"s": feed, "t": "Another", "a": many}, {"s": feed, "r": many}):
        answer = app.post("subscription/edit", ac="edit", **sent)
        assert (answer.status, answer.json["code"]) == (400, "bad_stream")
    assert app.feed("Feed") == feed, "nothing of it was done"
    for name in "ar":
        assert app.post("edit-tag", i=app.item("On bees"), **{name: many}).json["code"] == "bad_stream"
    for name in ("it", "xt"):
        asked = urlencode({"s": ALL, name: many}, doseq=True)
        assert app.client.ask("GET", f"/reader/api/0/stream/items/ids?{asked}").json["code"] == "bad_stream"


def test_labels_of_any_characters_are_written_as_atom(desk: Desk) -> None:
    odd = desk.office.dossier("Odd")
    desk.site.article("/odd", "Odd", "This is in a folder whose name XML cannot write, and it is long enough.")
    desk.office.watch(odd, f"{desk.site.url}/odd", kind="page", name="Odd", config={"tags": ["A\ufffeB"]})
    desk.office.look(odd)
    app = desk.app()
    desk.office.give(app.login, odd, Role.READER)
    answer = app.client.ask("GET", "/reader/atom/user/-/label/Odd")
    assert (answer.status, 'label="AB"' in answer.body.decode()) == (200, True)


def test_fever_lists_the_same(desk: Desk) -> None:
    app = desk.app()
    said = app.fever("groups&feeds&favicons&links")
    groups = {one["title"]: str(one["id"]) for one in said["groups"]}
    feeds = {one["title"]: one["id"] for one in said["feeds"]}
    assert {one["group_id"]: one["feed_ids"] for one in said["feeds_groups"]}[int(groups["Daily"])] == str(
        feeds["Feed"]
    )
    assert said["links"] == said["favicons"] == []
    every = sorted(map(int, app.ids()))
    items = app.fever("items")
    assert (items["total_items"], [one["id"] for one in items["items"]]) == (4, every)
    assert [one["id"] for one in app.fever(f"items&since_id={every[1]}")["items"]] == every[2:]
    assert [one["id"] for one in app.fever(f"items&max_id={every[2]}")["items"]] == every[1::-1]
    assert [one["id"] for one in app.fever("items&max_id=0")["items"]] == every[::-1]
    tea = int(app.item("On tea"))
    one = app.fever(f"items&with_ids={tea},nothing,{'9' * 5000}")["items"][0]
    assert (one["title"], one["html"], one["is_read"], one["feed_id"]) == (
        "On tea",
        "<p>All about tea.</p>",
        0,
        feeds["Feed"],
    )


def test_fever_marks_as_the_pages_do(desk: Desk) -> None:
    app = desk.app()
    said = app.fever("groups&feeds")
    groups = {one["title"]: str(one["id"]) for one in said["groups"]}
    feeds = {one["title"]: one["id"] for one in said["feeds"]}
    tea, every = int(app.item("On tea")), sorted(map(int, app.ids()))
    assert app.fever("unread_item_ids")["unread_item_ids"] == ",".join(map(str, every))
    after = app.fever("", mark="item", **{"as": "read"}, id=tea)
    assert str(tea) not in after["unread_item_ids"].split(",")
    assert app.unread() == app.unread_on_pages() == 3
    assert app.fever("", mark="item", **{"as": "saved"}, id=tea)["saved_item_ids"] == str(tea)
    assert app.kept_on_pages() == {"On tea"}
    assert app.fever("saved_item_ids", mark="item", **{"as": "unsaved"}, id=tea)["saved_item_ids"] == ""
    app.fever("", mark="item", **{"as": "unread"}, id=f"{tea},{'9' * 5000}")
    assert app.unread() == 4
    app.fever("", mark="feed", **{"as": "read"}, id=feeds["Prices"], before=1)
    assert app.unread() == 4, "nothing is that old"
    app.fever("", mark="feed", **{"as": "read"}, id=feeds["Prices"])
    assert app.unread() == app.unread_on_pages() == 3
    app.fever("", mark="group", **{"as": "read"}, id=groups["Shop"])
    assert app.unread() == 3
    for unknown in ({"id": "-1"}, {"id": "²"}, {"id": "9" * 5000}, {}):
        app.fever("", mark="group", **{"as": "read"}, **unknown)
        assert app.unread() == 3, "only the group 0 is everything"
    app.fever("", mark="group", **{"as": "read"}, id=0)
    assert app.unread() == app.unread_on_pages() == 0


def test_newsboat_reads_marks_and_stars(desk: Desk, tmp_path: Path) -> None:
    if not NEWSBOAT.exists() and "CI" not in os.environ:
        pytest.skip("newsboat is not installed: `make test` installs it")
    app = desk.app()
    boat = Newsboat(tmp_path / "boat", app.url, app.login, app.password)
    assert boat.reload() == f"{app.unread_on_pages()} unread articles" == "4 unread articles"
    boat.keys(
        ("Feed", "\n"),
        ("On ", "\n"),
        ("All about", "q"),
        ("On ", "\x05"),
        ("Flags:", "s\n"),
        (" updated.", "q"),
        ("Prices", "q"),
    )
    assert app.unread() == app.unread_on_pages() == 3
    [starred] = app.titles(s=STARRED)
    assert starred.startswith("On ")
    assert app.kept_on_pages() == {starred}
    app.edit(i=app.item("Prices"), a=READ)
    fresh = Newsboat(tmp_path / "another", app.url, app.login, app.password)
    assert fresh.reload() == "2 unread articles", "what is read elsewhere is read here"


def test_the_page_of_settings_makes_a_password_once(desk: Desk) -> None:
    app = desk.app()
    own = {"Origin": app.url, "Content-Type": "application/x-www-form-urlencoded", "Accept": "text/html"}
    page = app.browser.ask("POST", "/settings/app-passwords", urlencode({"name": "Tablet"}).encode(), own).body.decode()
    [password] = re.findall(r'value="((?:[a-z2-9]{5}-){3}[a-z2-9]{5})"', page)
    other = App(app.url, app.login, password, app.browser, ())
    assert other.unread() == 4
    assert other.fever("unread_item_ids")["unread_item_ids"]
    again = app.browser.ask("GET", "/settings", headers={"Accept": "text/html"}).body.decode()
    assert "Tablet" in again
    assert password not in again
    assert b"name has" in app.browser.ask("POST", "/settings/app-passwords", b"name=", own).body


def test_no_route_of_apps_answers_a_stranger_or_a_cookie(desk: Desk) -> None:
    known = desk.app().browser
    routes = [
        (method, re.sub(r"{\w+}", "x", route.path))
        for topic in all_routes()
        if isinstance(topic, AppRoutes)
        for route in topic.router.routes
        if isinstance(route, APIRoute)
        for method in route.methods or ()
    ]
    assert len(routes) > 30
    for method, path in routes:
        for client in (desk.office.anonymous(), known):
            answer = client.ask(method, path, b"s=feed/1&i=1" if method == "POST" else None, _FORM)
            is_fever = "fever" in path
            assert answer.status == (200 if is_fever else 401), path
            if is_fever:
                assert answer.json == {"api_version": 3, "auth": 0}
