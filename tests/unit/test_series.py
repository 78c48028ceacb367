from __future__ import annotations

import pytest

from veille.core.report.figures import Count, carried
from veille.interfaces.web.views.charts import checks_chart


@pytest.mark.covers("R-096")
@pytest.mark.parametrize(
    ("counted", "expected"),
    [
        ([(3, 0), (None, 0), (5, 0)], [3, 3, 5]),
        ([(3, 0), (None, 1), (None, 0)], [3, 0, 0]),
        ([(None, 0), (0, 0)], [None, 0]),
        ([(2, 1)], [2]),
        ([], []),
    ],
)
def test_an_answer_that_was_not_read_counts_as_the_last_one(
    counted: list[tuple[int | None, int]], expected: list[int | None]
) -> None:
    counts = [
        Count(run_id=str(number), at=number, found=found, new=0, changed=0, failed=failed)
        for number, (found, failed) in enumerate(counted)
    ]
    assert [count.found for count in carried(counts)] == expected


def test_a_check_that_removed_what_there_was_did_not_find_it_as_before() -> None:
    counts = [
        Count(run_id="1", at=1, found=1, new=1, changed=0, failed=0),
        Count(run_id="2", at=2, found=None, new=0, changed=0, failed=0, removed=1),
    ]
    shown = {series.name: series.values for series in checks_chart(counts)[0]}
    assert shown["removed"] == [0, 1]
    assert shown["as before"] == [0, 0]
