"""Metrics for Prometheus: requests, the queue, hosts and workers."""

from __future__ import annotations

import threading
import time
from collections import Counter as Counts
from collections.abc import Callable, Iterator
from http import HTTPMethod
from typing import TYPE_CHECKING

from prometheus_client import CONTENT_TYPE_LATEST, CollectorRegistry, Counter, Gauge, Histogram, generate_latest
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, Metric
from prometheus_client.registry import Collector

from veille.bootstrap import open_app
from veille.core.models import Scope
from veille.core.workload import Limit

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Message, Receive, Send
    from starlette.types import Scope as AsgiScope

    from veille.bootstrap import App
    from veille.settings import Settings

#: The queue is counted at most this often: counting opens every dossier.
_COUNT_EVERY_S = 10.0


class ServiceMetrics:
    """The metrics of the service."""

    media_type = CONTENT_TYPE_LATEST

    def __init__(self, settings: Settings, workers: Callable[[], tuple[int, int]] = lambda: (0, 0)) -> None:
        #: Number of live workers, and number of restarts.
        self.workers = workers
        self.registry = CollectorRegistry()
        self.requests = Counter(
            "veille_http_requests", "Answered requests.", ("method", "route", "status"), registry=self.registry
        )
        self.seconds = Histogram("veille_http_seconds", "Time to answer.", ("route",), registry=self.registry)
        self.connections = Gauge("veille_http_connections", "Connections that are open.", registry=self.registry)
        self.dropped = Counter(
            "veille_http_connections_dropped",
            "Connections that were closed, by reason.",
            ("why",),
            registry=self.registry,
        )
        self.registry.register(_State(settings, workers))

    def text(self) -> bytes:
        return generate_latest(self.registry)


class _State(Collector):
    def __init__(self, settings: Settings, workers: Callable[[], tuple[int, int]]) -> None:
        self._settings = settings
        self._workers = workers
        self._lock = threading.Lock()
        self._counted: tuple[float, list[Metric]] = (0.0, [])

    def describe(self) -> list[Metric]:
        """Empty: the default implementation would call `collect`, which counts the queue."""
        return []

    def collect(self) -> Iterator[Metric]:
        alive, restarts = self._workers()
        yield GaugeMetricFamily("veille_workers", "Worker processes that run.", alive)
        yield CounterMetricFamily("veille_worker_restarts", "Workers that died and were started again.", restarts)
        with self._lock:
            if time.monotonic() - self._counted[0] > _COUNT_EVERY_S or not self._counted[1]:
                self._counted = (time.monotonic(), list(self._count()))
            yield from self._counted[1]

    def _count(self) -> Iterator[Metric]:
        with open_app(self._settings) as app:
            backlog = app.queue.backlog(app.clock(), Scope())
            yield GaugeMetricFamily("veille_requests_due", "Addresses that are due.", backlog.due)
            yield GaugeMetricFamily("veille_requests_leased", "Addresses that are leased by a worker.", backlog.leased)
            yield _held_back(app)
            hosts = app.hosts.ledger()
            yield GaugeMetricFamily("veille_hosts", "Hosts that were asked.", len(hosts))


def _held_back(app: App) -> Metric:
    found = GaugeMetricFamily("veille_dossiers_held_back", "Dossiers that reached a limit.", labels=["limit"])
    counts = Counts(app.queue.exhausted(app.clock(), Scope()).values())
    for limit in Limit:
        found.add_metric([limit], counts[limit])
    return found


class Counting:
    """ASGI middleware: counts requests by route pattern, never by URL.

    Values that clients choose freely must not become labels: each one would stay in memory for good.
    """

    def __init__(self, inner: ASGIApp, metrics: ServiceMetrics) -> None:
        self._inner = inner
        self._metrics = metrics

    async def __call__(self, scope: AsgiScope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._inner(scope, receive, send)
            return
        begun, status = time.perf_counter(), 500

        async def noted(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
            await send(message)

        try:
            await self._inner(scope, receive, noted)
        finally:
            route = getattr(scope.get("route"), "path", "none")
            method = scope["method"] if scope["method"] in HTTPMethod.__members__ else "other"
            self._metrics.requests.labels(method, route, status).inc()
            self._metrics.seconds.labels(route).observe(time.perf_counter() - begun)
