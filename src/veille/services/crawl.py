"""One run of a crawler, from the moment it is asked for to its last word."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from contextlib import AbstractContextManager
from dataclasses import asdict, dataclass, field, replace
from typing import TYPE_CHECKING, Protocol

from veille.core.crawler.config import NAME_OF_SOURCE, CrawlConfig, check_config, starts_of
from veille.core.crawler.events import Level, event, events_of
from veille.core.crawler.kinds import judged
from veille.core.crawler.report import Metrics, metrics
from veille.core.crawler.runs import OPEN, Choice, ConfigVersion, Crawl, CrawlLine, CrawlState
from veille.core.fingerprint import uuid7
from veille.core.kinds import kind_of
from veille.core.kinds.site import SiteKind
from veille.core.models import Change, Request, Scope, Source
from veille.core.records import Delivery
from veille.core.schedule import MAX_INTERVAL, SECOND
from veille.errors import ConfigError, NotFoundError, VeilleError

if TYPE_CHECKING:
    from veille.core.models import Plan
    from veille.ports import Clock, Dossiers, DossierStore, EventLog, Sink
    from veille.services.preview import Preview
    from veille.services.sources import Wish
    from veille.services.watch import Worker

#: A run that says nothing for so long is dead. It speaks every second.
ALIVE_MS = 60 * SECOND
#: How often a run that waits looks whether it may go on.
LOOK_EVERY_S = 0.5


class Engine(Protocol):
    """What does the work, set up as a crawl's configuration says."""

    @property
    def sinks(self) -> dict[str, Sink]: ...
    def worker(self) -> Worker: ...
    def deliver(self, dossier_ids: Iterable[str]) -> list[Delivery]: ...
    def preview(self, wish: Wish, limit: int = ...) -> Preview: ...


Engines = Callable[[CrawlConfig], AbstractContextManager[Engine]]
Stop = Callable[[], bool]


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """A run that somebody asks for."""

    choice: Choice = field(default_factory=Choice)
    by: str
    #: Whether to wait while another run is under way, instead of giving up.
    queue: bool = False


def never() -> bool:
    """Nobody asks to stop."""
    return False


class Crawler:
    """Runs the crawler of any dossier."""

    def __init__(
        self,
        dossiers: Dossiers,
        clock: Clock,
        engines: Engines,
        logs: Callable[[str], EventLog],
        pause: Callable[[float], None] = time.sleep,
    ) -> None:
        self._dossiers = dossiers
        self._clock = clock
        self._engines = engines
        self._logs = logs
        self._pause = pause

    def run(self, dossier_id: str, wanted: Wanted, stop: Stop = never) -> Crawl:
        """Crawl, and tell how it ended. Raises when it could not begin, or when something broke that is not the site's.

        A run that is stopped or killed loses nothing: the next one goes on where it was.
        """
        with self._dossiers.open(dossier_id) as store:
            current = current_config(store)
            config = check_config(current.config)
            with self._engines(config) as engine:
                crawl = self._begin(store, current, wanted, stop)
                turn = _Turn(store, crawl, config, log=self._logs(dossier_id), clock=self._clock, pause=self._pause)
                return turn.take(engine, stop)

    def _begin(self, store: DossierStore, current: ConfigVersion, wanted: Wanted, stop: Stop) -> Crawl:
        """The run, started; waits for its turn if that is wanted."""
        now = self._clock()
        crawl = Crawl(
            id=uuid7(now, store.id, wanted.by, str(time.monotonic_ns())),
            dossier_id=store.id,
            state=CrawlState.QUEUED,
            choice=wanted.choice,
            config_version=current.version,
            launched_by=wanted.by,
            requested_at=now,
            until=now + ALIVE_MS,
        )
        dead = [one for one in store.crawls.last() if one.state in OPEN and one.until <= now]
        store.crawls.enter(crawl)
        while not store.crawls.begin(crawl.id, self._clock(), self._clock() + ALIVE_MS):
            if not wanted.queue or stop():
                store.crawls.leave(crawl.id)
                raise ConfigError(
                    "A crawl of this dossier is under way: see `crawler status`. With --if-active queue this one waits "
                    "for its turn.",
                    code="crawl_active",
                )
            store.crawls.live(crawl.id, self._clock() + ALIVE_MS)
            self._pause(LOOK_EVERY_S)
        for one in dead:
            self._logs(store.id).write(event(now, Level.ERROR, "CRAWL_FAILED", one.id, code="crawl_interrupted"))
        return store.crawls.find(crawl.id) or crawl


class _Turn:
    """One run under way."""

    def __init__(
        self,
        store: DossierStore,
        crawl: Crawl,
        config: CrawlConfig,
        *,
        log: EventLog,
        clock: Clock,
        pause: Callable[[float], None],
    ) -> None:
        self._store = store
        self._crawl = crawl
        self._config = config
        self._log = log
        self._clock = clock
        self._pause = pause
        self._spoke = clock()

    def take(self, engine: Engine, stop: Stop) -> Crawl:
        crawl = self._crawl
        choice = crawl.choice
        self._say(
            Level.INFO,
            "CRAWL_STARTED",
            mode=choice.mode,
            config_version=crawl.config_version,
            launched_by=crawl.launched_by,
        )
        source = None
        try:
            source = self._prepare(choice)
            self._work(engine, source, stop)
            # What a sink could not take is in the report; it is offered again by the next run.
            deliveries = engine.deliver([self._store.id])
            ended = self._judged(source, deliveries, stopped=stop())
        except BaseException as error:
            code = error.code if isinstance(error, VeilleError) else "app"
            self._end(replace(crawl, state=CrawlState.FAILED, code=code, message=str(error)), Metrics())
            raise
        finally:
            if source is not None:
                # Between runs everything rests, whoever else works on this folder.
                self._store.sources.update(replace(source, enabled=False))
        return ended

    def _prepare(self, choice: Choice) -> Source:
        """The source as the configuration wants it, with what this run is about made due and the rest set aside."""
        now = self._clock()
        kind = kind_of("site", self._config.site_options())
        assert isinstance(kind, SiteKind)  # noqa: S101 - asked for by name
        options = kind.config.model_dump(mode="json", exclude_unset=True)
        known = source_of(self._store)
        made = Source(
            id=known.id if known else uuid7(now, self._store.id, NAME_OF_SOURCE),
            name=NAME_OF_SOURCE,
            kind="site",
            url=self._config.seeds[0],
            config=options,
            interval_ms=MAX_INTERVAL,
            created_at=known.created_at if known else now,
            updated_at=now,
        )
        requests = starts_of(self._config, made)
        wanted: Request | None = kind.one(made, choice.url) if choice.mode == "url" else None
        if wanted is not None and wanted.id not in {request.id for request in requests}:
            requests.append(wanted)
        if known is None:
            self._store.sources.add(made, requests)
        else:
            self._store.sources.update(made, requests)
        self._store.crawls.choose(made.id, choice, now, wanted.id if wanted else "")
        return made

    def _work(self, engine: Engine, source: Source, stop: Stop) -> None:
        """Work until nothing is left to do, also what failed and may succeed within the time a run waits for it."""
        worker = engine.worker()
        scope = Scope(dossiers=frozenset({self._store.id}), sources=frozenset({source.id}))
        patience_ms = self._config.retry_wait_s * 1000

        def halt() -> bool:
            self._live()
            return stop() or self._is_over_time()

        while not halt():
            worker.drain(scope, self._tell, halt, wait=True)
            due = self._store.crawls.next_due(source.id)
            if halt() or due is None or due - self._clock() > patience_ms:
                break
            patience_ms -= max(0, due - self._clock())
            while not halt() and self._clock() < due:
                self._pause(min(LOOK_EVERY_S, (due - self._clock()) / 1000))
        worker.finish()

    def _is_over_time(self) -> bool:
        limit_ms = self._config.max_runtime * 1000
        return bool(limit_ms) and self._clock() - (self._crawl.started_at or 0) >= limit_ms

    def _judged(self, source: Source, deliveries: list[Delivery], *, stopped: bool) -> Crawl:
        lines = lines_of(self._store, source, self._crawl)
        state, code, message = CrawlState.COMPLETED, "", ""
        waiting = self._store.crawls.waiting(source.id, self._clock())
        if stopped:
            state, code = CrawlState.FAILED, "crawl_stopped"
            message = "It was stopped; the next run goes on where it was."
        elif _is_cut_off(lines):
            state, code = CrawlState.FAILED, "seeds_unreachable"
            message = "None of the seeds could be read; the list of problems says why."
        elif self._is_over_time() and waiting:
            code = "max_runtime"
            message = f"Its time was over with {len(waiting)} addresses left; the next run goes on there."
        ended = replace(
            self._crawl, state=state, code=code, message=message, deliveries=[_delivery(one) for one in deliveries]
        )
        return self._end(ended, metrics(lines, self._clock() - (self._crawl.started_at or 0), waiting))

    def _end(self, crawl: Crawl, figures: Metrics) -> Crawl:
        ended = replace(crawl, finished_at=self._clock())
        self._store.crawls.end(ended)
        failed = ended.state is CrawlState.FAILED
        more = {"code": ended.code} if ended.code else {}
        level = Level.ERROR if failed else Level.WARN if figures.error_count or ended.code else Level.INFO
        self._say(level, "CRAWL_FAILED" if failed else "CRAWL_COMPLETED", **more, **figures.model_dump())
        return self._store.crawls.find(ended.id) or ended

    def _tell(self, plan: Plan) -> None:
        self._log.write(*events_of(plan, self._crawl.id, self._clock(), self._config.messages))

    def _say(self, level: Level, name: str, **more: object) -> None:
        self._log.write(event(self._clock(), level, name, self._crawl.id, **more))

    def _live(self) -> None:
        now = self._clock()
        if now - self._spoke >= SECOND:
            self._spoke = now
            self._store.crawls.live(self._crawl.id, now + ALIVE_MS)


def current_config(store: DossierStore) -> ConfigVersion:
    """The newest configuration, or an error that says how to set one."""
    found = store.crawls.config()
    if found is None:
        raise NotFoundError(
            "The crawler has no configuration yet: write one and give it to `crawler config set FILE`.",
            code="no_crawl_config",
        )
    return found


def source_of(store: DossierStore) -> Source | None:
    """The source that the crawler of this dossier watches, once it ran."""
    return next((one for one in store.sources.all() if one.name == NAME_OF_SOURCE and one.kind == "site"), None)


def lines_of(store: DossierStore, source: Source, crawl: Crawl) -> list[CrawlLine]:
    """What became of everything a run looked at."""
    return [replace(line, change=judged(line.change, line.code)) for line in store.crawls.lines(source.id, crawl)]


def _is_cut_off(lines: list[CrawlLine]) -> bool:
    """Whether no seed could be read, and so nothing at all."""
    roots = [line for line in lines if line.purpose == "root"]
    return bool(roots) and all(line.change is Change.ERROR for line in lines if line.document_id or line in roots)


def _delivery(delivery: Delivery) -> dict[str, object]:
    shown = asdict(delivery)
    del shown["dossier_id"]
    return shown
