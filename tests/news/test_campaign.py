from __future__ import annotations

from pathlib import Path

import pytest

from news.campaign import Campaign

pytestmark = pytest.mark.timeout(300)


@pytest.mark.covers("R-236", "R-163", "R-164", "R-075")
def test_news_come_to_the_same_rows_however_often_it_is_killed_and_wherever_the_workbook_is(tmp_path: Path) -> None:
    report = Campaign(tmp_path, articles=90, papers=3, length=400).run(kills=2, workers=2)
    assert not report.breaches, report.text()
    assert [turn.kills for turn in report.turns] == [0, 2, 0, 2]
    assert all(turn.articles == 90 for turn in report.turns)
    _, _, sheets, _ = report.turns
    assert 0 < sheets.calls <= 25, "three commands, whatever the number of articles"
