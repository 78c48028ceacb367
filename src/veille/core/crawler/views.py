"""Models of the other JSON output of the crawler's commands."""

from __future__ import annotations

from pydantic import Field

from veille.core.crawler.report import CrawlProblem, CrawlView, Metrics, Tally
from veille.core.crawler.runs import ConfigVersion
from veille.core.dates import iso
from veille.core.models import Json, StrictModel


class ConfigView(StrictModel):
    """Output of `crawler config get` and `set`: the values that were set; all others have their defaults."""

    version: int
    set_by: str
    set_at: str
    config: Json


class SeedCheck(StrictModel):
    """Whether a seed can be reached."""

    url: str
    reached: bool
    code: str = ""
    message: str = ""


class ConfigTest(StrictModel):
    """What `crawler config test` shows."""

    valid: bool
    seeds: list[SeedCheck]
    warnings: list[str]
    config: Json


class DryRun(StrictModel):
    """What `crawler run --dry-run` shows; nothing is stored."""

    items: list[str] = Field(description="Addresses that were read and would be kept.")
    by_type: dict[str, Tally]
    problems: list[CrawlProblem]
    waiting: int = Field(description="Addresses that were found and not fetched.")
    next_urls: list[str]


class ScheduleView(StrictModel):
    """What the `crawler schedule` commands show."""

    cron: str | None
    time_zone: str | None
    next_run_at: str | None
    set_by: str | None
    set_at: str | None


class Status(StrictModel):
    """What `crawler status` shows, also in the middle of a run."""

    state: str = Field(description="idle, running, queued or interrupted.")
    run: CrawlView | None = Field(description="The run under way, else the last one.")
    queued: list[CrawlView]
    metrics: Metrics
    by_type: dict[str, Tally]
    waiting: int = Field(description="Addresses that are still to be fetched.")
    config_version: int
    last_success_at: str | None
    next_run_at: str | None


def config_view(found: ConfigVersion) -> ConfigView:
    """A version of the configuration with its time in ISO 8601."""
    return ConfigView(version=found.version, set_by=found.set_by, set_at=iso(found.set_at), config=found.config)
