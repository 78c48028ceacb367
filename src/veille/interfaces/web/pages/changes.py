"""What changed: everywhere, and in one dossier."""

from __future__ import annotations

import re
from itertools import groupby
from typing import TYPE_CHECKING, Annotated, Any

from fastapi import Form, Query, Response

from veille.interfaces.web._routes import KNOWN, Pages, within
from veille.interfaces.web.actions.places import last_used, places, remember
from veille.interfaces.web.actions.show import Showing
from veille.interfaces.web.actions.tagged import tagged_changes
from veille.interfaces.web.views.words import day_of
from veille.services.reading.change_feed import Headline

if TYPE_CHECKING:
    from collections.abc import Iterable

    from veille.core.models import Dossier
    from veille.interfaces.web.actions.show import Show

routes = Pages("changes")

#: Changes on a page, and on the home page from each dossier.
_PAGE = 30
_EACH = 30
#: A dossier id and the newest change of it that was shown.
_SHOWN = re.compile(r"(.+):([0-9]{1,18})")
#: Dossiers whose changes the home page shows: those with the most unread ones.
_DOSSIERS = 30


@routes.get("/", auth=KNOWN)
def _home(show: Showing) -> Response:
    """What changed in all dossiers of the user, and a box to watch more."""
    services = show.services
    found: list[Headline] = []
    seen: list[int] = []
    newest: dict[str, int] = {}
    told, unreadable = show.of_each(
        _busiest(show), lambda one: (one, *services.front.headlines(one, show.user_id, _EACH))
    )
    for dossier, headlines, since in told:
        found += headlines
        seen += [since.at] if since.at is not None else []
        newest |= {dossier.id: headlines[0].event.seq} if headlines else {}
    show.request.app.state.live.saw(newest)
    found.sort(key=lambda one: -one.event.at)
    known = places(show)
    return show(
        "home.html",
        **_told(found[:_PAGE], max(seen, default=None)),
        upto=newest,
        unreadable=unreadable,
        places=known,
        place=last_used(show, known),
        mcp_url=f"{show.url}/mcp",
    )


@routes.get("/d/{dossier_id}", auth=within("read"))
def _dossier(
    show: Showing,
    before: Annotated[int | None, Query(ge=1, le=2**53, description="Older than this change.")] = None,
    tag: Annotated[str, Query(max_length=100)] = "",
) -> Response:
    """What changed in a dossier; with a tag, only in what has it."""
    dossier = show.dossier
    if tag:
        return tagged_changes(show, tag, before)
    found, since = show.services.front.headlines(dossier, show.user_id, _PAGE, before)
    shown = [event.seq for one in found for event in (one.event, *one.siblings)]
    show.request.app.state.live.saw({dossier.id: max(shown, default=0)})
    older = f"/d/{dossier.id}?before={min(shown)}" if len(shown) == _PAGE else ""
    response = show(
        "changes.html",
        **_told(found, since.at),
        newest=max(shown, default=0),
        older=older,
        before=before,
        mcp_url=f"{show.url}/mcp",
    )
    return remember(response, dossier.id)


@routes.post("/d/{dossier_id}/read-all", auth=within("read"))
def _read_all(show: Showing, seq: Annotated[int, Query(ge=0, le=2**53)]) -> Response:
    """Mark as read all that was shown, but not what arrived meanwhile."""
    show.services.front.read_all(show.dossier.id, show.user_id, seq)
    return show.go(show.home, "All of it is marked as read.")


@routes.post("/read-all", auth=KNOWN)
def _read_everywhere(
    show: Showing, upto: Annotated[list[str] | None, Form(max_length=_DOSSIERS, description="dossier:change")] = None
) -> Response:
    """Mark as read all that was shown of the user's dossiers."""
    shown = {one[1]: int(one[2]) for one in map(_SHOWN.fullmatch, upto or ()) if one}
    for dossier_id, seq in shown.items():
        show.services.front.read_all(dossier_id, show.user_id, seq)
    show.request.app.state.counters.forget(show.user_id, shown)
    return show.go("/", "All of it is marked as read.")


def _busiest(show: Show) -> list[Dossier]:
    dossiers = show.access.dossiers()
    counts = show.counts(dossiers)
    return sorted(dossiers, key=lambda one: -counts[one.id].unread)[:_DOSSIERS]


def _told(found: list[Headline], since_at: int | None) -> dict[str, Any]:
    """Changes grouped by day: those since the previous visit, and older ones."""
    fresh = [one for one in found if one.fresh]
    return {
        "fresh": _by_day(fresh),
        "fresh_count": sum(one.fresh for one in fresh),
        "seen": _by_day(one for one in found if not one.fresh),
        "since_at": since_at,
    }


def _by_day(found: Iterable[Headline]) -> list[tuple[str, list[Headline]]]:
    return [(day, list(group)) for day, group in groupby(found, key=lambda one: day_of(one.event.at))]
