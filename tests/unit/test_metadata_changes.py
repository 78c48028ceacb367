from __future__ import annotations

import json
from typing import Any

import pytest

from samples import NOW, document
from veille.core.change.metadata_changes import facts_of, metadata_change
from veille.core.models import Document

EARLIER, LATER = NOW - 86_400_000, NOW - 3_600_000


def _of(modified_by: str = "", **given: Any) -> Document:
    meta = given.pop("meta", {}) | ({"modified_by": modified_by} if modified_by else {})
    return document(meta=meta, **given)


def _names(before: Document, after: Document) -> tuple[str, ...]:
    change = metadata_change(facts_of(before), after, NOW)
    return change.names if change else ()


@pytest.mark.covers("R-066", "R-069")
@pytest.mark.parametrize(
    ("edit", "name"),
    [
        ({"meta": {"version_hint": "2"}}, "version_hint"),
        ({"authors": ("Ann", "Bob")}, "authors"),
        ({"summary": "Other."}, "summary"),
        ({"lang": "fr"}, "language"),
        ({"published_at": EARLIER}, "published_at"),
        ({"modified_at": EARLIER}, "modified_at"),
        ({"meta": {"tags": ["a"]}}, "tags"),
        ({"meta": {"section": "World"}}, "section"),
        ({"meta": {"page_title": "Other"}}, "page_title"),
    ],
)
def test_what_a_document_says_of_itself_is_relevant(edit: dict[str, Any], name: str) -> None:
    assert _names(_of(), _of(**edit)) == (name,)


@pytest.mark.covers("R-069")
@pytest.mark.parametrize(
    "edit",
    [
        {"meta": {"parent_url": "https://example.org/"}},
        {"meta": {"text_quality": {"wordlike_ratio": 0.4}}},
        {"quality": 0.4},
        {"strategy": "density"},
        {"modified_at": NOW},
        {"published_at": NOW - 500},
    ],
)
def test_what_depends_on_the_fetch_is_not(edit: dict[str, Any]) -> None:
    assert _names(_of(), _of(**edit)) == ()


@pytest.mark.covers("R-066")
def test_an_older_date_counts_only_if_the_document_says_so() -> None:
    for by, names in {"document": ("modified_at",), "server": (), "file": ()}.items():
        assert _names(_of(by, modified_at=LATER), _of(by, modified_at=EARLIER)) == names
        assert _names(_of(by, modified_at=EARLIER), _of(by, modified_at=LATER)) == ("modified_at",)


def test_a_date_that_is_no_longer_said_is_no_change() -> None:
    assert _names(_of("server", modified_at=LATER), _of()) == ()


def test_a_summary_of_a_text_with_noise_has_the_noise_too() -> None:
    before, after = facts_of(_of(summary="Points: 3")), _of(summary="Points: 4")
    assert metadata_change(before, after, NOW, is_same_text=False) is None
    assert metadata_change(before, after, NOW)


def test_what_is_kept_for_the_comparison_is_small_however_long_the_values_are() -> None:
    long = _of(summary="s" * 100_000, authors=tuple(f"Author {n}" for n in range(10_000)), meta={"tags": ["t"] * 9_999})
    assert len(facts_of(long)) < 200
    assert _names(long, _of(summary="s" * 99_999, authors=long.authors, meta=long.meta)) == ("summary",)


def test_the_message_has_the_values_before_and_after_and_no_escape_sequences() -> None:
    before, after = _of(meta={"version_hint": "1.0"}), _of(authors=("Ann",), meta={"version_hint": "2\x1b[31m"})
    change = metadata_change(facts_of(before), after, NOW)
    assert change is not None
    assert change.message == "Its metadata changed: version_hint 1.0 → 2[31m; authors (none) → Ann."


def test_the_facts_are_json() -> None:
    assert json.loads(facts_of(_of(lang="en"))) == {"language": "en"}
