"""Pointing at a part of a previewed page: a picture of the page, what an element gives, and the preview of the part."""

from __future__ import annotations

import secrets
from dataclasses import replace
from typing import TYPE_CHECKING, Annotated

from fastapi import Form, Path, Query, Response
from fastapi.responses import HTMLResponse, JSONResponse
from pydantic import Field

from veille.core.discover.detect import Alternative
from veille.core.pick.identity import part_key
from veille.errors import ConfigError, NotFoundError, ThrottledError
from veille.interfaces.web._routes import Pages, Permission, within
from veille.interfaces.web.actions.errands import check_soon
from veille.interfaces.web.actions.previews import name_of
from veille.interfaces.web.actions.show import Show, Showing
from veille.interfaces.web.requests.guard import PAGE_POLICY
from veille.interfaces.web.views.html import page
from veille.services.watching.sources import SourceEdit

if TYPE_CHECKING:
    from collections.abc import Sequence

    from veille.core.models import Json
    from veille.core.show.pointing import Snapshot
    from veille.interfaces.web.actions.previews import KeptPreview

routes = Pages("pointing")

WRITERS = Permission("known", "write")
_LOST = "That preview has expired. Make a new one."
_ITEMS = "items"
#: The options that pointing at a page gives.
_PICKED = ("parts", "without", "own_document")
#: What kinds a page can be pointed at for.
POINTED = frozenset({"page", _ITEMS})

PreviewId = Annotated[str, Path(max_length=100)]
SourceId = Annotated[str, Path(max_length=200)]
Number = Annotated[int, Field(ge=0, le=10_000_000)]
#: As many boxes as the page has; how many parts may be picked is told on the page itself.
Numbers = Annotated[list[Number], Form(max_length=500)]
_MOST_PARTS = 20


@routes.get("/add/{preview_id}/pick", auth=WRITERS)
def _point(show: Showing, preview_id: PreviewId) -> Response:
    """Show the page to point at."""
    seen = _found(show, preview_id)
    return _shown(show, seen) if seen else show.go("/add", _LOST)


@routes.get("/add/{preview_id}/snapshot", auth=WRITERS)
def _snapshot(show: Showing, preview_id: PreviewId) -> Response:
    """The picture itself, for the frame: only our own script runs in it, in an origin of its own; nothing is loaded."""
    seen = _found(show, preview_id)
    nonce = secrets.token_urlsafe(12)
    try:
        picture = _picture(show, seen) if seen else None
    except ConfigError:
        picture = None
    made = page("snapshot.html", picture=picture, nonce=nonce)
    policy = (
        f"default-src 'none'; script-src 'nonce-{nonce}'; style-src 'nonce-{nonce}'; base-uri 'none'; "
        "form-action 'none'; frame-ancestors 'self'; sandbox allow-scripts"
    )
    return HTMLResponse(made, headers={"Content-Security-Policy": policy, "X-Frame-Options": "SAMEORIGIN"})


@routes.get("/add/{preview_id}/element", auth=WRITERS)
def _element(show: Showing, preview_id: PreviewId, n: Annotated[Number, Query()] = 0) -> Response:
    """What one element would give, for the script of the page."""
    seen = _found(show, preview_id)
    if seen is None:
        raise NotFoundError(_LOST, code="no_preview")
    part = show.app.pointer().part(seen.body, seen.detection.charset, n)
    return JSONResponse({"n": part.n, "tag": part.tag, "text": part.text, "selector": part.selector})


@routes.post("/add/{preview_id}/pick", auth=WRITERS, asks_outside=True)
def _take(
    show: Showing,
    preview_id: PreviewId,
    take: Numbers = [],  # noqa: B006 - pydantic copies it
    leave: Numbers = [],  # noqa: B006 - likewise
    as_items: Annotated[str, Form(max_length=10)] = "",
) -> Response:
    """Preview what was picked: the page is fetched again, which proves that the part is found on it."""
    seen = _found(show, preview_id)
    if seen is None:
        return show.go("/add", _LOST)
    try:
        kind, options = _options(show, seen, take, leave, is_list=bool(as_items))
        if seen.change_of:
            return _changed(show, seen, options)
        chosen = Alternative(kind=kind, url=seen.detection.url, reason=_reason(kind, take, leave), config=options)
        name = name_of(seen.detection)
        another = show.request.app.state.previews.make(show, seen.text, seen.dossier_id, chosen, name=name)
    except (ConfigError, ThrottledError) as error:
        return _shown(show, seen, str(error), take, leave)
    return show.go(f"/add/{another.id}")


@routes.post("/add/{preview_id}/render", auth=WRITERS, asks_outside=True)
def _render(show: Showing, preview_id: PreviewId) -> Response:
    """The same page, as a browser shows it after its scripts ran."""
    seen = _found(show, preview_id)
    if seen is None:
        return show.go("/add", _LOST)
    config = {**seen.detection.config, "render": True}
    chosen = Alternative(kind="page", url=seen.detection.url, reason="as a browser shows it", config=config)
    try:
        another = show.request.app.state.previews.make(
            show, seen.text, seen.dossier_id, chosen, change_of=seen.change_of
        )
    except (ConfigError, ThrottledError) as error:
        return _shown(show, seen, problem=str(error))
    if another.detection.code:
        return _shown(show, seen, problem=another.detection.message)
    return show.go(f"/add/{another.id}/pick")


@routes.post("/d/{dossier_id}/sources/{source_id}/part", auth=within("write"), asks_outside=True)
def _change(show: Showing, source_id: SourceId) -> Response:
    """Point at another part of the page of a source."""
    source = show.services.sources.find(show.dossier.id, source_id)
    back = f"{show.home}/sources/{source.id}"
    if source.kind != "page":
        return show.go(back, "Only parts of pages can be pointed at.")
    chosen = Alternative(kind="page", url=source.url, reason="it is watched", config=dict(source.config))
    try:
        seen = show.request.app.state.previews.make(
            show, source.url, show.dossier.id, chosen, change_of=f"{show.dossier.id}/{source.id}"
        )
    except (ConfigError, ThrottledError) as error:
        return show.go(back, str(error))
    if not seen.body:
        return show.go(back, seen.detection.message or "The page cannot be fetched now.")
    return show.go(f"/add/{seen.id}/pick")


def _options(show: Show, seen: KeptPreview, take: list[int], leave: list[int], *, is_list: bool) -> tuple[str, Json]:
    pointer, charset, config = show.app.pointer(), seen.detection.charset, seen.detection.config
    kept = {name: value for name, value in config.items() if name not in {*_PICKED, "item"}}
    if len({*take, *leave}) > _MOST_PARTS:
        raise ConfigError(
            f"{_MOST_PARTS} parts at most can be picked, watched and ignored ones together: take some out, or pick a "
            "larger one around several.",
            code="no_part",
        )
    if is_list and leave:
        raise ConfigError(
            "Parts cannot be ignored in a list of items: take out what is marked as “Not this”.", code="no_part"
        )
    if is_list:
        render = {"render": True} if kept.get("render") else {}
        return _ITEMS, {**render, **pointer.items(seen.body, charset, take)}
    # The whole page may be watched, too. But a source whose document is that of the page keeps it.
    own = {"own_document": True} if not take and (not seen.change_of or part_key(config)) else {}
    return "page", {**kept, **pointer.taken(seen.body, charset, take, leave), **own}


def _changed(show: Show, seen: KeptPreview, options: Json) -> Response:
    """The source of the preview watches what was picked now, and is checked at once."""
    dossier_id, _, source_id = seen.change_of.partition("/")
    show.access.dossier(dossier_id, scope="write")
    gone = tuple(name for name in _PICKED if name not in options)
    edit = SourceEdit(options={name: options[name] for name in _PICKED if name in options}, unset=gone)
    source = show.services.sources.edit(dossier_id, source_id, edit)
    show.access.log("edit_source", dossier_id, source=source.id)
    began = check_soon(show, dossier_id, source)
    said = "It watches the part now that you pointed at. A check has started."
    return show.go(f"/d/{dossier_id}/sources/{source.id}?since={began}", said)


def _reason(kind: str, take: list[int], leave: list[int]) -> str:
    """What the preview shows, in words."""
    if kind == _ITEMS:
        return "each item of a list of the page"
    if not take:
        return "all of the page but what was pointed at"
    part = "the part that was" if len(set(take)) == 1 else "the parts that were"
    return f"only {part} pointed at{', without what is to be ignored' if leave else ''}"


def _shown(
    show: Show, seen: KeptPreview, problem: str = "", take: Sequence[int] = (), leave: Sequence[int] = ()
) -> Response:
    """The page to point at, with what was picked so far."""
    try:
        picture: Snapshot | None = _picture(show, seen)
        if picture and (take or leave):
            picture = replace(picture, taken=tuple(take), ignored=tuple(leave))
    except ConfigError as error:
        picture, problem = None, problem or str(error)
    made = show("pick.html", seen=seen, found=seen.detection, picture=picture, problem=problem)
    made.headers["Content-Security-Policy"] = f"{PAGE_POLICY}; frame-src 'self'"
    return made


def _picture(show: Show, seen: KeptPreview) -> Snapshot:
    if not seen.body:
        raise ConfigError("Nothing was fetched that could be pointed at.", code="empty")
    return show.app.pointer().picture(seen.body, seen.detection.charset, seen.detection.config)


def _found(show: Show, preview_id: str) -> KeptPreview | None:
    seen: KeptPreview | None = show.request.app.state.previews.find(show, preview_id)
    return seen if seen is not None and seen.detection.kind in POINTED else None
