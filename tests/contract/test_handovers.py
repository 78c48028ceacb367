from __future__ import annotations

from desk import Desk, Store
from samples import NOW
from veille.core.outgoing.delivery_attempts import KEPT_HANDOVERS, Handover


def _handover(number: int, sink: str = "one", **given: object) -> Handover:
    return Handover(sink=sink, at=NOW + number, first=number, last=number, changes=1, **given)  # type: ignore[arg-type]


def test_attempts_are_listed_as_they_were_newest_first(desk: Desk) -> None:
    failed = _handover(2, attempt=3, code="sink.x", error="Why.", retry_at=NOW + 9, duration_ms=7)
    with desk.open() as opened:
        for handover in (_handover(1, delivered=1), failed, _handover(3, "other")):
            opened.handovers.record(handover)
        assert opened.handovers.recent() == [_handover(3, "other"), failed, _handover(1, delivered=1)]
        assert opened.handovers.recent("one", 1) == [failed]
        assert opened.handovers.last("one") == failed
        assert opened.handovers.last("nobody") is None


def test_attempts_are_there_for_the_next_program(store: Store) -> None:
    first = store.program()
    dossier = first.dossiers.create("news", NOW)
    with first.dossiers.open(dossier.id) as opened:
        opened.handovers.record(_handover(1))
    with store.program().dossiers.open(dossier.id) as opened:
        assert opened.handovers.last("one") == _handover(1)


def test_only_the_latest_attempts_of_each_sink_are_kept(desk: Desk) -> None:
    with desk.open() as opened:
        opened.handovers.record(_handover(0, "quiet"))
        with opened.writing():
            for number in range(KEPT_HANDOVERS + 5):
                opened.handovers.record(_handover(number))
        kept = opened.handovers.recent("one", KEPT_HANDOVERS * 2)
        assert (len(kept), kept[-1].first) == (KEPT_HANDOVERS, 5)
        assert opened.handovers.last("quiet") == _handover(0, "quiet")
