from __future__ import annotations

from dataclasses import replace

from veille.core.compare.diff import Fact, change_size, compared, facts_changed, word_count
from veille.core.records import Revision
from veille.core.show.article import is_rtl, quality_word, reading_minutes

REVISION = Revision(
    id="r1",
    document_id="d",
    source_id="s",
    n=1,
    url="https://example.org/a",
    title="A",
    text="a",
    html="",
    lang="en",
    content_hash="",
    extracted_at=0,
    published_at=None,
    meta={"authors": ["Ada"], "summary": ""},
    strategy="density",
    quality=1.0,
)


def test_other_changed_fields_are_named() -> None:
    newer = replace(REVISION, url="https://example.org/b", published_at=0, meta={"authors": ["Ada", "Bob"]})
    assert facts_changed(REVISION, newer) == [
        Fact("Address", "https://example.org/a", "https://example.org/b"),
        Fact("Authors", "Ada", "Ada, Bob"),
        Fact("Published", "", "1970-01-01T00:00:00Z"),
    ]
    assert facts_changed(REVISION, replace(REVISION, text="other", title="other")) == []


def test_the_size_of_a_change_is_described_in_words() -> None:
    assert change_size("one two\nthree", "one two\nthree") == (0, 0)
    assert change_size("the price is 10\nsame", "the price is 12\nsame\nmore words") == (3, 1)
    assert change_size("a\nb", "b\na") == (0, 0), "what only moved is no change of size"
    assert change_size("", "日本語 and more") == (4, 0)


def test_the_size_of_a_very_long_change_is_estimated() -> None:
    old, new = (" ".join(f"{side}{n:06}" for n in range(200_000)) for side in "ab")
    added, removed = change_size(old, new)
    assert abs(added - 200_000) < 20
    assert abs(removed - 200_000) < 20


def test_words_for_figures() -> None:
    assert [quality_word(quality) for quality in (1.0, 0.6, 0.3, 0.0, -1.0)] == [
        "good",
        "fair",
        "poor",
        "doubtful",
        "doubtful",
    ]
    assert (word_count("one two 日本語"), reading_minutes(0), reading_minutes(401)) == (4, 1, 3)
    assert [is_rtl(lang) for lang in ("ar", "fa-IR", "en", "")] == [True, True, False, False]


def test_titles_are_part_of_what_is_compared_where_they_differ() -> None:
    newer = replace(REVISION, n=2, text="b")
    assert compared(REVISION, newer) == ("a", "b")
    assert compared(REVISION, replace(newer, title="B")) == ("A\n\na", "B\n\nb")
    assert compared(REVISION, replace(newer, title="")) == ("A\n\na", "b")
    assert compared(None, newer) == ("", "b")
    assert change_size(*compared(REVISION, replace(REVISION, title="B"))) == (1, 1)
