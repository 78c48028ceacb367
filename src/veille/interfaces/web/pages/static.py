"""Style sheets, scripts and icons."""

from __future__ import annotations

from http import HTTPStatus

from fastapi import Request, Response

from veille.errors import NotFoundError
from veille.interfaces.web._routes import ANYBODY, Pages
from veille.interfaces.web.views.html import edition, static_files

routes = Pages("static")

_TYPES = {"css": "text/css", "js": "text/javascript", "svg": "image/svg+xml", "png": "image/png"}


@routes.get("/static/{of}/{name}", auth=ANYBODY, waits=True)
async def _static(request: Request, of: str, name: str) -> Response:
    """A static file. The current edition is cached for good; under the URL of another it must be revalidated."""
    body = static_files().get(name)
    if body is None:
        raise NotFoundError("There is no such file.", code="no_file")
    kept = "public, max-age=31536000, immutable" if of == edition() else "no-cache"
    headers = {"Cache-Control": kept, "ETag": f'"{edition()}"'}
    if request.headers.get("if-none-match") == headers["ETag"]:
        return Response(status_code=HTTPStatus.NOT_MODIFIED, headers=headers)
    media_type = _TYPES.get(name.rpartition(".")[2], "application/octet-stream")
    return Response(body, media_type=media_type, headers=headers)
