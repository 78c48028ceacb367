from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

from desk import Store
from samples import NOW

HOUR = 3600 * 1000


def test_nobody_has_a_duty_the_first_time_and_one_program_each_time_after(store: Store) -> None:
    here, there = store.program().duties, store.program().duties
    assert here.is_due("sweep", NOW, HOUR)
    assert not here.take("sweep", NOW, HOUR)
    assert not there.is_due("sweep", NOW + HOUR - 1, HOUR)
    assert not there.take("sweep", NOW + HOUR - 1, HOUR)
    assert there.is_due("sweep", NOW + HOUR, HOUR)
    assert [one.take("sweep", NOW + HOUR, HOUR) for one in (there, here, there)] == [True, False, False]


def test_of_any_number_who_take_a_duty_at_once_one_gets_it(store: Store) -> None:
    programs = [store.program() for _ in range(3)]
    programs[0].duties.take("sweep", NOW, HOUR)
    with ThreadPoolExecutor(6) as pool:
        taken = list(pool.map(lambda n: programs[n % 3].duties.take("sweep", NOW + HOUR, HOUR), range(12)))
    assert taken.count(True) == 1


def test_duties_are_known_by_their_names(store: Store) -> None:
    duties = store.program().duties
    assert not duties.take("sweep", NOW, HOUR)
    assert not duties.take("another", NOW + HOUR, HOUR)
    assert duties.take("sweep", NOW + HOUR, HOUR)


def test_a_time_that_is_farther_ahead_than_it_can_be_counts_as_over(store: Store) -> None:
    duties = store.program().duties
    duties.take("sweep", NOW + 100 * HOUR, HOUR)
    assert duties.is_due("sweep", NOW, HOUR)
    assert duties.take("sweep", NOW, HOUR)
