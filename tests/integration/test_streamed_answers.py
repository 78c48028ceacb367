from __future__ import annotations

import gzip
import json
import threading
import time
from collections.abc import Iterable, Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import veille
from oracle import PATH, Heard, Oracle, Reply, events
from samples import NOW
from veille.adapters.sender import DoorSender
from veille.core.ask.passages import AskAnswer
from veille.core.traffic import Failure, Order, Payload
from watching import FAST, Watch
from world import Page, Site

TEXT = "A ticket costs 7 euros, für alle 😀.\nA ticket for children costs 3 euros.\nA ticket for dogs costs nothing."
QUESTION = "What does a ticket for the Park Pool cost?"


@pytest.fixture
def watch(site: Site, tmp_path: Path) -> Iterator[Watch]:
    with Watch(site, tmp_path, model=_settings(site)) as watch:
        site.article("/pool", "Park Pool", TEXT)
        watch.add("/pool", "page")
        watch.turn()
        yield watch


@pytest.fixture
def oracle(site: Site) -> Oracle:
    return Oracle(site, rule=_lines)


def _settings(site: Site) -> dict[str, Any]:
    return Oracle(site).settings | {"timeout_s": 3, "keep_days": 0, "tries": 2}


def _lines(heard: Heard) -> Reply:
    """Says every line that it was shown, and between them what nobody said."""
    lines = [line[1:].partition("] ")[::2] for body in heard.materials.values() for line in body.splitlines()[1:]]
    said = [{"text": text, "quotes": [{"number": int(number), "quote": text}]} for number, text in lines]
    invented = {"text": "Everything is free.", "quotes": [{"number": 1, "quote": "Everything is free."}]}
    return {"sentences": [said[0], invented, *said[1:]]}


def _asked(watch: Watch) -> tuple[AskAnswer, list[list[str]]]:
    told: list[AskAnswer] = []
    answer = watch.app.asking.ask(watch.dossier_id, QUESTION, tell=told.append)
    return answer, [[one.text for one in so_far.statements] for so_far in told]


def test_sentences_are_told_one_by_one_and_the_end_is_as_without(watch: Watch, oracle: Oracle) -> None:
    plain = watch.app.asking.ask(watch.dossier_id, QUESTION)
    used = watch.app.models.used(watch.dossier_id)
    answer, told = _asked(watch)
    assert answer == plain
    assert sorted(one.text for one in answer.statements) == sorted(TEXT.splitlines())
    assert told == [[one.text for one in answer.statements[: n + 1]] for n in range(3)]
    assert watch.app.models.used(watch.dossier_id) == 2 * used == 200
    assert [heard.wish["stream"] for heard in oracle.heard] == [False, True]


def test_the_first_sentence_is_told_before_the_last_was_sent(watch: Watch, oracle: Oracle) -> None:
    is_told = threading.Event()

    def cut(body: bytes) -> Iterable[bytes]:
        middle = len(body) // 2
        yield body[:middle]
        assert is_told.wait(2)
        yield body[middle:]

    oracle.cut = cut
    answer = watch.app.asking.ask(watch.dossier_id, QUESTION, tell=lambda _: is_told.set())
    assert (answer.kind, len(answer.statements)) == ("model", 3)


@pytest.mark.parametrize("size", [1, 7, 64, 1000])
def test_it_does_not_matter_where_the_answer_is_cut(watch: Watch, oracle: Oracle, size: int) -> None:
    oracle.cut = lambda body: (body[at : at + size] for at in range(0, len(body), size))
    answer, told = _asked(watch)
    assert [one.text for one in answer.statements] == told[-1]
    assert len(told) == 3


def test_what_was_kept_is_told_at_once_and_what_was_streamed_is_kept(
    tmp_path: Path, watch: Watch, oracle: Oracle, site: Site
) -> None:
    with veille.open_app(
        data=tmp_path / "data", fetch=FAST, model=_settings(site) | {"keep_days": 1}, clock=lambda: watch.now
    ) as app:
        site.made[PATH] = oracle._answer
        first = app.asking.ask(watch.dossier_id, QUESTION, tell=lambda _: None)
        told: list[AskAnswer] = []
        assert app.asking.ask(watch.dossier_id, QUESTION, tell=told.append) == first
        assert app.asking.ask(watch.dossier_id, QUESTION) == first
    assert (first.kind, told, len(oracle.heard)) == ("model", [], 1)


def _part(value: object) -> bytes:
    return f"data: {json.dumps(value)}\n\n".encode()


WHOLE = events(json.dumps({"sentences": [{"text": "The pool is in the park.", "quotes": []}]}))


@pytest.mark.parametrize(
    ("body", "code"),
    [
        (b"", "model.failed"), (b"<html>", "model.failed"), (b"data: {\n\n", "model.failed"),
        (b"data: [DONE]\n\n", "model.nonsense"), (WHOLE, "model.unquoted"), (WHOLE[:-60], "model.failed"),
        (_part({"error": {"message": "overloaded"}}), "model.failed"), (_part([]), "model.failed"),
        (_part({"choices": [{"delta": {"content": 5}}]}), "model.failed"), (_part({"choices": 5}), "model.failed"),
        (_part({"choices": [{"delta": 5}]}), "model.failed"), (WHOLE.replace(b"data", b"date"), "model.failed"),
        (b"data: " + b"x" * 17 * 1024 * 1024, "model.failed"),
        (events('{"sentences": [{"text": "A ticket \\ud83d", "quotes": []}]}'), "model.nonsense"),
        (events('{"sentences": [{"text": "A ticket ').replace(b"A t", b"\\ud83d"), "model.nonsense"),
    ],
    ids=range(15),
)  # fmt: skip
def test_whatever_comes_instead_of_a_streamed_answer_there_is_the_extract(
    watch: Watch, site: Site, body: bytes, code: str
) -> None:
    site.made[PATH] = lambda _: Page(b"", type="text/event-stream", validates=False, parts=lambda: [body])
    answer, told = _asked(watch)
    assert (answer.kind, answer.code, told) == ("extract", code, [])


def test_an_answer_that_breaks_off_is_asked_for_again_and_told_anew(watch: Watch, oracle: Oracle) -> None:
    oracle.cut = lambda body: [body[: len(body) * 2 // 3] if len(oracle.heard) == 1 else body]
    answer, told = _asked(watch)
    assert (answer.kind, len(answer.statements), len(oracle.heard)) == ("model", 3, 2)
    assert [len(one) for one in told][-3:] == [1, 2, 3]
    assert len(told) > 3


def test_an_answer_that_stands_still_is_given_up_in_time(watch: Watch, oracle: Oracle) -> None:
    def cut(body: bytes) -> Iterable[bytes]:
        yield body[: len(body) * 2 // 3]
        time.sleep(5)

    oracle.cut = cut
    started = time.monotonic()
    answer, told = _asked(watch)
    assert (answer.kind, answer.code, bool(told)) == ("extract", "model.failed", True)
    assert time.monotonic() - started < 4.5
    assert watch.app.models.used(watch.dossier_id) > 0, "it may have done its work"


def test_a_service_that_does_not_stream_is_asked_for_the_whole(watch: Watch, oracle: Oracle, site: Site) -> None:
    oracle.streams = False
    answer, told = _asked(watch)
    assert (answer.kind, told, len(oracle.heard)) == ("model", [], 1)
    oracle.takes_streams = False
    before = len(site.seen)
    again, told = _asked(watch)
    assert (again, told) == (answer, [])
    assert [seen.status for seen in site.seen[before:]] == [422, 422, 422, 200]
    oracle.takes_streams, oracle.streams, oracle.takes_forms = True, True, False
    streamed, told = _asked(watch)
    assert (streamed, len(told)) == (answer, 3), "less of a form, but streamed"


def test_a_budget_that_is_used_up_asks_nothing(tmp_path: Path, watch: Watch, oracle: Oracle, site: Site) -> None:
    given = _settings(site) | {"tokens_per_day": 10}
    with veille.open_app(data=tmp_path / "data", fetch=FAST, model=given, clock=lambda: watch.now) as app:
        told: list[AskAnswer] = []
        answer = app.asking.ask(watch.dossier_id, QUESTION, tell=told.append)
    assert (answer.code, told, oracle.heard) == ("model.budget", [], [])


def _sent(url: str, heard: list[bytes], **limits: Any) -> Payload | Failure:
    order = Order(key="one", url=url, by_operator=True, heard=heard.append)
    # Slower than any page may be.
    slow = FAST.model_copy(update={"min_rate": 10_000_000, "min_rate_grace_s": 0.1})
    with closing(DoorSender(slow, lambda: NOW)) as sender:
        return sender.send(order, **limits)


def test_the_door_hands_over_a_body_as_it_arrives_unpacked_and_however_slowly_it_comes(site: Site) -> None:
    heard: list[bytes] = []
    packed = gzip.compress(b"word " * 5000)

    def parts() -> Iterator[bytes]:
        yield packed[:60]
        for _ in range(40):
            if heard:
                break
            time.sleep(0.05)
        time.sleep(0.5)
        yield packed[60:]

    site["/slow"] = Page(b"", headers={"Content-Encoding": "gzip"}, parts=parts, validates=False)
    answer = _sent(f"{site.url}/slow", heard)
    assert isinstance(answer, Payload)
    assert answer.body == b"".join(heard) == b"word " * 5000
    assert len(heard) > 1


def test_no_more_is_handed_over_than_the_limits_allow(site: Site) -> None:
    heard: list[bytes] = []
    site["/large"] = replace(Page(b"", parts=lambda: [b"x" * 1000] * 100, validates=False))
    answer = _sent(f"{site.url}/large", heard, max_bytes=20_000)
    assert isinstance(answer, Failure)
    assert (answer.code, len(b"".join(heard)) <= 20_000) == ("too_large", True)
    site["/bad"] = Page(b"secret", status=500, validates=False)
    site["/moved"] = Page(b"secret", status=302, headers={"Location": "/large"}, validates=False)
    heard.clear()
    assert all(isinstance(_sent(site.url + path, heard), Failure) for path in ("/bad", "/moved"))
    assert heard == [], "only of good answers"
