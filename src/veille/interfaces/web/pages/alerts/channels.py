"""The channels of a dossier: by which people are told of alerts."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from fastapi import Form, Path, Response
from pydantic import BaseModel, Field

from veille.core.alerts.destination import destination
from veille.core.alerts.models import ChannelSetup
from veille.core.models import Json
from veille.errors import ConfigError, SinkError
from veille.interfaces.operations._limits import json_object
from veille.interfaces.web._routes import Pages, within
from veille.interfaces.web.actions.show import Show, Showing, refusal
from veille.interfaces.web.views.html import static_url
from veille.services.alerts.channels import ChannelWish

routes = Pages("channels")

_CHANNELS = "/d/{dossier_id}/channels"
_ONE = _CHANNELS + "/{channel_id}"
_MESSAGES = 20
#: Offered beside whatever else people write.
_FREQUENCIES = (
    "at once",
    "at once, quiet 22:00-07:00 Europe/Paris",
    "every 2h",
    "daily 08:00 Europe/Paris",
    "weekly mon 08:00 Europe/Paris",
)
_WEBPUSH = "webpush"

ChannelId = Annotated[str, Path(max_length=200)]


class ChannelForm(BaseModel):
    """The form of a channel, as it was sent."""

    where: str = Field("", max_length=4000)
    name: str = Field("", max_length=1000)
    frequency: str = Field("at once", max_length=1000)
    #: Further options, as JSON.
    options: str = Field("", max_length=50_000)

    def place(self) -> tuple[str, Json]:
        """The kind of the channel, and its options."""
        kind, options = destination(self.where)
        return kind, options | self.further()

    def change(self, kind: str) -> Json:
        """The options to change of a channel of this kind."""
        if not self.where.strip():
            return self.further()
        wanted, options = self.place()
        if wanted != kind:
            raise ConfigError(
                f"This channel is of the kind {kind}, and that place of the kind {wanted}: add a new channel.",
                code="bad_destination",
            )
        return options

    def further(self) -> Json:
        """The options beside the place."""
        return json_object(self.options, "The further options", "bad_option") if self.options.strip() else {}


Sent = Annotated[ChannelForm, Form()]


@routes.get(_CHANNELS, auth=within("read"))
def _channels(show: Showing) -> Response:
    return _list(show, ChannelForm())


@routes.post(_CHANNELS, auth=within("write"), asks_outside=True)
def _add(show: Showing, sent: Sent) -> Response:
    try:
        kind, options = sent.place()
        return _added(show, sent, kind, options)
    except ConfigError as error:
        return _list(show, sent, str(error))


@routes.post(f"{_CHANNELS}/push", auth=within("write"))
def _add_browser(
    show: Showing,
    subscription: Annotated[str, Form(max_length=4000)] = "",
    name: Annotated[str, Form(max_length=1000)] = "",
) -> Response:
    """A channel to the browser that sends this."""
    sent = ChannelForm(name=name.strip() or "This browser")
    try:
        return _added(show, sent, _WEBPUSH, {"subscription": subscription})
    except ConfigError as error:
        return _list(show, ChannelForm(), str(error))


@routes.get(f"{_ONE}/edit", auth=within("write"))
def _ask_edit(show: Showing, channel_id: ChannelId) -> Response:
    channel = show.services.channels.find(show.dossier.id, channel_id)
    return _edit_form(show, channel, ChannelForm(name=channel.name, frequency=channel.frequency))


@routes.post(f"{_ONE}/edit", auth=within("write"), asks_outside=True)
def _edit(show: Showing, channel_id: ChannelId, sent: Sent) -> Response:
    """Change a channel; without a place, it leads where it did."""
    channels, dossier_id = show.services.channels, show.dossier.id
    channel = channels.find(dossier_id, channel_id)
    try:
        options = sent.change(channel.kind)
        channels.edit(dossier_id, channel.id, name=sent.name, frequency=sent.frequency, options=options or None)
    except ConfigError as error:
        return _edit_form(show, channel, sent, refusal(error))
    show.access.log("edit_channel", dossier_id, channel=channel.id)
    return show.go(f"{show.home}/channels", "Saved.")


@routes.post(f"{_ONE}/test", auth=within("write"), asks_outside=True)
def _test(show: Showing, channel_id: ChannelId) -> Response:
    """Send a test message now."""
    channel = show.services.channels.find(show.dossier.id, channel_id)
    try:
        show.services.channels.test(show.dossier, channel.id)
    except (ConfigError, SinkError) as error:
        return _list(show, ChannelForm(), f"The test for “{channel.name}” failed: {error}")
    show.access.log("test_channel", show.dossier.id, channel=channel.id)
    return show.go(f"{show.home}/channels", f"A test message was sent to “{channel.name}”: see whether it arrived.")


@routes.post(f"{_ONE}/delete", auth=within("write"))
def _delete(show: Showing, channel_id: ChannelId) -> Response:
    """Delete it at once: that can be undone."""
    channel = show.services.channels.find(show.dossier.id, channel_id)
    at = show.services.channels.delete(show.dossier.id, channel.id)
    show.access.log("delete_channel", show.dossier.id, channel=channel.id)
    return show.go(f"{show.home}/channels", f"“{channel.name}” is deleted, with what it had still to tell.", undo=at)


@routes.post(_ONE + "/{action}", auth=within("write"))
def _act(
    show: Showing,
    channel_id: ChannelId,
    action: Literal["pause", "resume", "skip"],
    back: Annotated[Literal["channels", "alerts"], Form()] = "channels",
) -> Response:
    channels, dossier_id = show.services.channels, show.dossier.id
    channel = channels.find(dossier_id, channel_id)
    if action == "skip":
        channels.skip(dossier_id, channel.id)
        channels.resume(dossier_id, channel.id)
    else:
        getattr(channels, action)(dossier_id, channel.id)
    show.access.log(f"{action}_channel", dossier_id, channel=channel.id)
    said = {
        "pause": "is paused; what fires is kept for it",
        "resume": "is on, and begins with what was kept",
        "skip": "is on; the message that could not be sent is left out",
    }
    return show.go(f"{show.home}/{back}", f"“{channel.name}” {said[action]}.")


def _added(show: Show, sent: ChannelForm, kind: str, options: Json) -> Response:
    name = sent.name.strip() or sent.where.strip().partition("://")[2] or sent.where.strip()
    if kind != "email" and not sent.name.strip():
        # Other places may have keys in their addresses.
        name = kind
    wish = ChannelWish(
        name=name, kind=kind, options=options, frequency=sent.frequency.strip() or "at once", user_id=show.user_id
    )
    channel = show.services.channels.add(show.dossier.id, wish)
    show.access.log("add_channel", show.dossier.id, channel=channel.id, kind=kind)
    return show.go(f"{show.home}/channels", f"“{channel.name}” is set up. Send a test, then choose it in a rule.")


def _list(show: Show, given: ChannelForm, problem: str = "") -> Response:
    channels, dossier_id = show.services.channels, show.dossier.id
    found = channels.all(dossier_id)
    used: dict[str, int] = {}
    for rule in show.services.rules.all(dossier_id):
        for channel_id in rule.actions.tell:
            used[channel_id] = used.get(channel_id, 0) + 1
    names = {one.id: one.name for one in found}
    return show(
        "channels.html",
        channels=found,
        used=used,
        messages=[one for one in channels.messages(dossier_id, None, None, _MESSAGES) if one.channel_id in names],
        names=names,
        problem=problem,
        push_key=channels.push_key() if _WEBPUSH in channels.kinds() else "",
        push_script=static_url("push.js"),
        **_choices(show, given),
    )


def _edit_form(show: Show, channel: ChannelSetup, given: ChannelForm, problem: str = "") -> Response:
    return show("channel_edit.html", channel=channel, problem=problem, **_choices(show, given))


def _choices(show: Show, given: ChannelForm) -> dict[str, Any]:
    return {
        "given": given,
        "frequencies": _FREQUENCIES,
        "kinds": show.services.channels.kinds(),
        "has_mail": bool(show.app.settings.alerts.mail.host),
    }
