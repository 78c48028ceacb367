from __future__ import annotations

import pytest

from veille.core.news.labels import article_type, category, clean_text
from veille.settings import load_settings


@pytest.mark.covers("R-121")
@pytest.mark.parametrize(
    ("section", "title", "found"),
    [
        ("Opinion", "Why we vote", "opinion"),
        ("World", "Analysis: the vote", "analysis"),
        ("World", "The Q&A: our interview with the mayor", "interview"),
        ("World", "Live updates: the vote", "live"),
        ("World", "Delivery of columns and interviewers", "news"),
    ],
)
def test_the_type_is_told_by_whole_words_of_section_and_title(section: str, title: str, found: str) -> None:
    assert article_type(section, [], title) == found


@pytest.mark.covers("R-121")
@pytest.mark.parametrize(
    ("text", "stated", "found"),
    [
        ("The senate and the government passed the bill.", "other", "politics"),
        ("The coach said that the player scored a goal in the match.", "other", "sports"),
        ("The coach met the minister at the match after the election, a goal for the government.", "other", "other"),
        ("The government met.", "other", "other"),
        ("Nothing of the kind.", "sports", "sports"),
    ],
)
def test_the_category_needs_three_words_and_twice_as_many_as_the_other(text: str, stated: str, found: str) -> None:
    assert category("", text, stated) == found


def test_lines_that_sell_something_are_left_out() -> None:
    assert clean_text("One.\n\nSubscribe to our letter\n  Read more: two\nTwo.\n© 2026") == "One.\nTwo."


@pytest.mark.covers("R-028")
def test_the_settings_are_read_from_the_names_of_the_manual(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in {"FULLTEXT_DIR": "texts", "FRESH_DAYS_LIMIT": "3", "PENDING_BATCH_SIZE": "9"}.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setenv("VEILLE_NEWS__PENDING_BATCH_SIZE", "5")
    # Not in the manual: another program's, perhaps.
    monkeypatch.setenv("GOOGLE_API_URL", "https://elsewhere.example")
    news = load_settings().news
    assert (str(news.fulltext_dir), news.fresh_days_limit, news.pending_batch_size) == ("texts", 3, 5)
    assert news.google_api_url == ""
    assert (news.max_items_per_feed_per_poll, news.clean_text_sheets_limit, news.languages) == (20, 20_000, ("en",))
