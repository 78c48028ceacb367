"""Files that are written completely before the response begins, so that an error has its own status."""

from __future__ import annotations

from collections.abc import Callable
from tempfile import TemporaryFile
from typing import IO, TypeVar

from fastapi.responses import StreamingResponse
from starlette.types import Receive, Scope, Send

_PIECE = 64 * 1024
_Result = TypeVar("_Result")


def written(fill: Callable[[IO[bytes]], _Result]) -> tuple[IO[bytes], _Result]:
    """A temporary file that `fill` wrote, ready to be sent, and what it returned."""
    draft = TemporaryFile()  # noqa: SIM115 - closed after sending
    try:
        result = fill(draft)
        draft.seek(0)
    except BaseException:
        draft.close()
        raise
    return draft, result


class FileResponse(StreamingResponse):
    """Sends a file and closes it, also if the client goes away before its end."""

    def __init__(self, file: IO[bytes], media_type: str, headers: dict[str, str]) -> None:
        super().__init__(iter(lambda: file.read(_PIECE), b""), media_type=media_type, headers=headers)
        self._file = file

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        try:
            await super().__call__(scope, receive, send)
        finally:
            self._file.close()
