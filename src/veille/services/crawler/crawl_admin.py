"""Everything about a crawler except its runs: configuration, schedule, status, report, log."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from dataclasses import replace
from typing import TYPE_CHECKING

from veille.core.change.cron import next_in_zone
from veille.core.crawler.config import CrawlConfig, check_config, shown
from veille.core.crawler.events import LEVELS, Level, LogEvent, event
from veille.core.crawler.report import Metrics, Report, crawl_view, exit_code, metrics, problems, tallies, total
from veille.core.crawler.runs import ConfigVersion, Crawl, CrawlLine, CrawlState, Schedule
from veille.core.crawler.views import ConfigTest, DryRun, ScheduleView, SeedCheck, Status
from veille.core.dates import iso, parse_date
from veille.core.models import Change
from veille.core.records import RunItem
from veille.core.schedule import HOUR
from veille.core.urls import url_key
from veille.errors import NotFoundError, VeilleError
from veille.services.crawler.crawl_run import (
    Crawler,
    CrawlRequest,
    CrawlTools,
    Stop,
    current_config,
    is_dead,
    lines_of,
    source_of,
)
from veille.services.watching.sources import Wish

if TYPE_CHECKING:
    from veille.ports import DossierStore
    from veille.services.watching.preview import Preview

#: Later than the due time of any schedule.
_FAR = 2**62
#: Who launches scheduled runs.
SCHEDULER = "scheduler"


class CrawlerService:
    """The crawlers of any dossier."""

    def __init__(self, tools: CrawlTools) -> None:
        self._tools = tools
        self._clock = tools.clock
        #: When the due times of schedules were last checked against the clock.
        self._corrected_at = 0
        self.run = Crawler(tools).run

    def config(self, dossier_id: str) -> ConfigVersion:
        with self._tools.dossiers.open(dossier_id) as store:
            return current_config(store)

    def configure(self, dossier_id: str, config: CrawlConfig, by: str) -> ConfigVersion:
        """Save a configuration; a run in progress keeps the one it started with."""
        with self._tools.engines(config) as engine:
            _ = engine.sinks  # A sink that cannot be created is reported now, not after the next run.
        now = self._clock()
        with self._tools.dossiers.open(dossier_id) as store:
            version = store.crawls.configure(shown(config), by, now)
        self._log(dossier_id, "CONFIG_SET", config_version=version.version, launched_by=by)
        return version

    def test(self, config: CrawlConfig, *, offline: bool) -> ConfigTest:
        """Whether the sinks can be created and every seed can be reached."""
        warnings = []
        if config.rate_limit_rps * self._tools.host_delay_ms > 1000:  # noqa: PLR2004 - milliseconds of a second
            warnings.append(
                f"rate_limit_rps is {config.rate_limit_rps:g}, but the operator's fetch.host_delay_ms "
                f"({self._tools.host_delay_ms}) allows {1000 / self._tools.host_delay_ms:g} per second to a host."
            )
        with self._tools.engines(config) as engine:
            _ = engine.sinks
            seeds = () if offline else config.seeds
            checks = [_reached(seed, engine.preview(_wish(config, seed), 1)) for seed in seeds]
        return ConfigTest(valid=True, seeds=checks, warnings=warnings, config=shown(config))

    def dry_run(self, dossier_id: str, limit: int) -> DryRun:
        """What a run would find, tried on at most `limit` addresses; nothing is saved."""
        config = check_config(self.config(dossier_id).config)
        with self._tools.engines(config) as engine:
            found = engine.preview(_wish(config), limit)
        lines = [_line(item) for item in (*found.documents, *found.problems, *found.left_out)]
        return DryRun(
            items=[item.url for item in found.documents],
            by_type=tallies(lines),
            problems=problems(lines, config.messages),
            waiting=found.waiting,
            next_urls=list(found.next_urls),
        )

    def status(self, dossier_id: str) -> Status:
        """The current status, read from the store: it does not matter which process runs the crawl."""
        now = self._clock()
        with self._tools.dossiers.open(dossier_id) as store:
            runs = [self._truly(one) for one in store.crawls.last()]
            under_way = next((one for one in runs if one.state is CrawlState.RUNNING), None)
            one = under_way or next((one for one in runs if one.started_at is not None), None)
            lines, waiting = _seen(store, one, now)
            config = store.crawls.config()
            return Status(
                state=_state(runs),
                run=crawl_view(one) if one else None,
                queued=[crawl_view(other) for other in reversed(runs) if other.state is CrawlState.QUEUED],
                metrics=metrics(lines, _duration(one, lines, now), waiting) if one else Metrics(),
                by_type=tallies(lines),
                waiting=len(waiting) if under_way else 0,
                config_version=config.version if config else 0,
                **self._times(store),
            )

    def report(self, dossier_id: str, run_id: str = "") -> Report:
        """The report of a run; without an id, of the last one."""
        now = self._clock()
        with self._tools.dossiers.open(dossier_id) as store:
            found = [self._truly(one) for one in store.crawls.last(1000) if one.started_at is not None]
            one = next((one for one in found if one.id.startswith(run_id)), None)
            if one is None:
                raise NotFoundError(
                    "There is no such run; `crawler report` shows the last one, `crawler run` starts one.",
                    code="no_crawl",
                )
            lines, waiting = _seen(store, one, now)
            used = store.crawls.config(one.config_version)
            figures = metrics(lines, _duration(one, lines, now), waiting)
            by_type = tallies(lines)
            undelivered = any(delivery.get("code") for delivery in one.deliveries)
            return Report(
                run=crawl_view(one),
                exit_code=exit_code(one, figures, undelivered=undelivered),
                metrics=figures,
                by_type=by_type,
                totals=total(by_type.values()),
                problems=problems(lines, check_config(used.config).messages if used else "en"),
                deliveries=one.deliveries,
                **self._times(store),
            )

    def logs(self, dossier_id: str, level: Level, since: int | None, run_id: str = "") -> Iterator[LogEvent]:
        """Events of at least that level, since a time."""
        wanted = LEVELS[LEVELS.index(level) :]
        for one in self._tools.logs(dossier_id).read():
            at = parse_date(one.at)
            if one.level in wanted and (since is None or (at or 0) >= since) and one.run_id.startswith(run_id):
                yield one

    def schedule(self, dossier_id: str) -> ScheduleView:
        found = self._tools.schedules.of(dossier_id)
        if found is None:
            return ScheduleView(cron=None, time_zone=None, next_run_at=None, set_by=None, set_at=None)
        return ScheduleView(
            cron=found.cron,
            time_zone=found.zone,
            next_run_at=iso(found.next_run_at),
            set_by=found.set_by,
            set_at=iso(found.set_at),
        )

    def set_schedule(self, dossier_id: str, cron: str, zone: str, by: str) -> ScheduleView:
        now = self._clock()
        due = next_in_zone(cron, zone, now)
        self.config(dossier_id)
        self._tools.schedules.put(
            Schedule(dossier_id=dossier_id, cron=cron, zone=zone, set_by=by, set_at=now, next_run_at=due)
        )
        self._log(dossier_id, "SCHEDULE_SET", cron=cron, launched_by=by, next_run_at=iso(due))
        return self.schedule(dossier_id)

    def remove_schedule(self, dossier_id: str, by: str) -> ScheduleView:
        if self._tools.schedules.remove(dossier_id):
            self._log(dossier_id, "SCHEDULE_REMOVED", launched_by=by)
        return self.schedule(dossier_id)

    def due(self, only: Collection[str] | None = None) -> list[Schedule]:
        """The schedules that are due, of these dossiers or of all."""
        now = self._clock()
        if abs(now - self._corrected_at) >= HOUR:
            self._corrected_at = now
            self._bring_back(now)
        found = self._tools.schedules.due(now)
        return [schedule for schedule in found if only is None or schedule.dossier_id in only]

    def _bring_back(self, now: int) -> None:
        """Correct schedules that were advanced while the clock was ahead: none is later than the next time from now."""
        for schedule in self._tools.schedules.due(_FAR):
            following = next_in_zone(schedule.cron, schedule.zone, now)
            if schedule.next_run_at > following:
                self._tools.schedules.advance(schedule, following)

    def run_due(
        self,
        stop: Stop = lambda: False,
        only: Collection[str] | None = None,
        failed: Callable[[str], None] | None = None,
    ) -> list[Crawl]:
        """Run the crawlers that are due. Missed times are made up for by one run.

        With `failed`, a crawler that cannot run is reported there and the others still run.
        """
        done = []
        for schedule in self.due(only):
            try:
                following = next_in_zone(schedule.cron, schedule.zone, self._clock())
                if self._tools.schedules.advance(schedule, following):
                    done.append(self.run(schedule.dossier_id, CrawlRequest(by=SCHEDULER, queue=True), stop))
            except Exception as error:
                code = error.code if isinstance(error, VeilleError) else "app"
                self._log(schedule.dossier_id, "SCHEDULED_RUN_FAILED", Level.ERROR, code=code, launched_by=SCHEDULER)
                if failed is None:
                    raise
                failed(f"The scheduled crawl of {schedule.dossier_id} failed: {error} [{code}]")
        return done

    def _log(self, dossier_id: str, name: str, level: Level = Level.INFO, **more: object) -> None:
        self._tools.logs(dossier_id).write(event(self._clock(), level, name, "", **more))

    def _truly(self, crawl: Crawl) -> Crawl:
        """A run in its true state: a dead one is shown as interrupted before the next run records that."""
        return replace(crawl, state=CrawlState.INTERRUPTED) if is_dead(crawl, self._tools.presence) else crawl

    def _times(self, store: DossierStore) -> dict[str, str | None]:
        schedule = self._tools.schedules.of(store.id)
        success = store.crawls.last_success_at()
        return {
            "last_success_at": iso(success) if success is not None else None,
            "next_run_at": iso(schedule.next_run_at) if schedule else None,
        }


def _seen(store: DossierStore, crawl: Crawl | None, now: int) -> tuple[list[CrawlLine], list[str]]:
    """The lines of a run, and while it is in progress the addresses it has yet to fetch."""
    source = source_of(store)
    if crawl is None or source is None:
        return [], []
    waiting = store.crawls.waiting(source.id, now) if crawl.state is CrawlState.RUNNING else []
    return lines_of(store, source, crawl), waiting


def _state(runs: list[Crawl]) -> str:
    """The state of the crawler, from its last runs, newest first."""
    found = {one.state for one in runs}
    for state in (CrawlState.RUNNING, CrawlState.QUEUED):
        if state in found:
            return state
    return CrawlState.INTERRUPTED if runs and runs[0].state is CrawlState.INTERRUPTED else "idle"


def _duration(crawl: Crawl | None, lines: list[CrawlLine], now: int) -> int:
    if crawl is None or crawl.started_at is None:
        return 0
    ended = now if crawl.state is CrawlState.RUNNING else max((line.at for line in lines), default=crawl.started_at)
    return (crawl.finished_at or ended) - crawl.started_at


def _wish(config: CrawlConfig, url: str = "") -> Wish:
    options = config.site_options()
    if url:
        options |= {"seeds": [], "sitemaps": False}
    return Wish(url=url or config.seeds[0], kind="site", config=options)


def _reached(seed: str, found: Preview) -> SeedCheck:
    bad = next((item for item in found.problems if url_key(item.url) == url_key(seed)), None)
    return SeedCheck(url=seed, reached=bad is None, code=bad.code if bad else "", message=bad.message if bad else "")


def _line(item: RunItem) -> CrawlLine:
    return CrawlLine(
        at=item.at,
        change=Change.NEW if item.change is Change.SAME else item.change,
        url=item.url,
        purpose="",
        strategy="",
        code=item.code,
        message=item.message,
        status=item.status,
        document_id=item.document_id,
    )
