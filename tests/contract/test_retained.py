"""Revisions that rules of retention archive and remove."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any, cast

import pytest

from desk import Desk
from samples import NOW, document, payload
from veille.adapters.bodies.folder import BodyFolder
from veille.core.archive.content_state import ContentState
from veille.core.archive.retention import Fate
from veille.core.models import Change, Document
from veille.core.schedule import DAY
from veille.errors import ConfigError, NotFoundError
from veille.ports import DossierStore
from veille.services.reading.retention import RetentionService

pytestmark = pytest.mark.covers("R-244")


def _texts(count: int) -> list[str]:
    words = [f"word{n}" for n in range(300)]
    found = []
    for at in range(count):
        words[at * 7 % 300] = f"edited{at}"
        found.append(" ".join(words))
    return found


def _document(text: str) -> Document:
    return document(text=text, html=f"<p>{text}</p>")


def _history(desk: Desk, count: int, **given: Any) -> tuple[str, list[str]]:
    """A document with so many revisions, a day apart; its id, and the texts of its revisions."""
    texts = _texts(count)
    desk.bring(_document(texts[0]), **given)
    for at, text in enumerate(texts[1:], 1):
        assert desk.again(_document(text), now=NOW + at * DAY).items[0].change is Change.CHANGED
    with desk.open() as store:
        return store.records.documents()[0].document_id, texts


def _read(store: DossierStore, document_id: str) -> dict[int, str]:
    """The texts of the revisions that can be read, by number."""
    return {one.n: one.text for one in store.records.revisions(document_id) if one.has_content}


def test_without_a_rule_nothing_is_aged(desk: Desk) -> None:
    _history(desk, 3)
    with desk.open() as store:
        assert not store.retained.has_rules()
        assert store.retained.aged(0, 10, now=NOW) == []
        store.retained.set_rule("all")
        assert not store.retained.has_rules()


def test_the_rule_of_a_source_comes_before_the_dossiers(desk: Desk) -> None:
    document_id, _ = _history(desk, 3, config={"retention": "last 5"})
    with desk.open() as store:
        store.retained.set_rule("last 2")
        (found,) = store.retained.aged(0, 10, now=NOW)
    assert (found.id, found.rule, [one.n for one in found.versions]) == (document_id, "last 5", [3, 2, 1])


@pytest.mark.parametrize("seed", range(6))
def test_what_is_kept_stays_readable_whatever_is_archived_and_removed(desk: Desk, seed: int) -> None:
    document_id, texts = _history(desk, 40)
    draw = random.Random(seed)
    removed: set[int] = set()
    with desk.open() as store:
        for turn in range(3):
            chosen = {n: draw.choice(list(Fate)) for n in draw.sample(range(1, 40), 12) if n not in removed}
            here = {one.n: one.kept for one in store.records.revision_lines(document_id)}
            chosen = {n: fate for n, fate in chosen.items() if fate is Fate.REMOVE or here[n] is ContentState.HERE}
            store.retained.settle({document_id: chosen}, [], NOW + turn)
            removed |= {n for n, fate in chosen.items() if fate is Fate.REMOVE}
            expected = {n: text for n, text in enumerate(texts, 1) if n not in removed}
            assert _read(store, document_id) == expected
    with desk.open() as store:
        for n in range(1, 41):
            if n in removed:
                with pytest.raises(NotFoundError, match="removed by the rule") as raised:
                    store.records.revision(document_id, n)
                assert raised.value.code == "revision_removed"
            else:
                found = store.records.revision(document_id, n)
                assert (found.text, found.html) == (texts[n - 1], f"<p>{texts[n - 1]}</p>")
        assert len(store.records.revision_lines(document_id)) == 40
        assert store.records.health(NOW)["integrity"] == "ok"


def test_the_next_change_follows_as_ever(desk: Desk) -> None:
    document_id, texts = _history(desk, 5)
    with desk.open() as store:
        store.retained.settle({document_id: dict.fromkeys((2, 3, 4), Fate.REMOVE)}, [], NOW)
    desk.again(_document("Something else altogether, and long enough."), now=NOW + 9 * DAY)
    with desk.open() as store:
        assert [*_read(store, document_id)] == [6, 5, 1]
        before = store.records.revision_before(document_id, 5)
        assert before is not None
        assert (before.n, before.text) == (1, texts[0])
        assert store.records.revision_before(document_id, 1) is None


def test_revisions_are_archived_only_where_all_programs_have_the_files(
    request: pytest.FixtureRequest, desk: Desk, tmp_path: Path
) -> None:
    """Programs on a database are on several machines, each with a data folder of its own."""
    document_id, texts = _history(desk, 5)
    service = RetentionService(desk.program.dossiers, lambda: NOW + 9 * DAY)
    is_shared = "postgres" in request.node.name
    if is_shared:
        with pytest.raises(ConfigError, match=r"bodies\.place") as caught:
            service.set_rule(desk.dossier_id, "last 4, archive after 1d")
        assert caught.value.code == "no_archive"
        with desk.open() as store:
            # As it comes with a move, or as the rule of a source.
            store.retained.set_rule("last 4, archive after 1d")
        report = service.run(desk.dossier_id)
        assert report.counts == {"archived": 0, "removed": 1, "deleted": 0, "unarchived": 3}
        assert "3 revisions stay in the database" in report.in_words()
        with desk.open() as store:
            assert {one.kept for one in store.records.revision_lines(document_id)} == {
                ContentState.HERE,
                ContentState.REMOVED,
            }
        dossiers = cast("Any", desk.program.dossiers)
        dossiers.place = BodyFolder(tmp_path / "bodies", "bodies.place")
        with desk.open() as store:
            cast("Any", store).db.files = dossiers._files(desk.dossier_id)
    service.set_rule(desk.dossier_id, "last 4, archive after 1d")
    assert service.run(desk.dossier_id).counts["archived"] == 3
    with desk.open() as store:
        assert _read(store, document_id) == {n: text for n, text in enumerate(texts, 1) if n > 1}
    assert len(list((tmp_path / "bodies").rglob("*.jsonl.zst"))) == is_shared


def test_the_current_revision_is_never_touched(desk: Desk) -> None:
    document_id, texts = _history(desk, 2)
    with desk.open() as store:
        store.retained.settle({document_id: {2: Fate.REMOVE}}, [], NOW)
        assert store.records.revision(document_id).text == texts[1]


def test_kept_answers_go_with_their_revisions(desk: Desk) -> None:
    source = desk.add(config={"keep_raw": "all"})
    for at, text in enumerate(_texts(3)):
        desk.program.queue.arm(desk.dossier_id, NOW + at)
        (lease,) = desk.claim(now=NOW + at)
        desk.commit(lease, _document(text), now=NOW + at, answer=payload(text, source.url, fetched_at=NOW + at))
        desk.program.queue.release("worker", NOW + at)
    with desk.open() as store:
        document_id = store.records.documents()[0].document_id
        store.retained.settle({document_id: {1: Fate.REMOVE, 2: Fate.ARCHIVE}}, [], NOW)
        assert store.records.health(NOW)["raw_bodies"] == 1


def test_what_a_sink_has_not_been_told_is_awaited(desk: Desk) -> None:
    _history(desk, 4)
    with desk.open() as store:
        store.retained.set_rule("last 1")
        assert store.outbox.lock("a sink", "worker", NOW, NOW + 1000)
        store.outbox.mark("a sink", "worker", 3, NOW)
        (found,) = store.retained.aged(0, 10, now=NOW + 1)
        # It has been told of three: the fourth is told with what was before it.
        assert [(one.n, one.is_awaited) for one in found.versions] == [(4, True), (3, True), (2, False), (1, False)]
        (found,) = store.retained.aged(0, 10, now=NOW + 31 * DAY)
        assert not any(one.is_awaited for one in found.versions)


def test_changes_without_a_text_are_not_handed_over(desk: Desk) -> None:
    document_id, _ = _history(desk, 3)
    with desk.open() as store:
        store.retained.settle({document_id: {1: Fate.REMOVE, 2: Fate.ARCHIVE}}, [], NOW)
        assert [one.revision.n for one in store.outbox.parcels(0, 10)] == [2, 3]
        assert store.outbox.pending("a sink") == 2


def test_forgotten_documents_leave_nothing(desk: Desk) -> None:
    document_id, _ = _history(desk, 3)
    with desk.open() as store:
        store.retained.settle({}, [document_id], NOW)
        # Only documents that are gone are deleted.
        assert store.records.revision(document_id).n == 3
