from __future__ import annotations

from desk import Desk, Store
from samples import NOW
from veille.core.search.answers import SearchMade


def _search(number: int) -> SearchMade:
    return SearchMade(id=f"s{number}", query=f"wörd {number}", result_count=number, searched_at=NOW + number)


def test_the_last_searches_are_kept_newest_first(desk: Desk) -> None:
    with desk.open() as opened:
        assert opened.search_log.recent(9) == []
        for number in range(5):
            opened.search_log.add(_search(number), 3)
        assert opened.search_log.recent(9) == [_search(4), _search(3), _search(2)]
        assert opened.search_log.recent(1) == [_search(4)]
        opened.search_log.add(_search(5), 9)
        assert len(opened.search_log.recent(9)) == 4


def test_to_keep_none_is_to_forget_all(desk: Desk) -> None:
    with desk.open() as opened:
        opened.search_log.add(_search(1), 0)
        assert opened.search_log.recent(9) == []
        opened.search_log.add(_search(2), 3)
        opened.search_log.add(_search(3), 0)
        assert opened.search_log.recent(9) == []


def test_a_search_does_not_wait_for_whoever_writes_and_is_left_out(store: Store) -> None:
    here, there = store.program(), store.program()
    dossier_id = here.dossiers.create("news", NOW).id
    with here.dossiers.open(dossier_id) as mine, there.dossiers.open(dossier_id) as yours:
        with yours.writing():
            mine.search_log.add(_search(1), 3)
        mine.search_log.add(_search(2), 3)
        assert yours.search_log.recent(9) == [_search(2)]
