"""Shared documents: making and revoking links, and what anybody sees who has one."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

from fastapi import Form, Path, Query, Response
from fastapi.responses import HTMLResponse

from veille.core.compare.diff import word_count
from veille.core.show.article import is_rtl, reading_minutes
from veille.core.show.shared_link import SHARE_DAYS
from veille.errors import ConfigError, NotFoundError
from veille.interfaces.web._routes import ANYBODY, Caller, Pages, within
from veille.interfaces.web.actions.show import Showing, refusal, theme_of
from veille.interfaces.web.views.html import page

if TYPE_CHECKING:
    from veille.interfaces.web.actions.show import Show
    from veille.interfaces.web.requests.calls import Call

routes = Pages("sharing")

_SHARED = "/s/{token}"
#: The address is a secret: no other site is told of it, no search engine lists it, and no cache keeps the page.
_HEADERS = {
    "Referrer-Policy": "no-referrer",
    "X-Robots-Tag": "noindex, nofollow, noarchive",
    "Cache-Control": "no-store",
}

Token = Annotated[str, Path(max_length=200)]
Number = Annotated[int | None, Query(ge=1, le=2**31)]


@routes.post("/d/{dossier_id}/documents/{document_id}/share", auth=within("export"))
def _share(
    show: Showing,
    document_id: Annotated[str, Path(max_length=200)],
    days: Annotated[int, Form()] = SHARE_DAYS[1],
) -> Response:
    """Make a link; it is shown once."""
    try:
        link, token = show.services.sharing.share(show.dossier.id, show.user_id, document_id, days)
    except ConfigError as error:
        return _page(show, problem=refusal(error))
    show.access.log("share", show.dossier.id, document=document_id, share=link.id, days=days)
    return _page(show, link=link, address=f"{show.url}/s/{token}")


@routes.get("/d/{dossier_id}/shares", auth=within("export"))
def _shares(show: Showing) -> Response:
    """The links that are valid."""
    return _page(show)


@routes.post("/d/{dossier_id}/shares/{share_id}/revoke", auth=within("export"))
def _revoke(show: Showing, share_id: Annotated[str, Path(max_length=200)]) -> Response:
    show.services.sharing.revoke(show.dossier.id, share_id)
    show.access.log("unshare", show.dossier.id, share=share_id)
    return show.go(f"{show.home}/shares", "The link is revoked: nobody can open it any more.")


@routes.post("/d/{dossier_id}/shares/allowed", auth=within("admin"))
def _allow(show: Showing, *, value: Annotated[bool, Form()]) -> Response:
    """Owners allow sharing, or not."""
    show.services.sharing.allow(show.dossier.id, is_allowed=value)
    show.access.log("sharing", show.dossier.id, allowed=value)
    said = "Documents may be shared." if value else "Sharing is off: no link can be opened until it is on again."
    return show.go(f"{show.home}/shares", said)


def _page(show: Show, **given: object) -> Response:
    sharing, here = show.services.sharing, show.dossier.id
    values = {"problem": "", "link": None, "address": ""} | given
    return show("shares.html", shares=sharing.all(here), is_allowed=sharing.is_allowed(here), **values)


@routes.get(_SHARED, auth=ANYBODY)
def _shared(call: Caller, token: Token) -> Response:
    """A shared document, as it is now."""
    dossier_id, link = call.app.sharing.opened(token)
    sign = call.app.image_signer(dossier_id)
    found = call.app.documents.article(dossier_id, "", link.document_id, None, sign)
    return _told(
        call,
        "shared.html",
        link=link,
        found=found,
        revision=found.revision,
        minutes=reading_minutes(word_count(found.revision.text)),
        is_rtl=is_rtl(found.revision.lang),
    )


@routes.get(f"{_SHARED}/changes", auth=ANYBODY)
def _shared_changes(call: Caller, token: Token, newer: Number = None) -> Response:
    """What changed in a shared document with a revision, the last one if none is named."""
    dossier_id, link = call.app.sharing.opened(token)
    sign = call.app.image_signer(dossier_id)
    try:
        found = call.app.documents.compare(dossier_id, link.document_id, None, newer, sign)
    except ConfigError as error:
        if error.code != "one_revision":
            raise
        raise NotFoundError("It has not changed yet.", code="no_document") from error
    return _told(call, "shared_changes.html", link=link, found=found)


def _told(call: Call, template: str, **values: object) -> Response:
    here = f"/s/{call.request.path_params['token']}"
    shown = page(template, here=here, theme=theme_of(call.request), **values)
    return HTMLResponse(shown, headers=_HEADERS)
