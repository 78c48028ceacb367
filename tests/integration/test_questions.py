"""Questions to search engines on a real server: one that answers JSON and one that answers pages."""

from __future__ import annotations

import json
from typing import Any

import pytest

from samples import STORY
from veille.core.models import Change, Json, Source, State
from veille.core.urls import host_of
from veille.errors import ConfigError, NotFoundError
from veille.services.watching.questions import Asking
from watching import Watch, told
from world import Asked, Page

TEXT = "Who rebuilds the bridge?"


class Web:
    """What there is to be found: two engines over the same list of results."""

    def __init__(self, watch: Watch) -> None:
        self.watch = watch
        self.paths = ["/r/1", "/r/2"]
        watch.site.made |= {"/json": self._json, "/html": self._html}
        url = watch.site.url
        self.records: list[Json] = [
            {"id": "json", "url_template": f"{url}/json?q={{query}}", "result_path": "hits", "rate_limit_ms": 0},
            {
                "id": "html",
                "strategy": "generic",
                "url_template": f"{url}/html?q={{query}}",
                "selectors": {"result_item": ".r", "title": "a", "link": "a", "snippet": "p", "empty": ".none"},
                "rate_limit_ms": 0,
            },
        ]
        for record in self.records:
            watch.app.catalogue.put_engine(watch.dossier_id, record)
        for number in range(1, 9):
            watch.site.article(f"/r/{number}", f"Result {number}", f"{STORY} {number}")

    def _json(self, asked: Asked) -> Page:
        assert asked.query["q"] == TEXT
        url = self.watch.site.url
        hits = [{"title": f"J {path}", "url": url + path, "description": f"Words about {path}"} for path in self.paths]
        return Page(json.dumps({"hits": hits}).encode(), type="application/json")

    def _html(self, asked: Asked) -> Page:
        assert asked.query["q"] == TEXT
        found = "".join(f"<div class=r><a href={path}>H {path}</a><p>Seen {path}</p></div>" for path in self.paths)
        return Page((found or "<p class=none>Nothing").encode())

    def ask(self, *channels: str, **given: Any) -> Source:
        return self.watch.app.questions.add(self.watch.dossier_id, Asking(text=TEXT, channels=channels, **given))

    def series(self) -> list[tuple[int | None, int, int]]:
        points = self.watch.app.questions.series(self.watch.dossier_id, TEXT)
        return [(point.found, point.new, point.failed) for point in points]


@pytest.fixture
def web(watch: Watch) -> Web:
    return Web(watch)


@pytest.mark.covers("R-096", "R-097", "R-098", "R-089")
def test_a_question_is_asked_again_and_again_and_gives_a_time_series(web: Web, watch: Watch) -> None:
    source = web.ask("json", follow_links=False, interval_ms=3_600_000)
    assert (source.kind, source.name, source.interval_ms) == ("question", f"Q: {TEXT}", 3_600_000)
    assert told(watch.run()) == {Change.NEW: 2}
    watch.turn()
    web.paths += ["/r/3"]
    assert watch.turn()[0].counts[Change.NEW] == 1
    web.paths = []
    watch.turn()
    assert web.series() == [(2, 2, 0), (2, 0, 0), (3, 1, 0), (0, 0, 0)]
    with watch.app.dossiers.open(watch.dossier_id) as store:
        assert len(store.records.documents(source.id)) == 3


@pytest.mark.covers("R-099", "R-078")
@pytest.mark.parametrize("channel", ["json", "html"])
def test_results_are_read_from_their_pages_once(web: Web, watch: Watch, channel: str) -> None:
    web.ask(channel)
    assert watch.run().counts[Change.NEW] == 2
    assert sorted(watch.found("harbour")) == ["/r/1", "/r/2"]
    web.paths += ["/r/3"]
    report, seen = watch.turn()
    assert report.counts[Change.NEW] == 1
    assert [one.path for one in seen if one.path.startswith("/r/")] == ["/r/3"]
    assert web.series() == [(2, 2, 0), (3, 1, 0)]


@pytest.mark.covers("R-099", "R-100")
def test_a_result_of_two_engines_is_one_document_and_their_wording_no_change(web: Web, watch: Watch) -> None:
    web.ask("json", "html", follow_links=False)
    report = watch.run()
    assert (report.counts[Change.NEW], report.counts[Change.SAME]) == (2, 2)
    report, _ = watch.turn()
    assert report.counts[Change.CHANGED] == 0
    assert watch.found("words") or watch.found("seen")


def test_an_engine_that_fails_does_not_hold_up_the_others(web: Web, watch: Watch) -> None:
    source = web.ask("json", "html", follow_links=False)
    watch.site.made["/json"] = lambda _: Page(b"<html>Are you a robot?</html>")
    report = watch.run()
    assert (report.counts[Change.NEW], [item.code for item in report.items if item.code]) == (2, ["api.not_json"])
    watch.site.made["/html"] = lambda _: Page(b"<html>All new</html>")
    assert sorted(item.code for item in watch.turn()[0].items if item.code) == ["api.not_json", "engine.no_match"]
    assert watch.app.sources.find(watch.dossier_id, source.id).state is State.ERROR
    assert len(watch.found("seen")) == 2, "what was found stays"
    assert web.series()[-1] == (0, 0, 2)


def test_a_page_that_refuses_us_leaves_the_snippet(web: Web, watch: Watch) -> None:
    watch.site["/r/1"] = Page(b"", status=403)
    web.ask("json")
    report = watch.run()
    assert (report.counts[Change.NEW], report.counts[Change.ERROR]) == (2, 1)
    assert watch.found("words about") == ["/r/1"]


def test_an_engine_that_is_changed_is_asked_as_it_is_now(web: Web, watch: Watch) -> None:
    web.ask("json", follow_links=False)
    watch.run()
    moved = web.records[0] | {"url_template": f"{watch.site.url}/moved?q={{query}}"}
    watch.site.made["/moved"] = watch.site.made["/json"]
    watch.app.catalogue.put_engine(watch.dossier_id, moved)
    _, seen = watch.turn()
    assert [one.path.partition("?")[0] for one in seen] == ["/moved"]
    watch.app.catalogue.set_engine_enabled(watch.dossier_id, "json", enabled=False)
    watch.now += 1
    watch.site.seen.clear()
    assert watch.app.queue.arm(watch.dossier_id, watch.now) == 0
    watch.app.catalogue.put_engine(watch.dossier_id, moved | {"fields": {"title": "description"}})
    report, _ = watch.turn()
    assert told(report) == {Change.SAME: 2}, "snippets are worded once"


def test_the_key_of_an_engine_comes_from_the_vault(web: Web, watch: Watch) -> None:
    watch.app.catalogue.put_engine(watch.dossier_id, web.records[0] | {"headers": {"X-Key": "${secret:FIND}"}})
    web.ask("json", follow_links=False)
    assert [item.code for item in watch.run().items] == ["secret"]
    with watch.app.vault(watch.dossier_id) as vault:
        vault.set("FIND", "hunter2", [host_of(watch.site.url)], watch.now)
    report, (seen,) = watch.turn()
    assert (report.counts[Change.NEW], seen.headers["X-Key"]) == (2, "hunter2")


def test_what_cannot_be_asked_is_refused(web: Web, watch: Watch) -> None:
    for channels, code in (((), "no_engine"), (("nobody",), "no_engine"), (("ddg_html",), "engine_off")):
        with pytest.raises(ConfigError) as caught:
            web.ask(*channels)
        assert caught.value.code == code
    web.ask("json")
    with pytest.raises(ConfigError) as caught:
        web.ask("json")
    assert caught.value.code == "duplicate_source"
    with pytest.raises(NotFoundError):
        watch.app.questions.series(watch.dossier_id, "What else?")


@pytest.mark.covers("R-031", "R-100")
def test_a_dossier_has_the_built_in_engines_and_its_own(web: Web, watch: Watch) -> None:
    assert {"brave_api", "ddg_html", "scholar", "json", "html"} <= set(watch.app.catalogue.engines(watch.dossier_id))
    other = watch.app.create_dossier("other").id
    assert "json" not in watch.app.catalogue.engines(other)
    watch.app.catalogue.set_engine_enabled(other, "ddg_html", enabled=True)
    assert watch.app.catalogue.engines(other)["ddg_html"].enabled
    assert not watch.app.catalogue.engines(watch.dossier_id)["ddg_html"].enabled
    watch.app.catalogue.delete_engine(other, "ddg_html")
    assert not watch.app.catalogue.engines(other)["ddg_html"].enabled
    with pytest.raises(NotFoundError):
        watch.app.catalogue.delete_engine(other, "brave_api")
    assert web.records[0]["id"] == "json"


@pytest.mark.covers("R-030")
def test_a_category_is_poured_into_a_dossier_once(watch: Watch) -> None:
    poured = watch.app.catalogue.pour(watch.dossier_id, "opendata")
    assert [one.added for one in poured] == [True, True]
    assert [source.kind for source in watch.app.sources.all(watch.dossier_id)] == ["api", "api"]
    assert [one.added for one in watch.app.catalogue.pour(watch.dossier_id, "opendata")] == [False, False]
