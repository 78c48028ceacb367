from __future__ import annotations

from dataclasses import replace

import pytest

from desk import RUN, Desk
from samples import NOW, STORY, document, failure, payload, request
from veille.core.change.decide import decide
from veille.core.fingerprint import part_identity, url_identity
from veille.core.models import Change, Document, Lease, Plan, Reading, Request
from veille.core.search.query import parse
from veille.errors import NotFoundError

OTHER = "Nothing of the kind was planned for the northern pier, said the engineers who had been asked about it. " * 2
GONE = failure(410)


class PlannedError(Exception):
    """Raised by a test in the middle of a transaction."""


def _changes(plan: Plan | None) -> list[Change]:
    assert plan is not None
    return [item.change for item in plan.items]


def _write_and_fail(desk: Desk, lease: Lease) -> None:
    with desk.open() as opened, opened.writing() as writer:
        more = request(lease.source, "https://example.org/more", "entry")
        reading = Reading(lease=lease, payload=payload(), documents=(document(),), requests=(more,))
        writer.apply([decide(reading, writer, NOW)], RUN, NOW)
        raise PlannedError


def test_an_exception_inside_a_transaction_leaves_nothing(desk: Desk) -> None:
    desk.add()
    (lease,) = desk.claim()
    with desk.open() as opened:
        opened.runs.start(RUN, NOW)
    with pytest.raises(PlannedError):
        _write_and_fail(desk, lease)
    with desk.open() as opened:
        report = opened.runs.report()
        assert report is not None
        assert report.items == ()
        assert opened.records.documents() == []
        assert opened.index.ranked(parse("harbour", NOW), 10).hits == []
        assert opened.outbox.events() == []
        health = opened.records.health(NOW)
        assert (health["revisions"], health["indexed"], health["requests"], health["leased"]) == (0, 0, 1, 1)
        (untouched,) = opened.sources.all()
        assert untouched.checked_at is None
    assert desk.commit(lease, document()) is not None, "the lease is still good"


def test_what_was_read_is_written_though_a_repair_took_its_request_away_in_the_same_transaction(desk: Desk) -> None:
    added = desk.add()
    (lease,) = desk.claim()
    moved = replace(added, url="https://example.org/b")
    with desk.open() as opened, opened.writing() as writer:
        opened.runs.start(RUN, NOW)
        opened.sources.update(moved, [request(moved)])
        reading = Reading(lease=lease, payload=payload(), documents=(document(),))
        writer.apply([decide(reading, writer, NOW)], RUN, NOW)
    with desk.open() as opened:
        assert len(opened.records.documents()) == 1
        assert opened.sources.find(added.id).checked_at == NOW


@pytest.mark.covers("R-001", "R-006", "R-083")
def test_a_new_document_is_stored_indexed_told_and_reported_in_one_go(desk: Desk) -> None:
    added = desk.bring(document(lang="en", authors=("A",), published_at=NOW - 5, html="<p>h", meta={"k": 1}))
    with desk.open() as opened:
        (revision,) = opened.records.documents()
        assert (revision.n, revision.text, revision.html, revision.lang) == (1, STORY, "<p>h", "en")
        assert (revision.source_id, revision.extracted_at, revision.published_at) == (added.id, NOW, NOW - 5)
        assert (revision.meta["authors"], revision.meta["k"], revision.state) == (["A"], 1, "current")
        (event,) = opened.outbox.events()
        assert (event.change, event.revision_id, event.document_id) == (Change.NEW, revision.id, revision.document_id)
        (hit,) = opened.index.ranked(parse("harbour", NOW), 10).hits
        assert hit.revision_id == revision.id


def test_every_revision_is_kept_and_the_newest_is_current(desk: Desk) -> None:
    desk.bring(document())
    assert _changes(desk.again(document(text=OTHER), now=NOW + 1)) == [Change.CHANGED]
    with desk.open() as opened:
        (current,) = opened.records.documents()
        assert (current.n, current.text) == (2, OTHER)
        assert [revision.n for revision in opened.records.revisions(current.document_id)] == [2, 1]
        assert opened.records.revision(current.document_id).text == OTHER
        assert opened.records.revision(current.document_id, 1).text == STORY


def test_an_unchanged_document_leaves_no_trace_but_a_line_in_the_report(desk: Desk) -> None:
    desk.bring(document())
    assert _changes(desk.again(document(), now=NOW + 1)) == [Change.SAME]
    with desk.open() as opened:
        assert opened.records.health(NOW)["revisions"] == 1
        assert len(opened.outbox.events()) == 1


def test_the_index_is_never_stale(desk: Desk) -> None:
    desk.bring(document())
    desk.again(document(text=OTHER, title="Another title"), now=NOW + 1)
    with desk.open() as opened:
        for gone in ("harbour", '"a title"'):
            assert opened.index.ranked(parse(gone, NOW), 10).hits == []
        for there in ("engineers", "another"):
            assert len(opened.index.ranked(parse(there, NOW), 10).hits) == 1
        health = opened.records.health(NOW)
    assert health["indexed"] == health["documents"] == 1
    assert health["integrity"] == "ok"


def test_a_removed_document_stays_readable_and_is_told_once(desk: Desk) -> None:
    desk.bring(document())
    assert _changes(desk.again(now=NOW + 1, failure=GONE)) == [Change.REMOVED]
    assert _changes(desk.again(now=NOW + 2, failure=GONE)) == [Change.ERROR]
    with desk.open() as opened:
        (kept,) = opened.records.documents()
        assert (kept.state, kept.text) == ("removed", STORY)
        (hit,) = opened.index.ranked(parse("harbour", NOW), 10).hits
        assert hit.state == "removed"
        assert [event.change for event in opened.outbox.events()] == [Change.NEW, Change.REMOVED]


def test_a_document_that_comes_back_is_a_new_revision(desk: Desk) -> None:
    desk.bring(document())
    desk.again(now=NOW + 1, failure=GONE)
    assert _changes(desk.again(document(), now=NOW + 2)) == [Change.NEW]
    with desk.open() as opened:
        (back,) = opened.records.documents()
        assert (back.n, back.state) == (2, "current")


def test_an_error_touches_neither_content_nor_validators(desk: Desk) -> None:
    desk.add()
    (lease,) = desk.claim()
    answer = payload(etag='"7"', last_modified="yesterday", raw_hash="raw")
    with desk.open() as opened:
        opened.runs.start(RUN, NOW)
        with opened.writing() as writer:
            reading = Reading(lease=lease, payload=answer, documents=(document(),))
            writer.apply([decide(reading, writer, NOW)], RUN, NOW)
    desk.again(now=NOW + 1, failure=failure(500))
    desk.program.queue.arm(desk.dossier_id, NOW + 2)
    (again,) = desk.claim(now=NOW + 2)
    kept = again.request.validators
    assert (kept.etag, kept.last_modified, kept.raw_hash) == ('"7"', "yesterday", "raw")
    with desk.open() as opened:
        assert [revision.text for revision in opened.records.documents()] == [STORY]


def test_a_document_is_known_by_any_of_its_keys(desk: Desk) -> None:
    added = desk.bring(replace(document(), keys=("guid:1", "url:1")))
    asking = Request(id="asks", source_id=added.id, url=added.url)
    with desk.open() as opened, opened.writing() as writer:
        for keys in (("guid:1",), ("guid:2", "url:1")):
            known = writer.known(replace(document(), keys=keys), asking)
            assert known is not None
            assert (known.rev_n, known.sighted, known.state) == (1, True, "current")
        assert writer.known(replace(document(), keys=("url:2",)), asking) is None
        theirs = writer.known(replace(document(), keys=("url:1",)), replace(asking, source_id="another"))
        assert theirs is not None
        assert not theirs.sighted


def test_a_request_owns_the_document_at_its_own_address(desk: Desk) -> None:
    added = desk.bring(document(), document("https://example.org/linked", text=OTHER))
    with desk.open() as opened, opened.writing() as writer:
        owned = writer.owned(request(added))
        assert owned is not None
        assert owned.url == added.url
        assert writer.owned(request(added, "https://example.org/linked", "entry")) is None


def _copies(desk: Desk) -> tuple[Document, Document]:
    first, copy = document("https://a.example/"), document("https://b.example/")
    desk.bring(first, url=first.url)
    desk.add(copy.url)
    (lease,) = desk.claim()
    assert _changes(desk.commit(lease, copy)) == [Change.DUPLICATE]
    desk.program.queue.release("worker", NOW)
    return first, copy


def test_a_duplicate_by_text_is_counted_but_neither_told_nor_indexed(desk: Desk) -> None:
    _copies(desk)
    with desk.open() as opened:
        health = opened.records.health(NOW)
        assert (health["documents"], health["duplicates"], health["indexed"]) == (1, 1, 1)
        assert len(opened.outbox.events()) == 1


@pytest.mark.parametrize("fate", ["changed", "removed"])
def test_when_the_first_moves_on_its_duplicate_is_read_again_and_stands_for_itself(desk: Desk, fate: str) -> None:
    first, copy = _copies(desk)
    desk.program.queue.arm(desk.dossier_id, NOW + 1, [f"source of {first.url}"])
    (lease,) = desk.claim(now=NOW + 1)
    if fate == "changed":
        desk.commit(lease, document(first.url, text=OTHER), now=NOW + 1)
    else:
        desk.commit(lease, now=NOW + 1, failure=GONE)
    (again,) = desk.claim(now=NOW + 1)
    assert again.request.url == copy.url
    assert _changes(desk.commit(again, copy, now=NOW + 1)) == [Change.NEW]
    with desk.open() as opened:
        assert copy.url in {hit.url for hit in opened.index.ranked(parse("harbour", NOW), 10).hits}
        assert opened.records.health(NOW)["duplicates"] == 0


def _part(source_id: str, url: str, text: str = STORY) -> Document:
    return document(url, text, keys=(part_identity(source_id, url_identity(url)),))


def _checked(desk: Desk, source_id: str, brought: Document, now: int) -> list[Change]:
    desk.program.queue.arm(desk.dossier_id, now, [source_id])
    (lease,) = desk.claim(now=now)
    changes = _changes(desk.commit(lease, brought, now=now))
    desk.program.queue.release("worker", now)
    return changes


def test_parts_with_one_text_are_watched_each_for_its_own_changes(desk: Desk) -> None:
    """Also beside whole pages with that text: only what changed is told, as a change."""
    one, other, page = (f"https://{name}.example/" for name in ("a", "b", "c"))
    desk.bring(_part("one", one), url=one, id="one")
    desk.bring(document(page), url=page, id="page")
    desk.bring(_part("other", other), url=other, id="other")
    with desk.open() as opened:
        assert opened.records.health(NOW)["duplicates"] == 0
    assert _checked(desk, "one", _part("one", one, OTHER), NOW + 1) == [Change.CHANGED]
    assert desk.claim(now=NOW + 1) == [], "nothing else is read again for it"
    assert _checked(desk, "other", _part("other", other), NOW + 2) == [Change.SAME]
    assert _checked(desk, "other", _part("other", other, OTHER), NOW + 3) == [Change.CHANGED]
    assert _checked(desk, "page", document(page, OTHER), NOW + 4) == [Change.CHANGED]
    desk.add("https://d.example/", id="copy")
    assert _checked(desk, "copy", document("https://d.example/", OTHER), NOW + 5) == [Change.DUPLICATE]


def test_pages_of_one_site_whose_chosen_text_is_the_same_are_duplicates(desk: Desk) -> None:
    urls = ("https://a.example/", "https://a.example/print")
    desk.add(*urls, id="site")
    changes = {
        lease.request.url: _changes(desk.commit(lease, _part("site", lease.request.url))) for lease in desk.claim()
    }
    assert sorted(changes.values()) == [[Change.DUPLICATE], [Change.NEW]]


def test_documents_are_listed_last_changed_first_and_by_source(desk: Desk) -> None:
    first = desk.bring(document("https://a.example/"), url="https://a.example/")
    desk.bring(document("https://b.example/", text=OTHER), url="https://b.example/", now=NOW + 5)
    with desk.open() as opened:
        assert [revision.url for revision in opened.records.documents()] == ["https://b.example/", "https://a.example/"]
        assert [revision.source_id for revision in opened.records.documents(first.id)] == [first.id]
        assert len(opened.records.documents(limit=1)) == 1


def test_an_unknown_document_or_revision_is_not_found(desk: Desk) -> None:
    desk.bring(document())
    with desk.open() as opened:
        (found,) = opened.records.documents()
        assert opened.records.revisions("nothing") == []
        for document_id, number in (("nothing", None), (found.document_id, 9)):
            with pytest.raises(NotFoundError) as caught:
                opened.records.revision(document_id, number)
            assert caught.value.code == "no_document"


@pytest.mark.covers("R-018")
def test_text_and_a_reference_are_kept_but_no_binaries(desk: Desk) -> None:
    desk.bring(document())
    with desk.open() as opened:
        (kept,) = opened.records.documents()
    assert kept.url == "https://example.org/a"
    assert not [value for value in (getattr(kept, name) for name in kept.__slots__) if isinstance(value, bytes)]


def _shared(desk: Desk, theirs: Document, mine: Document) -> Lease:
    """A page that one source brought and another reads otherwise; the other's lease on its next check."""
    desk.bring(theirs, url="https://a.example/feed")
    desk.add(mine.url)
    (lease,) = desk.claim()
    assert _changes(desk.commit(lease, mine)) == [Change.DUPLICATE]
    desk.program.queue.release("worker", NOW)
    desk.program.queue.arm(desk.dossier_id, NOW + 1, [lease.source.id])
    (again,) = desk.claim(now=NOW + 1)
    return again


def test_what_a_source_sees_of_anothers_document_is_kept_beside_its_text(desk: Desk) -> None:
    theirs, mine = document("https://b.example/"), document("https://b.example/", text=OTHER, shown=True)
    lease = _shared(desk, theirs, mine)
    with desk.open() as opened, opened.writing() as writer:
        known = writer.known(mine, lease.request)
        assert known is not None
        assert (known.content_hash, known.seen) == (theirs.content_hash, (mine.content_hash, mine.title))
        kept = [writer.kept(known.document_id, source) for source in (lease.source.id, known.source_id)]
        assert [one and one.text for one in kept] == [OTHER, STORY]


def test_whoever_takes_a_document_over_leaves_the_other_what_it_saw(desk: Desk) -> None:
    theirs, mine = document("https://b.example/"), document("https://b.example/", text=OTHER, shown=True)
    lease = _shared(desk, theirs, mine)
    edited = replace(document(mine.url, text=f"Another thing. {OTHER}"), shown=False)
    assert _changes(desk.commit(lease, edited, now=NOW + 1)) == [Change.CHANGED]
    with desk.open() as opened:
        first = next(one for one in opened.sources.all() if one.id != lease.source.id)
        assert {opened.survey.one(one).documents for one in (first.id, lease.source.id)} == {1}
        with opened.writing() as writer:
            asked = [writer.known(theirs, request(one)) for one in (first, lease.source)]
            assert [one and one.seen for one in asked] == [(theirs.content_hash, theirs.title), None]
            assert [one and one.source_id for one in asked] == [lease.source.id] * 2
        opened.sources.delete(lease.source.id)
        assert opened.survey.one(first.id).documents == 1
        with opened.writing() as writer:
            given_back = writer.known(theirs, request(first))
            assert given_back is not None
            assert (given_back.source_id, given_back.seen) == (first.id, (theirs.content_hash, theirs.title))


def test_a_source_that_comes_to_see_anothers_text_has_no_view_of_its_own_any_more(desk: Desk) -> None:
    theirs, mine = document("https://b.example/"), document("https://b.example/", text=OTHER, shown=True)
    lease = _shared(desk, theirs, mine)
    assert _changes(desk.commit(lease, theirs, now=NOW + 1)) == [Change.SAME]
    with desk.open() as opened, opened.writing() as writer:
        known = writer.known(mine, lease.request)
        assert known is not None
        assert known.seen == (theirs.content_hash, theirs.title)
        kept = writer.kept(known.document_id, lease.source.id)
        assert kept is not None
        assert kept.text == STORY
