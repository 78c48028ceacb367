from __future__ import annotations

from pathlib import Path

import pytest

from ask.campaign import Campaign
from ask.models import Failing, Faithful, Obedient

pytestmark = pytest.mark.timeout(300)


def test_known_answers_are_found_cited_and_no_page_is_obeyed(tmp_path: Path) -> None:
    """The short form of `make ask`."""
    campaign = Campaign(tmp_path, seed=1, pages=20, planted_pages=12)
    with campaign.watched() as watch:
        questions = campaign.questions(32)
        for rule in (None, Faithful(), Failing(1)):
            report = campaign.ask(watch, questions, rule)
            campaign.spring(watch, rule and Obedient(), report)
            if rule is None:
                campaign.nonsense(watch, report)
                assert report.unanswerable
            assert report.precision == 1, report.text()
            assert report.share >= 0.9, (report.text(), report.missed)
            assert not report.followed
            assert not report.answered_anyway
            assert (report.by_model > 0) is (rule is not None)
    campaign.site.__exit__(None, None, None)
