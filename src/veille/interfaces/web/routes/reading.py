"""Reader mode: fetching a page for reading, and a proxy for its images."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import Path, Query, Response
from pydantic import Field

from veille.core.show.reader import USUAL, ReaderOptions
from veille.interfaces.programs import too_often
from veille.interfaces.web._routes import ANYBODY, Caller, Routes, within
from veille.interfaces.web.views.shapes import Body, RestView, example

routes = Routes("reader")

_IMAGE_HEADERS = {
    "Content-Security-Policy": "default-src 'none'; form-action 'none'; sandbox",
    "Content-Disposition": 'inline; filename="image"',
    # Pages that were read may be shown on another site.
    "Cross-Origin-Resource-Policy": "cross-origin",
    "Cache-Control": "private, max-age=86400",
}

Address = Annotated[str, Query(max_length=4096, examples=["https://example.org/story"])]


PageId = Annotated[str, Path(max_length=100)]
Selectors = Annotated[
    list[Annotated[str, Field(max_length=1000)]],
    Query(
        alias="selector", max_length=20, description="CSS selectors of the content, tried after the well-known ones."
    ),
]


class NewPage(Body):
    """The page that a reader is for."""

    url: str = Field(max_length=4096, examples=["https://example.org/story"])


class PageView(RestView):
    """A page whose address is stored."""

    model_config = example(id="wbp_0123456789abcdef01234567")

    id: str


class ForceFetch(Body):
    """Whether to fetch the page again instead of using the cache."""

    forceFetch: bool = False  # noqa: N815 - the name that programs know


class PageMetadataView(RestView):
    """The metadata of a page."""

    model_config = example(title="A story", description=None)

    title: str
    description: str | None


class Read(RestView):
    """A page for reading; if it failed, `error` says why. Images in the content are loaded through our proxy.

    `parts` are there only if they were asked for.
    """

    model_config = example(readable=False, metadata=None, content=None, strategy=None, error="Invalid protocol: ftp:")

    readable: bool
    metadata: dict[str, Any] | None
    content: dict[str, Any] | None
    strategy: str | None
    error: str | None
    parts: dict[str, Any] | None = None


@routes.get(
    "/api/dossiers/{dossier_id}/reader", auth=within("fetch"), asks_outside=True, response_model_exclude_unset=True
)
def _read_page(
    call: Caller,
    url: Address,
    force: Annotated[bool, Query(description="Fetch it again instead of using the cache.")] = False,  # noqa: FBT002 - a query
    selectors: Selectors = [],  # noqa: B006 - likewise
    min_content_length: Annotated[
        int, Query(alias="minContentLength", ge=0, le=10**9, description="Characters that a selector must find.")
    ] = USUAL.min_content_length,
    parts: Annotated[  # noqa: FBT002 - likewise
        bool, Query(description="Also headline, byline, captions, related and comments, as `parts`; not cached.")
    ] = False,
) -> Read:
    """Fetch a page and extract its readable content; cached for a day."""
    options = ReaderOptions(selectors=tuple(selectors), min_content_length=min_content_length, parts=parts)
    with call.app.reader(call.dossier.id) as reader:
        return Read(**reader.get_reader_content(url, force=force, options=options).as_json())


@routes.post("/api/dossiers/{dossier_id}/reader/init", auth=within("fetch"))
def _init_page(call: Caller, page: NewPage) -> PageView:
    """Store the address of a page for its own reader; the same page has the same id."""
    with call.app.reader(call.dossier.id) as reader:
        return PageView(id=reader.init(page.url).id)


@routes.post("/api/dossiers/{dossier_id}/reader/{page_id}/getMetadata", auth=within("fetch"), asks_outside=True)
def _get_page_metadata(call: Caller, page_id: PageId, how: ForceFetch | None = None) -> PageMetadataView:
    """The title and description of a page, cached for a day; if it cannot be read, an error says why."""
    with call.app.reader(call.dossier.id) as reader:
        found = reader.page(page_id).get_metadata(force_fetch=how is not None and how.forceFetch)
    return PageMetadataView(title=found.title, description=found.description)


@routes.post(
    "/api/dossiers/{dossier_id}/reader/{page_id}/getReaderContent",
    auth=within("fetch"),
    asks_outside=True,
    response_model_exclude_unset=True,
)
def _get_page_content(call: Caller, page_id: PageId, how: ForceFetch | None = None) -> Read:
    """A page for reading, cached for a day; if it cannot be read, its `error` says why."""
    with call.app.reader(call.dossier.id) as reader:
        found = reader.page(page_id).get_reader_content(force_fetch=how is not None and how.forceFetch)
    return Read(**found.as_json())


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
    if wait_s := call.app.store.call_limits.take(f"images {dossier_id}", call.app.settings.serve.images_per_minute):
        raise too_often(call.app, "Too many images of this dossier in a minute.", wait_s)
    media_type, body = call.app.images.fetch(url)
    return Response(body, media_type=media_type, headers=_IMAGE_HEADERS)
