"""Keeps a workbook in sync with the store: only changes are written, and rows that were lost are written again."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING

from veille.core.dates import iso
from veille.core.fingerprint import content_hash, uuid7
from veille.core.news.facts import ArticleStatus, Written, standings
from veille.core.news.labels import article_hash
from veille.core.news.rows import analysis_row, feed_row, index_row, raw_row
from veille.core.news.sheets import ANALYSES, CONFIG, DIAGNOSTICS, FEEDS, INDEX, RAW, SHEETS, Row, Sheet
from veille.errors import ConfigError, NotFoundError
from veille.failpoints import failpoint
from veille.services.analyse.popular import popularity_of

if TYPE_CHECKING:
    from veille.core.records import Revision
    from veille.ports import Dossiers, DossierStore, Texts, Workbook, WorkbookPage

#: Version of the row layout; changing it makes all rows be written again.
LAYOUT = "v1"
#: Articles whose texts are in memory at once.
BATCH = 200


@dataclass(frozen=True, slots=True, kw_only=True)
class Synced:
    """The result of a sync: articles in the workbook, and rows written."""

    workbook: str
    articles: int
    written: int


class Newsbook:
    """The workbook of one news dossier."""

    def __init__(self, dossier_id: str, dossiers: Dossiers, workbook: Workbook, texts: Texts, *, limit: int) -> None:
        self._dossier_id = dossier_id
        self._dossiers = dossiers
        self._workbook = workbook
        self._texts = texts
        self._limit = limit

    def sync(self, now: int, *, patient: bool = True) -> Synced:
        """Bring the workbook up to date. If it is killed at any time, the next call does the rest.

        SinkError when the workbook is unavailable; unless `patient`, also when it is only busy.
        """
        with self._dossiers.open(self._dossier_id) as store:
            # Asked before the lock is taken: analyses that another process adds meanwhile are shown the next time.
            has_analyses = store.analyses.are_there()
        sheets = (*SHEETS, ANALYSES) if has_analyses else SHEETS
        with self._dossiers.open(self._dossier_id) as store, self._workbook.editing(sheets, patient=patient) as page:
            # Read after taking the lock: its previous holder may have written the same rows.
            config = page.config()
            self._refuse_other(config)
            written = _believed(store.news.written(self._workbook.name), config)
            tags = self._put_all(store, page, written, now)
            tags += self._put_analyses(store, page, written, now) if has_analyses else []
            fresh = frozenset(tags) - written.tags
            articles = sum(1 for tag in tags if tag[0] == RAW.name)
            synced = Synced(workbook=self._workbook.name, articles=articles, written=len(fresh))
            if written.book_id and not fresh:
                return synced
            book_id = config.get("book_id") or uuid7(now, self._dossier_id, self._workbook.name)
            cursor = int(config.get("cursor") or 0) + 1
            self._put_config(page, config, {"book_id": book_id, "cursor": str(cursor)}, now)
        failpoint("before_outbox_mark")
        with self._dossiers.open(self._dossier_id) as store:
            store.news.mark(self._workbook.name, Written(book_id=book_id, cursor=cursor, tags=fresh))
        return synced

    def _put_all(
        self, store: DossierStore, page: WorkbookPage, written: Written, now: int
    ) -> list[tuple[str, str, str]]:
        tags = []
        for feed in store.news.feeds():
            row = feed_row(feed, now)
            tag = (FEEDS.name, feed.source.id, content_hash(f"{LAYOUT} {row} {feed.source.id}")[:16])
            tags.append(tag)
            if tag not in written.tags:
                page.put(FEEDS, [row])
        news = []
        for standing in standings(store.news.articles(), now):
            tag = (RAW.name, str(standing.row_id), f"{LAYOUT}:{self._limit}:{standing.tag}")
            tags.append(tag)
            news += [standing] if tag not in written.tags else []
        for rows in self._article_rows(store, news):
            for sheet, changed in rows.items():
                page.put(sheet, changed)
        for run_id, record in store.news.logged().items():
            tag = (DIAGNOSTICS.name, run_id, LAYOUT)
            tags.append(tag)
            if tag not in written.tags:
                page.put(DIAGNOSTICS, [record])
        return tags

    def _put_analyses(
        self, store: DossierStore, page: WorkbookPage, written: Written, now: int
    ) -> list[tuple[str, str, str]]:
        tags = []
        articles = standings(store.news.articles(), now)
        for start in range(0, len(articles), BATCH):
            rows = _analysis_rows(store, articles[start : start + BATCH])
            found = [(ANALYSES.name, str(row["analysis_id"]), content_hash(f"{LAYOUT} {row}")[:16]) for row in rows]
            page.put(ANALYSES, [row for row, tag in zip(rows, found, strict=True) if tag not in written.tags])
            tags += found
        return tags

    def _article_rows(self, store: DossierStore, news: Sequence[ArticleStatus]) -> Iterator[dict[Sheet, list[Row]]]:
        for start in range(0, len(news), BATCH):
            rows: dict[Sheet, list[Row]] = {RAW: [], INDEX: []}
            for standing in news[start : start + BATCH]:
                revision = _revision(store, standing)
                reference = ""
                if revision is not None and not standing.reason:
                    reference = self._texts.put(standing.entry.found_at, article_hash(standing.url), revision.text)
                rows[RAW].append(raw_row(standing, revision, reference, self._limit))
                rows[INDEX].append(index_row(standing, revision))
            yield rows

    def _put_config(self, page: WorkbookPage, config: dict[str, str], given: dict[str, str], now: int) -> None:
        values = {
            "schema_version": LAYOUT,
            "created_or_migrated_at": config.get("created_or_migrated_at") or iso(now),
            "dossier_id": self._dossier_id,
            **given,
            "synced_at": iso(now),
        }
        page.put(CONFIG, [{"key": key, "value": value} for key, value in values.items()])

    def _refuse_other(self, config: dict[str, str]) -> None:
        if config.get("dossier_id", self._dossier_id) != self._dossier_id:
            raise ConfigError(
                f"{self._workbook.name} holds the news of another dossier; set another SPREADSHEET_TITLE, or move the "
                "workbook away.",
                code="workbook.other_dossier",
            )


def _believed(written: Written, config: dict[str, str]) -> Written:
    """What the workbook contains; nothing if it is not the one saved last, but a new or an older one."""
    # One more than recorded: we were killed between saving the workbook and recording that.
    known = {str(written.cursor), str(written.cursor + 1)}
    is_ours = bool(written.book_id) and written.book_id == config.get("book_id") and config.get("cursor") in known
    return written if is_ours else Written()


def _analysis_rows(store: DossierStore, articles: Sequence[ArticleStatus]) -> list[Row]:
    """A row for each stored article and each version that it was analysed by."""
    by_document = {one.entry.story.id: one for one in articles if one.status == "stored" and one.entry.story}
    made = store.analyses.all_of(list(by_document))
    popular = popularity_of(store, list({one.document_id for one in made}))
    return [analysis_row(by_document[one.document_id], one, popular[one.document_id]) for one in made]


def _revision(store: DossierStore, standing: ArticleStatus) -> Revision | None:
    """The text of the article, or of the one it duplicates."""
    story = standing.entry.story
    if story is None:
        return None
    with suppress(NotFoundError):
        # The original may have been deleted with its source; the duplicate is then read again on its own.
        return store.records.revision(story.duplicate_of if story.state == "duplicate" else story.id)
    return None
