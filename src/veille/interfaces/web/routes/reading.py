"""Reader mode: fetching a page for reading, and a proxy for its images."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import Query, Response

from veille.interfaces.programs import too_often
from veille.interfaces.web._routes import ANYBODY, Caller, Routes, within
from veille.interfaces.web.views.shapes import RestView, example

routes = Routes("reader")

_IMAGE_HEADERS = {
    "Content-Security-Policy": "default-src 'none'; form-action 'none'; sandbox",
    "Content-Disposition": 'inline; filename="image"',
    # Pages that were read may be shown on another site.
    "Cross-Origin-Resource-Policy": "cross-origin",
    "Cache-Control": "private, max-age=86400",
}

Address = Annotated[str, Query(max_length=4096, examples=["https://example.org/story"])]


class Read(RestView):
    """A page for reading; if it failed, `error` says why. Images in the content are loaded through our proxy."""

    model_config = example(readable=False, metadata=None, content=None, strategy=None, error="Invalid protocol: ftp:")

    readable: bool
    metadata: dict[str, Any] | None
    content: dict[str, Any] | None
    strategy: str | None
    error: str | None


@routes.get("/api/dossiers/{dossier_id}/reader", auth=within("fetch"), asks_outside=True)
def _read_page(
    call: Caller,
    url: Address,
    force: Annotated[bool, Query(description="Fetch it again instead of using the cache.")] = False,  # noqa: FBT002 - a query
) -> Read:
    """Fetch a page and extract its readable content; cached for a day."""
    with call.app.reader(call.dossier.id) as reader:
        return Read(**reader.get_reader_content(url, force=force).as_json())


@routes.get("/api/proxy-image", auth=ANYBODY, asks_outside=True, response_class=Response)
def _proxy_image(
    call: Caller,
    url: Address,
    dossier_id: Annotated[str, Query(alias="d", max_length=100)] = "",
    expires_at: Annotated[int, Query(alias="e", ge=0, le=2**53)] = 0,
    signature: Annotated[str, Query(alias="s", max_length=200)] = "",
) -> Response:
    """An image of a page that was read. Needs no authentication: the URL is signed and expires."""
    call.app.images.check(url, dossier_id, expires_at, signature)
    if wait_s := call.request.app.state.image_turns.enter(dossier_id):
        raise too_often(call.app, "Too many images of this dossier in a minute.", wait_s)
    media_type, body = call.app.images.fetch(url)
    return Response(body, media_type=media_type, headers=_IMAGE_HEADERS)
