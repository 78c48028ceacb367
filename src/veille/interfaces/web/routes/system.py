"""Health check, metrics for monitoring, and the description of the API."""

from __future__ import annotations

import time
from typing import Any

from fastapi import Request, Response

from veille.interfaces.web._routes import ADMIN, ANYBODY, KNOWN, Caller, Routes
from veille.interfaces.web.requests.calls import Waiting
from veille.interfaces.web.views.shapes import RestView, example

routes = Routes("system")

_READ_EVERY_S = 1.0


class Health(RestView):
    """The service runs and can read its data."""

    model_config = example(status="ok")

    status: str


@routes.get("/health", auth=ANYBODY, waits=True)
async def _health(request: Request, waiting: Waiting) -> Health:
    """Whether the service runs and can read its data; nothing more, because it is public."""
    # Balancers ask often, and every one of them: the data is read once a second.
    state, now = request.app.state, time.monotonic()
    if now - state.data_read_at > _READ_EVERY_S:
        await waiting.ask(lambda call: call.app.accounts.has_passwords())
        state.data_read_at = now
    return Health(status="ok")


@routes.get("/metrics", auth=ADMIN, response_class=Response)
def _metrics(call: Caller) -> Response:
    """Metrics for Prometheus; `metrics_port` serves them on loopback without a token."""
    call.access.require_admin()
    metrics = call.request.app.state.metrics
    return Response(metrics.text(), media_type=metrics.media_type)


@routes.get("/api/openapi.json", auth=KNOWN)
def _description(call: Caller) -> dict[str, Any]:
    """The OpenAPI description of the API; not public, because it tells the version."""
    found: dict[str, Any] = call.request.app.state.description()
    return found
