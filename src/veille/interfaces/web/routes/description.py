"""The description of the API."""

from __future__ import annotations

from typing import Any

from fastapi import Request

from veille.interfaces.web._calls import KNOWN, Caller, Routes

routes = Routes("system")


@routes.get("/api/openapi.json", auth=KNOWN)
def description(call: Caller, request: Request) -> dict[str, Any]:  # noqa: ARG001 - it is the same for all
    """The API in OpenAPI; strangers are not told which version runs."""
    found: dict[str, Any] = request.app.state.description()
    return found
