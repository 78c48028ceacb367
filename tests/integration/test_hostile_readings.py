"""Pages, selectors and patterns that take for ever: whatever door they come in by, they end with their code, in time.

The readings are stopped in their child; this process goes on, and so do the sources of another dossier.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from itertools import pairwise
from pathlib import Path

import pytest

from veille.bootstrap import App
from veille.core.models import Change, Json, Scope, Source
from veille.core.tasks.crawling import Admit
from veille.core.traffic import Failure
from veille.errors import ConfigError
from veille.services.watching.discovering import Standard
from veille.services.watching.questions import Asking
from veille.services.watching.sources import Wish
from veille.settings import WorkshopSettings
from watching import Watch
from world import Page, Site

LIMIT_S = 1.0
#: For a busy machine: starting a child takes it seconds.
PATIENCE_S = 20.0

#: It is looked for in every way that eight elements can lie inside each other.
SELECTOR = "nosuch div div div div div div div b"
NESTED = "<title>A page</title>" + "<div>" * 100 + "<b>Some words of a page, enough of them.</b>" + "</div>" * 100
PATTERN = "re:(a+)+$x"
COUNTING = "//*[count(//*[count(//*)>0])>0]"
#: Its elements are opened again in each of its paragraphs, and ends that end nothing hide that they are open.
SWELLING = "<title>A page</title>" + "".join(f"<p><b title={number}>words</x></x>" for number in range(20_000))


@pytest.fixture
def watch(site: Site, tmp_path: Path) -> Iterator[Watch]:
    site["/nested"] = NESTED
    site["/many"] = "<title>A page</title>" + "<p>Some words of a page, enough of them.</p>" * 6000
    site["/swelling"] = SWELLING
    site["/links"] = f"<title>A page</title><p>Some words of a page, enough of them.<a href=/{'a' * 60}>x</a>"
    site.made["/search"] = lambda _: Page(NESTED.encode())
    site.article("/good", "An article", "The words of an article that is read by somebody else.")
    with Watch(site, tmp_path, workshop=WorkshopSettings(timeout_s=LIMIT_S)) as watch:
        yield watch


SOURCES: dict[str, tuple[str, str, Json]] = {
    "a page": ("/nested", "page", {"mode": "css", "selectors": [SELECTOR]}),
    "a page in automatic mode": ("/nested", "page", {"selectors": [SELECTOR]}),
    "a site": ("/nested", "site", {"mode": "css", "selectors": [SELECTOR], "sitemaps": False}),
    "a site in automatic mode": ("/nested", "site", {"selectors": [SELECTOR], "sitemaps": False}),
    "an expression that counts": ("/many", "page", {"mode": "xpath", "selectors": [COUNTING]}),
    "a pattern to leave out": ("/links", "site", {"exclude": [PATTERN], "sitemaps": False}),
    "a pattern to keep": ("/links", "site", {"include": [PATTERN], "sitemaps": False}),
    "a page that swells": ("/swelling", "page", {}),
}


@pytest.mark.parametrize("case", SOURCES)
def test_a_source_is_stopped_in_time_and_another_dossiers_is_read(watch: Watch, case: str) -> None:
    path, kind, config = SOURCES[case]
    watch.add(path, kind, **config)
    other = watch.app.create_dossier("another")
    watch.app.sources.add(other.id, Wish(url=f"{watch.site.url}/good"))
    began = time.monotonic()
    runs = watch.app.run(Scope())
    assert time.monotonic() - began < LIMIT_S + PATIENCE_S
    codes = {run.dossier_id: {item.code for item in run.items if item.change is Change.ERROR} for run in runs}
    # A native library that gets no more memory may end its process.
    swells = ({"too_large"}, {"hostile"}) if case == "a page that swells" else ()
    assert codes[watch.dossier_id] in ({"too_slow"}, *swells)
    assert codes[other.id] == set()
    assert watch.app.searches.search([other.id], "words")


def test_a_question_with_such_a_selector_is_stopped_in_time(watch: Watch) -> None:
    record = {
        "id": "slow",
        "strategy": "generic",
        "url_template": f"{watch.site.url}/search?q={{query}}",
        "selectors": {"result_item": SELECTOR, "title": "a", "link": "a"},
        "rate_limit_ms": 0,
    }
    watch.app.catalogue.put_engine(watch.dossier_id, record)
    watch.app.questions.add(watch.dossier_id, Asking(text="What?", channels=("slow",)))
    (item,) = [item for item in watch.run().items if item.change is Change.ERROR]
    assert item.code == "too_slow"


def test_a_preview_is_stopped_in_time(watch: Watch) -> None:
    path, kind, config = SOURCES["a page"]
    found = watch.app.preview(Wish(url=watch.site.url + path, kind=kind, config=config))
    assert [item.code for item in found.problems] == ["too_slow"]


def _detected(app: App, url: str) -> str:
    with app.detector() as detector:
        return detector.detect(url, 3_600_000)[0].code


def _discovered(app: App, url: str) -> str:
    with app.discoverer() as discoverer, pytest.raises(ConfigError) as caught:
        discoverer.discover(url, Standard())
    return caught.value.code


def _read(app: App, url: str) -> str:
    with app.reader(app.dossiers.all()[0].id) as reader:
        result = reader.get_reader_content(url)
    assert not result.readable
    return "too_slow" if "took more than" in (result.error or "") else "too_large"


def _crawl_scope(app: App, url: str) -> str:
    config = {"exclude": [PATTERN]}
    source = Source(id="s", name="", kind="site", url=url)
    found = app.outside.workshop.run(Admit(config=config, source=source, addresses=((f"{url}/{'a' * 60}", 2),)))
    assert isinstance(found, Failure)
    return found.code


DOORS: dict[str, Callable[[App, str], str]] = {
    "what it should be watched as": _detected,
    "its feeds": _discovered,
    "the reader": _read,
    "the bounds of a crawl": _crawl_scope,
}


@pytest.mark.parametrize("door", DOORS)
def test_other_doors_are_stopped_in_time_and_threads_go_on_meanwhile(watch: Watch, door: str) -> None:
    ticks: list[float] = []
    is_over = threading.Event()

    def tick() -> None:
        while not is_over.wait(0.02):
            ticks.append(time.monotonic())

    beside = threading.Thread(target=tick)
    beside.start()
    began = time.monotonic()
    try:
        code = DOORS[door](watch.app, f"{watch.site.url}/swelling")
    finally:
        is_over.set()
        beside.join()
    assert code in {"too_slow", "too_large", "hostile"}
    assert time.monotonic() - began < LIMIT_S + PATIENCE_S
    # Whoever holds the interpreter stops all threads of this process for as long.
    assert max(later - earlier for earlier, later in pairwise(ticks)) < PATIENCE_S / 2


def test_a_repair_that_looks_at_a_hostile_page_proposes_nothing(watch: Watch) -> None:
    site = watch.site
    site.feed("/swelling/feed.xml", [("1", "An entry", "Some words.")])
    source = watch.add("/swelling/feed.xml", "feed")
    watch.run()
    del site.pages["/swelling/feed.xml"]
    site["/swelling/"] = SWELLING
    site["/"] = SWELLING
    for _ in range(3):
        watch.turn()
    with watch.app.dossiers.open(watch.dossier_id) as store:
        assert all(repair.rule != "feed_moved" for repair in store.repairs.all(10))
        assert store.sources.find(source.id).error_code == "http.404"
