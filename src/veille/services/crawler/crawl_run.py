"""One run of a crawler, from the request to its report."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from contextlib import AbstractContextManager
from dataclasses import asdict, dataclass, field, replace
from typing import TYPE_CHECKING, Protocol

from veille.core.alerts.happening import Happening
from veille.core.crawler.config import NAME_OF_SOURCE, CrawlConfig, check_config, request_for, starts_of
from veille.core.crawler.events import Level, event, events_of
from veille.core.crawler.items import judged
from veille.core.crawler.report import Metrics, metrics
from veille.core.crawler.runs import OPEN, ConfigVersion, Crawl, CrawlChoice, CrawlLine, CrawlState, Part
from veille.core.fingerprint import uuid7
from veille.core.kinds import kind_of
from veille.core.models import Change, Request, Scope, Source
from veille.core.records import Delivery
from veille.core.rules.facts import Occasion
from veille.core.schedule import MAX_INTERVAL
from veille.errors import ConfigError, NotFoundError, VeilleError
from veille.services.crawler.crawl_scope import outcome, withdraw

if TYPE_CHECKING:
    from veille.core.models import Plan
    from veille.core.workload import Limit
    from veille.ports import Clock, Dossiers, DossierStore, EventLog, Presence, Queue, Schedules, Sink, Workshop
    from veille.services.watching.preview import Preview
    from veille.services.watching.sources import Wish
    from veille.services.watching.watch import Worker

#: How often a waiting run checks whether it may continue.
CHECK_EVERY_S = 0.5
#: The modes that fetch everything, and the two parts in which they do.
_WHOLE = frozenset({"normal", "full"})
_TWO_PARTS: tuple[Part, ...] = ("rest", "others")


class CrawlEngine(Protocol):
    """The program, set up as the configuration of a crawl says."""

    @property
    def queue(self) -> Queue: ...
    @property
    def sinks(self) -> dict[str, Sink]: ...
    def worker(self, name: str = ...) -> Worker: ...
    def deliver(self, dossier_ids: Iterable[str], *, wait: bool = ..., at_once: bool = ...) -> list[Delivery]: ...
    def preview(self, wish: Wish, limit: int = ...) -> Preview: ...


CrawlEngines = Callable[[CrawlConfig], AbstractContextManager[CrawlEngine]]
Stop = Callable[[], bool]


@dataclass(frozen=True, slots=True, kw_only=True)
class CrawlRequest:
    """A requested run."""

    choice: CrawlChoice = field(default_factory=CrawlChoice)
    by: str
    #: Whether to wait while another run is in progress, instead of giving up.
    queue: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class CrawlTools:
    """The dependencies of a crawler."""

    dossiers: Dossiers
    schedules: Schedules
    engines: CrawlEngines
    logs: Callable[[str], EventLog]
    presence: Presence
    workshop: Workshop
    clock: Clock
    #: The delay between requests to a host that the operator set.
    host_delay_ms: int


class Crawler:
    """Runs the crawler of any dossier."""

    def __init__(self, tools: CrawlTools) -> None:
        self._tools = tools
        self._clock = tools.clock

    def run(self, dossier_id: str, wanted: CrawlRequest, stop: Stop = lambda: False) -> Crawl:
        """Crawl, and return the ended run. Raises if it could not start, or on an error that is not the site's.

        A run that is stopped or killed loses nothing: the next one continues where it was.
        """
        with self._tools.dossiers.open(dossier_id) as store:
            current = current_config(store)
            config = check_config(current.config)
            if wanted.choice.url:
                outcome(self._tools.workshop, request_for(config, wanted.choice.url), store.id)
            now = self._clock()
            crawl = Crawl(
                id=uuid7(now, store.id, wanted.by, str(time.monotonic_ns())),
                dossier_id=store.id,
                state=CrawlState.QUEUED,
                choice=wanted.choice,
                config_version=current.version,
                launched_by=wanted.by,
                requested_at=now,
            )
            with self._tools.presence.hold(crawl.id):
                dead = self._begin(store, crawl, stop, queue=wanted.queue)
                begun = store.crawls.find(crawl.id) or crawl
                return _Turn(store, begun, config, self._tools).take(stop, dead)

    def _begin(self, store: DossierStore, crawl: Crawl, stop: Stop, *, queue: bool) -> list[str]:
        """Start the run, waiting for its turn if `queue`; returns the ids of the runs that were found dead."""
        store.crawls.enter(crawl)
        dead = self._bury(store)
        while not store.crawls.begin(crawl.id, self._clock()):
            if not queue or stop():
                store.crawls.leave(crawl.id)
                raise ConfigError(
                    "A crawl of this dossier is under way: see `crawler status`. With --if-active queue this one waits "
                    "for its turn.",
                    code="crawl_active",
                )
            time.sleep(CHECK_EVERY_S)
            dead += self._bury(store)
        return dead

    def _bury(self, store: DossierStore) -> list[str]:
        dead = [one.id for one in store.crawls.last() if is_dead(one, self._tools.presence)]
        for crawl_id in dead:
            store.crawls.interrupt(crawl_id)
            message = "Its process was killed; the next run continues from there."
            store.happenings.add(_happening(self._clock(), "crawl_interrupted", message, failed=True))
            self._tools.logs(store.id).write(
                event(self._clock(), Level.ERROR, "CRAWL_FAILED", crawl_id, code="crawl_interrupted")
            )
        return dead


class _Turn:
    """One run in progress."""

    def __init__(self, store: DossierStore, crawl: Crawl, config: CrawlConfig, tools: CrawlTools) -> None:
        self._store = store
        self._crawl = crawl
        self._config = config
        self._log = tools.logs(store.id)
        self._workshop = tools.workshop
        self._engines = tools.engines
        self._clock = tools.clock
        #: The quota that the dossier used up, so that the run had to end.
        self._used_up: Limit | None = None

    def take(self, stop: Stop, dead: list[str]) -> Crawl:
        crawl = self._crawl
        self._say(
            Level.INFO,
            "CRAWL_STARTED",
            mode=crawl.choice.mode,
            config_version=crawl.config_version,
            launched_by=crawl.launched_by,
        )
        source = None
        try:
            with self._engines(self._config) as engine:
                for name in dead:
                    # The worker of a run is named after it: free its leases instead of waiting until they expire.
                    engine.queue.release(name, self._clock(), [self._store.id])
                source = self._prepare()
                self._work(engine, source, stop)
                # What a sink could not take is in the report, and is offered again by the next run.
                deliveries = engine.deliver([self._store.id], wait=True, at_once=True)
                ended = self._judged(source, deliveries, stopped=stop())
        except BaseException as error:
            code = error.code if isinstance(error, VeilleError) else "app"
            self._end(replace(crawl, state=CrawlState.FAILED, code=code, message=str(error)), Metrics())
            raise
        finally:
            if source is not None:
                # Disable the source again: the rest waits for the next run.
                self._store.sources.update(source)
        return ended

    def _prepare(self) -> Source:
        """Create or update the source from the configuration; make due what this run is about, set the rest aside."""
        now, choice = self._clock(), self._crawl.choice
        kind = kind_of("site", self._config.site_options())
        known = source_of(self._store)
        made = Source(
            id=known.id if known else uuid7(now, self._store.id, NAME_OF_SOURCE),
            name=NAME_OF_SOURCE,
            kind="site",
            url=self._config.seeds[0],
            config=kind.config.model_dump(mode="json", exclude_unset=True),
            interval_ms=MAX_INTERVAL,
            # Paused for everybody except a crawl, so that workers with other limits leave it alone.
            enabled=False,
            created_at=known.created_at if known else now,
            updated_at=now,
        )
        requests = starts_of(self._config, made)
        wanted: Request | None = None
        if choice.url:
            wanted = outcome(self._workshop, request_for(self._config, choice.url, made), self._store.id)
        if wanted is not None and wanted.id not in {request.id for request in requests}:
            requests.append(wanted)
        if known is None:
            self._store.sources.add(made, requests)
        else:
            self._store.sources.update(made, requests)
        for plan in withdraw(self._store, made, self._workshop, self._crawl.id, now):
            self._tell(plan)
        if choice.mode not in _WHOLE:
            self._store.crawls.choose(made.id, choice, now, wanted.id if wanted else "")
        return made

    def _work(self, engine: CrawlEngine, source: Source, stop: Stop) -> None:
        worker = engine.worker(self._crawl.id)
        if self._crawl.choice.mode in _WHOLE:
            # First what an earlier run left undone: with a short time limit, no run would get past the beginning.
            since = replace(self._crawl.choice, since_at=self._crawl.started_at)
            for part in _TWO_PARTS:
                self._store.crawls.choose(source.id, since, self._clock(), part=part)
                self._drain(engine.queue, worker, source, stop)
        else:
            self._drain(engine.queue, worker, source, stop)
        worker.finish()

    def _drain(self, queue: Queue, worker: Worker, source: Source, stop: Stop) -> None:
        """Work until nothing is left, including retries that are due within the time a run waits for them."""
        scope = Scope(dossiers=frozenset({self._store.id}), sources=frozenset({source.id}))
        patience_ms = self._config.retry_wait_s * 1000

        def halt() -> bool:
            return stop() or self._is_over_time()

        while not halt():
            worker.drain(scope, self._tell, halt, wait=True)
            self._used_up = queue.exhausted(self._clock(), scope).get(self._store.id)
            due = self._store.crawls.next_due(source.id)
            if halt() or self._used_up is not None or due is None or due - self._clock() > patience_ms:
                break
            patience_ms -= max(0, due - self._clock())
            while not halt() and self._clock() < due:
                time.sleep(min(CHECK_EVERY_S, (due - self._clock()) / 1000))

    def _is_over_time(self) -> bool:
        limit_ms = self._config.max_runtime * 1000
        return bool(limit_ms) and self._clock() - (self._crawl.started_at or 0) >= limit_ms

    def _judged(self, source: Source, deliveries: list[Delivery], *, stopped: bool) -> Crawl:
        for sink in (one for one in deliveries if one.code):
            self._say(Level.WARN, "DELIVERY_FAILED", sink=sink.sink, code=sink.code, pending=sink.pending)
        lines = lines_of(self._store, source, self._crawl)
        state, code, message = CrawlState.COMPLETED, "", ""
        waiting = self._store.crawls.waiting(source.id, self._clock())
        if stopped:
            state, code = CrawlState.FAILED, "crawl_stopped"
            message = "It was stopped; the next run continues from there."
        elif _is_cut_off(lines):
            state, code = CrawlState.FAILED, "seeds_unreachable"
            message = "None of the seeds could be read; the list of problems says why."
        elif self._is_over_time() and waiting:
            code = "max_runtime"
            message = f"Its time limit was reached; the next run continues with the {len(waiting)} addresses left."
        elif self._used_up is not None and waiting:
            code = self._used_up
            message = f"The dossier has used up its quota; {len(waiting)} addresses wait for a later run."
        told = [{name: value for name, value in asdict(one).items() if name != "dossier_id"} for one in deliveries]
        ended = replace(self._crawl, state=state, code=code, message=message, deliveries=told)
        return self._end(ended, metrics(lines, self._clock() - (self._crawl.started_at or 0), waiting))

    def _end(self, crawl: Crawl, figures: Metrics) -> Crawl:
        ended = replace(crawl, finished_at=self._clock())
        self._store.crawls.end(ended)
        failed = ended.state is CrawlState.FAILED
        self._store.happenings.add(_happening(self._clock(), ended.code, ended.message, failed=failed))
        more = {"code": ended.code} if ended.code else {}
        level = Level.ERROR if failed else Level.WARN if figures.error_count or ended.code else Level.INFO
        self._say(level, "CRAWL_FAILED" if failed else "CRAWL_COMPLETED", **more, **figures.model_dump())
        return self._store.crawls.find(ended.id) or ended

    def _tell(self, plan: Plan) -> None:
        self._log.write(*events_of(plan, self._crawl.id, self._clock(), self._config.messages))

    def _say(self, level: Level, name: str, **more: object) -> None:
        self._log.write(event(self._clock(), level, name, self._crawl.id, **more))


def is_dead(crawl: Crawl, presence: Presence) -> bool:
    """Whether a run is recorded as open, but its process is gone."""
    return crawl.state in OPEN and not presence.is_there(crawl.id)


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
    """The result of every address that a run fetched."""
    return [judged(line, line.purpose) for line in store.crawls.lines(source.id, crawl)]


def _is_cut_off(lines: list[CrawlLine]) -> bool:
    """Whether no seed could be read, and so nothing else."""
    roots = [line for line in lines if line.purpose == "root"]
    return bool(roots) and all(line.change is Change.ERROR for line in lines if line.document_id or line in roots)


def _happening(now: int, code: str, message: str, *, failed: bool) -> Happening:
    """The end of a run, for rules."""
    return Happening(at=now, occasion=Occasion.RUN, run="crawl", has_failed=failed, code=code, message=message)
