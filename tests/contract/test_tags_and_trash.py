"""Tags of sources and documents, and the trash."""

from __future__ import annotations

from dataclasses import replace

import pytest

from desk import Desk
from samples import NOW, document
from veille.core.records import DocumentFilter
from veille.core.report.source_status import SourceFilter
from veille.core.search.query import parse
from veille.core.show.change_rows import ChangeFilter
from veille.errors import ConfigError, NotFoundError

USER = "ada"


def test_tags_of_sources_follow_their_options(desk: Desk) -> None:
    one = desk.add("https://a.example/", config={"tags": ["Law", " tea "]})
    desk.add("https://b.example/", config={"tags": ["tea"]})
    desk.add("https://c.example/")
    with desk.open() as opened:
        assert [(use.name, use.sources) for use in opened.tags.used(USER)] == [("Law", 1), ("tea", 2)]
        found = opened.survey.page(SourceFilter(tag="Law"), NOW, None, 9)
        assert [status.source.id for status in found] == [one.id]
        opened.sources.update(replace(one, config={}))
        assert [(use.name, use.sources) for use in opened.tags.used(USER)] == [("tea", 1)]


def test_many_sources_are_tagged_and_untagged_without_being_read_anew(desk: Desk) -> None:
    first = desk.add("https://a.example/", config={"tags": ["tea"], "mode": "auto"})
    second = desk.add("https://b.example/")
    with desk.open() as opened:
        assert opened.tags.put_on_sources([first.id, second.id, "absent"], "tea", NOW) == 1
        assert opened.sources.find(second.id).config == {"tags": ["tea"]}
        assert opened.tags.drop_from_sources([first.id, second.id], "tea", NOW) == 2
        assert opened.sources.find(first.id).config == {"mode": "auto"}
        assert opened.tags.used(USER) == []


def test_documents_and_changes_are_found_by_their_own_tag_and_by_that_of_their_source(desk: Desk) -> None:
    desk.bring(document("https://a.example/"), url="https://a.example/", config={"tags": ["tea"]})
    other = document("https://b.example/", text="Something else that nobody tagged.")
    desk.bring(other, url="https://b.example/")
    with desk.open() as opened:

        def tagged(tag: str) -> list[str]:
            lines, _ = opened.records.lines(DocumentFilter(tag=tag), None, 9)
            changes, _ = opened.changes.page(ChangeFilter(user_id=USER, tag=tag), None, 9)
            assert [line.id for line in lines] == [change.document_id for change in changes]
            return [line.url for line in lines]

        assert tagged("tea") == ["https://a.example/"]
        assert tagged("law") == []
        (later,) = [one for one in opened.records.documents() if one.url == other.url]
        assert opened.tags.put([later.document_id, "absent"], "law") == 1
        assert opened.tags.put([later.document_id], "law") == 0
        assert tagged("law") == ["https://b.example/"]
        assert {(use.name, use.unread) for use in opened.tags.used(USER)} == {("law", 1), ("tea", 1)}
        opened.marks.read(USER, later.document_id)
        assert {(use.name, use.unread) for use in opened.tags.used(USER)} == {("law", 0), ("tea", 1)}
        assert opened.tags.drop([later.document_id], "law") == 1
        assert tagged("law") == []


def test_a_tag_gets_another_name_on_sources_and_documents_or_goes(desk: Desk) -> None:
    first = desk.bring(document("https://a.example/"), url="https://a.example/", config={"tags": ["law", "tea"]})
    desk.add("https://b.example/", config={"tags": ["new"]})
    with desk.open() as opened:
        (found,) = opened.records.documents()
        opened.tags.put([found.document_id], "tea")
        opened.tags.put([found.document_id], "green tea")
        assert opened.tags.rename("tea", "green tea", NOW) == 2
        assert opened.sources.find(first.id).config["tags"] == ["law", "green tea"]
        assert opened.records.tags([found.document_id]) == {found.document_id: ("green tea",)}
        assert opened.tags.rename("law", "green tea", NOW) == 1
        assert opened.sources.find(first.id).config["tags"] == ["green tea"]
        assert opened.tags.rename("green tea", "", NOW) == 2
        assert "tags" not in opened.sources.find(first.id).config
        assert opened.records.tags([found.document_id]) == {}
        assert opened.tags.rename("tea", "law", NOW) == opened.tags.rename("tea", "", NOW) == 0
        assert [(use.name, use.sources) for use in opened.tags.used(USER)] == [("new", 1)]


def test_a_deleted_source_is_nowhere_and_comes_back_as_it_was(desk: Desk) -> None:
    added = desk.bring(document(), config={"tags": ["tea"]})
    with desk.open() as opened:
        (before,) = opened.records.documents()
        opened.trash.put(added.id, NOW + 1)
        assert (opened.sources.all(), opened.sources.count(), opened.sources.get(added.id)) == ([], 0, None)
        assert opened.records.documents() == []
        assert opened.records.lines(DocumentFilter(only=(before.document_id,)), None, 9)[0] == []
        with pytest.raises(NotFoundError):
            opened.records.revision(before.document_id)
        assert opened.index.ranked(parse("harbour", NOW), 10).hits == []
        assert (opened.outbox.latest(None, 9), opened.marks.unread(USER), opened.tags.used(USER)) == ([], 0, [])
        assert opened.survey.census(NOW) == []
        (trashed,) = opened.trash.all(9)
        assert (trashed.id, trashed.trashed_at, trashed.documents) == (added.id, NOW + 1, 1)
    desk.program.queue.arm(desk.dossier_id, NOW + 2)
    assert desk.claim(now=NOW + 2) == []
    with desk.open() as opened:
        restored = opened.trash.restore(added.id, NOW + 3)
        assert restored.enabled
        assert opened.records.documents() == [before]
        assert [hit.document_id for hit in opened.index.ranked(parse("harbour", NOW), 10).hits] == [before.document_id]
        assert [use.name for use in opened.tags.used(USER)] == ["tea"]
        assert opened.trash.all(9) == []
        with pytest.raises(NotFoundError):
            opened.trash.restore(added.id, NOW + 4)
    desk.program.queue.arm(desk.dossier_id, NOW + 5)
    assert [lease.source.id for lease in desk.claim(now=NOW + 5)] == [added.id]


def test_a_paused_source_comes_back_paused(desk: Desk) -> None:
    added = desk.add(enabled=False)
    with desk.open() as opened:
        opened.trash.put(added.id, NOW)
        assert not opened.trash.restore(added.id, NOW).enabled


def test_the_address_of_a_deleted_source_is_free_and_then_it_cannot_come_back(desk: Desk) -> None:
    first = desk.add()
    with desk.open() as opened:
        opened.trash.put(first.id, NOW)
    desk.add(id="second")
    with desk.open() as opened:
        with pytest.raises(ConfigError) as caught:
            opened.trash.restore(first.id, NOW)
        assert caught.value.code == "duplicate_source"
        assert [one.id for one in opened.trash.all(9)] == [first.id]


def test_a_worker_that_has_it_in_hand_commits_nothing(desk: Desk) -> None:
    added = desk.add()
    (lease,) = desk.claim()
    with desk.open() as opened:
        opened.trash.put(added.id, NOW)
    assert desk.commit(lease, document()) is None
    with desk.open() as opened:
        assert opened.records.documents() == []


def test_what_another_source_brings_again_is_its_own_and_stays_so(desk: Desk) -> None:
    first = desk.bring(document("https://example.org/shared"), url="https://a.example/")
    with desk.open() as opened:
        opened.trash.put(first.id, NOW + 1)
    second = desk.bring(document("https://example.org/shared"), url="https://b.example/")
    with desk.open() as opened:
        (kept,) = opened.records.documents()
        assert kept.source_id == second.id
        opened.trash.restore(first.id, NOW + 2)
        (kept,) = opened.records.documents()
        assert kept.source_id == second.id
        assert opened.records.health(NOW)["indexed"] == 1


def test_what_was_deleted_long_ago_is_purged_and_nothing_else(desk: Desk) -> None:
    old = desk.bring(document("https://a.example/"), url="https://a.example/")
    new = desk.bring(document("https://b.example/", text="Something else."), url="https://b.example/")
    with desk.open() as opened:
        opened.trash.put(old.id, NOW)
        opened.trash.put(new.id, NOW + 10)
        assert opened.trash.purge(NOW + 5, NOW) == 1
        assert [one.id for one in opened.trash.all(9)] == [new.id]
        opened.trash.restore(new.id, NOW + 20)
        assert [one.url for one in opened.records.documents()] == ["https://b.example/"]
        assert opened.records.health(NOW)["foreign_keys"] == 0


def test_what_a_source_brings_while_it_is_muted_counts_as_read(desk: Desk) -> None:
    added = desk.bring(document())
    with desk.open() as opened:
        (found,) = opened.records.documents()
        assert opened.marks.unread(USER) == 1
        opened.sources.mute(added.id, NOW + 10)
        assert (opened.marks.unread(USER), opened.marks.unread_of(USER, [found.document_id])) == (0, set())
        assert opened.sources.muted() == {added.id: NOW + 10}
        assert opened.survey.one(added.id).muted_until == NOW + 10
        assert [event.document_id for event in opened.outbox.latest(None, 9)] == [found.document_id]
    desk.again(document(text="Now it says something else, and loudly."), now=NOW + 10)
    with desk.open() as opened:
        assert opened.marks.unread(USER) == 1
        assert opened.marks.unread_of(USER, [found.document_id]) == {found.document_id}
