"""Alerts, documents, sources and saved searches of all dossiers of a user: the newest of each dossier."""

from __future__ import annotations

from http import HTTPStatus
from typing import TYPE_CHECKING

from fastapi import Response
from fastapi.responses import RedirectResponse

from veille.core.alerts.records import AlertFilter
from veille.core.records import DocumentFilter
from veille.core.report.source_status import Census, SourceFilter, SourceStatus
from veille.interfaces.web._routes import KNOWN, Pages
from veille.interfaces.web.actions.show import Show, Showing
from veille.interfaces.web.views.told import ShownAlert

if TYPE_CHECKING:
    from veille.core.models import Dossier

routes = Pages("everywhere")

#: What is read of each dossier, the number of dossiers, and what a page shows in all.
_EACH, _DOSSIERS, _SHOWN = 15, 50, 40


@routes.get("/alerts", auth=KNOWN)
def _all_alerts(show: Showing) -> Response:
    """What the rules of all dossiers fired last."""
    if only := _only(show, "alerts"):
        return only
    services = show.services

    def read(dossier: Dossier) -> list[tuple[Dossier, ShownAlert]]:
        channels = {one.id: one for one in services.channels.all(dossier.id)}
        lines = services.rules.alerts(dossier.id, AlertFilter(), None, _EACH)
        return [(dossier, ShownAlert(line, f"/d/{dossier.id}", channels)) for line in lines]

    lists, unreadable = show.of_each(_dossiers(show), read)
    found = sorted((one for some in lists for one in some), key=lambda one: -one[1].alert.at)
    return show("all_alerts.html", found=found[:_SHOWN], unreadable=unreadable)


@routes.get("/documents", auth=KNOWN)
def _all_documents(show: Showing) -> Response:
    """The documents of all dossiers that changed last."""
    if only := _only(show, "documents"):
        return only
    listing = show.services.documents.listing
    found, unreadable = show.of_each(
        _dossiers(show), lambda one: (one, listing(one.id, show.user_id, DocumentFilter(), None, _EACH))
    )
    lines = sorted(
        ((dossier, some, line) for dossier, some in found for line in some.lines), key=lambda one: -one[2].changed_at
    )
    return show("all_documents.html", found=lines[:_SHOWN], unreadable=unreadable)


@routes.get("/sources", auth=KNOWN)
def _all_sources(show: Showing) -> Response:
    """How many sources each dossier has, and those that fail."""
    if only := _only(show, "sources"):
        return only
    now = show.app.clock()

    def read(dossier: Dossier) -> tuple[Dossier, list[Census], list[SourceStatus]]:
        with show.services.reading(dossier.id) as reading:
            failing = reading.survey.page(SourceFilter(health="failing"), now, None, _EACH)
            return dossier, reading.survey.census(now), failing

    found, unreadable = show.of_each(_dossiers(show), read)
    failing = [(dossier, one) for dossier, _, some in found for one in some]
    return show("all_sources.html", found=found, failing=failing[:_SHOWN], unreadable=unreadable)


@routes.get("/searches", auth=KNOWN)
def _all_searches(show: Showing) -> Response:
    """The saved searches of all dossiers, those with news first."""
    if only := _only(show, "searches"):
        return only
    lists, unreadable = show.of_each(
        _dossiers(show), lambda one: [(one, news) for news in show.services.saved.news(one.id, show.user_id)]
    )
    found = sorted((one for some in lists for one in some), key=lambda one: -one[1].fresh)
    return show("all_searches.html", found=found, unreadable=unreadable)


def _only(show: Show, part: str) -> Response | None:
    """To the page of the only dossier of the user."""
    dossiers = show.access.dossiers()
    return RedirectResponse(f"/d/{dossiers[0].id}/{part}", HTTPStatus.SEE_OTHER) if len(dossiers) == 1 else None


def _dossiers(show: Show) -> list[Dossier]:
    """The dossiers that are read: those with the most unread changes."""
    dossiers = show.access.dossiers()
    counts = show.counts(dossiers)
    return sorted(dossiers, key=lambda one: -counts[one.id].unread)[:_DOSSIERS]
