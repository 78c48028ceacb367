"""News in a spreadsheet: the workflow to register feeds, poll them and fetch the articles."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, cast
from uuid import uuid4

from veille.core.alerts.happening import Happening
from veille.core.discover.discovery import FeedVerdict, verdict
from veille.core.fingerprint import uuid7
from veille.core.models import Lease, Plan, Scope, Source
from veille.core.news.facts import FeedFacts, standings
from veille.core.news.rows import NewsCounts, is_active
from veille.core.rules.facts import Occasion
from veille.core.schedule import DAY
from veille.core.traffic import Failure, Order, Payload
from veille.core.urls import canonical, url_key
from veille.errors import ConfigError, SinkError
from veille.services.analyse.analysing import AnalyseRun, AnalyseService, AnalyseWish
from veille.services.news.newsbook import Newsbook, Synced
from veille.services.repairing.probe import Looker, fetched
from veille.services.watching.sources import SourceService, Wish

if TYPE_CHECKING:
    from veille.core.workload import Room
    from veille.ports import Clock, Dossiers, Fetcher, Queue, Workshop
    from veille.services.watching.watch import Worker
    from veille.settings import NewsSettings

#: Purposes of a feed's requests: the feed and its older pages; the articles.
LISTINGS = frozenset({"root", "older"})
ARTICLES = frozenset({"entry"})
#: Feed addresses that are tried when the address of a page was given.
MAX_GUESSES = 5
#: A long run syncs the workbook now and then, but spends at most a tenth of its time on that.
SYNC_EVERY_MS = 10_000
SYNC_SHARE = 10

Progress = Callable[[Plan], None]
Stop = Callable[[], bool]


@dataclass(frozen=True, slots=True, kw_only=True)
class Registered:
    """The result of registering an address as a feed."""

    url: str
    feed_url: str
    accepted: bool
    #: As in a verdict, or the code of the error.
    finding: str
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class NewsRun:
    """The figures of a command, as in the sheet `Diagnostics`, and whether the workbook shows them."""

    figures: dict[str, str | int | float]
    synced: Synced | None
    code: str = ""
    error: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class NewsAnalysis:
    """What `analyse` did: of how many stored articles, and whether the workbook shows it."""

    articles: int
    run: AnalyseRun
    synced: Synced | None
    code: str = ""
    error: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class NewsTools:
    """The dependencies of the workflow."""

    dossiers: Dossiers
    sources: SourceService
    analyses: AnalyseService
    queue: Queue
    fetcher: Fetcher
    workshop: Workshop
    worker: Callable[[str, Queue], Worker]
    clock: Clock


class NewsDesk:
    """The news workflow of one dossier."""

    def __init__(self, dossier_id: str, settings: NewsSettings, tools: NewsTools, book: Newsbook) -> None:
        self.dossier_id = dossier_id
        self._settings = settings
        self._tools = tools
        self._book = book
        self._looker = Looker(tools.fetcher, tools.workshop)

    def ensure(self) -> Synced:
        """Create the workbook and its sheets if needed, and bring it up to date. Raises if that fails."""
        with self._tools.dossiers.open(self.dossier_id) as store:
            store.news.number(self._tools.clock())
        return self._book.sync(self._tools.clock())

    def discover(self, urls: Sequence[str]) -> tuple[list[Registered], NewsRun]:
        """Register those feeds that are fresh and in a wanted language."""
        tally = NewsCounts(command="discovery")
        answers = fetched(self._tools.fetcher, [Order(key=url, url=canonical(url)) for url in urls])
        found = [self._judge(url, answers[url], tally) for url in urls]
        return found, self._finish(tally)

    def poll(self, progress: Progress, stop: Stop) -> NewsRun:
        """Check every feed once; new articles wait for `work`."""
        tally = NewsCounts(command="poll")
        with self._tools.dossiers.open(self.dossier_id) as store:
            feeds = [feed.source for feed in store.news.feeds() if is_active(feed)]
            for feed in feeds:
                config = feed.config | self._config()
                if config != feed.config:
                    store.sources.update(replace(feed, config=config))

            def note(plan: Plan) -> None:
                listed = [request for request in plan.requests if request.purpose in ARTICLES]
                source_id, now = plan.lease.source.id, self._tools.clock()
                said = [request.context.get("published_at") or 0 for request in listed]
                # A date in the future is a mistake, not a sign of life; a day of tolerance for time zones.
                newest = max((at for at in said if at <= now + DAY), default=None)
                ids = [request.id for request in listed]
                tally.count_listing(plan, *store.news.listed(source_id, ids, newest, now))
                progress(plan)

            self._tools.queue.arm(self.dossier_id, self._tools.clock(), [feed.id for feed in feeds])
            worker = self._tools.worker("poll", self._tools.queue)
            # Wait: feeds leased by another worker, perhaps a dead one, are checked as well.
            worker.drain(self._scope(LISTINGS), note, stop, wait=True)
            worker.finish()
        return self._finish(tally)

    def work(self, worker_id: str, progress: Progress, stop: Stop, *, drain: bool = False) -> NewsRun:
        """Fetch a batch of the waiting articles, or with `drain` all; several workers may run at the same time."""
        if not worker_id or "@" in worker_id or not worker_id.isprintable():
            raise ConfigError("A worker id has printable characters and no @.", code="bad_worker")
        tally = NewsCounts(command="work", worker=worker_id)
        with self._tools.dossiers.open(self.dossier_id) as store:
            tally.new_items = store.news.number(self._tools.clock())
        shown = _Shown(self._book, self._tools.clock) if drain else None

        def note(plan: Plan) -> None:
            tally.count_article(plan)
            progress(plan)
            if shown is not None:
                shown.now_and_then()

        queue = self._tools.queue
        if not drain:
            queue = cast("Queue", _Batch(queue, self._settings.pending_batch_size))
        worker = self._tools.worker(worker_id, queue)
        worker.drain(self._scope(ARTICLES), note, stop, wait=drain)
        worker.finish()
        return self._finish(tally)

    def analyse(self, progress: Callable[[AnalyseRun], None], stop: Stop, limit: int = 0) -> NewsAnalysis:
        """Analyse the stored articles that are new or changed, and fill the sheet `Analyses`."""
        now = self._tools.clock()
        with self._tools.dossiers.open(self.dossier_id) as store:
            articles = standings(store.news.articles(), now)
        stored = tuple(one.entry.story.id for one in articles if one.status == "stored" and one.entry.story)
        shown = _Shown(self._book, self._tools.clock)

        def note(run: AnalyseRun) -> None:
            progress(run)
            shown.now_and_then()

        wish = AnalyseWish(only=stored, limit=limit)
        run = self._tools.analyses.run(self.dossier_id, wish, stop=stop, progress=note)
        try:
            return NewsAnalysis(articles=len(stored), run=run, synced=self._book.sync(self._tools.clock()))
        except SinkError as error:
            return NewsAnalysis(articles=len(stored), run=run, synced=None, code=error.code, error=str(error))

    def _finish(self, tally: NewsCounts) -> NewsRun:
        """Record the figures and sync the workbook; a workbook that is unavailable is reported, not raised."""
        now = self._tools.clock()
        run_id = uuid7(now, uuid4().hex)
        with self._tools.dossiers.open(self.dossier_id) as store:
            tally.new_items += store.news.number(now)
            active = [is_active(feed) for feed in store.news.feeds()]
            figures = tally.figures(run_id, now, sum(active), len(active) - sum(active))
            store.news.log(run_id, figures)
        try:
            return NewsRun(figures=figures, synced=self._book.sync(now))
        except SinkError as error:
            with self._tools.dossiers.open(self.dossier_id) as store:
                store.happenings.add(
                    Happening(
                        at=now, occasion=Occasion.RUN, run="news", has_failed=True, code=error.code, message=str(error)
                    )
                )
            return NewsRun(figures=figures, synced=None, code=error.code, error=str(error))

    def _scope(self, purposes: frozenset[str]) -> Scope:
        with self._tools.dossiers.open(self.dossier_id) as store:
            feeds = frozenset(feed.source.id for feed in store.news.feeds())
        return Scope(dossiers=frozenset({self.dossier_id}), sources=feeds, purposes=purposes)

    def _config(self) -> dict[str, object]:
        return {
            "follow_links": True,
            "ignore_offers": True,
            "max_entries": 10_000,
            "max_new": self._settings.max_items_per_feed_per_poll,
        }

    def _judge(self, url: str, answer: Payload | Failure, tally: NewsCounts) -> Registered:
        found = self._looked_at(url, answer, tally)
        if found.finding != "feed.page" or isinstance(answer, Failure):
            return found
        # A page was given: the feed it links to is probably meant.
        seen = self._looker.examine(answer)
        for link in () if isinstance(seen, Failure) else seen.links[:MAX_GUESSES]:
            (answer_there,) = fetched(self._tools.fetcher, [Order(key=link.url, url=link.url)]).values()
            guess = self._looked_at(url, answer_there, tally, quiet=True)
            if guess.finding not in {"feed.page", "feed.failed"}:
                return guess
        return replace(found, finding="feed.page", reason="This is a page, and no feed was found for it.")

    def _looked_at(self, url: str, answer: Payload | Failure, tally: NewsCounts, *, quiet: bool = False) -> Registered:
        if isinstance(answer, Failure):
            tally.count_answer(answer, counts=not quiet)
            finding = "feed.failed" if quiet else answer.code
            return Registered(url=url, feed_url="", accepted=False, finding=finding, reason=answer.message)
        tally.count_answer(answer)
        found = self._looker.examine_feed(answer)
        if isinstance(found, Failure):
            return Registered(url=url, feed_url="", accepted=False, finding="feed.page", reason=found.message)
        now, news = self._tools.clock(), self._settings
        judged = verdict(
            found.feed, now, max_age_days=news.fresh_days_limit, languages=news.languages, language=found.language
        )
        if judged.accepted:
            self._register(url, canonical(answer.url), judged)
        return Registered(
            url=url,
            feed_url=canonical(answer.url),
            accepted=judged.accepted,
            finding=judged.finding,
            reason=judged.reason,
        )

    def _register(self, given_url: str, feed_url: str, judged: FeedVerdict) -> None:
        try:
            wish = Wish(url=feed_url, kind="feed", config=self._config())
            source = self._tools.sources.add(self.dossier_id, wish)
        except ConfigError as error:
            known = self._known(feed_url)
            if error.code != "duplicate_source" or known is None:
                raise
            source = known
        with self._tools.dossiers.open(self.dossier_id) as store:
            store.news.register(
                FeedFacts(
                    source=source,
                    etag="",
                    last_modified="",
                    given_url=given_url,
                    lang=judged.language,
                    newest_at=judged.newest_at,
                    notes=judged.reason,
                    checked_at=self._tools.clock(),
                )
            )

    def _known(self, feed_url: str) -> Source | None:
        """The registered feed with this address, perhaps in another spelling."""
        with self._tools.dossiers.open(self.dossier_id) as store:
            feeds = [feed.source for feed in store.news.feeds()]
        return next((feed for feed in feeds if url_key(feed.url) == url_key(feed_url)), None)


class _Batch:
    """A queue that hands out at most `size` requests, then nothing; it is the given queue in everything else."""

    def __init__(self, queue: Queue, size: int) -> None:
        self._queue = queue
        self._left = size

    def __getattr__(self, name: str) -> Any:
        return getattr(self._queue, name)

    def claim(self, worker: str, now: int, room: Room, scope: Scope) -> list[Lease]:
        if not self._left:
            return []
        total = min(room.total, self._left)
        leases = self._queue.claim(worker, now, replace(room, total=total), scope)
        self._left -= len(leases)
        return leases


class _Shown:
    """Syncs the workbook now and then during a long run."""

    def __init__(self, book: Newsbook, clock: Clock) -> None:
        self._book = book
        self._clock = clock
        self._next = clock() + SYNC_EVERY_MS

    def now_and_then(self) -> None:
        began = self._clock()
        if began < self._next:
            return
        # Without waiting: the end of the run syncs again, and reports failures.
        with suppress(SinkError):
            self._book.sync(began, patient=False)
        ended = self._clock()
        self._next = ended + max(SYNC_EVERY_MS, SYNC_SHARE * (ended - began))
