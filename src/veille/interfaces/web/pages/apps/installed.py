"""The pages as an app that browsers install: its manifest, its page without a network, and what is shared with it."""

from __future__ import annotations

import json
import re
from typing import Annotated
from urllib.parse import quote

from fastapi import Query, Response
from fastapi.responses import HTMLResponse

from veille.interfaces.web._routes import ANYBODY, Caller, Pages
from veille.interfaces.web.actions.show import Showing
from veille.interfaces.web.pages.add import WRITERS
from veille.interfaces.web.views.html import PAGE_HEADERS, page, static_url

routes = Pages("installed")

_ADDRESS = re.compile(r"https?://[^\s<>\"]+", re.IGNORECASE)
_MAX_TEXT = 4096

SharedText = Annotated[str, Query(max_length=20_000)]


@routes.get("/manifest.webmanifest", auth=ANYBODY)
def _manifest(call: Caller) -> Response:  # noqa: ARG001 - no authentication needed
    """What the app is called, how it looks, and that other apps can share with it."""
    icons = [
        {"src": static_url("icon.svg"), "type": "image/svg+xml", "sizes": "any"},
        {"src": static_url("icon-192.png"), "type": "image/png", "sizes": "192x192"},
        {"src": static_url("icon-512.png"), "type": "image/png", "sizes": "512x512"},
        {"src": static_url("icon-full.png"), "type": "image/png", "sizes": "512x512", "purpose": "maskable"},
    ]
    manifest = {
        "id": "/",
        "name": "veille",
        "short_name": "veille",
        "description": "Watch anything on the web, keep every version, find it again.",
        "start_url": "/",
        "scope": "/",
        "display": "standalone",
        "background_color": "#fbfaf8",
        "theme_color": "#0b5c6b",
        "icons": icons,
        "shortcuts": [{"name": "Watch", "url": "/add"}, {"name": "Search", "url": "/search"}],
        "share_target": {
            "action": "/share",
            "method": "GET",
            "enctype": "application/x-www-form-urlencoded",
            "params": {"title": "title", "text": "text", "url": "url"},
        },
    }
    return Response(json.dumps(manifest), media_type="application/manifest+json")


@routes.get("/offline", auth=ANYBODY)
def _offline(call: Caller) -> Response:  # noqa: ARG001 - likewise
    """Shown by the worker when the service does not answer; the only page that a device keeps."""
    return HTMLResponse(page("offline.html"), headers=PAGE_HEADERS)


@routes.get("/share", auth=WRITERS)
def _shared(show: Showing, url: SharedText = "", text: SharedText = "", title: SharedText = "") -> Response:
    """What another app shared: to the box, in which nothing is fetched before it is sent."""
    return show.go(f"/add?text={quote(_shared_address(url, text, title), safe='')}")


def _shared_address(url: str, text: str, title: str) -> str:
    """The address in what was shared: many apps put it into the text. Without one, the words themselves."""
    for given in (url, text, title):
        if found := _ADDRESS.search(given):
            return found[0].rstrip(".,;)]")[:_MAX_TEXT]
    return (text or title or url).strip()[:_MAX_TEXT]
