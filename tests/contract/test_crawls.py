from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from typing import Any

from desk import Desk, Store, room
from samples import NOW, document, failure, payload, request
from veille.core.crawler.runs import ConfigVersion, Crawl, CrawlChoice, CrawlState
from veille.core.models import Change, Lease, Request, Scope, Source
from veille.core.traffic import Failure

SITE = "https://example.org/"


def _crawl(desk: Desk, name: str = "one", at: int = NOW, **given: Any) -> Crawl:
    defaults: dict[str, Any] = {"state": CrawlState.QUEUED, "choice": CrawlChoice(), "config_version": 1}
    defaults |= {"launched_by": "ada", "requested_at": at}
    return Crawl(id=name, dossier_id=desk.dossier_id, **(defaults | given))


# Configurations


def test_every_configuration_is_kept_as_a_version(desk: Desk) -> None:
    with desk.open() as opened:
        crawls = opened.crawls
        assert crawls.config() is None
        first = crawls.configure({"seeds": [SITE], "ü": None}, "ada", NOW)
        second = crawls.configure({"seeds": []}, "bob", NOW + 1)
        assert first == ConfigVersion(version=1, config={"seeds": [SITE], "ü": None}, set_by="ada", set_at=NOW)
        assert second == ConfigVersion(version=2, config={"seeds": []}, set_by="bob", set_at=NOW + 1)
        assert crawls.config() == crawls.config(2) == second
        assert (crawls.config(1), crawls.config(3)) == (first, None)


# Runs


def test_a_run_is_kept_as_it_goes(desk: Desk) -> None:
    choice = CrawlChoice(mode="since", since_at=NOW - 5, url="https://example.org/ü")
    crawl = _crawl(desk, choice=choice)
    with desk.open() as opened:
        crawls = opened.crawls
        assert (crawls.find("one"), crawls.last(), crawls.last_success_at()) == (None, [], None)
        crawls.enter(crawl)
        assert crawls.find("one") == crawl
        assert crawls.begin("one", NOW + 1)
        running = replace(crawl, state=CrawlState.RUNNING, started_at=NOW + 1)
        assert crawls.find("one") == running
        ended = replace(
            running,
            state=CrawlState.COMPLETED,
            finished_at=NOW + 9,
            code="max_runtime",
            message="Its time was over.",
            deliveries=[{"sink": "buffer", "delivered": 3}],
        )
        crawls.end(ended)
        assert crawls.find("one") == replace(ended, last_seq=0), "it brought no line"
        assert crawls.last_success_at() == NOW + 9


def test_runs_take_turns_in_the_order_they_were_asked_for(desk: Desk) -> None:
    with desk.open() as opened:
        crawls = opened.crawls
        for name, at in (("late", NOW + 2), ("b", NOW), ("a", NOW)):
            crawls.enter(_crawl(desk, name, at))
        assert [crawl.id for crawl in crawls.last()] == ["late", "b", "a"]
        assert [crawl.id for crawl in crawls.last(1)] == ["late"]
        assert [crawls.begin(name, NOW + 3) for name in ("late", "b", "another", "a")] == [False, False, False, True]
        assert [crawls.begin(name, NOW + 3) for name in ("a", "b")] == [False, False], "one at a time"
        crawls.end(_crawl(desk, "a", state=CrawlState.FAILED, finished_at=NOW + 4))
        assert crawls.last_success_at() is None
        crawls.leave("b")
        assert crawls.begin("late", NOW + 5)
        crawls.leave("late")
        crawls.leave("another")
        assert [(crawl.id, crawl.state) for crawl in crawls.last()] == [
            ("late", CrawlState.RUNNING),
            ("a", CrawlState.FAILED),
        ], "only one that waits is taken out"


def test_of_many_who_begin_at_once_one_does(store: Store) -> None:
    programs = [store.program() for _ in range(3)]
    desks = [Desk(program, programs[0].dossiers.create("news", NOW).id) for program in programs[:1]]
    desks += [Desk(program, desks[0].dossier_id) for program in programs[1:]]
    with desks[0].open() as opened:
        opened.crawls.enter(_crawl(desks[0]))

    def begin(number: int) -> bool:
        with desks[number % 3].open() as opened:
            return opened.crawls.begin("one", NOW)

    with ThreadPoolExecutor(9) as pool:
        assert list(pool.map(begin, range(18))).count(True) == 1


def test_a_run_that_died_ended_with_the_last_thing_it_looked_at(desk: Desk) -> None:
    desk.add(SITE)
    with desk.open() as opened:
        crawls = opened.crawls
        for at, name in enumerate(("idle", "busy", "queued")):
            crawls.enter(_crawl(desk, name, NOW + at))
        assert crawls.begin("idle", NOW + 10)
        crawls.interrupt("idle")
        assert crawls.begin("busy", NOW + 11)
        (lease,) = desk.claim(now=NOW + 12)
        desk.commit(lease, document(), now=NOW + 12)
        for name in ("busy", "queued", "another"):
            crawls.interrupt(name)
        ends = [(one.id, one.state, one.finished_at) for one in reversed(crawls.last())]
        assert ends == [
            ("idle", CrawlState.INTERRUPTED, NOW + 10),
            ("busy", CrawlState.INTERRUPTED, NOW + 12),
            ("queued", CrawlState.INTERRUPTED, NOW + 2),
        ]
        crawls.enter(_crawl(desk, "good", NOW + 20))
        assert crawls.begin("good", NOW + 20)
        crawls.end(_crawl(desk, "good", state=CrawlState.COMPLETED, finished_at=NOW + 21))
        crawls.interrupt("good")
        good = crawls.find("good")
        assert good is not None
        assert (good.state, good.finished_at) == (CrawlState.COMPLETED, NOW + 21), "what is over stays so"


# What a run looked at


def _site(desk: Desk, *pages: str, enabled: bool = True) -> Source:
    """A source with a start and pages that have turns of their own, all of them due."""
    added = desk.add(SITE)
    with desk.open() as opened:
        roots = [request(added), *(request(added, f"{SITE}{page}", "page", every=1) for page in pages)]
        opened.sources.update(replace(added, enabled=enabled), roots)
    return replace(added, enabled=enabled)


def _claim(desk: Desk, source: Source, now: int) -> dict[str, Lease]:
    scope = Scope(dossiers=frozenset({desk.dossier_id}), sources=frozenset({source.id}))
    leases = desk.program.queue.claim("worker", now, room(99), scope)
    return {lease.request.url.removeprefix(SITE): lease for lease in leases}


def _look(desk: Desk, source: Source, now: int, **texts: str | Failure) -> set[str]:
    """Look at what is due; the names of these pages."""
    leases = _claim(desk, source, now)
    for name, lease in leases.items():
        found = texts.get(name, f"Text of {name}.")
        failed = found if isinstance(found, Failure) else None
        documents = () if failed else (document(lease.request.url, str(found)),)
        assert desk.commit(lease, *documents, now=now, failure=failed)
    desk.program.queue.release("worker", now)
    return set(leases)


def _run(
    desk: Desk, source: Source, name: str, now: int, choice: CrawlChoice | None = None, **texts: str | Failure
) -> Crawl:
    with desk.open() as opened:
        opened.crawls.enter(_crawl(desk, name, now))
        assert opened.crawls.begin(name, now)
        opened.crawls.choose(source.id, choice or CrawlChoice(), now)
        _look(desk, source, now, **texts)
        opened.crawls.end(_crawl(desk, name, now, state=CrawlState.COMPLETED, finished_at=now))
        found = opened.crawls.find(name)
        assert found is not None
        return found


def test_the_lines_of_a_run_are_its_last_words_on_every_address(desk: Desk) -> None:
    source = _site(desk, "a", "b")
    first = _run(desk, source, "first", NOW + 1)
    second = _run(desk, source, "second", NOW + 2, a="Otherwise.", b=failure(404))
    with desk.open() as opened:
        crawls = opened.crawls
        lines = {line.url.removeprefix(SITE): line for line in crawls.lines(source.id, first)}
        assert {name: line.change for name, line in lines.items()} == dict.fromkeys(("", "a", "b"), Change.NEW)
        assert (lines[""].purpose, lines["a"].purpose, lines["a"].at) == ("root", "page", NOW + 1)
        assert lines["a"].document_id == opened.records.find(f"{SITE}a")
        lines = {line.url.removeprefix(SITE): line for line in crawls.lines(source.id, second)}
        assert {name: line.change for name, line in lines.items()} == {
            "": Change.SAME,
            "a": Change.CHANGED,
            "b": Change.ERROR,
        }
        assert (lines["b"].code, lines["b"].status, lines["b"].message) == ("http.404", 404, "It failed.")
        assert crawls.lines("another", second) == []


def test_of_an_address_that_was_looked_at_twice_the_telling_word_counts(desk: Desk) -> None:
    source = _site(desk, "a")
    with desk.open() as opened:
        opened.crawls.enter(_crawl(desk))
        assert opened.crawls.begin("one", NOW)
        for at in (1, 2):
            opened.crawls.choose(source.id, CrawlChoice(), NOW + at)
            assert _look(desk, source, NOW + at) == {"", "a"}
        running = opened.crawls.find("one")
        assert running is not None
        lines = opened.crawls.lines(source.id, running)
        assert {line.url: line.change for line in lines} == dict.fromkeys((SITE, f"{SITE}a"), Change.NEW)


# What a run is to look at


def _requests(desk: Desk, source: Source) -> list[Request]:
    with desk.open() as opened:
        return opened.crawls.requests(source.id)


def test_a_run_makes_due_what_it_is_about_and_sets_the_rest_aside(desk: Desk) -> None:
    source = _site(desk, "a", "b")
    other = desk.add("https://else.example/")
    (wanted,) = (one.id for one in _requests(desk, source) if one.url == f"{SITE}a")
    with desk.open() as opened:
        crawls = opened.crawls
        assert crawls.choose(source.id, CrawlChoice(mode="url", url=f"{SITE}a"), NOW + 1, wanted) == 1
        assert crawls.waiting(source.id, NOW + 1) == [f"{SITE}a"]
        assert crawls.next_due(source.id) == NOW + 1
        assert crawls.waiting(source.id, NOW) == []
        assert crawls.waiting(other.id, NOW) == ["https://else.example/"], "that is no business of the run"
        assert crawls.choose(source.id, CrawlChoice(mode="url"), NOW + 1, "another") == 0
        assert (crawls.waiting(source.id, NOW + 9), crawls.next_due(source.id)) == ([], None)
        assert crawls.choose(source.id, CrawlChoice(), NOW + 2) == 3
        assert len(crawls.waiting(source.id, NOW + 2)) == 3
        assert (crawls.waiting("another", NOW), crawls.next_due("another")) == ([], None)


def test_what_a_run_makes_due_is_had_also_of_a_paused_source_and_after_others_found_nothing(desk: Desk) -> None:
    source = _site(desk, "a", enabled=False)
    with desk.open() as opened:
        assert opened.crawls.choose(source.id, CrawlChoice(), NOW + 1) == 2
    assert desk.claim("another", now=NOW + 2) == []
    assert set(_claim(desk, source, NOW + 2)) == {"", "a"}


def test_a_full_run_reads_all_as_if_it_were_new(desk: Desk) -> None:
    source = _site(desk, "a")
    tags = {}
    for mode in ("normal", "full"):
        with desk.open() as opened:
            opened.crawls.choose(source.id, CrawlChoice(), NOW + 1)
            for lease in _claim(desk, source, NOW + 1).values():
                desk.commit(lease, document(lease.request.url), now=NOW + 1, answer=payload(url=lease.request.url))
            opened.crawls.choose(source.id, CrawlChoice(mode=mode), NOW + 2)
        tags[mode] = {lease.request.validators.etag for lease in _claim(desk, source, NOW + 2).values()}
        desk.program.queue.release("worker", NOW + 2)
    assert tags == {"normal": {'"1"'}, "full": {""}}


def test_a_run_since_then_is_about_what_was_not_looked_at_well_since(desk: Desk) -> None:
    source = _site(desk, "a", "b")
    _look(desk, source, NOW + 10, a=failure(500))
    with desk.open() as opened:
        crawls = opened.crawls
        for since, expected in ((NOW + 11, ["", "a", "b"]), (NOW + 10, ["a"])):
            assert crawls.choose(source.id, CrawlChoice(mode="since", since_at=since), NOW + 20) == len(expected)
            assert sorted(crawls.waiting(source.id, NOW + 20)) == [SITE + name for name in expected]


def test_a_retry_is_about_what_failed_since_and_still_does(desk: Desk) -> None:
    source = _site(desk, "a", "b", "c")
    _look(desk, source, NOW + 10, a=failure(404), b=failure(404))
    with desk.open() as opened:
        crawls = opened.crawls
        crawls.choose(source.id, CrawlChoice(), NOW + 20)
        assert "b" in _look(desk, source, NOW + 20, a=failure(404))
        retry = CrawlChoice(mode="retry", since_at=NOW + 10)
        assert crawls.choose(source.id, retry, NOW + 30) == 1
        assert crawls.waiting(source.id, NOW + 30) == [f"{SITE}a"]
        assert crawls.choose(source.id, replace(retry, since_at=NOW + 21), NOW + 30) == 0


def test_a_run_in_two_parts_begins_with_what_an_earlier_one_left_undone(desk: Desk) -> None:
    source = _site(desk, "a", "b")
    with desk.open() as opened:
        crawls = opened.crawls
        crawls.choose(source.id, CrawlChoice(), NOW + 1)
        leases = _claim(desk, source, NOW + 1)
        for name in ("", "a"):
            desk.commit(leases[name], document(SITE + name, name or "root"), now=NOW + 1)
        desk.program.queue.release("worker", NOW + 1)
        begun = NOW + 100
        choice = CrawlChoice(since_at=begun)
        assert crawls.choose(source.id, choice, begun, part="rest") == 1
        assert _look(desk, source, begun) == {"b"}
        assert crawls.choose(source.id, choice, begun + 1, part="others") == 2
        assert _look(desk, source, begun + 1) == {"", "a"}
        assert crawls.choose(source.id, choice, begun + 2, part="others") == 0


def test_the_requests_of_a_source_are_listed_and_forgotten(desk: Desk) -> None:
    source = _site(desk, "a")
    desk.add("https://else.example/")
    found = {one.url: one for one in _requests(desk, source)}
    assert {url: (one.purpose, one.depth) for url, one in found.items()} == {SITE: ("root", 0), f"{SITE}a": ("page", 0)}
    with desk.open() as opened:
        opened.crawls.forget([])
        opened.crawls.forget([found[f"{SITE}a"].id, "another"])
        assert [one.url for one in opened.crawls.requests(source.id)] == [SITE]
        assert opened.crawls.requests("another") == []
        assert len(opened.sources.all()) == 2
