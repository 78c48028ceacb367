from __future__ import annotations

import random

import pytest

from desk import Desk
from samples import NOW, document, failure
from veille.core.models import Document
from veille.core.search.answers import Story
from veille.errors import NotFoundError

WORDS = [f"{a}{b}" for a in "lo ka mi ter ans vel dro qui".split() for b in "ra ne to si bu gel mor fy".split()]


def _text(seed: int, words: int = 200) -> str:
    return " ".join(random.Random(seed).choices(WORDS, k=words))


def _edited(text: str, seed: int, share: float = 0.1) -> str:
    rng = random.Random(seed)
    return " ".join(word if rng.random() > share else "other" for word in text.split())


def _document(name: str, text: str) -> Document:
    return document(f"https://example.org/{name}", text, title=name)


def _ids(desk: Desk) -> dict[str, str]:
    with desk.open() as opened:
        return {revision.title: revision.document_id for revision in opened.records.documents()}


def _story(desk: Desk, name: str) -> Story | None:
    ids = _ids(desk)
    with desk.open() as opened:
        return opened.stories.of(ids[name])


def _told(desk: Desk) -> list[set[str]]:
    with desk.open() as opened:
        return [{one.title for one in story.documents} for story in opened.stories.all()]


@pytest.mark.covers("R-242")
def test_documents_that_tell_the_same_are_one_story(desk: Desk) -> None:
    text = _text(1)
    desk.bring(
        _document("original", text),
        _document("edited", _edited(text, 1)),
        _document("cut", " ".join(text.split()[:120])),
        _document("framed", f"{_text(7, 30)} {text} {_text(8, 40)}"),
        _document("another", _text(2)),
    )
    assert _told(desk) == [{"original", "edited", "cut", "framed"}]
    story = _story(desk, "cut")
    assert story == _story(desk, "original")
    assert story is not None
    assert story.documents[0].title == "original"
    assert _story(desk, "another") is None
    ids = _ids(desk)
    with desk.open() as opened:
        by_document = opened.stories.of_many([*ids.values(), "nothing"])
    assert set(by_document) == set(ids.values()), "also one that nobody else tells"
    assert by_document[ids["cut"]] == by_document[ids["edited"]] == story.id
    assert by_document[ids["another"]] != story.id
    with desk.open() as opened:
        assert opened.stories.find(story.id) == story
        first = opened.stories.find(story.id, 2)
        assert (first.documents, first.total) == (story.documents[:2], 4)
        assert opened.stories.of(story.documents[3].document_id, 2) == first


def test_a_story_nobody_knows_is_not_found(desk: Desk) -> None:
    with desk.open() as opened, pytest.raises(NotFoundError) as told:
        opened.stories.find("none")
    assert told.value.code == "no_story"


def test_a_document_that_changes_to_something_else_leaves_its_story(desk: Desk) -> None:
    text = _text(1)
    first, second = _document("first", text), _document("second", _edited(text, 1))
    desk.bring(first, second)
    desk.again(first, _document("second", _text(5)), now=NOW + 1)
    assert _told(desk) == []
    desk.again(first, _document("second", _edited(text, 2)), now=NOW + 2)
    assert _told(desk) == [{"first", "second"}]


def test_a_story_keeps_its_id_while_its_documents_change_come_and_go(desk: Desk) -> None:
    text = _text(1)
    names = ("first", "second", "third")
    desk.bring(*(_document(name, _edited(text, at)) for at, name in enumerate(names)))
    before = _story(desk, "second")
    assert before is not None
    # The founder turns to something else; the others are edited once more.
    desk.again(
        _document("first", _text(9)), *(_document(name, _edited(text, ord(name[0]))) for name in names[1:]), now=NOW + 1
    )
    after = _story(desk, "second")
    assert after is not None
    assert (after.id, {one.title for one in after.documents}) == (before.id, {"second", "third"})


def test_a_removed_document_leaves_its_story_and_comes_back_into_it(desk: Desk) -> None:
    text = _text(1)
    desk.bring(_document("a", text), url="https://example.org/a")
    desk.bring(_document("b", _edited(text, 1)), url="https://example.org/b")
    ids = _ids(desk)
    story = _story(desk, "a")
    assert story is not None
    desk.program.queue.arm(desk.dossier_id, NOW + 1)
    for lease in desk.claim(now=NOW + 1):
        if lease.request.url.endswith("a"):
            desk.commit(lease, now=NOW + 1, failure=failure(410))
    desk.program.queue.release("worker", NOW + 1)
    with desk.open() as opened:
        assert opened.stories.all() == []
        assert opened.stories.of(ids["a"]) is None
    desk.program.queue.arm(desk.dossier_id, NOW + 2)
    for lease in desk.claim(now=NOW + 2):
        if lease.request.url.endswith("a"):
            desk.commit(lease, _document("a", text), now=NOW + 2)
    again = _story(desk, "a")
    assert again is not None
    assert again.id == story.id


def test_a_deleted_source_takes_its_documents_out_of_the_stories(desk: Desk) -> None:
    text = _text(1)
    gone = desk.bring(_document("a", text), url="https://example.org/a")
    desk.bring(_document("b", _edited(text, 1)), _document("c", _edited(text, 2)), url="https://example.org/b")
    with desk.open() as opened:
        opened.sources.delete(gone.id)
        health = opened.records.health(NOW)
    assert (health["integrity"], health["foreign_keys"]) == ("ok", 0)
    assert _told(desk) == [{"b", "c"}]
    # What is left still finds newcomers.
    desk.bring(_document("d", _edited(text, 3)), url="https://example.org/d")
    assert _told(desk) == [{"b", "c", "d"}]


def test_a_duplicate_is_in_the_story_of_the_text_it_repeats(desk: Desk) -> None:
    text = _text(1)
    desk.bring(_document("a", text), _document("b", _edited(text, 1)))
    plan = desk.again(_document("a", text), _document("b", _edited(text, 1)), _document("copy", text), now=NOW + 1)
    copy = plan.items[-1]
    with desk.open() as opened:
        story = opened.stories.of(copy.document_id)
        assert story is not None
        assert story == opened.stories.of(copy.duplicate_of)


def test_short_texts_make_no_story(desk: Desk) -> None:
    short = " ".join(_text(1).split()[:25])
    desk.bring(_document("a", short), _document("b", f"{short} more"))
    assert _told(desk) == []


def test_two_stories_that_turn_out_to_be_one_are_merged_under_the_older_name(desk: Desk) -> None:
    words = _text(1, 600).split()
    # Each has a third of its own and shares hardly enough with the other; the whole has both.
    left, right = words[:60] + _text(20, 300).split(), words[-60:] + _text(21, 300).split()
    desk.bring(_document("left", " ".join(left)), _document("right", " ".join(right)))
    assert _told(desk) == []
    blend = [a if at % 40 < 20 else b for at, (a, b) in enumerate(zip(left, right, strict=True))]
    desk.again(
        _document("left", " ".join(left)),
        _document("right", " ".join(right)),
        _document("blend", " ".join(blend)),
        now=NOW + 1,
    )
    assert _told(desk) == [{"left", "right", "blend"}]


def test_a_story_of_many_copies_goes_on_growing(desk: Desk) -> None:
    text = _text(1)
    desk.bring(*(_document(f"copy {n}", _edited(text, n, 0.05)) for n in range(60)))
    assert [len(story) for story in _told(desk)] == [60]


def test_pages_of_one_site_are_not_one_story_for_its_frame(desk: Desk) -> None:
    header, footer = _text(100, 40), _text(101, 60)
    desk.bring(*(_document(f"page {n}", f"{header} {_text(n, 150)} {footer}") for n in range(40)))
    assert _told(desk) == []
