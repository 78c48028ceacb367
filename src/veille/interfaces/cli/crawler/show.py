"""Output of the crawler's commands: tables for people, JSON by the schemas for programs."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from enum import StrEnum
from typing import TextIO

import yaml
from rich.status import Status as Spinner

from veille.core.crawler.events import LogEvent
from veille.core.crawler.report import Metrics, Problem, Report, Tally, total
from veille.core.crawler.views import ConfigTest, ConfigView, DryRun, ScheduleView, Status
from veille.core.models import StrictModel
from veille.interfaces.cli._output import print_json, print_table, printable, talk

#: Fields that `event` prints first; the rest follows.
_FIRST = frozenset({"at", "level", "event", "run_id"})
_COLUMNS = ("Type", "New", "Updated", "Unchanged", "Removed", "Failed", "Warnings", "Total")


class Log(StrEnum):
    """Where the log goes besides its file."""

    NONE = "none"
    CONSOLE = "console"
    JSON = "json"


class Form(StrEnum):
    """Formats of a report."""

    TABLE = "table"
    JSON = "json"


def config(found: ConfigView, *, as_json: bool, whole: bool = False) -> None:
    """Print a configuration, in full or in brief."""
    if as_json:
        _json(found)
    elif whole:
        sys.stdout.write(yaml.safe_dump(found.config, sort_keys=False, allow_unicode=True))
        talk().print(f"Version {found.version}, set by {found.set_by} at {found.set_at}.", markup=False)
    else:
        talk().print(f"Version {found.version} is kept. `crawler run --dry-run` shows what it covers.", markup=False)


def test(found: ConfigTest, *, as_json: bool) -> None:
    """Print the result of a configuration test."""
    if as_json:
        _json(found)
        return
    rows = [("reached" if seed.reached else "not reached", seed.url, seed.code, seed.message) for seed in found.seeds]
    if rows:
        print_table(("Seed", "Address", "Code", "Why"), rows)
    for warning in found.warnings:
        talk().print(f"Warning: {warning}", markup=False)
    talk().print("The configuration is valid.", markup=False)


def dry_run(found: DryRun, *, as_json: bool) -> None:
    """Print the result of a dry run."""
    if as_json:
        _json(found)
        return
    print_table(("Would be kept",), [(url,) for url in found.items])
    _tallies(found.by_type)
    _problems(found.problems)
    for url in found.next_urls:
        talk().print(f"next: {url}", markup=False)
    talk().print(f"{found.waiting} more addresses were found. Nothing was kept.", markup=False)


def status(found: Status, *, as_json: bool, brief: bool = False) -> None:
    """Print the status of a crawl."""
    if as_json:
        _json(found)
        return
    if brief:
        done = sum(one.total for one in found.by_type.values())
        talk().print(f"{found.state}: {done} checked, {found.waiting} waiting", markup=False)
        return
    rows: list[tuple[str, object]] = [("state", found.state), ("config_version", found.config_version)]
    if found.run is not None:
        one = found.run
        rows += [("run", one.id), ("mode", one.mode), ("run_state", one.state), ("launched_by", one.launched_by)]
        rows += [("started_at", one.started_at or "-"), ("finished_at", one.finished_at or "-")]
    rows += [("queued", len(found.queued)), ("waiting", found.waiting)]
    _figures(found.metrics, rows, found.last_success_at, found.next_run_at)
    _tallies(found.by_type)


def report(found: Report, *, as_json: bool) -> None:
    """Print the report of a run."""
    if as_json:
        _json(found)
        return
    one = found.run
    _tallies(found.by_type)
    rows: list[tuple[str, object]] = [("run", one.id), ("state", one.state), ("mode", one.mode)]
    rows += [("config_version", one.config_version), ("launched_by", one.launched_by)]
    rows += [("started_at", one.started_at or "-"), ("finished_at", one.finished_at or "-")]
    _figures(found.metrics, rows, found.last_success_at, found.next_run_at)
    _problems(found.problems)
    if found.deliveries:
        shown = [
            [taken[key] for key in ("sink", "delivered", "pending", "code", "error")] for taken in found.deliveries
        ]
        print_table(("Sink", "Delivered", "Waiting", "Code", "Why"), shown)
    if one.code:
        talk().print(f"{one.message} [{one.code}]", markup=False)


def schedule(found: ScheduleView, *, as_json: bool) -> None:
    """Print the schedule of a crawl."""
    if as_json:
        _json(found)
    elif found.cron is None:
        talk().print("The crawler runs only when somebody asks: `crawler schedule set @weekly` changes that.")
    else:
        rows = [("cron", found.cron), ("time_zone", found.time_zone), ("next_run_at", found.next_run_at)]
        print_table(("Schedule", ""), rows)


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
def progress(log: Log) -> Iterator[Callable[[LogEvent], None] | None]:
    """A callback for every event of a crawl: prints it, or counts it on a terminal; None elsewhere."""
    out = talk()
    if log is not Log.NONE:
        yield lambda found: event(found, sys.stderr, as_json=log is Log.JSON)
    elif not out.is_terminal:
        yield None
    else:
        counts: Counter[str] = Counter()
        with Spinner("Crawling ...", console=out) as spinner:

            def count(found: LogEvent) -> None:
                counts[found.event] += found.event.startswith("ITEM_")
                told = ", ".join(f"{n} {name.removeprefix('ITEM_').lower()}" for name, n in counts.items() if n)
                spinner.update(f"Crawling: {told}")

            yield count


def _json(view: StrictModel) -> None:
    print_json(view.model_dump(mode="json"))


def _tallies(by_type: dict[str, Tally]) -> None:
    if by_type:
        rows = [(name, *_cells(tally)) for name, tally in by_type.items()]
        print_table(_COLUMNS, [*rows, ("total", *_cells(total(by_type.values())))])


def _cells(tally: Tally) -> tuple[int, ...]:
    return (
        tally.new,
        tally.updated,
        tally.unchanged,
        tally.removed,
        tally.failed,
        tally.warning,
        tally.total,
    )


def _figures(figures: Metrics, rows: list[tuple[str, object]], success: str | None, following: str | None) -> None:
    rows += figures.model_dump().items()
    rows += [("last_success_at", success or "-"), ("next_run_at", following or "-")]
    print_table(("Figure", ""), rows)


def _problems(found: list[Problem]) -> None:
    if found:
        rows = [(one.level, one.type, one.message, one.cause, one.detail) for one in found]
        print_table(("Level", "Type", "Message", "Cause", "What to do"), rows)
