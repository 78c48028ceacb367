"""The description of the API."""

from __future__ import annotations

from typing import Any

from fastapi import Request

from veille.interfaces.web._routes import Routes
from veille.interfaces.web.requests.auth import KNOWN
from veille.interfaces.web.requests.calls import Caller

routes = Routes("system")


@routes.get("/api/openapi.json", auth=KNOWN)
def _description(call: Caller, request: Request) -> dict[str, Any]:  # noqa: ARG001 - it is the same for all
    """The API in OpenAPI; strangers are not told which version runs."""
    found: dict[str, Any] = request.app.state.description()
    return found
