"""Reader apps: the Google Reader and Fever protocols. Real apps: `test_newsboat.py`.

All tests read the same two dossiers, each as another person: marks are a person's own.
"""

from __future__ import annotations

import hashlib
import re
import time
from typing import Any
from urllib.parse import quote, urlencode

import libgreader
import pytest
from fastapi.routing import APIRoute
from lxml import etree

from reading_apps import ALL, FORM, READ, STARRED, UNREAD, App, Desk
from service import Answer, Client
from veille.core.access.access import Role
from veille.interfaces.web import all_routes
from veille.interfaces.web._routes import AppRoutes
from veille.services.reading import reader_apps

ADA = "ada@example.org"


def test_an_app_signs_in_with_its_own_password_only(desk: Desk) -> None:
    app = desk.app()

    def login(email: str, password: str, **more: str) -> Answer:
        sent = urlencode({"Email": email, "Passwd": password} | more).encode()
        return Client(app.url).ask("POST", "/accounts/ClientLogin", sent, FORM)

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
    assert Client(app.url).ask("POST", "/fever/?api", urlencode({"api_key": "0" * 32}).encode(), FORM).json["auth"] == 0


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


def test_tags_are_renamed_and_deleted_by_an_app_that_may_write(desk: Desk) -> None:
    app = desk.app("read", "write", role=Role.EDITOR)
    own = desk.office.dossier(f"Tags of {app.login}", app.login)
    desk.office.watch(own, f"{desk.site.url}/later", kind="page", name="Later", config={"tags": ["Soon"]})
    desk.office.look(own)
    app.edit(i=app.item("Later"), a="user/-/label/Long")

    def renamed(old: str, new: str) -> Answer:
        return app.post("rename-tag", s=f"user/-/label/{old}", dest=f"user/-/label/{new}", T="any")

    def labels() -> set[str]:
        known = {one["id"].removeprefix("user/-/label/") for one in app.get("tag/list")["tags"]}
        return known & {"Soon", "Late", "Long"}

    assert renamed("Soon", "Late").body == renamed("Long", "Late").body == b"OK"
    assert labels() == {"Late"}
    assert app.titles(s="user/-/label/Late") == ["Later"]
    for wrong, code in (
        (renamed("Soon", "Late"), "not_found"),
        (renamed("News", "Late"), "bad_tag"),
        (renamed("Late", "News"), "bad_tag"),
        (renamed("Late", "a, b"), "bad_tag"),
        (app.post("rename-tag", s="user/-/label/Late"), "bad_stream"),
        (app.post("rename-tag", s=STARRED, dest="user/-/label/Late"), "bad_stream"),
        (app.post("disable-tag"), "bad_stream"),
        (app.post("disable-tag", s=["user/-/label/Late", "user/-/label/Shop"]), "bad_tag"),
    ):
        assert (wrong.status, wrong.json["code"]) == (404 if code == "not_found" else 400, code)
    assert labels() == {"Late"}, "nothing of it was done"
    assert "'News' is a dossier" in renamed("News", "Late").json["error"]
    reader = desk.app()
    for path in ("rename-tag", "disable-tag"):
        assert reader.post(path, s="user/-/label/Daily", dest="user/-/label/X").status == 403
    assert app.post("disable-tag", s="user/-/label/Late").body == b"OK"
    assert labels() == set()


def test_of_several_tags_those_that_are_there_are_deleted_and_the_others_skipped(desk: Desk) -> None:
    app = desk.app("read", "write", role=Role.EDITOR)
    for number, tags in enumerate((["Ash", "Birch"], ["Birch", "Cedar"])):
        own = desk.office.dossier(f"Trees {number} of {app.login}", app.login)
        desk.office.watch(own, f"{desk.site.url}/later", kind="page", name="Later", config={"tags": tags})

    def disabled(*names: str) -> Answer:
        return app.post("disable-tag", s=[f"user/-/label/{name}" for name in names])

    def labels() -> set[str]:
        return {one["id"].removeprefix("user/-/label/") for one in app.get("tag/list")["tags"]}

    trees = {"Ash", "Birch", "Cedar"}
    assert disabled("Ash", "a, b").status == 400
    assert labels() & trees == trees, "one of them is no tag: nothing is done"
    assert disabled("Ash", "Nowhere", "Birch", "Ash").body == b"OK"
    assert labels() & trees == {"Cedar"}
    none = disabled("Ash", "Nowhere")
    assert (none.status, none.json["code"]) == (404, "not_found")


def test_a_list_of_feeds_is_taken_into_the_dossiers_that_are_its_folders(desk: Desk) -> None:
    app = desk.app("read", "write")
    first = f"A of {app.login}"
    for name in (first, f"B of {app.login}"):
        desk.office.dossier(name, app.login)
    outline = "<outline type='rss' text='{0}' xmlUrl='https://example.org/{0}'/>"
    lists = "".join(
        f"<outline text='{folder}'>{outline.format(name)}</outline>"
        for folder, name in ((f"B of {app.login}", "b"), ("Birds", "c"))
    )
    body = f"<opml version='2.0'><body>{outline.format('a')}{lists}</body></opml>".encode()

    def sent(body: bytes, by: App = app) -> Answer:
        return by.client.ask("POST", "/reader/api/0/subscription/import", body, {"Content-Type": "text/x-opml"})

    assert (sent(body).status, sent(body).body) == (200, b"OK"), "what is there stays"
    long = body.replace(b"<body>", b"<!--" + b"-" * 2_000_000 + b"--><body>")
    assert sent(long.replace(b"---", b"- -")).status == 200, "a list may be longer than other forms"
    feeds = app.get("subscription/list")["subscriptions"]
    told = {one["title"]: [of["label"] for of in one["categories"]] for one in feeds}
    assert {name: told[name] for name in "abc"} == {
        "a": [first],
        "b": [f"B of {app.login}"],
        "c": [first, "Birds"],
    }
    assert sent(body, desk.app()).status == 403
    assert sent(b"").status == 400
    refused = sent(f"<opml version='2.0'><body>{outline.format('a')}</body></opml>".replace("https", "gopher").encode())
    assert (refused.status, refused.json["code"]) == (400, "bad_url")


def test_contents_are_sent_for_a_form_as_for_an_address(desk: Desk) -> None:
    app = desk.app()
    for path in (quote(ALL, safe=""), ALL):
        asked = app.get(f"stream/contents/{path}", n=2)
        answer = app.post(f"stream/contents/{path}", n=2, output="json")
        assert (answer.status, answer.json["items"]) == (200, asked["items"])
    assert app.post("stream/contents", s=app.feed("Prices")).json["items"][0]["title"] == "Prices"


def test_libgreader_reads_marks_and_subscribes(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    app = desk.app("read", "write")
    desk.office.dossier(f"Greader of {app.login}", app.login)
    # Its server was Google's; the addresses are constants.
    for name, url in vars(libgreader.ReaderUrl).items():
        if isinstance(url, str) and url.startswith("https://www.google.com"):
            monkeypatch.setattr(libgreader.ReaderUrl, name, url.replace("https://www.google.com", app.url))
    monkeypatch.setattr(libgreader.ClientAuthMethod, "CLIENT_URL", f"{app.url}/accounts/ClientLogin")
    reader = libgreader.GoogleReader(libgreader.ClientAuthMethod(app.login, app.password))
    reader.makeSpecialFeeds()
    reader.buildSubscriptionList()
    assert {"Feed", "Prices"} <= {feed.title for feed in reader.getFeeds()}
    assert {"News", "Daily", "Shop"} <= {category.label for category in reader.getCategories()}
    every = reader.getSpecialFeed("reading-list")
    every.loadItems(loadLimit=3)
    every.loadMoreItems()
    assert sorted(item.title for item in every.getItems()) == ["On bees", "On rain", "On tea", "Prices"]
    tea = next(item for item in every.getItems() if item.title == "On tea")
    assert "All about tea" in tea.content
    assert all((tea.markRead(), tea.star()))
    assert app.unread() == app.unread_on_pages() == 3
    assert app.kept_on_pages() == {"On tea"}
    assert all((tea.markUnread(), tea.unStar()))
    assert app.unread_on_pages() == 4
    shop = reader.getCategory("user/-/label/Shop")
    shop.loadItems(excludeRead=True)
    assert [item.title for item in shop.getItems()] == ["Prices"]
    assert shop.markAllRead()
    assert app.unread_on_pages() == 3
    assert reader.subscribe(f"feed/{desk.site.url}/later")
    assert app.feed("Later")
    assert reader.unsubscribe(f"feed/{desk.site.url}/later")


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


def test_fever_has_every_member_that_its_description_names(desk: Desk) -> None:
    app = desk.app()
    said = app.fever("groups&feeds&favicons&items&links&unread_item_ids&saved_item_ids")
    whole = {"api_version", "auth", "last_refreshed_on_time"}
    lists = {"groups", "feeds", "feeds_groups", "favicons", "items", "links"}
    assert set(said) == whole | lists | {"total_items", "unread_item_ids", "saved_item_ids"}
    members = {
        "groups": {"id": int, "title": str},
        "feeds_groups": {"group_id": int, "feed_ids": str},
        "feeds": {
            "id": int,
            "favicon_id": int,
            "title": str,
            "url": str,
            "site_url": str,
            "is_spark": int,
            "last_updated_on_time": int,
        },
        "items": {
            "id": int,
            "feed_id": int,
            "title": str,
            "author": str,
            "html": str,
            "url": str,
            "is_saved": int,
            "is_read": int,
            "created_on_time": int,
        },
    }
    for name, of in members.items():
        assert said[name], name
        for row in said[name]:
            assert {member: type(value) for member, value in row.items()} == of, name
    assert int(said["last_refreshed_on_time"]) > 1_600_000_000
    assert set(app.fever("")) == whole, "nothing that was not asked for"


def test_fever_is_told_as_xml_as_well(desk: Desk) -> None:
    app = desk.app()
    key = hashlib.md5(f"{app.login}:{app.password}".encode(), usedforsecurity=False).hexdigest()

    def ask(question: str, sent: str) -> Any:
        answer = Client(app.url).ask("POST", f"/fever/?api=xml&{question}", urlencode({"api_key": sent}).encode(), FORM)
        assert answer.headers["content-type"].startswith("text/xml")
        return etree.fromstring(answer.body)

    assert [(one.tag, one.text) for one in ask("items", "0" * 32)] == [("api_version", "3"), ("auth", "0")]
    root, said = ask("groups&feeds&items&unread_item_ids", key), app.fever("groups&feeds&items&unread_item_ids")
    assert root.tag == "response"
    assert root.findtext("unread_item_ids") == said["unread_item_ids"]
    for name, singular in (("groups", "group"), ("feeds", "feed"), ("feeds_groups", "feeds_group"), ("items", "item")):
        rows = [{inner.tag: inner.text or "" for inner in row} for row in root.findall(f"{name}/{singular}")]
        assert rows == [{member: str(value) for member, value in row.items()} for row in said[name]]


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


def test_fever_takes_marks_in_the_address_of_a_form(desk: Desk) -> None:
    app = desk.app()
    tea = int(app.item("On tea"))
    for state in ("read", "saved"):
        app.fever(f"mark=item&as={state}&id={tea}")
    assert (app.unread(), app.kept_on_pages()) == (3, {"On tea"})
    feeds = {one["title"]: one["id"] for one in app.fever("feeds")["feeds"]}
    app.fever(f"mark=feed&as=read&id={feeds['Prices']}&before={int(time.time()) + 60}")
    assert app.unread() == app.unread_on_pages() == 2
    app.fever(f"mark=item&as=unread&id={tea}&unread_item_ids")
    assert str(tea) in app.fever("unread_item_ids")["unread_item_ids"].split(",")


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
            answer = client.ask(method, path, b"s=feed/1&i=1" if method == "POST" else None, FORM)
            is_fever = "fever" in path
            assert answer.status == (200 if is_fever else 401), path
            if is_fever:
                assert answer.json == {"api_version": 3, "auth": 0}
