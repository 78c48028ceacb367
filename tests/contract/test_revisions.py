from __future__ import annotations

import random
from dataclasses import asdict, replace
from itertools import count

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from desk import Desk
from samples import NOW, document
from veille.core.fingerprint import part_identity, url_identity
from veille.core.models import Change, Document
from veille.errors import AmbiguousError

NUMBERS = count()


def _versions(seed: int, length: int) -> list[str]:
    rng = random.Random(seed)
    words = [f"w{rng.randrange(3000)}" for _ in range(1200)]
    texts = []
    for _ in range(length):
        at = rng.randrange(len(words))
        words[at : at + rng.randrange(6)] = [f"w{rng.randrange(3000)}" for _ in range(rng.randrange(1, 6))]
        texts.append(" ".join(words))
    return texts


def _document(text: str) -> Document:
    return document(text=text, html=f"<p>{text}</p>")


def _keep(desk: Desk, texts: list[str]) -> str:
    desk.bring(_document(texts[0]))
    for at, text in enumerate(texts[1:], 1):
        desk.again(_document(text), now=NOW + at)
    with desk.open() as opened:
        return opened.records.documents()[0].document_id


@pytest.mark.covers("R-018")
def test_every_one_of_many_revisions_is_read_back_exactly(desk: Desk) -> None:
    texts = _versions(1, 40)
    document_id = _keep(desk, texts)
    with desk.open() as opened:
        for n, text in enumerate(texts, 1):
            revision = opened.records.revision(document_id, n)
            assert (revision.n, revision.text, revision.html) == (n, text, f"<p>{text}</p>")
        assert [one.text for one in opened.records.revisions(document_id)] == texts[::-1]
        assert opened.records.revision(document_id).text == texts[-1]


def test_followers_that_come_late_get_the_older_revisions_exactly(desk: Desk) -> None:
    texts = _versions(2, 20)
    _keep(desk, texts)
    with desk.open() as opened:
        parcels = opened.outbox.waiting("sink", 100)
    assert [parcel.revision.text for parcel in parcels] == texts
    assert {parcel.event.change for parcel in parcels} == {Change.NEW, Change.CHANGED}


@settings(max_examples=12, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(texts=st.lists(st.text(min_size=1, max_size=80).filter(str.strip), min_size=2, max_size=5))
def test_whatever_the_texts_are_they_come_back(desk: Desk, texts: list[str]) -> None:
    fresh = Desk(desk.program, desk.program.dossiers.create(f"dossier {next(NUMBERS)}", NOW).id)
    fresh.bring(document(text=texts[0]))
    kept = [texts[0]]
    for at, text in enumerate(texts[1:], 1):
        plan = fresh.again(document(text=text), now=NOW + at)
        kept += [text] if plan.items[0].change is Change.CHANGED else []
    with fresh.open() as opened:
        (current,) = opened.records.documents()
        assert [one.text for one in opened.records.revisions(current.document_id)] == kept[::-1]


@pytest.mark.covers("R-217")
def test_the_latest_revisions_come_first_and_everything_is_counted(desk: Desk) -> None:
    document_id = _keep(desk, ["one", "two", "three"])
    with desk.open() as opened:
        source_id = opened.sources.all()[0].id
        assert [one.text for one in opened.records.latest()] == ["three", "two", "one"]
        assert [one.n for one in opened.records.latest(source_id, 2)] == [3, 2]
        assert opened.records.latest("nobody") == []
        assert opened.records.totals() == {"sources": 1, "revisions": 3, "checks": 3}
        assert {one.document_id for one in opened.records.latest()} == {document_id}


def test_the_hash_of_the_last_answer_is_known_by_source(desk: Desk) -> None:
    source = desk.add()
    with desk.open() as opened:
        assert opened.sources.raw_hashes() == {source.id: ""}


def test_lines_tell_all_of_a_revision_but_its_contents(desk: Desk) -> None:
    texts = [*_versions(3, 19), "Größe 🦊 日本語 " * 50]
    document_id = _keep(desk, texts)
    with desk.open() as opened:
        revisions = opened.records.revisions(document_id)
        lines = opened.records.revision_lines(document_id)
        ((_, current),) = opened.records.page(None, 10)
    assert [line.text_length for line in lines] == [len(text) for text in reversed(texts)]
    for line, revision in zip(lines, revisions, strict=True):
        told = asdict(line)
        del told["text_length"]
        assert told.items() <= asdict(revision).items()
    assert current == lines[0]


def test_a_document_that_its_source_keeps_apart_is_found_by_its_address(desk: Desk) -> None:
    url = "https://example.org/tea"

    def kept_apart(source_id: str) -> str:
        key = part_identity(source_id, url_identity(url))
        desk.bring(replace(document(url), keys=(key,)), id=source_id, url=f"{url}?{source_id}")
        with desk.open() as opened:
            return str(opened.records.documents(source_id)[0].document_id)

    price = kept_apart("price")
    with desk.open() as opened:
        assert opened.records.find(url) == price
    stock = kept_apart("stock")
    with desk.open() as opened, pytest.raises(AmbiguousError) as caught:
        opened.records.find(url)
    assert set(caught.value.candidates) == {price, stock}
