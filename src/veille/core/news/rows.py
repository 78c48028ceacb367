"""Build the rows of the sheets, from stored facts and from the counters of a run."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from typing import Any

from veille.core.analyse.popularity import Popularity
from veille.core.analyse.records import StoredAnalysis
from veille.core.dates import iso
from veille.core.models import Change, Plan, State
from veille.core.news.facts import POLICY, ArticleStatus, FeedFacts
from veille.core.news.labels import article_hash, article_type, category, clean_text, site_of, text_hash
from veille.core.news.sheets import DIAGNOSTICS, Row
from veille.core.records import Revision
from veille.core.schedule import DAY
from veille.core.traffic import Failure, Payload
from veille.core.urls import host_of

MAX_ERROR = 500
#: The health score of a feed drops by this much with every failure in a row.
_HEALTH_STEP = 20
_NOT_MODIFIED, _CLIENT_ERROR, _SERVER_ERROR = 304, 400, 500


def feed_row(feed: FeedFacts, now: int) -> Row:
    """A row of `Feeds`."""
    source = feed.source
    return {
        "feed_url": feed.given_url or source.url,
        "feed_url_canon": source.url,
        "lang": feed.lang,
        "status": _feed_status(feed),
        "last_entry_date": _time(feed.newest_at),
        "last_crawled": _time(source.checked_at),
        "no_updates_days": "" if feed.newest_at is None else max(0, now - feed.newest_at) // DAY,
        "etag": feed.etag,
        "last_modified": feed.last_modified,
        "health_score": max(0, 100 - _HEALTH_STEP * source.failures),
        "notes": f"{source.error_code}: {source.error}"[:MAX_ERROR] if source.error_code else feed.notes,
        "checked_at": _time(max(source.checked_at or 0, feed.checked_at or 0)),
    }


def _feed_status(feed: FeedFacts) -> str:
    if not feed.source.enabled:
        return "paused"
    return "broken" if feed.source.state is State.BROKEN else "active"


def is_active(feed: FeedFacts) -> bool:
    """Whether the feed is checked."""
    return _feed_status(feed) == "active"


def raw_row(standing: ArticleStatus, revision: Revision | None, full_text_ref: str, limit: int) -> Row:
    """A row of `Raw`. Long text is truncated only here; the lengths are those of the full text.

    A duplicate has the hash of the repeated text and where it was found, but not the text itself.
    """
    entry = standing.entry
    said = _said(standing, revision)
    clean = clean_text(revision.text) if revision is not None else ""
    is_shown = revision is not None and not standing.reason
    return {
        "row_id": standing.row_id,
        "source": said["site_name"] or host_of(standing.url),
        "feed_url": entry.feed_url,
        "article_url": entry.url,
        "article_url_canon": standing.url,
        "url_hash": article_hash(standing.url),
        "text_hash": text_hash(revision.text) if revision is not None else "",
        "found_at": _time(entry.found_at),
        "fetched_at": _time(entry.fetched_at),
        "published_at": _time(said["published_at"]),
        "language": said["lang"],
        "title": said["title"],
        "subtitle": said["summary"],
        "authors": ", ".join(said["authors"]),
        "section": said["section"],
        "tags": ", ".join(said["tags"]),
        "article_type": article_type(said["section"], said["tags"], said["title"]) if is_shown else "",
        "clean_text": clean[:limit] if is_shown else "",
        "clean_text_len": len(clean) if is_shown else 0,
        "full_text_ref": full_text_ref if is_shown else "",
        "full_text_len": len(revision.text) if revision is not None and is_shown else 0,
        "word_count": len(clean.split()) if is_shown else 0,
        "out_links": json.dumps(said["linked_sites"]) if is_shown else "",
        "category_guess": said["category"] if is_shown else "",
        **_progress(standing),
    }


def _progress(standing: ArticleStatus) -> Row:
    entry = standing.entry
    is_locked, is_open = standing.status == "processing", standing.status in {"pending", "processing"}
    return {
        "status": standing.status,
        # The part after the @ is the process.
        "lock_owner": entry.lock_owner.partition("@")[0] if is_locked else "",
        "lock_at": _time(entry.lock_at) if is_locked else "",
        "processed_at": "" if is_open else _time(entry.done_at),
        "retries": entry.attempts,
        "error_msg": _error(standing),
        "sources_list": json.dumps(standing.feeds),
        "aliases": json.dumps(standing.aliases),
        "last_seen_rss": _time(standing.last_seen_at),
    }


def _error(standing: ArticleStatus) -> str:
    entry = standing.entry
    if entry.failed_with:
        return f"{entry.failed_with}: {entry.error}"[:MAX_ERROR]
    return "empty: No text was found." if standing.status == "skipped" else ""


def index_row(standing: ArticleStatus, revision: Revision | None) -> Row:
    """A row of `ArticlesIndex`."""
    story, said = standing.entry.story, _said(standing, revision)
    return {
        "url_hash": article_hash(standing.url),
        "text_hash": text_hash(revision.text) if revision is not None else "",
        "article_url_canon": standing.url,
        "row_id_raw": standing.row_id,
        "first_seen": _time(standing.entry.found_at),
        "last_seen": _time(max(standing.last_seen_at, story.seen_at if story is not None else 0)),
        "is_duplicate": int(standing.status == "duplicate"),
        "reason": standing.reason,
        "language": said["lang"],
        "category_guess": said["category"],
        "rev_n": story.rev_n if story is not None else 0,
    }


def analysis_row(standing: ArticleStatus, made: StoredAnalysis, popular: Popularity) -> Row:
    """A row of `Analyses`."""
    story, found = standing.entry.story, made.analysis
    entities: dict[str, list[str]] = {}
    for name in found.names:
        entities.setdefault(name.kind, []).append(name.text)
    return {
        "analysis_id": f"{standing.row_id}:{made.version}",
        "row_id_raw": standing.row_id,
        "prompt_version": made.version,
        "article_url_canon": standing.url,
        "url_hash": article_hash(standing.url),
        "rev_n": made.rev_n,
        "language": story.lang if story is not None else "",
        "title": story.title if story is not None else "",
        "summary": found.summary,
        "sentiment": "" if found.tone is None else found.tone,
        "sentiment_label": found.tone_word,
        "keywords": ", ".join(found.keywords),
        "topics": ", ".join(found.topics),
        "entities": json.dumps(entities, ensure_ascii=False),
        "tags": ", ".join(found.tags),
        "popularity": popular.score,
        "popularity_why": popular.why,
        "model": made.made_by,
        "error_code": made.code,
        "analysed_at": _time(made.made_at),
    }


def _said(standing: ArticleStatus, revision: Revision | None) -> dict[str, Any]:
    """Metadata from the page or, if it was not read yet, from the feed."""
    entry, story = standing.entry, standing.entry.story
    meta = revision.meta if revision is not None and not standing.reason else {}
    title = story.title if story is not None else entry.title
    text = revision.text if revision is not None else ""
    return {
        "title": title,
        "published_at": (story.published_at if story is not None else None) or entry.published_at,
        "lang": story.lang if story is not None else "",
        "summary": meta.get("summary", ""),
        "authors": meta.get("authors", ()),
        "section": meta.get("section", ""),
        "tags": list(dict.fromkeys((*meta.get("tags", ()), *meta.get("categories", ())))),
        "site_name": meta.get("site_name", ""),
        "linked_sites": sorted({site_of(link["url"]) for link in meta.get("out_links", ())}),
        "category": category(title, text, meta.get("category_guess", "")) if text else "",
    }


def _time(at: int | None) -> str:
    return iso(at) if at else ""


@dataclass(slots=True)
class NewsCounts:
    """Counters of a running command."""

    command: str
    worker: str = ""
    fetch_200: int = 0
    fetch_304: int = 0
    fetch_4xx: int = 0
    fetch_5xx: int = 0
    new_items: int = 0
    new_articles: int = 0
    duplicates_url: int = 0
    duplicates_text: int = 0
    errors: int = 0
    fetches: int = 0
    fetch_ms: int = 0

    def count_answer(self, answer: Payload | Failure, *, counts: bool = True) -> None:
        """Count an answer to a request outside of the engine; `counts`: whether a failure is an error."""
        failed = isinstance(answer, Failure)
        self.errors += failed and counts
        self._count_status(answer.status or (0 if failed else 200), answer.duration_ms)

    def count_listing(self, plan: Plan, new: int, known: int) -> None:
        """Count a check of a feed that listed so many new and so many known articles."""
        self._count_plan(plan)
        self.new_items += new
        self.duplicates_url += known

    def count_article(self, plan: Plan) -> None:
        """Count a fetch of an article."""
        self._count_plan(plan)
        for item in plan.items:
            self.new_articles += item.change is Change.NEW
            is_same_address = item.duplicate_of == item.document_id
            self.duplicates_text += item.change is Change.DUPLICATE and not is_same_address
            self.duplicates_url += item.change is Change.DUPLICATE and is_same_address

    def _count_plan(self, plan: Plan) -> None:
        if plan.deferred:
            return
        if plan.failure is not None:
            self.errors += plan.failure.code not in POLICY
            self._count_status(plan.failure.status, plan.duration_ms)
        else:
            is_same = any(item.status == _NOT_MODIFIED for item in plan.items)
            self._count_status(_NOT_MODIFIED if is_same else 200, plan.duration_ms)

    def _count_status(self, status: int, duration_ms: int) -> None:
        self.fetches += 1
        self.fetch_ms += duration_ms
        self.fetch_304 += status == _NOT_MODIFIED
        self.fetch_4xx += _CLIENT_ERROR <= status < _SERVER_ERROR
        self.fetch_5xx += status >= _SERVER_ERROR
        self.fetch_200 += 0 < status < _NOT_MODIFIED

    def figures(self, run_id: str, now: int, feeds_active: int, feeds_inactive: int) -> Row:
        """The row of `Diagnostics`."""
        found = asdict(self) | {
            "ts": iso(now),
            "feeds_active": feeds_active,
            "feeds_inactive": feeds_inactive,
            "avg_fetch_ms": round(self.fetch_ms / self.fetches, 1) if self.fetches else 0,
            "run_id": run_id,
        }
        return {name: found[name] for name in DIAGNOSTICS.columns}
