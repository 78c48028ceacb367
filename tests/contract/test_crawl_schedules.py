from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

from desk import Program, Store
from samples import NOW
from veille.core.crawler.runs import Schedule


def _schedule(program: Program, name: str, next_run_at: int = NOW) -> Schedule:
    dossier_id = program.dossiers.create(name, NOW).id
    return Schedule(
        dossier_id=dossier_id, cron="0 3 * * *", zone="Europe/Berlin", set_by="ada", set_at=NOW, next_run_at=next_run_at
    )


def test_a_dossier_has_one_schedule_or_none(store: Store) -> None:
    program, other = store.program(), store.program()
    schedule = _schedule(program, "news")
    assert program.schedules.of(schedule.dossier_id) is None
    program.schedules.put(schedule)
    assert other.schedules.of(schedule.dossier_id) == schedule
    changed = replace(schedule, cron="5 * * * *", zone="UTC", set_by="bob", set_at=NOW + 1, next_run_at=NOW + 2)
    other.schedules.put(changed)
    assert program.schedules.of(schedule.dossier_id) == changed
    assert [program.schedules.remove(schedule.dossier_id) for _ in range(2)] == [True, False]
    assert other.schedules.of(schedule.dossier_id) is None


def test_those_due_are_listed_the_longest_waiting_first(program: Program) -> None:
    later, sooner, future = (
        _schedule(program, name, at) for name, at in (("later", NOW), ("sooner", NOW - 5), ("future", NOW + 1))
    )
    for schedule in (later, sooner, future):
        program.schedules.put(schedule)
    assert program.schedules.due(NOW) == [sooner, later]
    assert program.schedules.due(NOW - 6) == []


def test_of_many_who_take_a_turn_one_gets_it(store: Store) -> None:
    programs = [store.program() for _ in range(3)]
    schedule = _schedule(programs[0], "news")
    programs[0].schedules.put(schedule)
    with ThreadPoolExecutor(9) as pool:
        taken = list(pool.map(lambda n: programs[n % 3].schedules.advance(schedule, NOW + 100), range(18)))
    assert taken.count(True) == 1
    advanced = replace(schedule, next_run_at=NOW + 100)
    assert programs[0].schedules.of(schedule.dossier_id) == advanced
    assert programs[0].schedules.due(NOW + 99) == []
    assert programs[0].schedules.advance(advanced, NOW + 200)
    programs[0].schedules.remove(schedule.dossier_id)
    assert not programs[0].schedules.advance(replace(schedule, next_run_at=NOW + 200), NOW + 300)


def test_a_schedule_goes_with_its_dossier(program: Program) -> None:
    schedule = _schedule(program, "news")
    program.schedules.put(schedule)
    program.dossiers.delete(schedule.dossier_id)
    assert (program.schedules.of(schedule.dossier_id), program.schedules.due(NOW)) == (None, [])
