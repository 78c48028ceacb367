"""The description of the API."""

from __future__ import annotations

from typing import Any

from fastapi import Request

from veille.interfaces.web._routes import KNOWN, Caller, Routes

routes = Routes("system")


@routes.get("/api/openapi.json", auth=KNOWN)
def _description(call: Caller, request: Request) -> dict[str, Any]:  # noqa: ARG001 - the same for all
    """The OpenAPI description of the API; not public, because it tells the version."""
    found: dict[str, Any] = request.app.state.description()
    return found
