"""The operations as services for other programs: `POST /connectivity/{service}` with the arguments as JSON.

The answer is the JSON of the operation, as bytes; a failure is the text of its message. 401 without a valid token, 404
for an unknown service, 405 for other methods than POST, 413 for a body that is too large, 500 when the service fails.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response

from veille.errors import AccessError, ConfigError, VeilleError
from veille.interfaces.operations import OPERATIONS, status_of
from veille.interfaces.programs import Programs

if TYPE_CHECKING:
    from starlette.types import Receive, Scope, Send

    from veille.bootstrap import App

VIA = "connectivity"
MAX_BODY = 16 * 1024 * 1024
PREFIX = "/connectivity/"


class _TooMuchError(Exception):
    pass


class Gateway:
    """An ASGI application for everything below `/connectivity/`."""

    def __init__(self, app: App, programs: Programs | None = None) -> None:
        self._programs = programs or Programs(app)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        response = await self._answer(Request(scope, receive))
        await response(scope, receive, send)

    async def _answer(self, request: Request) -> Response:
        try:
            access = await self._programs.admit(request.scope)
            service = request.url.path.rpartition(PREFIX)[2]
            if service not in OPERATIONS:
                return PlainTextResponse("There is no such service.", 404)
            if request.method != "POST":
                return PlainTextResponse("Use POST.", 405, {"Allow": "POST"})
            answer = await self._programs.do(access, service, _arguments(await _body(request)), via=VIA)
        except _TooMuchError:
            return PlainTextResponse(f"At most {MAX_BODY} bytes.", 413)
        except VeilleError as error:
            status = status_of(error) if isinstance(error, AccessError) else 500
            return PlainTextResponse(str(error), status)
        return Response(json.dumps(answer, ensure_ascii=False).encode(), media_type="application/octet-stream")


async def _body(request: Request) -> bytes:
    """The body; reading stops when it is too large."""
    body = bytearray()
    async for part in request.stream():
        body += part
        if len(body) > MAX_BODY:
            raise _TooMuchError
    return bytes(body)


def _arguments(body: bytes) -> dict[str, Any]:
    try:
        found = json.loads(body or b"{}")
    except (ValueError, RecursionError) as error:
        raise ConfigError(f"invalid arguments: this is no JSON: {error}", code="invalid_arguments") from error
    if not isinstance(found, dict):
        raise ConfigError("invalid arguments: this is no JSON object", code="invalid_arguments")
    return found
