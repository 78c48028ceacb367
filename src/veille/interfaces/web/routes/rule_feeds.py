"""Feeds of what a rule fired, for feed readers."""

from __future__ import annotations

from typing import Annotated

from fastapi import Path, Response
from fastapi.responses import JSONResponse

from veille.core.alerts.models import Alert
from veille.core.alerts.phrases import because, excerpt, headline, page_url, value_line
from veille.core.alerts.records import AlertFilter
from veille.core.show.syndication import FeedItem, atom, json_feed
from veille.interfaces.web._routes import Routes, within
from veille.interfaces.web.requests.calls import Call, Caller
from veille.interfaces.web.requests.paging import Limit

routes = Routes("feeds")

_FEED = "/api/dossiers/{dossier_id}/rules/{rule_id}/feed"

RuleName = Annotated[str, Path(max_length=200, description="The id or the name of the rule.")]


@routes.get(f"{_FEED}.atom", auth=within("read"), response_class=Response)
def _rule_atom(call: Caller, rule_id: RuleName, limit: Limit = 50) -> Response:
    """What the rule fired, as Atom. Feed readers send a token as the password."""
    name, items = _items(call, rule_id, limit)
    return Response(atom(name, f"{call.url}{call.request.url.path}", items), media_type="application/atom+xml")


@routes.get(f"{_FEED}.json", auth=within("read"), response_class=Response)
def _rule_json_feed(call: Caller, rule_id: RuleName, limit: Limit = 50) -> Response:
    """What the rule fired, as JSON Feed."""
    name, items = _items(call, rule_id, limit)
    return JSONResponse(json_feed(name, call.url, items), media_type="application/feed+json")


def _items(call: Call, rule_id: str, limit: int) -> tuple[str, list[FeedItem]]:
    rules, dossier_id = call.services.rules, call.dossier.id
    rule = rules.find(dossier_id, rule_id)
    lines = rules.alerts(dossier_id, AlertFilter(rule_id=rule.id), None, limit)
    return rule.name, [_item(f"{call.url}/d/{dossier_id}", line.alert) for line in lines]


def _item(home: str, alert: Alert) -> FeedItem:
    told = [*map(value_line, alert.values), excerpt(alert), *because(alert), page_url(alert)]
    return FeedItem(
        id=f"urn:uuid:{alert.id}",
        url=f"{home}{alert.path}" if alert.path else page_url(alert),
        title=headline(alert),
        text="\n".join(filter(None, told)),
        changed_at=alert.at,
        lang=alert.lang,
        edits=tuple(alert.excerpt),
    )
