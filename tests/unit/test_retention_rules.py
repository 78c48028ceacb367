"""Rules of retention: what they mean, and which revisions they end."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from veille.core.archive.archive_files import line_of, packed_lines
from veille.core.archive.content_state import ContentState
from veille.core.archive.retention import AgedDocument, Fate, Version, fates, is_forgotten, retention
from veille.core.schedule import DAY, HOUR
from veille.errors import ConfigError, ReadError

NOW = int(datetime(2026, 6, 30, 12, tzinfo=UTC).timestamp() * 1000)

pytestmark = pytest.mark.covers("R-244")


def _versions(*ages: int, kept: ContentState = ContentState.HERE) -> list[Version]:
    """Revisions of these ages in hours, newest first."""
    return [Version(n=len(ages) - at, at=NOW - age * HOUR, kept=kept) for at, age in enumerate(ages)]


def _ended(rule: str, *ages: int) -> dict[int, Fate]:
    return fates(_versions(*ages), retention(rule), NOW)


@pytest.mark.parametrize("rule", ["", "all", " ALL ", "all, all"])
def test_all_ends_nothing(rule: str) -> None:
    assert _ended(rule, 0, 1000, 100_000) == {}


def test_the_last_ones_are_kept() -> None:
    assert _ended("last 2", 0, 1, 2, 3) == {2: Fate.REMOVE, 1: Fate.REMOVE}


def test_the_current_one_is_always_kept() -> None:
    assert _ended("delete after 1d, last 1", 10_000) == {}
    assert _ended("delete after 1d, archive after 1d", 9_000, 10_000) == {1: Fate.REMOVE}


def test_of_each_day_the_last_is_kept() -> None:
    # 12:00, 10:00 and 08:00 of one day, 20:00 and 09:00 of the day before; then what is younger than a week.
    old = 10 * 24
    assert _ended("daily after 7d", 0, 1, old, old + 2, old + 4, old + 16, old + 27) == {
        4: Fate.REMOVE,
        3: Fate.REMOVE,
        1: Fate.REMOVE,
    }


@pytest.mark.parametrize(("rule", "left"), [("weekly after 1d", 6), ("monthly after 1d", 3), ("yearly after 1d", 2)])
def test_longer_periods_keep_fewer(rule: str, left: int) -> None:
    # One a week for five weeks before the end of June: two in June are of one month, the current one stands apart.
    ages = [0, *(24 * (2 + 7 * week) for week in range(5))]
    assert len(ages) - len(_ended(rule, *ages)) == left


def test_what_is_old_is_archived_and_what_is_older_is_removed() -> None:
    assert _ended("archive after 10d, delete after 30d", 0, 24, 24 * 11, 24 * 31) == {2: Fate.ARCHIVE, 1: Fate.REMOVE}


def test_what_is_archived_is_not_archived_again_but_may_be_removed() -> None:
    versions = [*_versions(0), *_versions(24 * 11, 24 * 31, kept=ContentState.ARCHIVED)]
    versions = [Version(n=3 - at, at=one.at, kept=one.kept) for at, one in enumerate(versions)]
    assert fates(versions, retention("archive after 10d, delete after 30d"), NOW) == {1: Fate.REMOVE}


def test_what_a_sink_waits_for_is_left_alone() -> None:
    versions = [
        Version(n=2, at=NOW, kept=ContentState.HERE),
        Version(n=1, at=0, kept=ContentState.HERE, is_awaited=True),
    ]
    assert fates(versions, retention("last 1, delete after 1d"), NOW) == {}


@pytest.mark.parametrize(
    "rule",
    [
        "last",
        "last 0",
        "last many",
        "daily",
        "daily after",
        "daily after soon",
        "hourly after 1d",
        "archive",
        "x" * 400,
    ],
)
def test_another_text_is_no_rule(rule: str) -> None:
    with pytest.raises(ConfigError, match="no rule of retention") as raised:
        retention(rule)
    assert raised.value.code == "bad_retention"


@pytest.mark.parametrize(("gone", "wanted", "deleted"), [(400, 0, 1), (300, 0, 0), (400, 1, 0)])
def test_documents_that_are_long_gone_are_deleted_unless_somebody_wants_them(
    gone: int, wanted: int, deleted: int
) -> None:
    document = AgedDocument(
        row=1, id="d", title="", url="", rule="", gone_at=NOW - gone * DAY, is_wanted=bool(wanted), versions=()
    )
    assert is_forgotten(document, retention("delete gone after 1y"), NOW) is bool(deleted)
    assert not is_forgotten(document, retention("delete after 1d"), NOW)


RULES = ["last 3", "daily after 2d", "weekly after 9d, monthly after 90d", "archive after 5d, last 9"]


@given(ages=st.lists(st.integers(0, 20_000), min_size=1, max_size=60).map(sorted), rule=st.sampled_from(RULES))
def test_a_second_run_ends_nothing_more(ages: list[int], rule: str) -> None:
    versions = _versions(*ages)
    found = fates(versions, retention(rule), NOW)
    kept = {Fate.ARCHIVE: ContentState.ARCHIVED, Fate.REMOVE: ContentState.REMOVED}
    after = [Version(n=one.n, at=one.at, kept=kept[found[one.n]] if one.n in found else one.kept) for one in versions]
    assert versions[0].n not in found
    assert fates(after, retention(rule), NOW) == {}


def test_lines_of_an_archive_are_read_one_by_one() -> None:
    frame = packed_lines([{"text": "Grüße\n1"}, {"text": "two"}])
    assert [line_of(frame, at)["text"] for at in (0, 1)] == ["Grüße\n1", "two"]


@pytest.mark.parametrize("number", [0, 5])
def test_a_damaged_archive_is_an_error_with_a_code(number: int) -> None:
    frame = bytearray(packed_lines([{"text": "one " * 100}]))
    frame[len(frame) // 2] ^= 0xFF
    with pytest.raises(ReadError) as raised:
        line_of(bytes(frame) if not number else packed_lines([{}]), number)
    assert raised.value.code == "archive_damaged"
