"""Answers that are kept as they came, beside the revisions that were read from them."""

from __future__ import annotations

import random
from dataclasses import replace

import pytest

from desk import Desk
from samples import NOW, document, payload
from veille.core.models import Change, Document, KeepRaw, Lease, Reading, Source
from veille.core.reread.answers import KeptAnswer, WantedAnswers, lease_to_read, options_hash
from veille.core.reread.judged import RereadAnswer, RereadOutcome, document_for, judged
from veille.core.search.query import parse
from veille.errors import NotFoundError
from veille.ports import DossierStore
from veille.reader_version import reader_version

FIRST, SECOND, THIRD = ("".join(f"{word} sentence number {n}. " for n in range(30)) for word in ("One", "Two", "Three"))


def _lease(desk: Desk, now: int) -> Lease:
    desk.program.queue.arm(desk.dossier_id, now)
    (lease,) = desk.claim(now=now)
    return lease


def _check(desk: Desk, *documents: Document, body: str, at: int = 0) -> Change:
    """The next check of the only source, whose answer has this body."""
    lease = _lease(desk, NOW + at)
    answer = payload(body, lease.request.url, fetched_at=NOW + at, media_type="text/html", charset="latin-1")
    plan = desk.commit(lease, *documents, now=NOW + at, answer=answer)
    desk.program.queue.release("worker", NOW + at)
    assert plan is not None
    return plan.items[0].change


def _wanted(store: DossierStore, reader: str = "another", **given: object) -> WantedAnswers:
    options = {source.id: options_hash(source) for source in store.sources.all()}
    return replace(WantedAnswers(reader=reader, options=options), **given)  # type: ignore[arg-type]


def _kept(desk: Desk) -> list[tuple[int, bytes]]:
    """The number of the revision and the body of every kept answer of one document."""
    with desk.open() as store:
        found = store.raw_answers.waiting(_wanted(store), "", 100)
        return [(revision.n, store.raw_answers.load(one)[1].body) for one in found for revision in one.revisions]


def _three_revisions(desk: Desk, keep: str) -> Source:
    source = desk.add(config={"keep_raw": keep})
    for at, text in enumerate((FIRST, SECOND, THIRD)):
        _check(desk, document(text=text, html=f"<p>{text}</p>"), body=f"<p>{text}</p>", at=at)
    return source


@pytest.mark.covers("R-018")
def test_with_all_every_revision_has_its_body(desk: Desk) -> None:
    _three_revisions(desk, "all")
    assert _kept(desk) == [(n, f"<p>{text}</p>".encode()) for n, text in enumerate((FIRST, SECOND, THIRD), 1)]


@pytest.mark.covers("R-018")
def test_with_last_only_the_newest_revision_has_its_body(desk: Desk) -> None:
    _three_revisions(desk, "last")
    assert _kept(desk) == [(3, f"<p>{THIRD}</p>".encode())]


def test_the_newest_answer_of_a_source_is_found_by_its_address(desk: Desk) -> None:
    source = _three_revisions(desk, "all")
    with desk.open() as store:
        found = store.raw_answers.newest(source.id, source.url)
        assert found is not None
        assert (found[0].url, found[1].body) == (source.url, f"<p>{THIRD}</p>".encode())
        assert store.raw_answers.newest(source.id, "https://elsewhere.example/") is None


@pytest.mark.parametrize("keep", ["none", ""])
def test_by_default_nothing_is_kept(desk: Desk, keep: str) -> None:
    _three_revisions(desk, keep)
    assert _kept(desk) == []
    with desk.open() as store:
        assert store.raw_answers.default() is KeepRaw.NONE
        health = store.records.health(NOW)
    assert (health["raw_bodies"], health["raw_bytes"]) == (0, 0)


def test_what_is_needed_to_read_it_again_is_kept_with_it(desk: Desk) -> None:
    source = desk.add(config={"keep_raw": "last"})
    lease = _lease(desk, NOW)
    answer = payload(
        b"\xe9t\xe9",
        lease.request.url,
        fetched_at=NOW,
        final_url="https://example.org/b",
        media_type="text/html",
        charset="iso-8859-1",
        last_modified="yesterday",
        redirects=((301, "https://example.org/b"),),
    )
    assert desk.commit(lease, document(), answer=answer)
    with desk.open() as store:
        (kept,) = store.raw_answers.waiting(_wanted(store), "", 10)
        request, loaded = store.raw_answers.load(kept)
    assert loaded == answer
    assert kept.source_id == source.id
    assert (request.url, request.purpose, request.every) == (source.url, "root", 1)
    assert kept.size == 3


def test_a_source_differs_from_its_dossier_if_it_says_so(desk: Desk) -> None:
    with desk.open() as store:
        store.raw_answers.set_default(KeepRaw.LAST)
    desk.add("https://a.example/", config={"keep_raw": "all"})
    desk.add("https://b.example/")
    desk.add("https://c.example/", config={"keep_raw": "none"})
    leases = desk.claim()
    assert {lease.source.url: lease.keep_raw for lease in leases} == {
        "https://a.example/": KeepRaw.ALL,
        "https://b.example/": KeepRaw.LAST,
        "https://c.example/": KeepRaw.NONE,
    }


def test_equal_bodies_are_stored_once_and_stay_until_the_last_answer_goes(desk: Desk) -> None:
    with desk.open() as store:
        store.raw_answers.set_default(KeepRaw.ALL)
    sources = [desk.add(f"https://{name}.example/") for name in "ab"]
    for lease in desk.claim():
        answer = payload("the same", lease.request.url)
        assert desk.commit(lease, document(lease.request.url, text=f"{lease.request.url} {FIRST}"), answer=answer)
    with desk.open() as store:
        assert len(store.raw_answers.waiting(_wanted(store), "", 10)) == 2
        assert store.records.health(NOW)["raw_bodies"] == 1
        store.sources.delete(sources[0].id)
        (left,) = store.raw_answers.waiting(_wanted(store), "", 10)
        assert store.raw_answers.load(left)[1].body == b"the same"
        store.sources.delete(sources[1].id)
        assert store.records.health(NOW)["raw_bodies"] == 0
        with pytest.raises(NotFoundError):
            store.raw_answers.load(left)


def test_one_answer_with_many_documents_is_kept_once(desk: Desk) -> None:
    desk.add(config={"keep_raw": "last"})
    entries = [document(f"https://example.org/{n}", text=f"Entry {n}. {FIRST}") for n in range(5)]
    _check(desk, *entries, body="five entries")
    with desk.open() as store:
        (kept,) = store.raw_answers.waiting(_wanted(store), "", 10)
    assert sorted(one.key for one in kept.revisions) == sorted(one.keys[0] for one in entries)
    _check(desk, replace(entries[0], text=SECOND, content_hash="2"), *entries[1:], body="one of them edited", at=1)
    assert [len(one.revisions) for one in _answers(desk)] == [4, 1]


def _answers(desk: Desk) -> list[KeptAnswer]:
    with desk.open() as store:
        return store.raw_answers.waiting(_wanted(store), "", 100)


def test_a_page_that_was_stored_before_is_kept_at_its_next_full_answer(desk: Desk) -> None:
    desk.add()
    assert _check(desk, document(), body="first") is Change.NEW
    with desk.open() as store:
        store.raw_answers.set_default(KeepRaw.LAST)
    lease = _lease(desk, NOW + 1)
    assert lease.request.validators.raw_hash == ""
    desk.program.queue.release("worker", NOW + 1)
    assert _check(desk, document(), body="second", at=2) is Change.SAME
    assert _kept(desk) == [(1, b"second")]
    assert _check(desk, document(), body="third", at=3) is Change.SAME
    assert _kept(desk) == [(1, b"second")]


def test_what_is_no_longer_kept_is_deleted(desk: Desk) -> None:
    with desk.open() as store:
        store.raw_answers.set_default(KeepRaw.ALL)
    source = _three_revisions(desk, "")
    assert [n for n, _ in _kept(desk)] == [1, 2, 3]
    with desk.open() as store:
        store.raw_answers.set_default(KeepRaw.LAST)
    assert [n for n, _ in _kept(desk)] == [3]
    with desk.open() as store:
        store.sources.update(replace(source, config={"keep_raw": "all"}))
        store.raw_answers.set_default(KeepRaw.NONE)
    assert [n for n, _ in _kept(desk)] == [3]
    with desk.open() as store:
        store.sources.update(replace(source, config={}))
    assert _kept(desk) == []


def _read_again(store: DossierStore, answer: KeptAnswer, *found: Document) -> RereadAnswer:
    source = store.sources.get(answer.source_id)
    assert source is not None
    request, payload_ = store.raw_answers.load(answer)
    reading = Reading(lease=lease_to_read(store.id, source, request), payload=payload_, documents=found)
    revisions = [
        judged(one, store.records.revision(one.document_id, one.n), document_for(answer, one, reading))
        for one in answer.revisions
    ]
    return RereadAnswer(kept=answer, options=options_hash(source), revisions=tuple(revisions))


@pytest.mark.covers("R-018")
@pytest.mark.parametrize("n", [1, 2, 3])
def test_a_revision_is_replaced_in_place_and_its_neighbours_keep_their_text(desk: Desk, n: int) -> None:
    _three_revisions(desk, "all")
    texts = [FIRST, SECOND, THIRD]
    with desk.open() as store:
        before = store.records.documents()[0]
        seq, times = store.outbox.last_seq(), store.records.times(before.document_id, 10)
        answer = store.raw_answers.waiting(_wanted(store), "", 10)[n - 1]
        texts[n - 1] = f"Read better. {texts[n - 1]}"
        better = document(title="Better", text=texts[n - 1], html=f"<p>{texts[n - 1]}</p>", authors=("Ada",))
        with store.writing() as writer:
            (done,) = writer.reread([_read_again(store, answer, better)], "another", NOW + 9)
        (revision,) = done.revisions
        assert revision.outcome is RereadOutcome.CHANGED
        assert {"title", "text", "html", "authors"} <= set(revision.fields)
        assert (revision.words_added, revision.words_removed) == (2, 0)
        found = store.records.revisions(before.document_id)[::-1]
        assert [one.text for one in found] == texts
        assert [one.html for one in found] == [f"<p>{text}</p>" for text in texts]
        assert found[n - 1].meta["authors"] == ["Ada"]
        assert store.outbox.last_seq() == seq
        assert store.records.times(before.document_id, 10) == times
        assert store.records.documents()[0].title == ("Better" if n == 3 else before.title)
        assert len(store.index.ranked(parse("better", NOW), 10).hits) == (n == 3)
        assert store.records.health(NOW)["integrity"] == "ok"
        assert [one.id for one in store.raw_answers.waiting(_wanted(store), "", 10)] == [
            one.id for one in _answers(desk) if one.id != answer.id
        ]
        assert store.raw_answers.progress(_wanted(store)) == {"changed": 1, "waiting": 2}


def test_only_one_of_two_who_read_the_same_answer_writes_it(desk: Desk) -> None:
    _three_revisions(desk, "last")
    with desk.open() as store:
        (answer,) = store.raw_answers.waiting(_wanted(store), "", 10)
        read = [_read_again(store, answer, document(text=f"{word}. {THIRD}")) for word in ("Mine", "Theirs")]
        with store.writing() as writer:
            assert len(writer.reread(read[:1], "another", NOW)) == 1
        with store.writing() as writer:
            assert writer.reread(read[1:], "another", NOW) == []
        assert store.records.documents()[0].text.startswith("Mine")


def test_after_a_reread_the_next_check_finds_the_same(desk: Desk) -> None:
    _three_revisions(desk, "last")
    better = document(title="Better", text=f"Read better. {THIRD}", content_hash="better")
    with desk.open() as store:
        (answer,) = store.raw_answers.waiting(_wanted(store), "", 10)
        with store.writing() as writer:
            writer.reread([_read_again(store, answer, better)], "another", NOW)
    assert _check(desk, better, body="the same page", at=5) is Change.SAME
    assert _check(desk, document(text=f"An edit. {THIRD}", content_hash="edit"), body="edit", at=6) is Change.CHANGED


def test_a_reading_without_text_or_without_the_document_changes_nothing(desk: Desk) -> None:
    _three_revisions(desk, "last")
    with desk.open() as store:
        (answer,) = store.raw_answers.waiting(_wanted(store), "", 10)
        for found, code in (([document(text="")], "empty"), ([], "not_in_answer")):
            read = _read_again(store, answer, *found)
            assert [(one.outcome, one.code) for one in read.revisions] == [(RereadOutcome.FAILED, code)]
        with store.writing() as writer:
            writer.reread([read], "another", NOW)
        assert store.records.documents()[0].text == THIRD
        assert store.raw_answers.progress(_wanted(store)) == {"failed": 1}


def test_other_options_of_the_source_are_a_reason_to_read_again(desk: Desk) -> None:
    source = desk.add(config={"keep_raw": "all"})
    _check(desk, document(), body="first")
    with desk.open() as store:
        now = reader_version()
        assert store.raw_answers.waiting(_wanted(store, now), "", 10) == []
        assert len(store.raw_answers.waiting(_wanted(store, now, again=True), "", 10)) == 1
        store.sources.update(replace(source, config={"keep_raw": "last"}))
        assert store.raw_answers.waiting(_wanted(store, now), "", 10) == []
        store.sources.update(replace(source, config={"keep_raw": "last", "mode": "everything"}))
        assert len(store.raw_answers.waiting(_wanted(store, now), "", 10)) == 1
        assert store.raw_answers.waiting(_wanted(store, now, since=NOW + 1), "", 10) == []


def test_a_document_that_is_read_again_and_again_stays_in_stories_as_old_as_it_is(desk: Desk) -> None:
    """Even with the same words in other lines, of which its story is founded anew."""
    _three_revisions(desk, "last")
    with desk.open() as store:
        document_id = store.records.documents()[0].document_id
        lines = THIRD.replace(". ", ".\n")
        for text in (lines, THIRD, f"{FIRST} {SECOND}", lines, THIRD):
            (answer,) = store.raw_answers.waiting(_wanted(store, again=True), "", 10)
            with store.writing() as writer:
                (done,) = writer.reread([_read_again(store, answer, document(text=text))], "another", NOW + 99)
            assert done.revisions[0].outcome is RereadOutcome.CHANGED
            assert document_id in store.stories.of_many([document_id])
            assert store.records.times(document_id, 1) == {3: NOW + 2}
        health = store.records.health(NOW)
    assert (health["integrity"], health["foreign_keys"], health["documents"]) == ("ok", 0, health["indexed"])


@pytest.mark.covers("R-018")
def test_forty_revisions_are_read_again_in_any_order_and_all_others_keep_their_text(desk: Desk) -> None:
    """Beyond the sixteenth, which is kept whole."""
    chance = random.Random(18)
    words = [f"word{chance.randrange(900)}" for _ in range(400)]
    texts = []
    desk.add(config={"keep_raw": "all"})
    for at in range(40):
        words[chance.randrange(400)] = f"edit{at}"
        texts.append(" ".join(words))
        _check(desk, document(text=texts[-1], html=f"<p>{texts[-1]}</p>"), body=texts[-1], at=at)
    with desk.open() as store:
        document_id = store.records.documents()[0].document_id
        answers = store.raw_answers.waiting(_wanted(store), "", 100)
        for answer in chance.sample(answers, 40):
            at = answer.revisions[0].n - 1
            texts[at] = f"Better {at}. {texts[at]} and {chance.random()}"
            found = document(text=texts[at], html=f"<p>{texts[at]}</p>")
            with store.writing() as writer:
                assert writer.reread([_read_again(store, answer, found)], "another", NOW + 99)
            assert [one.text for one in store.records.revisions(document_id)] == texts[::-1]
        assert [one.html for one in store.records.revisions(document_id)] == [f"<p>{text}</p>" for text in texts[::-1]]
        assert store.raw_answers.progress(_wanted(store)) == {"changed": 40}
