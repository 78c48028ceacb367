from __future__ import annotations

from desk import Desk, Store
from samples import NOW, document
from veille.core.models import Change

TEXTS = [f"Text number {number}." for number in range(5)]


def _fill(desk: Desk) -> None:
    desk.bring(*(document(f"https://example.org/{number}", text=text) for number, text in enumerate(TEXTS)))


def test_changes_wait_in_the_order_they_were_committed(desk: Desk) -> None:
    _fill(desk)
    with desk.open() as opened:
        parcels = opened.outbox.waiting("one", 10)
        assert [parcel.revision.text for parcel in parcels] == TEXTS
        assert [parcel.event.seq for parcel in parcels] == sorted({parcel.event.seq for parcel in parcels})
        assert all(parcel.event.change is Change.NEW for parcel in parcels)
        assert len(opened.outbox.waiting("one", 2)) == 2


def test_every_sink_has_its_own_place(desk: Desk) -> None:
    _fill(desk)
    with desk.open() as opened:
        outbox = opened.outbox
        assert outbox.lock("one", "me", NOW + 10, NOW)
        outbox.mark("one", "me", outbox.waiting("one", 3)[-1].event.seq, NOW)
        assert [parcel.revision.text for parcel in outbox.waiting("one", 10)] == TEXTS[3:]
        assert [parcel.revision.text for parcel in outbox.waiting("other", 10)] == TEXTS
        assert (outbox.pending("one"), outbox.pending("other")) == (2, 5)


def test_a_place_never_goes_back(desk: Desk) -> None:
    _fill(desk)
    with desk.open() as opened:
        outbox = opened.outbox
        outbox.lock("one", "me", NOW + 10, NOW)
        seqs = [parcel.event.seq for parcel in outbox.waiting("one", 10)]
        outbox.mark("one", "me", seqs[3], NOW)
        outbox.mark("one", "me", seqs[0], NOW)
        assert outbox.pending("one") == 1


def test_one_worker_at_a_time_has_the_turn_of_a_sink(store: Store) -> None:
    here = store.program()
    desk = Desk(here, here.dossiers.create("news", NOW).id)
    with desk.open() as mine, Desk(store.program(), desk.dossier_id).open() as yours:
        assert mine.outbox.lock("sink", "me", NOW + 10, NOW)
        assert not yours.outbox.lock("sink", "you", NOW + 10, NOW + 9)
        assert yours.outbox.lock("another sink", "you", NOW + 10, NOW)
        assert mine.outbox.lock("sink", "me", NOW + 20, NOW + 9), "my own turn can be lengthened"
        assert not yours.outbox.lock("sink", "you", NOW + 30, NOW + 19)
        mine.outbox.unlock("sink", "me")
        assert yours.outbox.lock("sink", "you", NOW + 30, NOW + 19)


def test_a_turn_that_ran_out_is_taken_over_and_its_former_owner_marks_nothing(desk: Desk) -> None:
    _fill(desk)
    with desk.open() as opened:
        outbox = opened.outbox
        outbox.lock("sink", "slow", NOW + 10, NOW)
        assert outbox.lock("sink", "quick", NOW + 20, NOW + 10)
        outbox.mark("sink", "slow", outbox.waiting("sink", 10)[-1].event.seq, NOW + 11)
        outbox.unlock("sink", "slow")
        assert outbox.pending("sink") == 5
        assert not outbox.lock("sink", "slow", NOW + 20, NOW + 11)


def test_a_parcel_carries_the_revision_its_event_speaks_of(desk: Desk) -> None:
    desk.bring(document(text="First."))
    desk.again(document(text="Second."), now=NOW + 1)
    with desk.open() as opened:
        parcels = opened.outbox.waiting("sink", 10)
    assert [(parcel.event.change, parcel.event.rev_n, parcel.revision.text) for parcel in parcels] == [
        (Change.NEW, 1, "First."),
        (Change.CHANGED, 2, "Second."),
    ]


def test_events_are_read_from_any_point(desk: Desk) -> None:
    _fill(desk)
    with desk.open() as opened:
        events = opened.outbox.events()
        assert opened.outbox.events(since=events[2].seq) == events[3:]
        assert opened.outbox.events(limit=2) == events[:2]
        assert {event.dossier_id for event in events} == {desk.dossier_id}


def test_changes_are_had_after_any_number_and_without_those_of_documents_that_are_gone(desk: Desk) -> None:
    _fill(desk)
    gone = desk.bring(document("https://else.example/", text="Of another source."), url="https://else.example/")
    with desk.open() as opened:
        parcels = opened.outbox.parcels(0, 10)
        assert [parcel.revision.text for parcel in parcels] == [*TEXTS, "Of another source."]
        assert opened.outbox.parcels(parcels[1].event.seq, 2) == parcels[2:4]
        last = opened.outbox.last_seq()
        opened.sources.delete(gone.id)
        assert opened.outbox.parcels(0, 10) == parcels[:-1]
        assert (opened.outbox.pending("one"), opened.outbox.last_seq()) == (5, last)
        assert [event.seq for event in opened.outbox.latest(None, 2)] == [parcels[4].event.seq, parcels[3].event.seq]


def test_a_sink_gets_again_what_it_forgot(desk: Desk) -> None:
    _fill(desk)
    with desk.open() as opened:
        opened.outbox.lock("sink", "me", NOW + 10, NOW)
        waiting = opened.outbox.waiting("sink", 9)
        last = waiting[-1].event.seq
        opened.outbox.mark("sink", "me", last, NOW)
        assert (opened.outbox.rewind("sink", "you"), opened.outbox.pending("sink")) == (0, 0)
        assert opened.outbox.rewind("sink", "me") == last
        assert opened.outbox.waiting("sink", 9) == waiting
        assert (opened.outbox.rewind("sink", "me", last), opened.outbox.pending("sink")) == (0, 0)


def test_the_sinks_that_have_something_of_the_dossier_are_known(desk: Desk) -> None:
    _fill(desk)
    with desk.open() as opened:
        for sink in ("one", "two", "three"):
            opened.outbox.lock(sink, "me", NOW + 10, NOW)
        assert opened.outbox.delivered_to() == []
        opened.outbox.mark("two", "me", 2, NOW)
        opened.outbox.mark("one", "me", 1, NOW)
        assert opened.outbox.delivered_to() == ["one", "two"]
        opened.outbox.rewind("one", "me")
        assert opened.outbox.delivered_to() == ["two"]


def test_whoever_has_the_turn_of_a_sink_is_known(desk: Desk) -> None:
    with desk.open() as opened:
        assert opened.outbox.holder("sink") is None
        opened.outbox.lock("sink", "me", NOW + 10, NOW)
        assert (opened.outbox.holder("sink"), opened.outbox.holder("other")) == ("me", None)
        opened.outbox.unlock("sink", "you")
        assert opened.outbox.holder("sink") == "me"
        opened.outbox.unlock("sink", "me")
        assert opened.outbox.holder("sink") is None


def test_the_changes_of_a_dossier_are_counted_without_those_of_others(store: Store) -> None:
    here = store.program()
    for number in range(2):
        desk = Desk(here, here.dossiers.create(f"news {number}", NOW).id)
        _fill(desk)
        with desk.open() as opened:
            assert opened.records.health(NOW)["changes"] == len(TEXTS)
