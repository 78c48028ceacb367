from __future__ import annotations

from pathlib import Path

import pytest

from ask.campaign import Campaign
from ask.models import Failing, Faithful, Obedient
from ask.typed import ANSWERED, ASKED_OF_THINGS, PAGES, UNANSWERED
from samples import NOW
from veille import App
from veille.services.reading.filling import fill
from veille.settings import Settings

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


def test_whole_sentences_in_other_words_are_answered_and_what_no_page_says_is_not(tmp_path: Path) -> None:
    with App(Settings(data=tmp_path, min_free_mb=0), lambda: NOW) as app:
        dossier_id = app.create_dossier("people").id
        with app.dossiers.open(dossier_id) as store:
            fill(store, dossier_id, PAGES, NOW)
        answers = {asked: app.asking.ask(dossier_id, asked, with_model=False) for asked, _ in ANSWERED}
        missed = [
            asked for asked, value in ANSWERED if not any(value in one.text for one in answers[asked].statements[:3])
        ]
        assert len(missed) <= 0.15 * len(ANSWERED), missed
        answered = [
            asked for asked in (*UNANSWERED, *ASKED_OF_THINGS) if app.asking.ask(dossier_id, asked).kind != "nothing"
        ]
        assert not answered
