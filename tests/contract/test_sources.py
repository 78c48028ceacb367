from __future__ import annotations

from dataclasses import replace

import pytest

from desk import Desk
from samples import NOW, STORY, document, failure, request, source
from veille.core.models import Change, State
from veille.core.search.query import parse
from veille.errors import ConfigError, NotFoundError


@pytest.mark.covers("R-006")
def test_a_source_is_kept_as_it_was_given_and_found_by_id_name_and_address(desk: Desk) -> None:
    added = desk.add(name="Harbour", config={"mode": "auto"}, interval_ms=60_000, updated_at=NOW)
    with desk.open() as opened:
        assert opened.sources.all() == [added]
        for name in (added.id, added.name, added.url):
            assert opened.sources.find(name) == added
        with pytest.raises(NotFoundError) as caught:
            opened.sources.find("nobody")
    assert caught.value.code == "no_source"


def test_an_id_is_preferred_to_a_name_that_looks_like_it(desk: Desk) -> None:
    first = desk.add("https://a.example/")
    desk.add("https://b.example/", name=first.id)
    with desk.open() as opened:
        assert opened.sources.find(first.id).url == "https://a.example/"


@pytest.mark.parametrize(
    "spelling", ["https://www.example.org/a", "https://example.org/a/", "https://example.org/a?utm_source=x"]
)
def test_one_address_in_two_spellings_is_watched_once(desk: Desk, spelling: str) -> None:
    desk.add()
    with pytest.raises(ConfigError) as caught:
        desk.add(spelling, id="another")
    assert caught.value.code == "duplicate_source"
    with desk.open() as opened:
        assert len(opened.sources.all()) == 1


def test_http_and_https_are_two_sources(desk: Desk) -> None:
    desk.add("https://example.org/a")
    desk.add("http://example.org/a")
    with desk.open() as opened:
        assert len(opened.sources.all()) == 2


@pytest.mark.covers("R-006")
def test_a_source_is_changed_in_place_but_not_onto_another(desk: Desk) -> None:
    first, second = desk.add("https://a.example/"), desk.add("https://b.example/")
    with desk.open() as opened:
        opened.sources.update(replace(first, name="Renamed", interval_ms=120_000))
        assert opened.sources.find("Renamed").interval_ms == 120_000
        with pytest.raises(ConfigError) as caught:
            opened.sources.update(replace(first, url=second.url))
    assert caught.value.code == "duplicate_source"


@pytest.mark.covers("R-217")
def test_a_source_remembers_how_it_is_doing(desk: Desk) -> None:
    desk.bring(document())
    for number in (1, 2):
        desk.again(now=NOW + number, failure=failure(503))
    with desk.open() as opened:
        (failing,) = opened.sources.all()
    assert (failing.state, failing.failures, failing.error_code) == (State.ERROR, 2, "http.503")
    assert (failing.checked_at, failing.changed_at) == (NOW + 2, NOW)
    desk.again(document(), now=NOW + 3)
    with desk.open() as opened:
        (well,) = opened.sources.all()
    assert (well.state, well.failures, well.error_code, well.error) == (State.UNCHANGED, 0, "", "")


@pytest.mark.covers("R-006")
def test_deleting_a_source_takes_its_documents_and_their_index_entries_along(desk: Desk) -> None:
    added = desk.bring(document())
    with desk.open() as opened:
        (found,) = opened.records.documents()
        opened.sources.delete(added.id)
        assert opened.sources.all() == []
        assert opened.records.documents() == []
        assert opened.index.ranked(parse("harbour", NOW), 10).hits == []
        with pytest.raises(NotFoundError):
            opened.records.revision(found.document_id)
        assert opened.records.health(NOW)["indexed"] == 0
        assert opened.outbox.waiting("sink", 10) == []
        assert opened.outbox.pending("sink") == 0


def test_deleting_a_source_hands_the_documents_it_shares_to_the_other(desk: Desk) -> None:
    first = desk.bring(document("https://example.org/shared"), url="https://a.example/")
    second = desk.add("https://b.example/")
    (lease,) = desk.claim()
    plan = desk.commit(lease, document("https://example.org/shared"))
    assert plan is not None
    assert [item.change for item in plan.items] == [Change.DUPLICATE]
    with desk.open() as opened:
        opened.sources.delete(first.id)
        (kept,) = opened.records.documents()
        assert kept.source_id == second.id
        (hit,) = opened.index.ranked(parse("harbour", NOW), 10).hits
        assert hit.document_id == kept.document_id


def test_deleting_a_source_lets_a_page_that_repeated_its_text_stand_for_itself(desk: Desk) -> None:
    first = desk.bring(document("https://a.example/"), url="https://a.example/")
    desk.add("https://b.example/")
    (lease,) = desk.claim()
    desk.commit(lease, document("https://b.example/"))
    desk.program.queue.release("worker", NOW)
    with desk.open() as opened:
        assert len(opened.records.documents()) == 1
        opened.sources.delete(first.id)
    (again,) = desk.claim(now=NOW + 1)
    assert again.request.validators.raw_hash == ""
    desk.commit(again, document("https://b.example/", text=STORY), now=NOW + 1)
    with desk.open() as opened:
        assert [revision.url for revision in opened.records.documents()] == ["https://b.example/"]


def test_requests_given_with_a_source_take_the_place_of_those_it_began_with(desk: Desk) -> None:
    added = desk.add("https://a.example/old", "https://a.example/entry")
    moved = replace(added, url="https://a.example/new", updated_at=NOW + 1)
    with desk.open() as opened:
        opened.sources.update(moved, [request(moved, context={"page": 1})])
    leased = {lease.request.url: lease.request for lease in desk.claim(now=NOW + 1)}
    assert sorted(leased) == ["https://a.example/entry", "https://a.example/new"]
    assert leased["https://a.example/new"].context == {"page": 1}


def test_a_request_that_stays_is_read_again_as_its_source_is_now(desk: Desk) -> None:
    added = desk.bring(document())
    with desk.open() as opened:
        opened.sources.update(replace(added, config={"mode": "css"}), [request(added)])
    desk.program.queue.arm(desk.dossier_id, NOW + 1)
    (lease,) = desk.claim(now=NOW + 1)
    assert lease.request.validators.raw_hash == lease.request.validators.etag == ""


@pytest.mark.covers("R-100")
def test_engines_are_kept_changed_and_forgotten(desk: Desk) -> None:
    with desk.open() as opened:
        opened.engines.put("b", {"id": "b", "n": 1}, NOW)
        opened.engines.put("a", {"id": "a"}, NOW)
        opened.engines.put("b", {"id": "b", "n": 2}, NOW)
        assert list(opened.engines.all().items()) == [("a", {"id": "a"}), ("b", {"id": "b", "n": 2})]
        opened.trashed_setups.put("engine", "b", NOW)
        assert list(opened.engines.all()) == ["a"]


def test_of_many_sources_each_is_saved_or_told_why_not(desk: Desk) -> None:
    desk.add("https://a.example/")
    wanted = [
        source(url, id=str(n))
        for n, url in enumerate(("https://b.example/", "https://a.example/", "https://b.example"))
    ]
    with desk.open() as opened:
        problems = opened.sources.add_many((one, [request(one)]) for one in wanted)
        assert [problem.code if problem else "" for problem in problems] == ["", "duplicate_source", "duplicate_source"]
        assert {one.url for one in opened.sources.all()} == {"https://a.example/", "https://b.example/"}
        assert opened.sources.count() == 2
    assert len(desk.claim()) == 2, "what was saved is due"


def test_a_source_that_may_not_be_watched_is_paused_and_says_why(desk: Desk) -> None:
    refused, other = desk.add("https://a.example/"), desk.add("https://b.example/")
    with desk.open() as opened:
        opened.sources.refuse(refused.id, "bad_option", "It cannot be read so.")
        opened.sources.refuse("nothing", "bad_option", "x")
        found = opened.sources.get(refused.id)
        assert found is not None
        assert (found.enabled, found.error_code, found.error) == (False, "bad_option", "It cannot be read so.")
        assert opened.sources.get(other.id) == other
    assert [lease.source.id for lease in desk.claim()] == [other.id]
