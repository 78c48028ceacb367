from __future__ import annotations

from desk import Store
from samples import NOW
from veille.core.models import State
from veille.core.report.sweeps import NAMED, Sweep, Swept, sweep_of


def _swept(number: int, *, recovered: bool = False) -> Swept:
    state = State.PENDING if recovered else State.BROKEN
    url, name = f"https://example.org/{number}", f'"Source" {number}'
    given = {"dossier_id": "d", "source_id": str(number), "source_name": name, "url": url, "error": "It is gone."}
    return Swept(**given, status_code=404, recovered=recovered, state=state)


def test_what_answers_again_is_named_first_and_the_rest_is_counted() -> None:
    many = [*(_swept(number) for number in range(NAMED)), _swept(NAMED, recovered=True)]
    kept = sweep_of(many, NOW)
    assert (kept.at, kept.asked, kept.recovered, len(kept.found)) == (NOW, NAMED + 1, 1, NAMED)
    assert kept.found[0].recovered


def test_the_last_sweep_is_kept_and_no_other(store: Store) -> None:
    first, second = (
        sweep_of([_swept(1), _swept(2, recovered=True)], NOW),
        Sweep(at=NOW + 1, asked=0, recovered=0, found=()),
    )
    here, there = store.program().sweeps, store.program().sweeps
    assert here.last() is None
    here.put(first)
    assert there.last() == first
    there.put(second)
    assert here.last() == second
