from __future__ import annotations

from dataclasses import replace

import pytest

from desk import Desk
from samples import NOW, document, failure
from veille.core.models import Scope, State
from veille.core.records import RepairRecord
from veille.core.schedule import HOUR
from veille.errors import NotFoundError


def _record(source_id: str, name: str, number: int = 1, **given: object) -> RepairRecord:
    repair = RepairRecord(
        id=f"0192{number:04}-aaaa-{number:012}", source_id=source_id, source_name=name, rule="moved",
        before={"url": "a"}, after={"url": "b", "config": {"x": None}}, proof="Seen twice.", at=NOW + number,
    )  # fmt: skip
    return replace(repair, **given)  # type: ignore[arg-type] # the test's own fields


@pytest.mark.covers("R-176")
def test_repairs_are_kept_with_what_they_changed_and_what_became_of_them(desk: Desk) -> None:
    added = desk.add()
    first, second = (_record(added.id, added.name, number) for number in (1, 2))
    with desk.open() as opened:
        opened.repairs.note(first)
        opened.repairs.note(second)
        assert opened.repairs.all() == [second, first]
        assert opened.repairs.all(limit=1) == [second]
        assert opened.repairs.last(added.id, "moved", {"config": {"x": None}, "url": "b"}) == second
        assert opened.repairs.last(added.id, "moved", {"url": "c"}) is None
        opened.repairs.mark(first.id, applied_at=NOW, undone_at=NOW + 5)
        assert opened.repairs.find(first.id) == replace(first, applied_at=NOW, undone_at=NOW + 5)
        assert opened.repairs.find(second.id[-12:]) == second
        for unknown in ("", "*", "?", "%", "0", "1", "0000", "x" * 5000):
            with pytest.raises(NotFoundError):
                opened.repairs.find(unknown)
        opened.sources.delete(added.id)
        assert opened.repairs.all() == []


@pytest.mark.covers("R-178", "R-208")
def test_what_is_broken_stays_so_whatever_else_fails_until_a_good_answer_comes(desk: Desk) -> None:
    desk.bring(document())
    with desk.open() as opened:
        assert opened.sources.ailing() == []
        (source,) = opened.sources.all()
        opened.sources.update(replace(source, state=State.BROKEN))
        assert [one.id for one in opened.sources.ailing()] == [source.id]
    desk.again(now=NOW + 1, failure=failure(503))
    with desk.open() as opened:
        found = opened.sources.get(source.id)
        assert found is not None
        assert (found.state, found.error_code, found.failures) == (State.BROKEN, "http.503", 1)
    desk.again(document(), now=NOW + 2)
    with desk.open() as opened:
        assert opened.sources.ailing() == []
        assert opened.sources.get("nobody") is None
        assert opened.sources.count() == 1


def test_a_source_is_retimed_or_taken_off_the_schedule(desk: Desk) -> None:
    added = desk.bring(document())

    def due() -> int | None:
        return desk.program.queue.backlog(NOW, Scope()).next_due

    with desk.open() as opened:
        opened.sources.retime(added.id, NOW + 7 * HOUR)
    assert due() == NOW + 7 * HOUR
    with desk.open() as opened:
        opened.sources.retime(added.id, None, step=0)
    assert due() is None
    assert desk.claim(now=NOW + 99 * HOUR) == []
    desk.program.queue.arm(desk.dossier_id, NOW)
    assert len(desk.claim(now=NOW)) == 1, "somebody asked"
