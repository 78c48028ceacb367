"""Output of the crawler's commands: tables for people, JSON by the schemas for programs."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Literal, TextIO

import typer
import yaml

from veille.core.crawler.events import LogEvent
from veille.core.crawler.report import CrawlProblem, CrawlView, Report, Tally, total
from veille.core.crawler.views import ConfigTest, ConfigView, DryRun, ScheduleView, Status
from veille.interfaces.cli._command import Answer
from veille.interfaces.cli._output import print_table, printable, progress, say

#: Fields that `event` prints first; the rest follows.
_FIRST = frozenset({"at", "level", "event", "run_id"})
_COLUMNS = ("Type", "New", "Updated", "Unchanged", "Removed", "Failed", "Warnings", "Total")

#: Where the log goes besides its file.
Log = Literal["none", "console", "json"]


def config(found: ConfigView, *, whole: bool = False) -> Answer:
    """A configuration, in full or in brief."""
    if not whole:
        return Answer(found, message=f"Version {found.version} is saved. `crawler run --dry-run` shows what it covers.")
    return Answer(
        found,
        show=lambda: typer.echo(yaml.safe_dump(found.config, sort_keys=False, allow_unicode=True), nl=False),
        message=f"Version {found.version}, set by {found.set_by} at {found.set_at}.",
    )


def test(found: ConfigTest, *, status: int) -> Answer:
    """The result of a configuration test."""
    rows = [("reached" if seed.reached else "not reached", seed.url, seed.code, seed.message) for seed in found.seeds]
    warnings = [f"Warning: {warning}" for warning in found.warnings]
    return Answer(
        found,
        ("Seed", "Address", "Code", "Why") if rows else (),
        rows,
        "\n".join([*warnings, "The configuration is valid."]),
        status=status,
    )


def dry_run(found: DryRun) -> Answer:
    """The result of a dry run."""

    def show() -> None:
        _tallies(found.by_type)
        _problems(found.problems)
        for url in found.next_urls:
            say(f"next: {url}")

    message = f"{found.waiting} more addresses were found. Nothing was kept."
    return Answer(found, ("Would be kept",), [(url,) for url in found.items], message, show)


def brief_status(found: Status) -> Answer:
    """The status of a crawl in one line."""
    done = sum(one.total for one in found.by_type.values())
    return Answer(found, message=f"{found.state}: {done} checked, {found.waiting} waiting")


def status(found: Status) -> Answer:
    """The status of a crawl."""
    rows: list[tuple[str, object]] = [("state", found.state), ("config_version", found.config_version)]
    if found.run is not None:
        one = found.run
        rows += [("run", one.id), ("mode", one.mode), ("run_state", one.state), *_times(one)]
    rows += [("queued", len(found.queued)), ("waiting", found.waiting), *_metrics(found)]
    return Answer(found, ("Figure", ""), rows, show=lambda: _tallies(found.by_type))


def report(found: Report, *, status: int = 0) -> Answer:
    """The report of a run."""
    one = found.run

    def show() -> None:
        _tallies(found.by_type)
        rows: list[tuple[str, object]] = [("run", one.id), ("state", one.state), ("mode", one.mode)]
        rows += [("config_version", one.config_version), *_times(one), *_metrics(found)]
        print_table(("Figure", ""), rows)
        _problems(found.problems)
        if found.deliveries:
            keys = ("sink", "delivered", "pending", "code", "error")
            shown = [[taken[key] for key in keys] for taken in found.deliveries]
            print_table(("Sink", "Delivered", "Waiting", "Code", "Why"), shown)

    return Answer(found, message=f"{one.message} [{one.code}]" if one.code else "", show=show, status=status)


def schedule(found: ScheduleView) -> Answer:
    """The schedule of a crawl."""
    if found.cron is None:
        return Answer(found, message="The crawler runs only on demand: `crawler schedule set @weekly` changes that.")
    rows = [("cron", found.cron), ("time_zone", found.time_zone), ("next_run_at", found.next_run_at)]
    return Answer(found, ("Schedule", ""), rows)


def event(found: LogEvent, out: TextIO, *, as_json: bool) -> None:
    """Print one line of the log."""
    if as_json:
        out.write(found.model_dump_json() + "\n")
        return
    more = " ".join(
        f"{key}={value}" for key, value in found.model_dump(mode="json").items() if key not in _FIRST and value != ""
    )
    out.write(printable(f"{found.at} {found.level.upper():5} {found.event} {more}") + "\n")


@contextmanager
def watching(log: Log) -> Iterator[Callable[[LogEvent], None]]:
    """A callback for every event of a crawl: prints it, or counts it in a progress line."""
    if log != "none":
        yield lambda found: event(found, sys.stderr, as_json=log == "json")
        return
    counts: Counter[str] = Counter()
    with progress("Crawling ...") as update:

        def count(found: LogEvent) -> None:
            counts[found.event] += found.event.startswith("ITEM_")
            told = ", ".join(f"{n} {name.removeprefix('ITEM_').lower()}" for name, n in counts.items() if n)
            update(f"Crawling: {told}")

        yield count


def _tallies(by_type: dict[str, Tally]) -> None:
    if by_type:
        tallies = by_type | {"total": total(by_type.values())}
        print_table(_COLUMNS, [(name, *tally.model_dump().values()) for name, tally in tallies.items()])


def _times(run: CrawlView) -> list[tuple[str, object]]:
    return [
        ("launched_by", run.launched_by),
        ("started_at", run.started_at or "-"),
        ("finished_at", run.finished_at or "-"),
    ]


def _metrics(found: Status | Report) -> list[tuple[str, object]]:
    times = [("last_success_at", found.last_success_at or "-"), ("next_run_at", found.next_run_at or "-")]
    return [*found.metrics.model_dump().items(), *times]


def _problems(found: list[CrawlProblem]) -> None:
    if found:
        rows = [(one.level, one.type, one.message, one.cause, one.detail) for one in found]
        print_table(("Level", "Type", "Message", "Cause", "What to do"), rows)
