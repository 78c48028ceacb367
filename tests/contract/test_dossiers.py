from __future__ import annotations

import uuid
from concurrent.futures import ThreadPoolExecutor

import pytest

from desk import Desk, Program, Store
from samples import NOW, document
from veille.core.search.query import parse
from veille.errors import ConfigError, NotFoundError, StoreError


@pytest.mark.covers("R-003")
def test_a_dossier_has_a_uuid_7_and_is_found_by_it_and_by_its_name(program: Program) -> None:
    dossier = program.dossiers.create("news", NOW)
    assert uuid.UUID(dossier.id).version == 7
    assert program.dossiers.find("news") == program.dossiers.find(dossier.id) == dossier


def test_dossiers_are_listed_by_name_and_seen_by_every_program(store: Store) -> None:
    first, second = store.program(), store.program()
    for name in ("b", "a"):
        first.dossiers.create(name, NOW)
    assert [dossier.name for dossier in second.dossiers.all()] == ["a", "b"]


def test_some_dossiers_are_listed_by_name_without_those_that_do_not_exist(program: Program) -> None:
    made = {name: program.dossiers.create(name, NOW) for name in ("b", "a", "c")}
    assert program.dossiers.some([made["b"].id, "nowhere", made["a"].id, "c"]) == [made["a"], made["b"]]
    assert program.dossiers.some([]) == []


def test_an_unknown_dossier_is_not_found(program: Program) -> None:
    with pytest.raises(NotFoundError) as caught:
        program.dossiers.find("nowhere")
    assert caught.value.code == "no_dossier"


@pytest.mark.parametrize("later", [0, 1])
def test_a_name_that_is_taken_is_refused_and_the_dossier_that_has_it_is_untouched(desk: Desk, later: int) -> None:
    desk.bring(document())
    with pytest.raises(ConfigError) as caught:
        desk.program.dossiers.create("news", NOW + later)
    assert caught.value.code == "dossier_exists"
    desk.program.dossiers.close()


@pytest.mark.parametrize("later", [0, 1])
def test_after_a_refused_name_another_program_still_reads_everything(store: Store, later: int) -> None:
    first = store.program()
    desk = Desk(first, first.dossiers.create("news", NOW).id)
    desk.bring(document())
    with pytest.raises(ConfigError):
        first.dossiers.create("news", NOW + later)
    with store.program().dossiers.open(desk.dossier_id) as opened:
        assert len(opened.records.documents()) == 1


@pytest.mark.parametrize("name", ["", "  ", "a\nb", "x" * 201, "\x00"])
def test_a_name_that_cannot_be_shown_is_refused(program: Program, name: str) -> None:
    with pytest.raises(ConfigError) as caught:
        program.dossiers.create(name, NOW)
    assert caught.value.code == "bad_name"
    assert program.dossiers.all() == []


@pytest.mark.covers("R-005")
def test_a_dossier_is_ready_for_use_when_it_is_first_opened(desk: Desk) -> None:
    with desk.open() as opened:
        assert (opened.sources.all(), opened.records.documents(), opened.runs.report()) == ([], [], None)


@pytest.mark.covers("R-002")
def test_nothing_of_one_dossier_is_seen_in_another(desk: Desk) -> None:
    other = Desk(desk.program, desk.program.dossiers.create("other", NOW).id)
    desk.bring(document(text="The word is heliotrope."))
    other.add("https://example.org/b")
    with desk.open() as ours, other.open() as theirs:
        (found,) = ours.records.documents()
        assert theirs.records.documents() == []
        assert theirs.index.ranked(parse("heliotrope", NOW), 10).hits == []
        assert theirs.outbox.events() == []
        assert [source.url for source in theirs.sources.all()] == ["https://example.org/b"]
        with pytest.raises(NotFoundError):
            theirs.records.revision(found.document_id)


def test_a_deleted_dossier_is_gone_and_its_name_is_free(desk: Desk) -> None:
    desk.bring(document())
    desk.program.dossiers.delete(desk.dossier_id)
    assert desk.program.dossiers.all() == []
    again = desk.program.dossiers.create("news", NOW)
    with desk.program.dossiers.open(again.id) as opened:
        assert opened.records.documents() == []


def test_a_dossier_that_was_deleted_in_a_transaction_that_failed_is_whole(desk: Desk) -> None:
    desk.bring(document())

    def delete(*, fail: bool) -> None:
        with desk.program.accounts.writing():
            desk.program.dossiers.delete(desk.dossier_id)
            if fail:
                raise RuntimeError

    with pytest.raises(RuntimeError):
        delete(fail=True)
    with desk.open() as opened:
        assert len(opened.records.documents()) == 1
    delete(fail=False)
    assert desk.program.dossiers.all() == []


def test_a_dossier_in_use_cannot_be_deleted(desk: Desk) -> None:
    with desk.open(), pytest.raises(StoreError) as caught:
        desk.program.dossiers.delete(desk.dossier_id)
    assert caught.value.code == "store.busy"


def test_a_dossier_that_another_thread_is_about_to_leave_is_deleted_then(desk: Desk) -> None:
    with ThreadPoolExecutor(1) as threads:
        with desk.open() as opened:
            deleting = threads.submit(desk.program.dossiers.delete, desk.dossier_id)
            assert opened.records.documents() == []
        deleting.result(5)
    assert desk.program.dossiers.all() == []


def test_threads_share_an_open_dossier(desk: Desk) -> None:
    desk.bring(document())

    def look(_: int) -> int:
        with desk.open() as opened:
            return len(opened.records.documents())

    with ThreadPoolExecutor(8) as threads:
        assert set(threads.map(look, range(64))) == {1}


def test_everything_is_there_after_closing_and_opening_again(store: Store) -> None:
    first = store.program()
    desk = Desk(first, first.dossiers.create("news", NOW).id)
    desk.bring(document())
    with Desk(store.program(), desk.dossier_id).open() as opened:
        assert [revision.text for revision in opened.records.documents()] == [document().text]


def test_a_name_is_free_among_those_of_one_maker_also_when_it_is_changed(program: Program) -> None:
    dossiers = program.dossiers
    first, second = dossiers.create("one", NOW, "ada"), dossiers.create("two", NOW, "ada")
    theirs = dossiers.create("one", NOW, "bob")
    with pytest.raises(ConfigError) as caught:
        dossiers.rename(second.id, "one")
    assert caught.value.code == "dossier_exists"
    with pytest.raises(ConfigError):
        dossiers.rename(second.id, " ")
    with pytest.raises(ConfigError) as caught:
        dossiers.find("one")
    assert caught.value.code == "ambiguous_dossier"
    dossiers.rename(first.id, "one")
    dossiers.rename(second.id, "three")
    assert {one.id: one.name for one in dossiers.all()} == {first.id: "one", second.id: "three", theirs.id: "one"}


def test_what_is_not_there_cannot_be_opened_and_is_deleted_and_renamed_to_no_effect(program: Program) -> None:
    with pytest.raises(StoreError) as caught, program.dossiers.open("nowhere"):
        pass
    assert caught.value.code == "store.missing"
    program.dossiers.delete("nowhere")
    program.dossiers.rename("nowhere", "somewhere")
    assert program.dossiers.all() == []
