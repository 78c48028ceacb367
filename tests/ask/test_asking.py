from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path

import pytest

from ask import near_misses
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
    missed, answered = _asked(tmp_path, PAGES, ANSWERED, (*UNANSWERED, *ASKED_OF_THINGS))
    assert len(missed) <= 0.15 * len(ANSWERED), missed
    assert not answered


def test_most_near_misses_are_refused_and_nearly_all_that_a_page_says_is_told(tmp_path: Path) -> None:
    missed, answered = _asked(tmp_path, near_misses.PAGES, near_misses.ANSWERED, near_misses.UNANSWERED)
    assert len(missed) <= 0.08 * len(near_misses.ANSWERED), missed
    assert len(answered) <= 0.25 * len(near_misses.UNANSWERED), answered


def test_near_misses_are_refused_where_search_by_meaning_is_on(tmp_path: Path) -> None:
    pages, near = near_misses.PAGES, near_misses.UNANSWERED
    missed, answered = _asked(tmp_path, pages, near_misses.ANSWERED, near, ["multilingual"])
    assert len(missed) <= 0.08 * len(near_misses.ANSWERED), missed
    assert len(answered) <= 0.3 * len(near), answered


def _asked(
    folder: Path,
    pages: Iterable[tuple[str, str, str]],
    answered: Sequence[tuple[str, str]],
    unanswered: Sequence[str],
    embedders: Sequence[str] = (),
) -> tuple[list[str], list[str]]:
    """The questions with an answer that is not told, and those without one that are answered."""
    with App(Settings(data=folder, min_free_mb=0), lambda: NOW) as app:
        dossier_id = app.create_dossier("people").id
        with app.dossiers.open(dossier_id) as store:
            fill(store, dossier_id, pages, NOW)
        if embedders:
            app.meaning.switch_on(dossier_id, embedders)
            app.meaning.keep_up([dossier_id])
        answers = {
            asked: app.asking.ask(dossier_id, asked, with_model=False)
            for asked in (*(asked for asked, _ in answered), *unanswered)
        }
    missed = [asked for asked, value in answered if not any(value in one.text for one in answers[asked].statements[:3])]
    return missed, [asked for asked in unanswered if answers[asked].kind != "nothing"]
