"""What changed: everywhere, and in one dossier."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from functools import partial
from itertools import groupby
from typing import TYPE_CHECKING, Annotated, Any, Literal
from urllib.parse import urlencode

from fastapi import Form, Query, Response
from pydantic import BaseModel

from veille.core.show.change_rows import ChangeFilter, Folding, RowCursor, Which, arranged, row_cursor
from veille.interfaces.web._routes import KNOWN, Pages, within
from veille.interfaces.web.actions.places import last_used, places, remember
from veille.interfaces.web.actions.show import Showing
from veille.interfaces.web.views.words import day_of
from veille.services.reading.change_feed import ChangeRow, DossierWindow, local_day

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from veille.core.models import Dossier
    from veille.core.show.change_rows import RowGroup
    from veille.interfaces.web.actions.show import Show

routes = Pages("changes")

#: Rows on a page.
_PAGE = 25
#: Changes that are looked at for a page, in all and at least of each dossier: rows are made of them.
_CHANGES, _EACH = 500, 20
#: How often a page goes on when all that was looked at did not match.
_TURNS = 4
#: A dossier id and the newest change of it that was shown.
_SHOWN = re.compile(r"(.+):([0-9]{1,18})")
#: Dossiers of which a form may mark changes as read.
_DOSSIERS = 5000


class RowChoice(BaseModel):
    """Which changes a list has."""

    show: Literal["", "unread", "others", "all", "important"] = Query("", description="Without it: the unread first.")
    by: Literal["", "source"] = Query("", description="`source`: a row for each source.")
    after: str = Query("", max_length=60_000, description="Where the page before ended.")
    source: str = Query("", max_length=100, description="Only of this source.")
    tag: str = Query("", max_length=100, description="Only what has this tag.")
    first: int = Query(0, ge=0, le=2**53, description="Only changes from this number on.")
    last: int = Query(0, ge=0, le=2**53, description="Only changes up to this number.")

    @property
    def parts(self) -> list[Which]:
        """The parts of the list, one after the other."""
        if self.show:
            return [Which(self.show)]
        return [Which.ALL] if self.by or self.source else [Which.UNREAD, Which.OTHERS]

    @property
    def folding(self) -> Folding:
        return Folding.ALL if self.by else Folding.NONE if self.source else Folding.NOISY

    @property
    def is_first(self) -> bool:
        return not self.after and not self.source

    def begin(self) -> RowCursor:
        """Where this page begins."""
        cursor = row_cursor(self.after)
        return cursor if cursor is not None and cursor.which in self.parts else RowCursor(self.parts[0])

    def path(self, **other: object) -> str:
        """The query of this list with other values."""
        now = {name: getattr(self, name) for name in ("show", "by", "source", "tag", "first", "last")}
        wanted = {name: value for name, value in {**now, **other}.items() if value}
        return f"?{urlencode(wanted)}" if wanted else ""


@dataclass(kw_only=True)
class _Found:
    """A page of rows."""

    #: The part of the list each row is of, and the row.
    rows: list[tuple[Which, ChangeRow]] = field(default_factory=list)
    #: What the first page has of each dossier.
    windows: list[DossierWindow] = field(default_factory=list)
    unreadable: list[Dossier] = field(default_factory=list)
    #: Where the next page begins; None at the end.
    following: RowCursor | None = None


@routes.get("/", auth=KNOWN)
def _home(show: Showing, choice: Annotated[RowChoice, Query()]) -> Response:
    """What changed in all dossiers of the user, and a box to watch more."""
    found = _found(show, show.access.dossiers(), choice)
    known = places(show)
    return show(
        "home.html",
        **_shown(show, found, choice, "/"),
        unreadable=found.unreadable,
        places=known,
        place=last_used(show, known),
        mcp_url=f"{show.url}/mcp",
    )


@routes.get("/d/{dossier_id}", auth=within("read"))
def _dossier(show: Showing, choice: Annotated[RowChoice, Query()]) -> Response:
    """What changed in a dossier."""
    dossier = show.dossier
    found = _found(show, [dossier], choice)
    if found.unreadable:
        # Say why, as every other page of the dossier does.
        show.services.front.window(dossier, ChangeFilter(user_id=show.user_id), None, 1)
    values = _shown(show, found, choice, show.home)
    if "x-part" in show.request.headers:
        return show.part("rows_part.html", **values, may=show.may)
    return remember(show("changes.html", **values, mcp_url=f"{show.url}/mcp"), dossier.id)


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


def _found(show: Show, dossiers: Sequence[Dossier], choice: RowChoice) -> _Found:
    """The rows of a page: of the first part of the list, and if that ends on it, of the next."""
    found = _Found(following=choice.begin())
    is_visit = choice.is_first
    turns = 0
    while found.following is not None and len(found.rows) < _PAGE and turns < _TURNS:
        cursor = found.following
        windows, unreadable = show.of_each(dossiers, partial(_window, show, choice, cursor, len(dossiers), is_visit))
        found.unreadable = found.unreadable or unreadable
        if is_visit:
            found.windows, is_visit = windows, False
        some = [one.window for one in windows]
        groups, places = arranged(some, _PAGE - len(found.rows), local_day, choice.folding)
        found.rows += [(cursor.which, row) for row in _rows(show, windows, cursor.which, groups)]
        found.following = cursor.moved(places)
        if not any(places.values()):
            later = choice.parts[choice.parts.index(cursor.which) + 1 :]
            found.following = RowCursor(later[0]) if later else None
        turns += not groups
    return found


def _window(show: Show, choice: RowChoice, cursor: RowCursor, count: int, is_visit: bool, of: Dossier) -> DossierWindow:  # noqa: FBT001
    before = cursor.before(of.id)
    if before is None and choice.last:
        before = choice.last + 1
    wanted = ChangeFilter(
        user_id=show.user_id, which=cursor.which, source_id=choice.source, tag=choice.tag, since=choice.first
    )
    each = max(_EACH, _CHANGES // max(1, count))
    return show.services.front.window(of, wanted, before, each, is_visit=is_visit)


def _rows(show: Show, windows: Sequence[DossierWindow], which: Which, groups: Sequence[RowGroup]) -> list[ChangeRow]:
    """The rows of these groups, in their order."""
    made: dict[tuple[str, int], ChangeRow] = {}
    for one in windows:
        own = [group for group in groups if group.dossier_id == one.dossier.id]
        rows = show.services.front.rows(one.dossier, show.user_id, which, own)
        made |= {(one.dossier.id, row.last_seq): row for row in rows}
    keys = ((group.dossier_id, group.lines[0].seq) for group in groups)
    return [made[key] for key in keys if key in made]


def _shown(show: Show, found: _Found, choice: RowChoice, here: str) -> dict[str, Any]:
    """The values of a template with a list of changes."""
    first = {one.dossier.id: one for one in found.windows}
    show.request.app.state.live.saw({dossier_id: one.last_seq for dossier_id, one in first.items()})
    show.request.app.state.counters.saw(show.user_id, {dossier_id: one.unread for dossier_id, one in first.items()})
    rows = [row for _, row in found.rows]
    fresh = sum(
        row.event.seq > since.seq
        for row in rows
        if (since := first[row.dossier.id].since if row.dossier.id in first else None) and since.at is not None
    )
    of = [show.dossier] if show.found_dossier else show.access.dossiers()
    unread = [one.unread for one in found.windows] or [one.unread for one in show.counts(of).values()]
    return {
        "sections": _by_day(found.rows),
        "fresh_count": fresh,
        "since_at": max((one.since.at for one in found.windows if one.since.at is not None), default=None),
        "unread_count": sum(unread),
        "upto": {one.dossier.id: one.last_seq for one in found.windows if one.unread},
        "choice": choice,
        "here": here,
        "older": f"{here}{choice.path(after=found.following)}" if found.following is not None else "",
    }


def _by_day(rows: Iterable[tuple[Which, ChangeRow]]) -> list[tuple[Which, str, list[ChangeRow]]]:
    """The part of the list, the day, and its rows."""
    grouped = groupby(rows, key=lambda one: (one[0], day_of(one[1].event.at)))
    return [(part, day, [row for _, row in group]) for (part, day), group in grouped]
