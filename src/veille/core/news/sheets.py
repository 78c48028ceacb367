"""The sheets of the workbook and their columns, as NewsPipeline's manual names them."""

from __future__ import annotations

from dataclasses import dataclass

#: Texts and numbers; an empty text if unknown.
Cell = str | int | float
Row = dict[str, Cell]


@dataclass(frozen=True, slots=True)
class Sheet:
    """A sheet; rows are identified by the column `key`, even if users moved them."""

    name: str
    key: str
    columns: tuple[str, ...]


def _sheet(name: str, key: str, columns: str) -> Sheet:
    return Sheet(name, key, tuple(columns.split()))


FEEDS = _sheet(
    "Feeds",
    "feed_url_canon",
    "feed_url feed_url_canon lang status last_entry_date last_crawled no_updates_days etag last_modified "
    "health_score notes checked_at",
)
RAW = _sheet(
    "Raw",
    "row_id",
    "row_id source feed_url article_url article_url_canon url_hash text_hash found_at fetched_at published_at "
    "language title subtitle authors section tags article_type clean_text clean_text_len full_text_ref "
    "full_text_len word_count out_links category_guess status lock_owner lock_at processed_at retries error_msg "
    "sources_list aliases last_seen_rss",
)
INDEX = _sheet(
    "ArticlesIndex",
    # Not the hash of the address: a redirect changes it.
    "row_id_raw",
    "url_hash text_hash article_url_canon row_id_raw first_seen last_seen is_duplicate reason language "
    "category_guess rev_n",
)
DIAGNOSTICS = _sheet(
    "Diagnostics",
    "run_id",
    "ts feeds_active feeds_inactive fetch_200 fetch_304 fetch_4xx fetch_5xx new_items new_articles duplicates_url "
    "duplicates_text errors avg_fetch_ms command worker run_id",
)
CONFIG = _sheet("Config", "key", "key value")
#: Made when there is a first analysis: people without any may have a sheet of that name.
ANALYSES = _sheet(
    "Analyses",
    # An article has a row for every version.
    "analysis_id",
    "analysis_id row_id_raw prompt_version article_url_canon url_hash rev_n language title summary sentiment "
    "sentiment_label keywords topics entities tags popularity popularity_why model error_code analysed_at",
)

SHEETS = (FEEDS, RAW, INDEX, DIAGNOSTICS, CONFIG)
