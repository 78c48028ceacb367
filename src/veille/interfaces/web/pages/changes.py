"""What changed: everywhere, and in one dossier."""

from __future__ import annotations

from itertools import groupby
from typing import Annotated

from fastapi import Query, Response

from veille.interfaces.web._auth import KNOWN, within
from veille.interfaces.web._html import day_of
from veille.interfaces.web._routes import Pages
from veille.interfaces.web._show import Showing
from veille.services.front import Headline

routes = Pages("changes")

#: Changes on a page, and on the first page of each dossier.
_PAGE = 100
_EACH = 40


@routes.get("/", auth=KNOWN)
def _home(show: Showing) -> Response:
    """What changed in all of their dossiers."""
    services = show.call.app.on_behalf(show.call.access, "read")
    found: list[Headline] = []
    for dossier in show.call.access.dossiers():
        headlines, _ = services.front.headlines(dossier, show.user_id, _EACH)
        found += headlines
    found.sort(key=lambda one: -one.event.at)
    return show("home.html", days=_by_day(found[:_PAGE]), fresh=sum(one.is_fresh for one in found))


@routes.get("/d/{dossier_id}", auth=within("read"))
def _dossier(
    show: Showing, before: Annotated[int | None, Query(ge=1, le=2**53, description="Older than this change.")] = None
) -> Response:
    """What changed in a dossier."""
    dossier = show.call.dossier
    found, since = show.call.services.front.headlines(dossier, show.user_id, _PAGE, before)
    shown = [event.seq for one in found for event in (one.event, *one.siblings)]
    older = f"/d/{dossier.id}?before={min(shown)}" if len(shown) == _PAGE else ""
    return show("changes.html", days=_by_day(found), since=since, newest=max(shown, default=0), older=older)


@routes.post("/d/{dossier_id}/read-all", auth=within("read"))
def _read_all(show: Showing, seq: Annotated[int, Query(ge=0, le=2**53)]) -> Response:
    """All that was shown is read; what came meanwhile is not."""
    with show.store() as store:
        store.marks.read_all(show.user_id, seq)
    return show.go(f"/d/{show.call.dossier.id}", "All of it is marked as read.")


def _by_day(found: list[Headline]) -> list[tuple[str, list[Headline]]]:
    return [(day, list(group)) for day, group in groupby(found, key=lambda one: day_of(one.event.at))]
