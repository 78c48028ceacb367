"""Wires the intranet crawlers: their logs, and the settings from a crawl's configuration."""

from __future__ import annotations

from typing import TYPE_CHECKING

from veille.adapters.logs import JsonLog
from veille.bootstrap._outlets import sink_kind
from veille.core.crawler.events import Level
from veille.services.crawler.crawl_admin import CrawlerService
from veille.services.crawler.crawl_run import CrawlTools

if TYPE_CHECKING:
    from veille.bootstrap import App
    from veille.core.crawler.config import CrawlConfig
    from veille.settings import Settings


def crawler_service(app: App) -> CrawlerService:
    """The crawlers of all dossiers. A crawl runs in an App of its own, with the settings of its configuration."""
    log = app.settings.log

    def logs(dossier_id: str) -> JsonLog:
        path = app.settings.data / "logs" / f"crawler-{dossier_id}.jsonl"
        size = round(log.max_mb * 1024 * 1024)
        return JsonLog(path, level=Level(log.level), max_bytes=size, keep=log.keep, echo=app.echo)

    def engines(config: CrawlConfig) -> App:
        return app.beside(crawl_settings(app.settings, config))

    store = app.store
    return CrawlerService(
        CrawlTools(
            dossiers=store.dossiers,
            schedules=store.schedules,
            engines=engines,
            logs=logs,
            presence=store.presence,
            workshop=app.outside.workshop,
            clock=app.clock,
            host_delay_ms=app.settings.fetch.host_delay_ms,
        )
    )


def crawl_settings(settings: Settings, config: CrawlConfig) -> Settings:
    """The settings with the fetch limits and sinks of a crawl's configuration."""
    limits = {
        "max_bytes": config.max_bytes,
        "host_concurrency": config.concurrency,
        "timeout_s": config.timeout_s,
    }
    sinks = {name: _for_crawl(name, options, config) for name, options in config.all_sinks.items()}
    return settings.model_copy(
        update={"fetch": settings.fetch.model_copy(update=limits), "sinks": {**settings.sinks, **sinks}}
    )


def _for_crawl(name: str, options: dict[str, object], config: CrawlConfig) -> dict[str, object]:
    """The options of a sink, with the crawl's chunk sizes, tags and metadata where the sink has such options."""
    kind = sink_kind(name, options)
    told = {
        "chunk_size": config.chunk_size,
        "chunk_overlap": config.chunk_overlap,
        "tags": config.topics,
        "metadata": config.metadata,
    }
    return {key: value for key, value in told.items() if key in kind.Config.model_fields} | options
