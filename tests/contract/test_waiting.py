from __future__ import annotations

from desk import Desk
from samples import NOW
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
