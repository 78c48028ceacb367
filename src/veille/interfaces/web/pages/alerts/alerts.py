"""What the rules of a dossier fired, how each channel told it, and channels that need somebody."""

from __future__ import annotations

from typing import Annotated
from urllib.parse import urlencode

from fastapi import Path, Query, Response
from pydantic import BaseModel, Field

from veille.core.alerts.frequency import MOST_ALERTS
from veille.core.alerts.importance import importance
from veille.core.alerts.models import ChannelSetup, ChannelState
from veille.core.alerts.records import AlertFilter, AlertLine
from veille.errors import ConfigError
from veille.interfaces.web._routes import Pages, within
from veille.interfaces.web.actions.show import Showing, refusal
from veille.interfaces.web.views.told import ShownAlert

routes = Pages("alerts")

_ALERTS = "/d/{dossier_id}/alerts"
_PAGE = 30

AlertId = Annotated[str, Path(max_length=200)]


class AlertChoice(BaseModel):
    """Which alerts are shown."""

    rule: str = Field("", max_length=200)
    source: str = Field("", max_length=200)
    channel: str = Field("", max_length=200)
    #: A digest, or another message of several alerts: all of it, the most important first.
    message: str = Field("", max_length=200)
    before: int | None = Field(None, ge=1, le=2**53)

    def older(self, lines: list[AlertLine]) -> str:
        """The query of the next page; empty if this one was the last."""
        if len(lines) < _PAGE:
            return ""
        chosen = {"rule": self.rule, "source": self.source, "channel": self.channel, "before": lines[-1].seq}
        return "?" + urlencode({name: value for name, value in chosen.items() if value})


@routes.get(_ALERTS, auth=within("read"))
def _alerts(show: Showing, choice: Annotated[AlertChoice, Query()]) -> Response:
    services, dossier_id = show.services, show.dossier.id
    wanted = AlertFilter(
        rule_id=choice.rule, source_id=choice.source, channel_id=choice.channel, message_id=choice.message
    )
    if choice.message:
        lines = services.rules.alerts(dossier_id, wanted, None, MOST_ALERTS)
        lines.sort(key=lambda line: (-importance(line.alert), line.seq))
    else:
        lines = services.rules.alerts(dossier_id, wanted, choice.before, _PAGE)
    channels = {one.id: one for one in services.channels.all(dossier_id)}
    older = "" if choice.message else choice.older(lines)
    return show(
        "alerts.html",
        found=[ShownAlert(line, show.home, channels) for line in lines],
        choice=choice,
        message=services.channels.message(dossier_id, choice.message) if choice.message else None,
        rules=services.rules.all(dossier_id),
        sources=services.sources.all(dossier_id),
        failing=[one for one in channels.values() if _needs_somebody(one)],
        has_channels=bool(channels),
        older=f"{show.home}/alerts{older}" if older else "",
    )


@routes.post(_ALERTS + "/{alert_id}/again", auth=within("write"))
def _again(show: Showing, alert_id: AlertId) -> Response:
    """Send an alert again, by the channels that told it."""
    try:
        show.services.rules.resend(show.dossier.id, alert_id)
    except ConfigError as error:
        return show.go(f"{show.home}/alerts", refusal(error))
    show.access.log("resend_alert", show.dossier.id, alert=alert_id)
    return show.go(f"{show.home}/alerts", "It is sent again, in a moment.")


def _needs_somebody(channel: ChannelSetup) -> bool:
    return channel.state is ChannelState.FAILED or bool(channel.problem)
