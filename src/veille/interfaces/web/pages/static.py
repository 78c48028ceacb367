"""Style sheets, scripts, and the icons of sites."""

from __future__ import annotations

import re
from http import HTTPStatus
from typing import Annotated

from fastapi import Path, Request, Response

from veille.errors import NotFoundError
from veille.interfaces.web._routes import ANYBODY, Pages, within
from veille.interfaces.web.actions.show import Showing
from veille.interfaces.web.views.html import edition, packed_files, static_files

routes = Pages("static")

_ICON_HEADERS = {
    "Content-Security-Policy": "default-src 'none'; sandbox",
    "Content-Disposition": 'inline; filename="icon"',
    "Cache-Control": "private, max-age=86400",
}
_WORKER = "push-worker.js"
_TYPES = {"css": "text/css", "js": "text/javascript", "svg": "image/svg+xml", "png": "image/png"}


@routes.get("/static/{of}/{name}", auth=ANYBODY, waits=True)
async def _static(request: Request, of: str, name: str) -> Response:
    """A static file. The current edition is cached for good; under the URL of another it must be revalidated."""
    body = static_files().get(name)
    if body is None:
        raise NotFoundError("There is no such file.", code="no_file")
    kept = "public, max-age=31536000, immutable" if of == edition() else "no-cache"
    headers = {"Cache-Control": kept, "ETag": f'"{edition()}"', "Vary": "Accept-Encoding"}
    if name == _WORKER:
        # It is beside all pages.
        headers["Service-Worker-Allowed"] = "/"
    if request.headers.get("if-none-match") == headers["ETag"]:
        return Response(status_code=HTTPStatus.NOT_MODIFIED, headers=headers)
    media_type = _TYPES.get(name.rpartition(".")[2], "application/octet-stream")
    if name in packed_files() and _takes_gzip(request.headers.get("accept-encoding", "")):
        body, headers["Content-Encoding"] = packed_files()[name], "gzip"
    return Response(body, media_type=media_type, headers=headers)


def _takes_gzip(accepted: str) -> bool:
    """Whether gzip is among the encodings that a client takes: `gzip;q=0` says that it is not."""
    told = (one.partition(";") for one in accepted.lower().replace(" ", "").split(","))
    return any(name == "gzip" and not re.fullmatch(r"q=0(?:\.0*)?", quality) for name, _, quality in told)


@routes.get("/d/{dossier_id}/icons/{name}", auth=within("read"))
def _site_icon(show: Showing, name: Annotated[str, Path(pattern="^[0-9a-f]{32}$")]) -> Response:
    """The icon of a site that the dossier watches; its type is that of its bytes, and nothing in it runs."""
    found = show.app.favicons.read(name)
    if found is None:
        raise NotFoundError("There is no such icon.", code="no_file")
    media_type, body = found
    return Response(body, media_type=media_type, headers=_ICON_HEADERS)
