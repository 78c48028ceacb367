from __future__ import annotations

import pytest

from desk import RUN, Desk
from samples import NOW, document, failure
from veille.core.models import Change


@pytest.mark.covers("R-217")
def test_a_run_reports_what_every_check_came_to_and_counts_it(desk: Desk) -> None:
    desk.bring(document(), document("https://example.org/b", text="Something else."))
    desk.again(document(), document("https://example.org/b", text="Something else."), now=NOW + 1)
    desk.again(now=NOW + 2, failure=failure(503, duration_ms=7))
    with desk.open() as opened:
        opened.runs.finish(RUN, NOW + 3)
        report = opened.runs.report(RUN)
        assert opened.runs.report() == report
    assert report is not None
    assert (report.started_at, report.finished_at, report.dossier_id) == (NOW, NOW + 3, desk.dossier_id)
    assert {change: count for change, count in report.counts.items() if count} == {
        Change.NEW: 2,
        Change.SAME: 2,
        Change.ERROR: 1,
    }
    assert [item.change for item in report.items] == [Change.NEW, Change.NEW, Change.SAME, Change.ERROR]
    last = report.items[-1]
    assert (last.code, last.status, last.duration_ms, last.source_name) == ("http.503", 503, 7, "https://example.org/a")


@pytest.mark.covers("R-217", "R-006")
def test_the_history_of_a_source_is_newest_first(desk: Desk) -> None:
    added = desk.bring(document())
    for number in (1, 2, 3):
        desk.again(document(), now=NOW + number)
    with desk.open() as opened:
        history = opened.runs.history(added.id)
        assert [item.at for item in history] == [NOW + 3, NOW + 2, NOW + 1, NOW]
        assert len(opened.runs.history(added.id, limit=2)) == 2
        assert opened.runs.history("another") == []


def test_the_history_of_a_source_is_gone_through_by_place_also_within_one_moment(desk: Desk) -> None:
    added = desk.bring(*(document(f"https://example.org/{n}", text=f"Something {n}.") for n in range(5)))
    with desk.open() as opened:
        seen: list[str] = []
        place = None
        while found := opened.runs.checks(added.id, place, 2):
            seen += [item.url for _, item in found]
            place = found[-1][0]
        assert sorted(seen) == [f"https://example.org/{n}" for n in range(5)]
        assert [item for _, item in opened.runs.checks(added.id, None, 9)] == opened.runs.history(added.id)


def test_there_is_no_report_without_a_run_and_starting_twice_is_starting_once(desk: Desk) -> None:
    with desk.open() as opened:
        assert opened.runs.report() is None
        assert opened.runs.report("unknown") is None
        opened.runs.start(RUN, NOW)
        opened.runs.start(RUN, NOW + 9)
        report = opened.runs.report()
        assert report is not None
        assert (report.started_at, report.finished_at) == (NOW, None)


def test_the_last_run_is_the_one_that_started_last(desk: Desk) -> None:
    with desk.open() as opened:
        opened.runs.start("later", NOW + 1)
        opened.runs.start("earlier", NOW)
        report = opened.runs.report()
    assert report is not None
    assert report.id == "later"
