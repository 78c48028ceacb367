"""The operations as services for other programs: `POST /connectivity/{service}` with the arguments as JSON.

The answer is the JSON of the operation, as bytes; a failure is the text of its message. 401 without a valid token, 404
for an unknown service, 405 for other methods than POST, 500 when the service fails.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response

from veille.errors import AccessError, VeilleError
from veille.interfaces.operations import OPERATIONS, status_of
from veille.interfaces.operations._limits import json_object

if TYPE_CHECKING:
    from starlette.types import Receive, Scope, Send

    from veille.interfaces.programs import Programs

VIA = "connectivity"
PREFIX = "/connectivity/"


class Gateway:
    """An ASGI application for everything below `/connectivity/`."""

    def __init__(self, programs: Programs) -> None:
        self._programs = programs

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
            sent = json_object(await request.body() or b"{}", "invalid arguments: this", "invalid_arguments")
            answer = await self._programs.do(access, service, sent, via=VIA)
        except VeilleError as error:
            status = status_of(error) if isinstance(error, AccessError) else 500
            return PlainTextResponse(str(error), status)
        return Response(json.dumps(answer, ensure_ascii=False).encode(), media_type="application/octet-stream")
