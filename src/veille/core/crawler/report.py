"""Report of a crawl: rows per type with totals, metrics and problems; and its JSON models.

`docs/reference/schemas` has their schemas.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

from pydantic import Field

from veille.core.crawler.config import HTML
from veille.core.crawler.items import STATES, TYPES, Language, is_item, standard_message, type_of
from veille.core.crawler.runs import Crawl, CrawlLine, CrawlState
from veille.core.dates import iso, iso_or_none
from veille.core.models import Change, Json, StrictModel

_MINUTE_S = 60
#: Settings that have another name in the configuration of a crawler.
_OWN_NAMES = {"fetch.max_bytes": "max_file_mb", "fetch.timeout_s": "timeout_s"}


class Tally(StrictModel):
    """Number of items in each state."""

    new: int = 0
    updated: int = 0
    unchanged: int = 0
    removed: int = 0
    failed: int = 0
    warning: int = 0
    total: int = 0


class Metrics(StrictModel):
    """The figures of one run."""

    duration_sec: float = 0
    pages_crawled: int = Field(0, description="Pages that were read or found unchanged.")
    docs_discovered: int = Field(0, description="Documents that were found, read or not.")
    docs_processed: int = Field(0, description="Documents that were read or found unchanged.")
    new_count: int = 0
    updated_count: int = 0
    unchanged_count: int = Field(0, description="Duplicates of other items are among them.")
    duplicate_count: int = 0
    removed_count: int = 0
    error_count: int = 0
    warnings_count: int = 0
    throughput_items_per_min: float = 0


class CrawlProblem(StrictModel):
    """An item that failed or was left out."""

    at: str
    level: str = Field(description="`error` or `warn`.")
    url: str
    type: str
    code: str = Field(description="The code of the standard message.")
    cause: str = Field(description="The code of the cause, as in the lists of errors and outcomes.")
    message: str = Field(description="The standard message in the language of the configuration.")
    detail: str = Field(description="What the engine says, and what to do about it.")
    status: int = Field(description="The HTTP status; 0 when there was none.")


class CrawlView(StrictModel):
    """One crawl, with the data for an audit."""

    id: str
    state: CrawlState
    mode: str
    since: str | None = None
    url: str | None = None
    config_version: int
    launched_by: str
    requested_at: str
    started_at: str | None
    finished_at: str | None
    code: str = ""
    message: str = ""


class Report(StrictModel):
    """What `crawler report` and `crawler run` show."""

    run: CrawlView
    exit_code: int
    metrics: Metrics
    by_type: dict[str, Tally] = Field(description="Subtotals per type: html, docx, xlsx, pdf, other.")
    totals: Tally
    problems: list[CrawlProblem]
    deliveries: list[Json] = Field(description="What each sink took.")
    last_success_at: str | None
    next_run_at: str | None


def crawl_view(crawl: Crawl) -> CrawlView:
    """A crawl with its times in ISO 8601."""
    return CrawlView(
        id=crawl.id,
        state=crawl.state,
        mode=crawl.choice.mode,
        since=iso_or_none(crawl.choice.since_at),
        url=crawl.choice.url or None,
        config_version=crawl.config_version,
        launched_by=crawl.launched_by,
        requested_at=iso(crawl.requested_at),
        started_at=iso_or_none(crawl.started_at),
        finished_at=iso_or_none(crawl.finished_at),
        code=crawl.code,
        message=crawl.message,
    )


def tallies(lines: Iterable[CrawlLine]) -> dict[str, Tally]:
    """Subtotals per type, in the order of reports; types without items are left out."""
    counts: dict[str, Counter[str]] = {name: Counter() for name in TYPES}
    for line in filter(is_item, lines):
        counts[type_of(line.url, line.strategy)][STATES[line.change]] += 1
    return {name: Tally(**found, total=sum(found.values())) for name, found in counts.items() if found}


def total(subtotals: Iterable[Tally]) -> Tally:
    """The sum of all subtotals."""
    return Tally(**sum((Counter(one.model_dump()) for one in subtotals), Counter[str]()))


def metrics(lines: Sequence[CrawlLine], duration_ms: int, waiting: Iterable[str] = ()) -> Metrics:
    """The figures of a crawl, from the addresses it fetched and those still waiting."""
    items = [line for line in lines if is_item(line)]
    states = Counter(STATES[line.change] for line in items)
    pages: Counter[bool] = Counter(
        type_of(line.url, line.strategy) == HTML for line in items if line.change not in {Change.ERROR, Change.SKIPPED}
    )
    documents = {line.url for line in items if type_of(line.url, line.strategy) != HTML}
    documents |= {url for url in waiting if type_of(url) != HTML}
    return Metrics(
        duration_sec=round(duration_ms / 1000, 3),
        pages_crawled=pages[True],
        docs_discovered=len(documents),
        docs_processed=pages[False],
        **{f"{state}_count": states[state] for state in ("new", "updated", "unchanged", "removed")},
        duplicate_count=sum(line.change is Change.DUPLICATE for line in items),
        error_count=states["failed"],
        warnings_count=states["warning"],
        throughput_items_per_min=round(len(items) * _MINUTE_S * 1000 / duration_ms, 1) if duration_ms else 0,
    )


def problems(lines: Iterable[CrawlLine], language: Language) -> list[CrawlProblem]:
    """What failed and what was left out, with the standard messages; failures first."""
    found = [_problem(line, language) for line in lines if line.change in {Change.ERROR, Change.SKIPPED}]
    return sorted(found, key=lambda problem: problem.level != "error")


def exit_code(crawl: Crawl, figures: Metrics, *, undelivered: bool) -> int:
    """0 without errors, 1 with warnings or partial errors, 2 if the crawl was not completed."""
    if crawl.state is not CrawlState.COMPLETED:
        return 2
    return int(bool(figures.error_count or figures.warnings_count or crawl.code or undelivered))


def _problem(line: CrawlLine, language: Language) -> CrawlProblem:
    failed = line.change is Change.ERROR
    detail = line.message
    for theirs, ours in _OWN_NAMES.items():
        detail = detail.replace(theirs, ours)
    code, message = standard_message(line.code, language, line.url, failed=failed)
    return CrawlProblem(
        at=iso(line.at),
        level="error" if failed else "warn",
        url=line.url,
        type=type_of(line.url, line.strategy),
        code=code,
        cause=line.code,
        message=message,
        detail=detail,
        status=line.status,
    )
