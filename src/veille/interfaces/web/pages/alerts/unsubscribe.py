"""Ending a channel by the address in its messages, without logging in; also with one click of a mail program."""

from __future__ import annotations

from typing import Annotated

from fastapi import Path, Request, Response
from fastapi.responses import HTMLResponse

from veille.core.alerts.models import ChannelSetup, ChannelState
from veille.interfaces.web._routes import ANYBODY, Caller, Pages
from veille.interfaces.web.actions.show import theme_of
from veille.interfaces.web.views.html import PAGE_HEADERS, page

routes = Pages("unsubscribe")

#: The signed address is the proof: it needs no session, and `Guard` lets its forms come from anywhere.
_ADDRESS = "/unsubscribe/{dossier_id}/{channel_id}/{token}"

PlaceId = Annotated[str, Path(max_length=200)]
Token = Annotated[str, Path(max_length=200)]


@routes.get(_ADDRESS, auth=ANYBODY)
def _ask(call: Caller, dossier_id: PlaceId, channel_id: PlaceId, token: Token) -> Response:
    """Asks first: programs that look through mails follow every link in them."""
    return _shown(call.request, call.app.channels.subscribed(dossier_id, channel_id, token))


@routes.post(_ADDRESS, auth=ANYBODY)
def _leave(call: Caller, dossier_id: PlaceId, channel_id: PlaceId, token: Token) -> Response:
    """Pause the channel (RFC 8058: the body is not looked at)."""
    return _shown(call.request, call.app.channels.unsubscribe(dossier_id, channel_id, token))


def _shown(request: Request, channel: ChannelSetup) -> Response:
    is_over = channel.state is ChannelState.PAUSED
    return HTMLResponse(
        page("unsubscribe.html", channel=channel, is_over=is_over, theme=theme_of(request)), headers=PAGE_HEADERS
    )
