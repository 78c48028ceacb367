from __future__ import annotations

from desk import Desk
from samples import NOW, document
from veille.core.schedule import DAY
from veille.core.workload import Pulse


def test_what_is_due_under_way_and_coming_is_told_apart(desk: Desk) -> None:
    desk.add("https://one.example/a", "https://two.example/b")
    desk.add("https://three.example/c", created_at=NOW + 500)
    with desk.program.dossiers.open(desk.dossier_id) as store:
        assert store.waiting.pulse(NOW) == Pulse(due=2, leased=0, next_due=NOW + 500, last_seq=0)
        assert [task.url for task in store.waiting.coming(NOW, 2)] == ["https://one.example/a", "https://two.example/b"]
        assert store.waiting.under_way(NOW, 9) == []
        leased = desk.claim(now=NOW)
        assert store.waiting.pulse(NOW) == Pulse(due=0, leased=2, next_due=NOW + 500, last_seq=0)
        assert {task.url for task in store.waiting.under_way(NOW, 9)} == {lease.request.url for lease in leased}
        assert [task.url for task in store.waiting.coming(NOW, 9)] == ["https://three.example/c"]
        after = max(lease.until for lease in leased)
        assert store.waiting.pulse(after).leased == 0, "a lease that ran out is nobody's"


def test_workers_are_counted_by_what_they_have_under_way(desk: Desk) -> None:
    desk.add("https://one.example/a", "https://two.example/b", "https://two.example/c")
    with desk.open() as opened:
        assert opened.waiting.holders(NOW) == {}
        first = desk.claim("first", limit=1)
        second = desk.claim("second")
        expected = {"first": len(first), "second": len(second)}
        assert sum(expected.values()) >= 2
        assert opened.waiting.holders(NOW) == expected
        assert opened.waiting.holders(first[0].until) == {}


def test_what_is_due_later_than_any_turn_takes_is_counted(desk: Desk) -> None:
    ahead = NOW + 400 * DAY
    desk.bring(document(), now=ahead)
    with desk.open() as opened:
        assert opened.waiting.too_late(ahead) == 0
        assert opened.waiting.too_late(NOW) == 1
