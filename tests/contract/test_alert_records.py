"""What stores promise of rules, channels, alerts, messages and happenings."""

from __future__ import annotations

from dataclasses import replace

import pytest

from desk import Desk
from samples import NOW, document
from veille.core.alerts.happening import Happening
from veille.core.alerts.models import (
    RULES_LOCK,
    Alert,
    ChannelSetup,
    ChannelState,
    Message,
    MessageKind,
    Rule,
    RuleActions,
    RuleScope,
)
from veille.core.alerts.records import AlertFilter, Deed, Fired, MessageState, TellingState, Verdicts
from veille.core.models import State
from veille.core.rules.facts import Evidence
from veille.core.search.query import parse
from veille.core.told import EditKind, TextEdit
from veille.core.traffic import Failure
from veille.core.values.value import Value, ValueChange, ValueType
from veille.errors import ConfigError, NotFoundError
from veille.ports import DossierStore

RULE = Rule(
    id="rule-1",
    name="Cheap",
    expression="price < 12",
    scope=RuleScope(sources=("a",), tags=("shop",)),
    actions=RuleActions(tell=("c1",), tags=("cheap",), star=True),
    created_at=NOW,
)
CHANNEL = ChannelSetup(id="c1", name="me", kind="webhook", shown="example.org", created_at=NOW)
VALUE = Value(name="price", type=ValueType.PRICE, text="11.50 EUR", number=11.5, unit="EUR")
ALERT = Alert(
    id="alert-1",
    rule_id="rule-1",
    rule="Cheap",
    expression="price < 12",
    at=NOW,
    occasion="change",
    evidence=(Evidence(condition="price < 12", found="price fell", quote="“11.50”"),),
    source_id="a",
    document_id="d1",
    change="new",
    excerpt=(TextEdit(EditKind.INSERT, "11.50"),),
    values=(ValueChange(name="price", before=None, after=VALUE),),
)


def _store_alerts(store: DossierStore, *fired: Fired, end: tuple[int, int] | None = None) -> bool:
    begin = store.alerts.judged()
    assert store.outbox.lock(RULES_LOCK, "worker", NOW + 1000, NOW)
    return store.alerts.record(Verdicts(begin=begin, end=end or begin, fired=fired), "worker", NOW)


def _fired(number: int, **more: object) -> Fired:
    alert = replace(ALERT, id=f"alert-{number}", at=NOW + number)
    return Fired(alert=replace(alert, **more), key=f"change {number}", channels=("c1",))  # type: ignore[arg-type]


def _channel(store: DossierStore, **more: object) -> ChannelSetup:
    channel = replace(CHANNEL, **more)  # type: ignore[arg-type]
    store.channels.add(channel, {"method": "POST"}, {"url": "https://example.org/?key=secret"})
    return channel


def test_rules_are_kept_with_the_change_they_begin_after(desk: Desk) -> None:
    desk.bring(document("https://example.org/a"))
    with desk.open() as store:
        kept = store.rules.add(RULE)
        assert kept == replace(RULE, since_seq=store.outbox.last_seq())
        assert store.rules.all() == [kept]
        assert store.rules.find("Cheap") == store.rules.find("rule-1") == kept
        with pytest.raises(ConfigError, match="called 'Cheap' already"):
            store.rules.add(replace(RULE, id="rule-2"))
        store.rules.update(replace(kept, name="Cheaper", enabled=False))
        assert store.rules.find("Cheaper").enabled is False
        store.trashed_setups.put("rule", "rule-1", NOW)
        store.trashed_setups.put("rule", "rule-1", NOW)
        with pytest.raises(NotFoundError, match="no rule called 'Cheap'"):
            store.rules.find("Cheap")


def test_secrets_of_channels_are_sealed_and_come_out_only_to_send(desk: Desk) -> None:
    with desk.open() as store:
        channel = _channel(store)
        assert store.channels.all() == [channel]
        assert store.channels.options("c1") == {"method": "POST", "url": "https://example.org/?key=secret"}
        assert sum(store.channels.sealed_under().values()) == 1
        with pytest.raises(ConfigError, match="called 'me' already"):
            _channel(store, id="c2")
        store.channels.update(replace(channel, frequency="every 2h"))
        assert store.channels.find("me").frequency == "every 2h"
        store.channels.update(channel, {"method": "PUT"}, {})
        assert store.channels.options("c1") == {"method": "PUT"}
        store.channels.set_state("c1", ChannelState.FAILED, "It is gone.")
        assert (store.channels.find("c1").state, store.channels.find("c1").problem) == ("failed", "It is gone.")
        store.trashed_setups.put("channel", "c1", NOW)
        with pytest.raises(NotFoundError):
            store.channels.find("me")
        with pytest.raises(NotFoundError):
            store.channels.options("c1")


def test_an_alert_is_stored_once_and_read_as_it_was(desk: Desk) -> None:
    with desk.open() as store:
        _channel(store)
        assert _store_alerts(store, _fired(1), _fired(1), _fired(2))
        assert _store_alerts(store, replace(_fired(3), key="change 1"))
        lines = store.alerts.page(AlertFilter(), None, 10)
        assert [line.alert for line in lines] == [_fired(2).alert, _fired(1).alert]
        assert [one.state for line in lines for one in line.tellings] == [TellingState.WAITING] * 2
        assert store.alerts.page(AlertFilter(), lines[0].seq, 10) == lines[1:]
        assert store.alerts.page(AlertFilter(rule_id="rule-1", source_id="a", document_id="d1"), None, 10) == lines
        assert store.alerts.page(AlertFilter(channel_id="c2"), None, 10) == []
        assert store.alerts.count("rule-1", NOW + 2) == 1
        assert store.alerts.since(NOW + 10_000_000) == 0
        assert store.alerts.since(0) == len(store.alerts.page(AlertFilter(), None, 100))
        assert store.alerts.tellers("rule-1", ["d0", "d1"]) == "alert-1"
        assert store.alerts.tellers("rule-2", ["d1"]) == ""
        with pytest.raises(NotFoundError):
            store.alerts.find("alert-9")


def test_only_who_holds_the_lock_stores_and_only_from_where_the_judging_is(desk: Desk) -> None:
    with desk.open() as store:
        verdicts = Verdicts(begin=(0, 0), end=(5, 2), fired=(_fired(1),))
        assert not store.alerts.record(verdicts, "worker", NOW), "nobody has the lock"
        assert store.outbox.lock(RULES_LOCK, "other", NOW + 1000, NOW)
        assert not store.alerts.record(verdicts, "worker", NOW)
        assert not store.alerts.record(verdicts, "other", NOW + 2000), "the lock has expired"
        assert store.alerts.record(verdicts, "other", NOW)
        assert store.alerts.judged() == (5, 2)
        assert not store.alerts.record(verdicts, "other", NOW), "it was judged further"
        assert len(store.alerts.page(AlertFilter(), None, 10)) == 1


def test_a_message_takes_its_alerts_once_and_is_sent_in_order(desk: Desk) -> None:
    with desk.open() as store:
        _channel(store)
        _store_alerts(store, _fired(1), _fired(2), _fired(3))
        waiting = [one.seq for one in store.alerts.waiting("c1", 10)]
        assert len(waiting) == 3
        assert store.alerts.make("m1", "c1", MessageKind.GATHERED, waiting[:2], NOW)
        assert not store.alerts.make("m2", "c1", MessageKind.ALERT, waiting[1:], NOW)
        assert store.alerts.make("m2", "c1", MessageKind.ALERT, waiting[2:], NOW + 1)
        assert store.alerts.waiting("c1", 10) == []
        first = store.alerts.open_message("c1")
        assert first is not None
        assert (first.id, first.alerts) == ("m1", 2)
        assert [alert.id for alert in store.alerts.contents("m1")] == ["alert-1", "alert-2"]
        store.alerts.close("m1", NOW + 5)
        second = store.alerts.open_message("c1")
        assert second is not None
        assert second.id == "m2"
        store.alerts.close("m2", NOW + 6, is_skipped=True)
        assert store.alerts.open_message("c1") is None
        assert [(one.id, one.state, one.sent_at) for one in store.alerts.messages("c1", None, 10)] == [
            ("m2", MessageState.SKIPPED, None),
            ("m1", MessageState.SENT, NOW + 5),
        ]
        assert [(one.at, one.alerts) for one in store.alerts.sent("c1", NOW + 1)] == [(NOW + 1, 1)]
        (telling,) = store.alerts.find("alert-1").tellings
        assert (telling.state, telling.message_id, telling.sent_at) == (TellingState.SENT, "m1", NOW + 5)
        of_first = store.alerts.page(AlertFilter(message_id="m1"), None, 10)
        assert [line.alert.id for line in of_first] == ["alert-2", "alert-1"]
        assert store.alerts.message("m1").channel == "me"
        with pytest.raises(NotFoundError):
            store.alerts.message("m9")
        store.alerts.resend("alert-1", ["c1"])
        assert [one.state for one in store.alerts.find("alert-1").tellings] == [
            TellingState.SENT,
            TellingState.WAITING,
        ]


def test_failed_attempts_are_counted_with_the_message_and_its_channel(desk: Desk) -> None:
    message = Message(id="m1", kind=MessageKind.ALERT, at=NOW, dossier_id="", dossier="", channel_id="c1", channel="me")
    with desk.open() as store:
        _channel(store)
        _store_alerts(store, _fired(1))
        store.alerts.make("m1", "c1", MessageKind.ALERT, [one.seq for one in store.alerts.waiting("c1", 1)], NOW)
        assert [store.alerts.failed(message, "It is down.", NOW + 9) for _ in range(2)] == [1, 2]
        channel = store.channels.find("c1")
        assert (channel.attempts, channel.retry_at, channel.problem) == (2, NOW + 9, "It is down.")
        store.alerts.close("m1", NOW)
        channel = store.channels.find("c1")
        assert (channel.attempts, channel.retry_at, channel.problem) == (0, None, "")
        store.alerts.notice("n1", "c1", "Another channel failed.", NOW)
        store.alerts.notice("n1", "c1", "Again.", NOW)
        notice = store.alerts.open_message("c1")
        assert notice is not None
        assert (notice.kind, notice.notice) == (MessageKind.NOTICE, "Another channel failed.")
        store.trashed_setups.put("channel", "c1", NOW)
        assert store.alerts.messages(None, None, 10) == []
        assert store.alerts.find("alert-1").tellings == ()


def test_what_rules_do_is_done_with_what_they_fire(desk: Desk) -> None:
    desk.bring(document("https://example.org/a"))
    with desk.open() as store:
        (event,) = store.outbox.events()
        deed = Deed(document_id=event.document_id, seq=event.seq, user_id="ada", tags=("x", "y"), star=True, read=True)
        deeds = (replace(deed, hide=True, sink="found"), replace(deed, document_id="gone"))
        store.outbox.lock(RULES_LOCK, "worker", NOW + 1000, NOW)
        assert store.marks.unread("ada") == 1
        assert store.alerts.record(Verdicts(begin=(0, 0), end=(event.seq, 0), deeds=deeds), "worker", NOW)
        assert store.records.tags([event.document_id, "gone"]) == {event.document_id: ("x", "y")}
        assert (store.marks.unread("ada"), list(store.marks.kept("ada", 9))) == (0, [event.document_id])
        assert store.outbox.latest(None, 10) == []
        assert store.alerts.handed("found", [event.seq, 99]) == {event.seq}


def test_states_of_sources_are_recorded_as_they_change(desk: Desk) -> None:
    desk.bring(document("https://example.org/a"))
    failure = Failure(code="http.500", message="The server failed.", retryable=True)
    desk.again(now=NOW + 1000, failure=failure)
    desk.again(now=NOW + 2000, failure=failure)
    desk.again(document("https://example.org/a"), now=NOW + 3000)
    with desk.open() as store:
        found = store.happenings.after(0, 10)
        states = [(one.at, one.state_before, one.state_after) for one in found]
        assert states[0] == (NOW + 1000, State.OK, State.ERROR)
        assert states[-1][1:] == (State.ERROR, State.UNCHANGED)
        assert (len(states), found[0].code) == (2, "http.500")
        store.happenings.add(Happening(at=NOW, occasion="run", run="crawl", has_failed=True))
        assert store.happenings.last_seq() == found[-1].seq + 1
        assert store.happenings.after(found[-1].seq, 10)[0].has_failed


def test_the_first_check_of_a_source_ends_when_all_it_found_is_read(desk: Desk) -> None:
    source = desk.add("https://example.org/feed", "https://example.org/1", "https://example.org/2")
    for lease in desk.claim():
        desk.commit(lease, document(lease.request.url, text=f"About {lease.request.url}, at some length."))
    desk.program.queue.release("worker", NOW)
    with desk.open() as store:
        assert {event.is_first for event in store.outbox.events()} == {True}
        last = store.outbox.last_seq()
    desk.program.queue.arm(desk.dossier_id, NOW + 1000, [source.id])
    for number, lease in enumerate(desk.claim(now=NOW + 1000)):
        desk.commit(lease, document(f"https://example.org/new{number}", text=f"News {number}."), now=NOW + 1000)
    with desk.open() as store:
        assert {event.is_first for event in store.outbox.events(last)} == {False}
        assert store.outbox.seq_before(NOW + 1000) == last


@pytest.mark.parametrize(
    "text", ["harbour", "-harbour", 'bridge OR "old ferry"', "lang:de", "source:nobody", "after:1d"]
)
def test_a_revision_is_found_as_its_document_is(desk: Desk, text: str) -> None:
    desk.bring(
        document("https://example.org/1", text="The harbour and the bridge.", lang="en"),
        document("https://example.org/2", text="An old ferry.", lang="de"),
    )
    with desk.open() as store:
        query = parse(text, NOW)
        revisions = store.records.documents()
        found = store.index.matching(query, [one.document_id for one in revisions])
        assert {one.document_id for one in revisions if one.id in store.index.finding(query, revisions)} == found


def test_dossiers_are_looked_at_when_their_time_has_come(desk: Desk) -> None:
    times = desk.program.alert_times
    times.set(desk.dossier_id, NOW + 10)
    times.set("nobody", NOW)
    assert (times.due(NOW), times.due(NOW + 10)) == ([], [desk.dossier_id])
    times.set(desk.dossier_id, NOW + 20)
    assert times.due(NOW + 10) == []
    times.set(desk.dossier_id, None)
    times.set(desk.dossier_id, None)
    assert times.due(NOW + 100) == []


def test_a_deleted_rule_comes_back_and_looks_at_what_comes_from_then_on(desk: Desk) -> None:
    with desk.open() as store:
        store.rules.add(RULE)
        store.trashed_setups.put("rule", "rule-1", NOW + 1)
        (trashed,) = store.trashed_setups.all(9)
        assert (trashed.kind, trashed.id, trashed.name, trashed.trashed_at) == ("rule", "rule-1", "Cheap", NOW + 1)
    desk.bring(document("https://example.org/a"))
    with desk.open() as store:
        assert store.trashed_setups.restore("rule", "rule-1", NOW + 2) == trashed
        assert store.rules.all() == [replace(RULE, since_seq=store.outbox.last_seq(), since_at=NOW + 2)]
        assert store.outbox.last_seq() > 0
        assert store.trashed_setups.all(9) == []
        with pytest.raises(NotFoundError):
            store.trashed_setups.restore("rule", "rule-1", NOW + 3)


def test_a_deleted_channel_comes_back_with_its_secrets_and_what_it_had_to_tell(desk: Desk) -> None:
    with desk.open() as store:
        channel = _channel(store)
        _store_alerts(store, _fired(1), _fired(2), _fired(3))
        first, second, third = store.alerts.waiting("c1", 9)
        store.alerts.make("m1", "c1", MessageKind.ALERT, [first.seq], NOW)
        told = store.alerts.find("alert-1").tellings
        store.trashed_setups.put("channel", "c1", NOW + 1)
        assert (store.channels.all(), store.alerts.messages(None, None, 9)) == ([], [])
        _store_alerts(store, _fired(4))
        assert store.trashed_setups.restore("channel", "c1", NOW + 2).name == "me"
        assert store.channels.all() == [channel]
        assert store.channels.options("c1")["url"] == "https://example.org/?key=secret"
        assert [one.id for one in store.alerts.messages("c1", None, 9)] == ["m1"]
        assert store.alerts.find("alert-1").tellings == told
        assert [one.at for one in store.alerts.waiting("c1", 9)] == [second.at, third.at]


def test_what_was_deleted_does_not_come_back_in_the_place_of_another(desk: Desk) -> None:
    with desk.open() as store:
        store.rules.add(RULE)
        store.trashed_setups.put("rule", "rule-1", NOW)
        store.rules.add(replace(RULE, id="rule-2"))
        with pytest.raises(ConfigError, match="called 'Cheap' already") as caught:
            store.trashed_setups.restore("rule", "rule-1", NOW)
        assert caught.value.code == "rule_exists"
        assert [one.id for one in store.trashed_setups.all(9)] == ["rule-1"]
        assert (store.trashed_setups.purge(NOW), store.trashed_setups.purge(NOW + 1)) == (0, 1)
        assert store.trashed_setups.all(9) == []
