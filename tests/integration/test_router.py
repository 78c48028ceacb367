"""A router on a real server: its services become kinds of source; whatever it does wrong changes nothing."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from samples import STORY
from veille.core.models import Change, Scope, State
from veille.errors import ConfigError, ReadError
from veille.services.engine.loop import Loop
from veille.services.offers import routing
from veille.services.watching.sources import Wish
from watching import Watch, told
from world import Asked, Page, Site

TOKEN = "router-token-1"
TIDES = {
    "name": "tides_fetch",
    "title": "Tides",
    "options": [{"name": "words", "description": "What to say", "required": True}],
}


class Router:
    """What it says, and what its service was asked."""

    def __init__(self, site: Site) -> None:
        self.answer: Page | None = None
        self.services: list[Any] = [TIDES]
        self.asked: list[dict[str, Any]] = []
        site.made["/services"] = self._listed
        site.made["/tides_fetch"] = self._fetched

    def _listed(self, asked: Asked) -> Page:
        assert asked.headers["Authorization"] == f"Bearer {TOKEN}"
        return self.answer or _json({"services": self.services})

    def _fetched(self, asked: Asked) -> Page:
        assert asked.headers["Authorization"] == f"Bearer {TOKEN}"
        self.asked.append(json.loads(asked.body))
        return _json({"extractions": [{"id": "1", "title": "High tide", "content": STORY}]})


def _json(value: object) -> Page:
    return Page(json.dumps(value).encode(), type="application/json", validates=False)


@pytest.fixture
def router(site: Site) -> Router:
    return Router(site)


@pytest.fixture
def watch(site: Site, router: Router, tmp_path: Path) -> Iterator[Watch]:  # noqa: ARG001 - it is asked
    settings = {"router": {"url": f"{site.url}/services", "token": TOKEN, "every_s": 60}}
    with Watch(site, tmp_path, **settings) as watching:
        yield watching


def _wish(**config: object) -> Wish:
    return Wish(url="tides://harbour", kind="tides", config=config)


@pytest.mark.covers("R-090", "R-091")
def test_a_service_of_the_router_is_a_kind_without_a_restart(watch: Watch, router: Router) -> None:
    with pytest.raises(ConfigError):
        watch.app.sources.add(watch.dossier_id, _wish(words="ships"))
    # Another program on the same data asks; this one knows it soon.
    with watch.app.beside() as other:
        assert other.router.ask().added == ("tides",)
    watch.app.bridges.forget()
    source = watch.app.sources.add(watch.dossier_id, _wish(words="ships"))
    assert told(watch.run()) == {Change.NEW: 1}
    assert router.asked[0] == {
        "source_id": source.id,
        "url": "tides://harbour",
        "config": {"words": "ships"},
        "source_type": "tides",
    }
    # Its options are checked like those of any kind.
    for config, problem in (({}, "needs the option 'words'"), ({"words": "x", "wrods": "y"}, "Did you mean words")):
        with pytest.raises(ConfigError, match=problem) as refused:
            watch.app.sources.add(watch.dossier_id, _wish(**config))
        assert refused.value.code == "bad_option"
    # It comes and goes; what was read stays.
    router.services = ["fresh_fetch", "veille_search"]
    news = watch.app.router.ask()
    assert (news.added, news.removed) == (("fresh",), ("tides",))
    watch.turn()
    (failing,) = watch.app.sources.all(watch.dossier_id)
    assert (failing.state, failing.error_code) == (State.ERROR, "no_bridge")
    assert watch.app.searches.search([watch.dossier_id], "kind:tides")
    router.services = [TIDES]
    assert watch.app.router.ask().added == ("tides",)
    watch.turn()
    assert watch.app.sources.all(watch.dossier_id)[0].state is State.UNCHANGED


def test_a_worker_asks_at_its_start_and_then_when_it_is_due(watch: Watch, router: Router) -> None:
    said: list[str] = []
    loop = Loop(
        program=watch.app, scope=Scope(), stop=threading.Event(), drain=True, progress=lambda _: None, say=said.append
    )
    loop.run([])
    assert list(watch.app.bridges) == ["tides"]
    router.services = []
    assert watch.app.router.ask_if_due() is None  # the first call begins the interval
    assert watch.app.router.ask_if_due() is None
    watch.now += 61_000
    news = watch.app.router.ask_if_due()
    assert news is not None
    assert news.removed == ("tides",)
    assert said == []


LIES: dict[str, Any] = {
    "no list": {"services": {"tides_fetch": {}}},
    "no object": ["tides_fetch"],
    "too many": {"services": [f"a{n}_fetch" for n in range(201)]},
    "a number": {"services": [7]},
    "no name": {"services": [{"url": "/x"}]},
    "a bad name": {"services": ["../../etc_fetch"]},
    "capitals": {"services": ["Tides_fetch"]},
    "twice": {"services": ["tides_fetch", {"name": "tides_fetch"}]},
    "another host": {"services": [{"name": "x_fetch", "url": "http://169.254.169.254/x_fetch"}]},
    "another port": {"services": [{"name": "x_fetch", "url": "http://127.0.0.1:1/x_fetch"}]},
    "another scheme": {"services": [{"name": "x_fetch", "url": "file:///etc/passwd"}]},
    "no address": {"services": [{"name": "x_fetch", "url": 7}]},
    "a broken address": {"services": [{"name": "x_fetch", "url": "/a b\nc"}]},
    "no options": {"services": [{"name": "x_fetch", "options": {"a": 1}}]},
    "an option twice": {"services": [{"name": "x_fetch", "options": [{"name": "a"}, {"name": "a"}]}]},
    "an option of nobody": {"services": [{"name": "x_fetch", "options": [{"name": "a b"}]}]},
    "a long text": {"services": [{"name": "x_fetch", "title": "x" * 501}]},
    "a hidden text": {"services": [{"name": "x_fetch", "title": "\u202egnp"}]},
}


def test_a_router_that_is_down_lies_or_hangs_changes_nothing(
    watch: Watch, router: Router, site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    watch.app.router.ask()
    before = watch.app.bridges.offered()
    answers = {name: _json(lie) for name, lie in LIES.items()}
    answers["no JSON"] = Page(b"<html>", validates=False)
    answers["deep"] = Page(b"[" * 100_000, type="application/json", validates=False)
    for name, answer in answers.items():
        router.answer = answer
        with pytest.raises(ReadError) as refused:
            watch.app.router.ask()
        assert refused.value.code == "router.reply", name
        assert watch.app.bridges.offered() == before, name
    router.answer = _json({"services": ["x_fetch"]})
    downs = [
        Page(b"", status=500, validates=False),
        Page(b"", status=302, headers={"Location": f"{site.url}/other"}, validates=False),
        Page(b" " * 1_100_000, type="application/json", validates=False),
    ]
    for down in downs:
        router.answer = down
        with pytest.raises(ReadError) as refused:
            watch.app.router.ask()
        assert refused.value.code == "router.down"
    released = threading.Event()
    monkeypatch.setattr(routing, "_TIMEOUT_S", 0.3)
    site.made["/services"] = lambda _: Page(b"{}") if released.wait(60) else Page(b"")
    with pytest.raises(ReadError, match="What it said before stays"):
        watch.app.router.ask()
    released.set()
    assert watch.app.bridges.offered() == before


def test_a_router_replaces_none_of_ours(site: Site, router: Router, tmp_path: Path) -> None:
    named = {"tides": {"url": f"{site.url}/mine"}}
    settings = {"router": {"url": f"{site.url}/services", "token": TOKEN}, "bridges": named}
    router.services = ["page_fetch", "rss_fetch", "api_fetch", "question_fetch", "tides_fetch", "github_fetch"]
    with Watch(site, tmp_path, **settings) as watch:
        assert watch.app.router.ask().added == ("github",)
        assert watch.app.bridges["tides"].url == f"{site.url}/mine"
        assert sorted(watch.app.bridges) == ["github", "tides"]
