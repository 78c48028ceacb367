from __future__ import annotations

import pytest

from desk import Desk
from samples import NOW, document
from veille.core.search.answers import SavedSearch
from veille.errors import NotFoundError


def _search(name: str) -> SavedSearch:
    return SavedSearch(id=f"id of {name}", name=name, query=name, created_at=NOW)


def test_a_search_that_is_kept_begins_with_what_comes_next(desk: Desk) -> None:
    desk.bring(document("https://example.org/a", text="one"), document("https://example.org/b", text="two"))
    with desk.open() as opened:
        opened.saved_searches.add(_search("one"))
        assert opened.saved_searches.matched() == {"id of one": opened.outbox.last_seq()}
        assert opened.saved_searches.alerts("id of one", 10) == []


def test_finds_are_noted_once_and_counted_for_each_person(desk: Desk) -> None:
    with desk.open() as opened:
        opened.saved_searches.add(_search("one"))
    desk.bring(*(document(f"https://example.org/{n}", text=f"text {n}") for n in range(3)))
    with desk.open() as opened:
        saved = opened.saved_searches
        changed = {event.document_id: event.seq for event in opened.outbox.events()}
        first, second, third = changed
        last = max(changed.values())
        saved.note("id of one", last, {first: changed[first], second: changed[second]})
        # Somebody who was slower brings nothing in twice, nor back.
        saved.note("id of one", last, {third: changed[third]}, [first])
        assert saved.alerts("id of one", 10) == sorted([changed[first], changed[second]], reverse=True)
        assert saved.fresh("ada") == {"id of one": 2}
        assert saved.look("ada", "id of one", changed[first]) == 0
        assert (saved.fresh("ada"), saved.fresh("bob")) == ({"id of one": 1}, {"id of one": 2})
        assert saved.look("ada", "id of one", 0) == changed[first]
        assert saved.look("ada", "id of one", last) == changed[first]
        assert saved.fresh("ada") == {"id of one": 0}
        saved.note("id of one", last + 1, {}, [second])
        assert saved.alerts("id of one", 10) == [changed[first]]
        assert [event.document_id for event in opened.outbox.numbered([changed[third], changed[first]])] == [
            third,
            first,
        ]


def test_a_search_takes_all_of_its_own_with_it(desk: Desk) -> None:
    with desk.open() as opened:
        opened.saved_searches.add(_search("one"))
    desk.bring(document(text="one"))
    with desk.open() as opened:
        saved = opened.saved_searches
        (event,) = opened.outbox.events()
        saved.note("id of one", event.seq, {event.document_id: event.seq})
        saved.set_sink("id of one", "desk")
        assert saved.find("id of one").sink == "desk"
        opened.trashed_setups.put("search", "id of one", NOW)
        saved.note("id of one", event.seq + 1, {event.document_id: event.seq})
        assert (saved.alerts("id of one", 10), saved.fresh("ada"), saved.all()) == ([], {}, [])
        with pytest.raises(NotFoundError):
            saved.find("id of one")


def test_a_deleted_search_comes_back_with_its_results_but_for_documents_that_are_gone(desk: Desk) -> None:
    with desk.open() as opened:
        opened.saved_searches.add(_search("one"))
    desk.bring(document("https://a.example/", text="one"), url="https://a.example/")
    gone = desk.bring(document("https://b.example/", text="one more"), url="https://b.example/")
    with desk.open() as opened:
        saved = opened.saved_searches
        events = opened.outbox.events()
        saved.note("id of one", events[-1].seq, {event.document_id: event.seq for event in events})
        saved.look("ada", "id of one", events[0].seq)
        before = saved.find("id of one")
        opened.trashed_setups.put("search", "id of one", NOW)
        opened.sources.delete(gone.id)
        opened.trashed_setups.restore("search", "id of one", NOW + 1)
        assert (saved.all(), saved.alerts("id of one", 9)) == ([before], [events[0].seq])
        assert (saved.fresh("ada"), saved.fresh("bob")) == ({"id of one": 0}, {"id of one": 1})
