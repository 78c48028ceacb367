from __future__ import annotations

from dataclasses import replace

import pytest

from desk import RUN, Desk
from samples import NOW, document, failure
from veille.core.models import Change, State
from veille.core.report.source_status import IDLE_MS, Census, SourceFilter
from veille.core.schedule import DAY
from veille.errors import NotFoundError


def test_sources_are_paged_by_name_whatever_its_case_and_chosen_by_how_they_do(desk: Desk) -> None:
    for n, name in enumerate(("b", "A", "a", "C", "d")):
        desk.add(f"https://example.org/{n}", name=name, kind="feed" if name == "d" else "page", created_at=NOW)
    with desk.open() as opened:
        found = {one.source.name: one.source for one in opened.survey.page(SourceFilter(), NOW, None, 9)}
        opened.sources.update(replace(found["b"], state=State.BROKEN))
        opened.sources.update(replace(found["A"], enabled=False, state=State.ERROR))
        names, after = [], None
        while page := opened.survey.page(SourceFilter(), NOW, after, 2):
            names += [one.source.name for one in page]
            after = (page[-1].source.name, page[-1].source.id)
        assert [name.lower() for name in names] == ["a", "a", "b", "c", "d"]
        assert sorted(names) == sorted(found)

        def chosen(now: int = NOW, **wanted: str) -> list[str]:
            return [one.source.name for one in opened.survey.page(SourceFilter(**wanted), now, None, 9)]  # type: ignore[arg-type]

        assert (chosen(health="failing"), chosen(health="paused"), chosen(health="idle")) == (["b"], ["A"], [])
        assert (chosen(kind="feed"), chosen(words="ORG/3")) == (["d"], ["C"])
        later = NOW + IDLE_MS + 1
        assert len(chosen(later, health="idle")) == 4
        assert opened.survey.census(later) == [
            Census(kind="feed", all=1, failing=0, paused=0, idle=1),
            Census(kind="page", all=4, failing=1, paused=1, idle=3),
        ]


def test_a_source_has_its_documents_its_turn_and_its_changes_day_by_day(desk: Desk) -> None:
    other = document("https://example.org/b", text="Something else.")
    added = desk.bring(document(), other)
    desk.again(document(text="Now otherwise."), other, now=NOW + DAY + 1)
    with desk.open() as opened:
        standing = opened.survey.one(added.id)
        assert (standing.documents, standing.next_at) == (
            2,
            opened.survey.page(SourceFilter(), NOW, None, 1)[0].next_at,
        )
        assert standing.next_at is not None
        assert standing.next_at > NOW + DAY
        assert opened.survey.activity([added.id, "another"], NOW // DAY) == {added.id: {0: 2, 1: 1}}
        assert opened.survey.activity([added.id], NOW // DAY + 1) == {added.id: {0: 1}}
        opened.sources.update(replace(added, enabled=False))
        assert opened.survey.one(added.id).next_at is None
        with pytest.raises(NotFoundError):
            opened.survey.one("another")


def test_the_progress_of_a_look_is_what_came_since_and_what_is_still_due(desk: Desk) -> None:
    added = desk.bring(document())
    begun = NOW + DAY
    desk.program.queue.arm(desk.dossier_id, begun, [added.id])
    with desk.open() as opened:
        progress = opened.survey.progress(added.id, begun, begun)
        assert (progress.waiting, progress.counts) == (1, {})
    (lease,) = desk.claim(now=begun)
    with desk.open() as opened:
        assert opened.survey.progress(added.id, begun, begun).waiting == 1
    desk.commit(lease, document(text="Now otherwise."), now=begun + 5)
    with desk.open() as opened:
        progress = opened.survey.progress(added.id, begun, begun + 5)
        assert (progress.waiting, progress.counts) == (0, {Change.CHANGED: 1})


def test_the_tallies_of_a_run_are_true_while_it_goes_on_and_each_time_it_ends(desk: Desk) -> None:
    added = desk.bring(document(), document("https://example.org/b", text="Something else."))

    def tallies() -> dict[Change, int]:
        with desk.open() as opened:
            (found,) = opened.runs.tallies(RUN, 9)
            counted = opened.runs.one(RUN).counts
        assert (found.source_id, found.counts) == (added.id, counted)
        return {change: count for change, count in counted.items() if count}

    assert tallies() == {Change.NEW: 2}
    for number in (1, 2):
        with desk.open() as opened:
            opened.runs.finish(RUN, NOW + number)
        assert tallies() == {Change.NEW: 2}
    desk.again(now=NOW + 3, failure=failure(503))
    with desk.open() as opened:
        opened.runs.finish(RUN, NOW + 4)
        first = opened.runs.lines(RUN, Change.NEW, ("", 0), 1)
        second = opened.runs.lines(RUN, Change.NEW, first[0][0], 9, added.id)
        assert {line.url for _, line in first + second} == {"https://example.org/a", "https://example.org/b"}
        assert opened.runs.lines(RUN, Change.NEW, second[-1][0], 9) == []
        assert opened.runs.lines(RUN, Change.NEW, ("", 0), 9, "another") == []
    assert tallies() == {Change.NEW: 2, Change.ERROR: 1}


def test_a_series_from_few_lines_leaves_out_the_run_it_has_not_seen_in_full(desk: Desk) -> None:
    added = desk.bring(document(), document("https://example.org/b", text="Something else."))
    with desk.open() as opened:
        assert len(opened.runs.series(added.id, 9)) == 1
        assert opened.runs.series(added.id, 9) == opened.runs.series(added.id)
