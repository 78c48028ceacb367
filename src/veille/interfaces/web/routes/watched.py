"""Whether an address is watched, for the extension of browsers."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated

from fastapi import Query
from pydantic import Field

from veille.core.models import Change, Dossier, Source
from veille.core.show.change_rows import ChangeFilter, Which
from veille.core.urls import canonical
from veille.errors import ConfigError
from veille.interfaces.operations._first_sight import first_sight
from veille.interfaces.web._routes import Caller, Permission, Routes
from veille.interfaces.web.requests.calls import Call
from veille.interfaces.web.views.row_html import link
from veille.interfaces.web.views.shapes import ID, RestView, example

routes = Routes("sources")

#: Characters of what changed.
_EXCERPT = 300
#: Unread changes that are counted.
_MOST = 100


class LastChange(RestView):
    """The last change of a source."""

    model_config = example(at=1790000000000, change="changed", excerpt="Tea costs 13.90", url="https://…/diff?newer=3")

    at: int
    change: Change
    excerpt: str = Field(description="The words that are there now.")
    url: str = Field(description="Where it is shown.")


class WatchedSource(RestView):
    """A source with the address."""

    model_config = example(dossier_id=ID, dossier="Press", source_id=ID, name="Prices", url="https://…", unread=1)

    dossier_id: str
    dossier: str
    source_id: str
    name: str
    url: str = Field(description="The page of the source.")
    unread: int = Field(description="How many of its changes are unread; at most 100.")
    change: LastChange | None = None


class WatchedSources(RestView):
    """The sources with an address."""

    model_config = example(watched=[])

    watched: list[WatchedSource]


@routes.get("/api/watched", auth=Permission("known", "read"))
def _watched(
    call: Caller, url: Annotated[str, Query(max_length=4096, examples=["https://example.org/prices"])] = ""
) -> WatchedSources:
    """Whether a page is watched in any of your dossiers, and what changed last."""
    return WatchedSources(watched=list(_sources(call, url)))


def _sources(call: Call, url: str) -> Iterator[WatchedSource]:
    try:
        wanted = {url, canonical(url)}
    except (ConfigError, ValueError):
        return
    for dossier in call.access.dossiers():
        with call.services.reading(dossier.id) as reading:
            found = [one for one in reading.sources.all() if one.url in wanted]
        for source in found:
            yield _shown(call, dossier, source)


def _shown(call: Call, dossier: Dossier, source: Source) -> WatchedSource:
    front, user_id, home = call.services.front, call.access.who.user_id, f"{call.url}/d/{dossier.id}"

    def lines(which: Which, limit: int) -> list[str]:
        wanted = ChangeFilter(user_id=user_id, which=which, source_id=source.id)
        return [line.document_id for line in front.window(dossier, wanted, None, limit).window.lines]

    last = next(iter(front.last_changes(dossier.id, lines(Which.ALL, 1)).values()), None)
    words = "".join(one.text for one in first_sight(last)["excerpt"] if one.kind != "delete") if last else ""
    return WatchedSource(
        dossier_id=dossier.id,
        dossier=dossier.name,
        source_id=source.id,
        name=source.name,
        url=f"{home}/sources/{source.id}",
        unread=len(lines(Which.UNREAD, _MOST)),
        change=LastChange(at=last.at, change=last.change, excerpt=words[:_EXCERPT], url=link(last, home))
        if last
        else None,
    )
