"""Apps that speak the Miniflux protocol, with the client library of Miniflux's own makers."""

from __future__ import annotations

import base64
import json
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import miniflux
import pytest

from reading_apps import READ, STARRED, App, Desk
from service import Client
from veille.core.access.access import Role


@contextmanager
def _client(app: App, **key: Any) -> Iterator[miniflux.Client]:
    given = key or {"username": app.login, "password": app.password}
    with miniflux.Client(app.url, **given) as client:
        yield client


def _raw(app: App, method: str, path: str, body: Any = None) -> Any:
    proof = base64.b64encode(f"{app.login}:{app.password}".encode()).decode()
    answer = Client(app.url, {"Authorization": f"Basic {proof}"}).ask(method, f"/v1/{path}", body)
    return answer.status, answer.json if answer.body else None


def _titles(found: dict[str, Any]) -> list[str]:
    return [one["title"] for one in found["entries"]]


def test_an_app_signs_in_with_its_password_and_no_other(desk: Desk) -> None:
    app = desk.app()
    with _client(app) as client, _client(app, api_key=app.password) as other:
        assert client.me()["username"] == other.me()["username"] == app.login
        assert client.get_version()["version"].startswith("2.")
    for wrong in ({"username": app.login, "password": "x"}, {"username": "ada", "password": app.password}):
        with _client(app, **wrong) as client, pytest.raises(miniflux.AccessUnauthorized):
            client.me()
    with _client(app, api_key="x") as client, pytest.raises(miniflux.AccessUnauthorized):
        client.get_feeds()
    assert app.browser.ask("GET", "/v1/me").status == 401, "a cookie is no proof: it is sent by any site"


def test_dossiers_are_categories_and_sources_feeds(desk: Desk) -> None:
    app = desk.app()
    with _client(app) as client:
        categories = {one["title"]: one["id"] for one in client.get_categories()}
        assert set(categories) == {"News", "Shop"}
        feeds = {one["title"]: one for one in client.get_feeds()}
        assert set(feeds) == {"Feed", "Prices"}
        assert feeds["Prices"]["category"]["id"] == categories["Shop"]
        assert feeds["Prices"]["feed_url"] == f"{desk.site.url}/prices"
        assert client.get_feed(feeds["Feed"]["id"]) == feeds["Feed"]
        assert client.get_category_feeds(categories["News"]) == [feeds["Feed"]]
        assert f"{desk.site.url}/feed" in client.export()
        counters = client.get_feed_counters()
        assert counters["unreads"] == {str(feeds["Feed"]["id"]): 3, str(feeds["Prices"]["id"]): 1}
        _refused(lambda: client.get_feed(999_999))
        _refused(lambda: client.get_category_feeds(999_999))
        _refused(lambda: client.get_feed_icon(feeds["Feed"]["id"]))
        _refused(lambda: client.get_entry(999_999))
    counted = _raw(app, "GET", "categories?counts=true")[1]
    assert {one["title"]: (one["feed_count"], one["total_unread"]) for one in counted} == {
        "News": (1, 3),
        "Shop": (1, 1),
    }


def test_entries_are_those_of_the_other_protocols(desk: Desk) -> None:
    app = desk.app()
    with _client(app) as client:
        every = client.get_entries(direction="desc")
        assert every["total"] == 4
        assert [str(one["id"]) for one in every["entries"]] == app.ids()
        tea = int(app.item("On tea"))
        entry = client.get_entry(tea)
        assert (entry["title"], entry["content"], entry["url"], entry["status"], entry["starred"]) == (
            "On tea",
            "<p>All about tea.</p>",
            f"{desk.site.url}/tea",
            "unread",
            False,
        )
        assert entry["tags"] == ["Daily"]
        assert entry["feed"] == client.get_feed(entry["feed_id"])
        assert client.get_feed_entry(entry["feed_id"], tea) == entry
        prices = next(one["id"] for one in client.get_feeds() if one["title"] == "Prices")
        with pytest.raises(miniflux.ResourceNotFound):
            client.get_feed_entry(prices, tea)
        assert _titles(client.get_feed_entries(prices)) == ["Prices"]


def test_a_list_of_entries_is_chosen_ordered_and_read_in_pages(desk: Desk) -> None:
    app = desk.app()
    with _client(app) as client:
        ids = [one["id"] for one in client.get_entries(order="id")["entries"]]
        assert ids == sorted(ids)
        assert [one["id"] for one in client.get_entries(order="id", direction="desc")["entries"]] == ids[::-1]
        pages = [client.get_entries(order="id", limit=3, offset=at) for at in (0, 3, 6)]
        assert [[one["id"] for one in page["entries"]] for page in pages] == [ids[:3], ids[3:], []]
        assert {page["total"] for page in pages} == {4}
        assert len(client.get_entries(limit=0)["entries"]) == 4
        assert [one["id"] for one in client.get_entries(order="id", after_entry_id=ids[1])["entries"]] == ids[2:]
        assert [one["id"] for one in client.get_entries(order="id", before_entry_id=ids[1])["entries"]] == ids[:1]
        now = int(time.time())
        for name in ("after", "published_after"):
            assert client.get_entries(**{name: now + 3600})["total"] == 0
            assert client.get_entries(**{name: now - 3600})["total"] == 4
        assert client.get_entries(published_before=now - 3600)["total"] == 0
        assert client.get_entries(changed_after=now + 3600)["total"] == 4, (
            "more than was asked for, and nothing missing"
        )
        assert _titles(client.get_entries(search="bees")) == ["On bees"]
        assert client.get_entries(search="nobodysaidthis")["total"] == 0
        shop = next(one["id"] for one in client.get_categories() if one["title"] == "Shop")
        assert _titles(client.get_entries(category_id=shop)) == _titles(client.get_category_entries(shop)) == ["Prices"]
        for order in ("status", "created_at", "changed_at", "category_id", "category_title"):
            assert client.get_entries(order=order)["total"] == 4
        assert _titles(client.get_entries(order="category_title", direction="desc"))[0] == "Prices"
        for wrong in ({"order": "colour"}, {"status": "eaten"}):
            with pytest.raises(miniflux.BadRequest) as told:
                client.get_entries(**wrong)
            assert " is " in told.value.get_error_reason()


def test_marks_are_those_of_the_pages(desk: Desk) -> None:
    app = desk.app()
    tea, rain = int(app.item("On tea")), int(app.item("On rain"))

    def unread() -> int:
        return int(client.get_entries(status=["unread"])["total"])

    with _client(app) as client:
        client.update_entries([tea, rain], "read")
        assert unread() == app.unread() == app.unread_on_pages() == 2
        assert sorted(_titles(client.get_entries(status=["read"]))) == ["On rain", "On tea"]
        assert client.get_entries(status=["read", "unread"])["total"] == 4
        client.update_entries([tea], "unread")
        assert unread() == app.unread_on_pages() == 3
        client.toggle_bookmark(rain)
        assert app.kept_on_pages() == {"On rain"}
        assert _titles(client.get_entries(starred=True)) == app.titles(s=STARRED) == ["On rain"]
        assert client.get_entries(starred="false")["total"] == 3
        client.toggle_bookmark(rain)
        assert app.kept_on_pages() == set()
        feeds = {one["title"]: one for one in client.get_feeds()}
        client.mark_feed_entries_as_read(feeds["Prices"]["id"])
        assert unread() == app.unread_on_pages() == 2
        client.update_entries([int(app.item("Prices"))], "unread")
        client.mark_category_entries_as_read(feeds["Feed"]["category"]["id"])
        assert unread() == app.unread_on_pages() == 1
        client.mark_user_entries_as_read(client.me()["id"])
        assert unread() == app.unread_on_pages() == 0
        assert len(app.ids(s=READ)) == 4
        _refused(lambda: client.mark_user_entries_as_read(2))
        _refused(lambda: client.toggle_bookmark(999_999))
    assert desk.app().unread() == 4, "marks are a person's own"


def test_feeds_are_changed_by_an_app_that_may_write(desk: Desk) -> None:
    reader = desk.app()
    page = f"{desk.site.url}/later"
    with _client(reader) as client:
        feed = client.get_feeds()[0]["id"]
        _refused(lambda: client.create_feed(page), miniflux.AccessForbidden)
        _refused(lambda: client.update_feed(feed, title="Mine"), miniflux.AccessForbidden)
        _refused(lambda: client.delete_feed(feed), miniflux.AccessForbidden)
    app = desk.app("read", "write")
    own = f"Own of {app.login}"
    desk.office.dossier(own, app.login)
    with _client(app) as client:
        category = next(one["id"] for one in client.get_categories() if one["title"] == own)
        added = client.create_feed(page, category_id=category)
        assert client.get_feed(added)["title"] == "Later"
        assert client.update_feed(added, title="Much later")["title"] == "Much later"
        assert client.get_feed(added)["title"] == "Much later"
        shop = next(one["id"] for one in client.get_categories() if one["title"] == "Shop")
        _refused(lambda: client.update_feed(added, category_id=shop), miniflux.BadRequest)
        _refused(lambda: client.create_feed("/etc/passwd"), miniflux.BadRequest)
        _refused(lambda: client.delete_feed(next(one["id"] for one in client.get_feeds() if one["title"] == "Feed")))
        client.delete_feed(added)
        assert "Much later" not in {one["title"] for one in client.get_feeds()}


def _refused(call: Callable[[], Any], error: type[miniflux.ClientError] = miniflux.ResourceNotFound) -> None:
    with pytest.raises(error):
        call()


def test_what_is_no_request_of_this_protocol_is_refused(desk: Desk) -> None:
    app = desk.app(role=Role.EDITOR)
    for body in (
        b"[]",
        b"{",
        b'"x"',
        json.dumps({"status": "read"}).encode(),
        b'{"entry_ids":["1"],"status":"read"}',
        b"[" * 200_000,
    ):
        status, said = _raw(app, "PUT", "entries", body)
        assert (status, said["code"]) == (400, "bad_entry"), body
    for status in ("removed", None, ["read"]):
        assert _raw(app, "PUT", "entries", {"entry_ids": [1], "status": status})[0] == 400
    assert _raw(app, "PUT", "entries", {"entry_ids": [10**30], "status": "read"})[0] == 400
    assert _raw(app, "PUT", "entries", {"entry_ids": [999_999], "status": "read"}) == (204, None)
    for path in ("entries/x", "feeds/-1", "feeds/%C2%B2", f"entries/{'9' * 40}", "no/such/thing"):
        assert _raw(app, "GET", path)[0] == 404, path
    assert app.unread() == 4
    half = json.dumps({"title": "\ud83d", "feed_url": "https://example.org/\ud83d"}).encode()
    writer = desk.app("read", "write", role=Role.EDITOR)
    with _client(writer) as client:
        feed = client.get_feeds()[0]["id"]
    for method, path in (("PUT", f"feeds/{feed}"), ("POST", "feeds")):
        status, said = _raw(writer, method, path, half)
        assert (status, said["code"]) == (400, "bad_entry")
