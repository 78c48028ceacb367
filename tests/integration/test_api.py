"""JSON APIs on a real server: every form of paging, over turns, and every way they misbehave."""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from inside_sqlite import database_of
from samples import STORY
from veille.core.models import Change, Scope, State
from veille.core.records import Run
from veille.core.urls import host_of
from watching import FAST, Watch, told
from world import Asked, Page, Site

SIZE = 2
Answer = Callable[[Asked], Page]


def _item(number: int) -> dict[str, Any]:
    return {"id": number, "title": f"Item {number}", "text": f"{STORY} {number}", "url": f"/items/{number}"}


def _page(value: object, **given: Any) -> Page:
    return Page(json.dumps(value).encode(), type="application/json", **given)


class Store:
    """An API with all forms of paging over the same items."""

    def __init__(self, site: Site, count: int) -> None:
        self.items = [_item(number) for number in range(count)]
        site.made = {"/link": self.link, "/next": self.next, "/page": self.page, "/offset": self.offset}
        site.made |= {"/cursor": self.cursor, "/body": self.body}

    def _cut(self, start: int) -> tuple[list[dict[str, Any]], int | None]:
        end = start + SIZE
        return self.items[start:end], end if end < len(self.items) else None

    def link(self, asked: Asked) -> Page:
        items, end = self._cut(int(asked.query.get("from", 0)))
        return _page(items, headers={"Link": f'</link?from={end}>; rel="next", </>; rel="home"'} if end else {})

    def next(self, asked: Asked) -> Page:
        items, end = self._cut(int(asked.query.get("from", 0)))
        return _page({"data": items, "links": {"next": f"/next?from={end}" if end else None}})

    def page(self, asked: Asked) -> Page:
        return _page(self._cut((int(asked.query.get("page", 1)) - 1) * SIZE)[0])

    def offset(self, asked: Asked) -> Page:
        return _page(self._cut(int(asked.query.get("offset", 0)))[0])

    def cursor(self, asked: Asked) -> Page:
        items, end = self._cut(int(asked.query.get("cursor", "c0")[1:]))
        return _page({"data": items, "after": f"c{end}" if end else None})

    def body(self, asked: Asked) -> Page:
        variables = json.loads(asked.body)["variables"]
        items, end = self._cut(int(variables.get("after", 0)))
        return _page({"data": items, "end": end})


FORMS: dict[str, dict[str, Any]] = {
    "/link": {"paging": {"by": "link"}},
    "/next": {"paging": {"by": "next", "path": "links.next"}, "result_path": "data"},
    "/page": {"paging": {"by": "page"}},
    "/offset": {"paging": {"by": "offset", "size": SIZE}},
    "/cursor": {"paging": {"by": "cursor", "path": "after"}, "result_path": "data"},
    "/body": {
        "paging": {"by": "cursor", "path": "end", "param": "variables.after", "in_body": True},
        "result_path": "data",
        "method": "POST",
        "body": {"query": "items", "variables": {"first": SIZE}},
    },
}


@pytest.mark.covers("R-087", "R-080")
@pytest.mark.parametrize("path", FORMS)
def test_all_pages_are_read_and_what_is_new_at_either_end_is_found_next_time(watch: Watch, path: str) -> None:
    store = Store(watch.site, 5)
    watch.add(path, "api", **FORMS[path])
    assert watch.run().counts[Change.NEW] == 5
    report, _ = watch.turn()
    # Without a size only an empty page is known to be the last, and it counts as a check.
    assert told(report) == {Change.SAME: 6 if path == "/page" else 5}
    # The first page is as it was: the walk goes on all the same.
    store.items += [_item(5), _item(6)]
    assert told(watch.turn()[0])[Change.NEW] == 2
    store.items[1]["text"] = "Other words. " * 20
    store.items.insert(0, _item(7))
    report, _ = watch.turn()
    assert (report.counts[Change.NEW], report.counts[Change.CHANGED], report.counts[Change.ERROR]) == (1, 1, 0)
    with watch.app.dossiers.open(watch.dossier_id) as opened:
        rows = len(database_of(opened).execute("SELECT 1 FROM requests"))
    assert rows <= 6, "every turn uses the same rows"


@pytest.mark.parametrize("path", FORMS)
def test_what_is_gone_from_a_complete_list_is_removed(watch: Watch, path: str) -> None:
    store = Store(watch.site, 5)
    watch.add(path, "api", complete=True, **FORMS[path])
    watch.run()
    gone = [store.items.pop(3), store.items.pop(0)]
    report, _ = watch.turn()
    removed = {item.title for item in report.items if item.change is Change.REMOVED}
    assert (removed, report.counts[Change.NEW]) == ({"Item 3", "Item 0"}, 0)
    assert Change.REMOVED not in told(watch.turn()[0]), "it is told once"
    store.items += gone
    assert told(watch.turn()[0])[Change.NEW] == 2


@pytest.mark.parametrize("path", FORMS)
def test_without_that_word_nothing_is_removed_from_a_list(watch: Watch, path: str) -> None:
    store = Store(watch.site, 5)
    watch.add(path, "api", **FORMS[path])
    watch.run()
    del store.items[3]
    assert Change.REMOVED not in told(watch.turn()[0])


def test_a_complete_list_of_one_page_removes_too_and_an_empty_one_is_doubted_first(watch: Watch) -> None:
    watch.site.json("/api", [_item(1), _item(2)])
    watch.add("/api", "api", complete=True)
    watch.run()
    watch.site.json("/api", [_item(1)])
    assert told(watch.turn()[0]) == {Change.SAME: 1, Change.REMOVED: 1}
    watch.site.json("/api", [])
    assert _codes(watch.turn()[0]) == ["empty_listing"]
    assert told(watch.turn()[0]) == {Change.REMOVED: 1}


@pytest.mark.parametrize("flaw", ["failed page", "limit", "item without text", "circle"])
def test_a_list_that_was_not_read_in_full_removes_nothing(watch: Watch, flaw: str) -> None:
    store = Store(watch.site, 6)
    whole = store.cursor
    watch.add("/cursor", "api", complete=True, max_pages=3, **FORMS["/cursor"])
    watch.run()
    del store.items[0]

    def flawed(asked: Asked) -> Page:
        if asked.query.get("cursor") != "c2":
            return whole(asked)
        if flaw == "failed page":
            return Page(b"", status=404)
        return _page({"data": store.items[2:4], "after": "c2"}) if flaw == "circle" else whole(asked)

    watch.site.made["/cursor"] = flawed
    if flaw == "limit":
        store.items += [_item(7), _item(8)]
    if flaw == "item without text":
        store.items[0] = {"id": 1}
    report, _ = watch.turn()
    assert Change.REMOVED not in told(report)
    assert _codes(report), "and it is said why"


def test_a_late_last_page_does_not_remove_what_a_newer_walk_has_seen(watch: Watch) -> None:
    store = Store(watch.site, 4)
    whole = store.cursor
    watch.add("/cursor", "api", complete=True, **FORMS["/cursor"])
    watch.site.made["/cursor"] = lambda asked: Page(b"", status=500) if asked.query else whole(asked)
    watch.run()
    # The next turn begins while the second page of the last one is still to come.
    store.items.insert(0, _item(9))
    watch.site.made["/cursor"] = whole
    report, _ = watch.turn()
    assert (report.counts[Change.NEW], report.counts[Change.REMOVED]) == (3, 0)


def _codes(report: Run) -> list[str]:
    return [item.code for item in report.items if item.code]


def _endless(asked: Asked) -> Page:
    cursor = asked.query.get("cursor", "")
    return _page({"data": [_item(len(cursor))], "c": f"{cursor}x"})


@pytest.mark.parametrize(
    ("answer", "code", "pages"),
    [
        (lambda _: _page({"data": [_item(1)], "c": "x"}), "page_loop", 2),
        (lambda asked: _page({"data": [_item(1)], "c": asked.query.get("cursor", "") + "x"}), "page_loop", 2),
        (_endless, "page_limit", 4),
    ],
    ids=["same cursor", "same page", "endless"],
)
def test_paging_that_does_not_end_is_ended_and_what_was_read_is_kept(
    watch: Watch, answer: Answer, code: str, pages: int
) -> None:
    watch.site.made["/api"] = answer
    watch.add("/api", "api", result_path="data", paging={"by": "cursor", "path": "c"}, max_pages=4)
    report = watch.run()
    assert _codes(report) == [code]
    assert len(watch.site.seen) == pages
    assert report.counts[Change.NEW] >= 1
    assert _codes(watch.turn()[0]) == [code]


@pytest.mark.parametrize(
    ("page", "code"),
    [
        (Page(b"<!doctype html><title>Log in</title>"), "api.not_json"),
        (Page(b'[{"id": 1, "tit', type="application/json"), "api.malformed"),
        (_page({"results": [_item(1)]}), "api.path"),
        (_page([{"name_of_it": "x"}]), "api.field"),
        (_page([], status=500), "http.500"),
    ],
)
def test_a_bad_answer_has_its_code_and_the_last_content_stays(watch: Watch, page: Page, code: str) -> None:
    watch.site.json("/api", [_item(1)])
    source = watch.add("/api", "api")
    watch.run()
    watch.site["/api"] = page
    assert _codes(watch.turn()[0]) == [code]
    found = watch.app.sources.find(watch.dossier_id, source.id)
    assert (found.state, found.error_code) == (State.ERROR, code)
    assert watch.found("harbour") == ["/items/1"]
    watch.site.json("/api", [_item(1)])
    assert told(watch.turn()[0]) == {Change.SAME: 1}


def test_a_page_that_fails_halfway_loses_nothing_of_the_others(watch: Watch) -> None:
    store = Store(watch.site, 5)
    whole = store.page

    def failing(asked: Asked) -> Page:
        return Page(b"", status=404) if asked.query.get("page") == "2" else whole(asked)

    watch.site.made["/page"] = failing
    watch.add("/page", "api", **FORMS["/page"])
    assert told(watch.run()) == {Change.NEW: 2, Change.ERROR: 1}
    watch.site.made["/page"] = whole
    report, _ = watch.turn()
    assert (report.counts[Change.NEW], report.counts[Change.ERROR]) == (3, 0)


def test_secrets_and_bodies_go_to_the_source_alone(watch: Watch) -> None:
    with watch.app.vault(watch.dossier_id) as vault:
        vault.set("KEY", "hunter2", [host_of(watch.site.url)], watch.now)
    with Site("127.0.0.2") as other:
        other.json("/2", [_item(2)])
        watch.site.made["/api"] = lambda _: _page(
            [_item(1)], headers={"Link": f'<{other.url}/2>; rel="next"'}
        )  # fmt: skip
        headers = {"Authorization": "Bearer ${secret:KEY}"}
        watch.add("/api", "api", method="POST", body={"q": "x"}, headers=headers, paging={"by": "link"})
        assert told(watch.run()) == {Change.NEW: 2}
        (own,), (elsewhere,) = watch.site.seen, other.seen
    assert (own.method, own.body, own.headers["Authorization"]) == ("POST", b'{"q": "x"}', "Bearer hunter2")
    assert own.headers["Content-Type"] == "application/json"
    assert (elsewhere.method, elsewhere.body, "Authorization" in elsewhere.headers) == ("GET", b"", False)


@pytest.mark.parametrize(("status", "method"), [(301, "GET"), (302, "GET"), (303, "GET"), (307, "POST"), (308, "POST")])
def test_a_redirected_post_is_repeated_only_where_it_may_be(watch: Watch, status: int, method: str) -> None:
    watch.site["/api"] = Page(b"", status=status, headers={"Location": "/moved"}, validates=False)
    watch.site.made["/moved"] = lambda _: _page([_item(1)])
    watch.add("/api", "api", method="POST", body={"q": "x"})
    assert told(watch.run()) == {Change.NEW: 1}
    assert [(seen.method, seen.body) for seen in watch.site.seen][1] == (
        method,
        b'{"q": "x"}' if method == "POST" else b"",
    )


def test_a_post_is_not_repeated_at_another_site(watch: Watch) -> None:
    with Site("127.0.0.2") as other:
        watch.site["/api"] = Page(b"", status=307, headers={"Location": f"{other.url}/x"}, validates=False)
        watch.add("/api", "api", method="POST", body={"q": "secret words"})
        assert _codes(watch.run()) == ["bad_redirect"]
        assert other.seen == []


def test_the_pause_a_source_asks_for_is_kept_between_its_pages(site: Site, tmp_path: Path) -> None:
    with Watch(site, tmp_path, fetch=FAST) as watch:
        Store(site, 6)
        watch.add("/offset", "api", **FORMS["/offset"], rate_limit_ms=150)
        watch.run()
    times = [seen.at for seen in site.seen]
    assert len(times) == 4
    # Three pauses; on a busy machine the first request may arrive late by as much as one of them.
    assert times[-1] - times[0] >= 0.3


def test_an_api_of_one_page_is_asked_for_news_only(watch: Watch) -> None:
    watch.site.json("/api", [_item(1)])
    watch.add("/api", "api")
    watch.run()
    report, (seen,) = watch.turn()
    assert (seen.conditional, seen.status, told(report)) == (True, 304, {Change.SAME: 1})


def test_items_can_be_read_from_their_pages(watch: Watch) -> None:
    watch.site.article("/items/1", "Item 1", STORY)
    watch.site.json("/api", [_item(1)])
    watch.add("/api", "api", follow_links=True)
    report = watch.run()
    assert (report.counts[Change.NEW], [seen.path for seen in watch.site.seen][-1]) == (1, "/items/1")


def test_a_walk_that_is_stopped_at_any_page_goes_on_where_it_was(site: Site, tmp_path: Path) -> None:
    Store(site, 9)
    with Watch(site, tmp_path) as watch:
        watch.add("/cursor", "api", **FORMS["/cursor"])
    new = 0
    for number in range(5):
        with Watch(site, tmp_path) as watch:
            watch.now += number
            done: list[object] = []
            reports = watch.app.run(Scope(), done.append, partial(bool, done))
            new += sum(report.counts[Change.NEW] for report in reports)
    assert new == 9
    assert [seen.path for seen in site.seen] == ["/cursor", *(f"/cursor?cursor=c{at}" for at in (2, 4, 6, 8))]


def test_a_text_is_sent_as_a_form_unless_the_source_says_otherwise(watch: Watch) -> None:
    watch.site.made["/api"] = lambda asked: _page([{"id": asked.headers["Content-Type"], "title": asked.body.decode()}])
    watch.add("/api", "api", method="POST", body="q=x", headers={"accept": "text/json"})
    watch.add("/api?2", "api", method="POST", body="q=x", headers={"content-type": "text/plain"})
    watch.run()
    headers = [{name.lower(): value for name, value in seen.headers.items()} for seen in watch.site.seen]
    sent = sorted((one["content-type"], one["accept"]) for one in headers)
    assert sent == [("application/x-www-form-urlencoded", "text/json"), ("text/plain", "application/json")]
