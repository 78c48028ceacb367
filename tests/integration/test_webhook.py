from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

from command import run_here
from receiver import SECRET, SILENCE, TAKEN, Receiver, answer
from samples import NOW
from veille.core.models import Scope
from veille.core.outgoing.delivery_attempts import FIRST_PAUSE_MS, LONGEST_PAUSE_MS
from veille.core.records import Delivery, Parcel
from veille.errors import ConfigError, SettingError
from veille.interfaces.cli import main as start_veille
from veille.ports import Sink, SinkConfig
from veille.services.watching.sources import Wish
from veille.settings import FetchSettings
from watching import FAST, Watch, sink_means
from world import Page, Site

TITLES = [f"Number {number}" for number in range(5)]
#: A receiver that hangs is given up soon.
HASTY = FAST.model_copy(update={"timeout_s": 1})


@pytest.fixture
def receiver() -> Iterator[Receiver]:
    with Site() as other:
        yield Receiver(other)


def _watch(site: Site, folder: Path, receiver: Receiver, **options: Any) -> Watch:
    """A dossier with five changes that wait for the webhook and the buffer."""
    sinks = {"hook": {"kind": "webhook", "url": receiver.url, "secret": SECRET} | options}
    watch = Watch(site, folder, sinks=sinks, fetch=HASTY)
    site.feed("/feed", [(f"/{number}", title, f"Text {number}") for number, title in enumerate(TITLES)])
    watch.add("/feed")
    watch.run()
    return watch


@pytest.fixture
def watch(site: Site, tmp_path: Path, receiver: Receiver) -> Iterator[Watch]:
    with _watch(site, tmp_path, receiver) as watching:
        yield watching


def _hook(deliveries: Sequence[Delivery]) -> Delivery:
    return next(delivery for delivery in deliveries if delivery.sink == "hook")


def _patiently(watch: Watch) -> Delivery:
    """The next try, when its time has come."""
    with watch.app.dossiers.open(watch.dossier_id) as store:
        last = store.handovers.last("hook")
    assert last is not None
    watch.now = last.retry_at or watch.now
    return _hook(watch.deliver())


@pytest.mark.covers("R-245")
def test_every_change_is_posted_once_in_order_signed_and_with_its_content(watch: Watch, receiver: Receiver) -> None:
    delivery = _hook(watch.deliver())
    assert (delivery.delivered, delivery.pending, delivery.code) == (5, 0, "")
    assert receiver.titles == TITLES
    # One request each, whose id is that of its change.
    assert receiver.asked == list(receiver.changes)
    first = receiver.bodies[0]["changes"][0]
    assert (first["change"], first["text"], first["seq"], first["revision"]) == ("new", "Text 0", 1, 1)
    assert first["url"] == f"{watch.site.url}/0"
    assert _hook(watch.deliver()).delivered == 0
    assert len(receiver.asked) == 5


def test_a_change_and_a_removal_follow(site: Site, tmp_path: Path, receiver: Receiver) -> None:
    with _watch(site, tmp_path, receiver) as watch:
        site.article("/page", "A page", "The old bridge is closed. " * 9)
        watch.add("/page")
        watch.run()
        site.article("/page", "A page", "The new bridge is open now. " * 9)
        watch.turn()
        watch.turn()
        site["/page"] = Page(b"", status=410)
        watch.turn()
        watch.deliver()
    told = [(change["change"], change["revision"]) for change in receiver.changes.values() if change["kind"] == "page"]
    assert told == [("new", 1), ("changed", 2), ("removed", 2)]


def test_requests_can_carry_several_changes(site: Site, tmp_path: Path, receiver: Receiver) -> None:
    with _watch(site, tmp_path, receiver, batch=2) as watch:
        assert _hook(watch.deliver()).delivered == 5
    assert [len(body["changes"]) for body in receiver.bodies] == [2, 2, 1]
    assert receiver.titles == TITLES


MOODS = {
    "500": (answer(500), "sink.webhook"),
    "503": (answer(503), "sink.webhook"),
    "408": (answer(408), "sink.webhook"),
    "429": (answer(429), "sink.webhook"),
    "hangs": (Page(b"", delay_s=2, validates=False), "sink.webhook"),
    "hangs up": (SILENCE, "sink.webhook"),
    "400": (answer(400), "sink.webhook_refused"),
    "401": (answer(401), "sink.webhook_refused"),
    "410": (answer(410), "sink.webhook_refused"),
    "redirects": (answer(307, Location="/elsewhere"), "sink.webhook_refused"),
    "redirects to itself": (answer(302, Location="/hook"), "sink.webhook_refused"),
    "not modified": (answer(304), "sink.webhook"),
}


@pytest.mark.parametrize("mood", MOODS)
def test_whatever_goes_wrong_everything_comes_once_and_in_order_afterwards(
    watch: Watch, receiver: Receiver, mood: str
) -> None:
    page, code = MOODS[mood]
    # In the middle, not at the beginning.
    receiver.moods.extend([TAKEN, TAKEN, page])
    delivery = _hook(watch.deliver())
    assert (delivery.code, delivery.delivered, delivery.pending) == (code, 2, 3)
    assert delivery.retry_at is not None
    assert watch.now + FIRST_PAUSE_MS // 2 <= delivery.retry_at <= watch.now + FIRST_PAUSE_MS
    assert receiver.titles == TITLES[:2]
    # Before its time it is told of, and not tried.
    asked = len(receiver.asked)
    assert _hook(watch.deliver()).code == code
    assert len(receiver.asked) == asked
    delivery = _patiently(watch)
    assert (delivery.code, delivery.delivered, delivery.pending) == ("", 3, 0)
    assert receiver.titles == TITLES
    # The change that failed came again under the same id.
    assert receiver.asked == [*list(receiver.changes)[:3], *list(receiver.changes)[2:]]


def test_no_redirect_is_followed(watch: Watch, receiver: Receiver) -> None:
    receiver.moods.append(answer(307, Location=f"{watch.site.url}/elsewhere"))
    watch.site.seen.clear()
    assert "refused" in _hook(watch.deliver()).error
    assert watch.site.seen == []


@pytest.mark.parametrize(
    ("wish", "seconds"), [("120", 120), ("Wed, 15 Nov 2023 00:00:00 GMT", 1_700_006_400 - NOW // 1000)]
)
def test_a_receiver_that_says_when_is_not_asked_before(
    watch: Watch, receiver: Receiver, wish: str, seconds: int
) -> None:
    receiver.moods.append(answer(429, **{"Retry-After": wish}))
    delivery = _hook(watch.deliver())
    assert delivery.retry_at == watch.now + seconds * 1000
    watch.now = delivery.retry_at - 1
    assert _hook(watch.deliver()).delivered == 0
    assert len(receiver.asked) == 1
    watch.now += 1
    assert _hook(watch.deliver()).delivered == 5


def test_pauses_grow_up_to_an_hour_and_begin_anew_after_a_success(watch: Watch, receiver: Receiver) -> None:
    receiver.down = answer(500)
    pauses = []
    _hook(watch.deliver())
    for _ in range(12):
        delivery = _patiently(watch)
        assert delivery.retry_at is not None
        pauses.append(delivery.retry_at - watch.now)
    expected = [min(FIRST_PAUSE_MS * 2 ** (number + 1), LONGEST_PAUSE_MS) for number in range(12)]
    assert all(full / 2 <= pause <= full for pause, full in zip(pauses, expected, strict=True))
    receiver.down = None
    assert _patiently(watch).delivered == 5
    assert receiver.titles == TITLES
    with watch.app.dossiers.open(watch.dossier_id) as store:
        log = store.handovers.recent("hook", 100)
    assert [one.attempt for one in reversed(log)] == [*range(1, 15), 1, 1, 1, 1]


def test_a_pause_is_remembered_by_the_next_program_and_can_be_cut_short(
    watch: Watch, receiver: Receiver, site: Site, tmp_path: Path
) -> None:
    receiver.moods.append(answer(503))
    first = _hook(watch.deliver())
    sinks = {"hook": {"kind": "webhook", "url": receiver.url, "secret": SECRET}}
    with Watch(site, tmp_path, sinks=sinks) as later:
        delivery = _hook(later.deliver())
        assert (delivery.retry_at, delivery.code, delivery.pending) == (first.retry_at, "sink.webhook", 5)
        assert len(receiver.asked) == 1
        assert _hook(later.app.deliver([later.dossier_id], at_once=True)).delivered == 5


def test_a_dead_webhook_holds_up_no_other_sink(watch: Watch, receiver: Receiver) -> None:
    receiver.down = Page(b"", delay_s=2, validates=False)
    deliveries = {delivery.sink: delivery for delivery in watch.deliver()}
    assert (deliveries["hook"].delivered, deliveries["hook"].pending) == (0, 5)
    assert (deliveries["buffer"].delivered, deliveries["buffer"].pending) == (5, 0)


class Meeting(Sink):
    """Takes nothing before the other one is at work, too."""

    def __init__(self, mine: threading.Event, other: threading.Event) -> None:
        super().__init__(SinkConfig(), sink_means())
        self._mine, self._other = mine, other

    def deliver(self, parcels: Sequence[Parcel]) -> int:
        self._mine.set()
        assert self._other.wait(10), "the other sink was held up"
        return len(parcels)


def test_sinks_do_not_wait_for_each_other(watch: Watch) -> None:
    one, two = threading.Event(), threading.Event()
    watch.app.sinks.clear()
    watch.app.sinks.update(one=Meeting(one, two), two=Meeting(two, one))
    assert [(delivery.sink, delivery.delivered) for delivery in watch.deliver()] == [("one", 5), ("two", 5)]


def test_a_slow_sink_is_left_after_its_time_and_goes_on_where_it_was(watch: Watch, receiver: Receiver) -> None:
    first = _hook(watch.app.deliver([watch.dossier_id], limit_s=0))
    assert (first.delivered, first.pending, first.code) == (1, 4, "")
    assert _hook(watch.deliver()).delivered == 4
    assert receiver.titles == TITLES


def test_a_sink_that_is_down_is_tried_for_one_dossier_a_round_by_who_has_little_time(
    watch: Watch, site: Site, receiver: Receiver
) -> None:
    other = watch.app.create_dossier("other").id
    watch.app.sources.add(other, Wish(url=site.url + "/feed"))
    watch.app.run(Scope(dossiers=frozenset({other})))
    both = [watch.dossier_id, other]
    receiver.down = Page(b"", status=503)
    found = watch.app.deliver(both, limit_s=5)
    assert len(receiver.asked) == 1
    waiting = [(one.dossier_id, one.pending) for one in found if one.sink == "hook"]
    assert waiting == [(watch.dossier_id, 5), (other, 5)]
    receiver.down = None
    # The first is left alone for a while; that does not keep the other from its turn.
    found = watch.app.deliver(both, limit_s=5)
    assert [(one.dossier_id, one.delivered) for one in found if one.sink == "hook" and one.delivered] == [(other, 5)]


def test_a_change_that_is_refused_can_be_passed_over_and_is_told_of(
    site: Site, tmp_path: Path, receiver: Receiver
) -> None:
    with _watch(site, tmp_path, receiver, skip_refused=True) as watch:
        receiver.moods.append(answer(422))
        delivery = _hook(watch.deliver())
        assert (delivery.delivered, delivery.skipped, delivery.pending, delivery.code) == (4, 1, 0, "")
        with watch.app.dossiers.open(watch.dossier_id) as store:
            log = store.handovers.recent("hook")
    assert receiver.titles == TITLES[1:]
    assert [(one.first, one.code, one.retry_at) for one in log[-1:]] == [(1, "sink.webhook_refused", None)]
    assert "422" in log[-1].error


def test_a_redirect_or_an_outage_is_never_passed_over(site: Site, tmp_path: Path, receiver: Receiver) -> None:
    with _watch(site, tmp_path, receiver, skip_refused=True) as watch:
        for page in (answer(301, Location="/x"), answer(500), answer(429)):
            receiver.moods.append(page)
            assert watch.app.deliver([watch.dossier_id], at_once=True)[0].pending == 5


@pytest.mark.parametrize("body", [b"x" * 200_000, b"<div id=root></div><script src=/a.js></script>", b"\xff\x00"])
def test_what_a_receiver_says_beside_its_status_does_not_matter(watch: Watch, receiver: Receiver, body: bytes) -> None:
    receiver.down = Page(body, validates=False)
    delivery = _hook(watch.deliver())
    assert (delivery.delivered, delivery.pending, delivery.code) == (5, 0, "")


@pytest.mark.parametrize("private", [False, True])
def test_a_private_address_is_refused_unless_the_operator_allows_it(
    site: Site, tmp_path: Path, receiver: Receiver, *, private: bool
) -> None:
    with _watch(site, tmp_path, receiver):
        pass
    sinks = {"hook": {"kind": "webhook", "url": receiver.url, "secret": SECRET, "private": private}}
    with Watch(site, tmp_path, sinks=sinks, fetch=FetchSettings()) as watch:
        delivery = _hook(watch.deliver())
    assert (delivery.code, len(receiver.asked)) == (("", 5) if private else ("sink.webhook_refused", 0))


def test_long_texts_are_cut_and_their_length_is_told(site: Site, tmp_path: Path, receiver: Receiver) -> None:
    with _watch(site, tmp_path, receiver, max_text=3) as watch:
        watch.deliver()
    assert {(change["text"], change["text_length"]) for change in receiver.changes.values()} == {("Tex", 6)}


def test_further_headers_are_sent(site: Site, tmp_path: Path) -> None:
    with Site() as other:
        receiver = Receiver(other)
        with _watch(site, tmp_path, receiver, headers={"Authorization": "Bearer x"}) as watch:
            watch.deliver()
        assert {seen.headers["Authorization"] for seen in other.seen} == {"Bearer x"}
        assert {seen.headers["Content-Type"] for seen in other.seen} == {"application/json"}


@pytest.mark.parametrize(
    ("options", "named"),
    [
        ({"secret": "short"}, "secret"),
        ({"url": "ftp://example.org"}, "url"),
        ({"url": "no address"}, "url"),
        ({"headers": {"Host": "x"}}, "headers"),
        ({"batch": 0}, "batch"),
        ({"colour": "red"}, "colour"),
    ],
)
def test_a_wrong_option_is_named_and_no_secret_is_shown(
    site: Site, tmp_path: Path, receiver: Receiver, options: dict[str, Any], named: str
) -> None:
    sinks = {"hook": {"kind": "webhook", "url": receiver.url, "secret": SECRET} | options}
    with pytest.raises(SettingError, match=named) as caught:
        Watch(site, tmp_path, sinks=sinks)
    assert caught.value.code == "bad_option"
    assert "short" not in str(caught.value).replace("shorter", "")


# From here on as a user does: by the command line, in processes that die.


def _veille(folder: Path, receiver: Receiver, *arguments: str, **more: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        _command(folder, *arguments), env=_environment(receiver) | more, capture_output=True, text=True, check=False
    )


def _command(folder: Path, *arguments: str) -> list[str]:
    return [sys.executable, "-m", "veille", "--data", str(folder / "data"), *arguments]


def _environment(receiver: Receiver) -> dict[str, str]:
    return os.environ | {
        "VEILLE_SINKS__HOOK__KIND": "webhook",
        "VEILLE_SINKS__HOOK__URL": receiver.url,
        "VEILLE_SINKS__HOOK__SECRET": SECRET,
        "VEILLE_FETCH__ALLOW_NETWORKS": '["127.0.0.0/8"]',
    }


def test_killed_after_sending_and_before_marking_nothing_is_lost_and_nothing_comes_twice(
    site: Site, tmp_path: Path, receiver: Receiver
) -> None:
    with _watch(site, tmp_path, receiver):
        pass
    # The turn of a killed one is soon over.
    short = {"VEILLE_LEASE_S": "0.1"}
    for _ in range(2):
        done = _veille(tmp_path, receiver, "deliver", VEILLE_FAILPOINT="before_outbox_mark:kill@2", **short)
        assert done.returncode == -9
    done = _veille(tmp_path, receiver, "deliver", "--json", **short)
    assert done.returncode == 0, done.stderr
    assert receiver.titles == TITLES
    assert len(receiver.asked) == 7
    assert len(set(receiver.asked)) == 5


def test_the_log_tells_what_was_sent_and_never_the_secret(site: Site, tmp_path: Path, receiver: Receiver) -> None:
    with _watch(site, tmp_path, receiver):
        pass
    receiver.moods.append(answer(503, **{"Retry-After": "300"}))

    def veille(*arguments: str) -> tuple[object, str, str]:
        return run_here(start_veille, ["veille", "--data", str(tmp_path / "data"), *arguments], _environment(receiver))

    status, out, _ = veille("deliver")
    assert status == 1
    assert "sink.webhook" in out
    assert "Next try" in out
    assert veille("deliver")[0] == 1
    assert veille("deliver", "--now")[0] == 0
    _, shown, _ = veille("deliveries", "--sink", "hook", "--json")
    log = json.loads(shown)
    assert [(one["first"], one["attempt"], one["delivered"], one["code"]) for one in reversed(log)] == [
        (1, 1, 0, "sink.webhook"),
        (1, 2, 1, ""),
        *((number, 1, 1, "") for number in (2, 3, 4, 5)),
    ]
    assert log[-1]["retry_at"] > log[-1]["at"]
    assert "503" in log[-1]["error"]
    assert SECRET not in shown
    assert "sink.webhook" in veille("deliveries")[1]
    assert "[no_sink]" in veille("deliveries", "--sink", "other")[2]


def test_a_running_worker_catches_up_by_itself_though_nothing_new_comes(
    site: Site, tmp_path: Path, receiver: Receiver
) -> None:
    with _watch(site, tmp_path, receiver):
        pass
    receiver.down = answer(503)
    worker = subprocess.Popen(_command(tmp_path, "work"), env=_environment(receiver))
    try:
        _until(lambda: len(receiver.asked) >= 1)
        receiver.down = None
        _until(lambda: len(receiver.changes) == 5)
    finally:
        worker.terminate()
        worker.wait(20)
    assert receiver.titles == TITLES


def _until(happened: Any) -> None:
    deadline = time.monotonic() + 30
    while not happened():
        assert time.monotonic() < deadline, "it did not happen"
        time.sleep(0.05)


def test_a_webhook_for_searches_is_sent_what_they_find_from_then_on(
    site: Site, tmp_path: Path, receiver: Receiver
) -> None:
    with _watch(site, tmp_path, receiver, only_found=True) as watch:
        saved, old = watch.app.saved, [(f"/{n}", title, f"Text {n}") for n, title in enumerate(TITLES)]
        search = saved.add(watch.dossier_id, "Whales", "whale")
        with pytest.raises(ConfigError, match="only_found"):
            saved.set_sink(watch.dossier_id, search.id, "buffer", ["hook"])
        # What was there before anybody asked for it is passed over.
        assert _hook(watch.deliver()).skipped == 5
        saved.set_sink(watch.dossier_id, search.id, "hook", ["hook"])
        new = [
            ("/a", "A whale", "One"),
            ("/b", "A boat", "Two"),
            ("/c", "Big", "A whale, too"),
            ("/d", "A ship", "Three"),
        ]
        site.feed("/feed", [*new, *old])
        watch.turn()
        receiver.moods.append(answer(503))
        assert _hook(watch.deliver()).code == "sink.webhook"
        delivery = _patiently(watch)
        assert (delivery.delivered, delivery.skipped, delivery.pending, delivery.code) == (2, 2, 0, "")
        assert sorted(receiver.titles) == ["A whale", "Big"]
        saved.set_sink(watch.dossier_id, search.id, "", ["hook"])
        site.feed("/feed", [("/e", "Another whale", "Four"), *new, *old])
        watch.turn()
        assert _hook(watch.deliver()).delivered == 0
        assert len(receiver.titles) == 2


def test_a_refused_find_takes_no_other_with_it(site: Site, tmp_path: Path, receiver: Receiver) -> None:
    with _watch(site, tmp_path, receiver, only_found=True, skip_refused=True) as watch:
        search = watch.app.saved.add(watch.dossier_id, "All", "text")
        watch.app.saved.set_sink(watch.dossier_id, search.id, "hook", ["hook"])
        receiver.moods.append(answer(400))
        assert _hook(watch.deliver()).delivered == 4
    assert receiver.titles == TITLES[1:]
