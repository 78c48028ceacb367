"""The HTTP server of the service, in a thread: the main thread handles signals and supervises the workers."""

from __future__ import annotations

import socket
import threading
from typing import TYPE_CHECKING, Self

import uvicorn

from veille.interfaces.listening import BACKLOG, METRICS_HOST, METRICS_OPTION, listen, taken, url_of
from veille.interfaces.web import make_api
from veille.interfaces.web.requests.connections import Connections
from veille.interfaces.web.views.metrics import ServiceMetrics

if TYPE_CHECKING:
    from collections.abc import Callable

    from veille.settings import ServeSettings, Settings

#: Grace period for open requests when the service stops.
_GRACE_S = 5


class Server:
    """Listens as soon as it is created, so that a taken port is known at once; answers while its context is open.

    `listening`: file descriptor of a socket opened by another process. `beat` is called regularly by the event loop.
    """

    def __init__(
        self,
        settings: Settings,
        workers: Callable[[], tuple[int, int]],
        *,
        listening: int | None = None,
        beat: Callable[[], None] = lambda: None,
    ) -> None:
        serve = settings.serve
        self._socket = listen(serve.host, serve.port) if listening is None else socket.socket(fileno=listening)
        metrics = ServiceMetrics(settings, workers)
        self._api = make_api(settings, metrics)
        self._server = _Beating(_config(self._api, serve, Connections(serve, metrics)), beat)
        self._thread = threading.Thread(target=self._server.run, args=([self._socket],), name="http")
        self._metrics = _MetricsServer(metrics, serve.metrics_port) if serve.metrics_port is not None else None

    @property
    def url(self) -> str:
        """Where it listens."""
        return url_of(self._socket)

    @property
    def metrics_url(self) -> str:
        return self._metrics.url if self._metrics else ""

    @property
    def is_alive(self) -> bool:
        return self._thread.is_alive()

    @property
    def has_begun(self) -> bool:
        """Whether it answers, or did: until then, it opens its store."""
        return self._server.started

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._api.state.apps.is_stopping = True
        self._server.should_exit = True
        self._api.state.apps.part()
        self._thread.join()
        self._socket.close()
        if self._metrics:
            self._metrics.close()


class _Beating(uvicorn.Server):
    def __init__(self, config: uvicorn.Config, beat: Callable[[], None]) -> None:
        super().__init__(config)
        self._beat = beat

    async def on_tick(self, counter: int) -> bool:
        self._beat()
        return await super().on_tick(counter)


class _MetricsServer:
    """The Prometheus metrics on loopback, without a token."""

    def __init__(self, metrics: ServiceMetrics, port: int) -> None:
        from prometheus_client import start_http_server  # noqa: PLC0415 - seldom needed

        try:
            self._server, self._thread = start_http_server(port, METRICS_HOST, metrics.registry)
        except OSError as error:
            raise taken(METRICS_HOST, port, error, METRICS_OPTION) from error
        self.url = f"http://{METRICS_HOST}:{self._server.server_port}/metrics"

    def close(self) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()


def _config(api: object, serve: ServeSettings, connections: Connections) -> uvicorn.Config:
    return uvicorn.Config(
        api,  # type: ignore[arg-type]  # FastAPI is an ASGI application
        log_config=None,
        access_log=False,
        server_header=False,
        lifespan="on",
        proxy_headers=bool(serve.trusted_proxies),
        forwarded_allow_ips=[str(network) for network in serve.trusted_proxies],
        timeout_graceful_shutdown=_GRACE_S,
        h11_max_incomplete_event_size=64 * 1024,
        http=connections.protocol,  # type: ignore[arg-type]  # called like the class
        ws="none",
        backlog=BACKLOG,
    )
