"""Operations on the channels of a dossier: how people are told. Secrets are taken, and never returned."""

from __future__ import annotations

from typing import Any, Literal, Self

from pydantic import Field

from veille.core.alerts.destination import destination
from veille.core.alerts.models import ChannelSetup, ChannelState
from veille.core.text import visible
from veille.errors import ConfigError
from veille.interfaces.operations._operation import InDossier, Place, operation
from veille.interfaces.operations.shapes import Shape
from veille.interfaces.operations.sources import Deleted
from veille.services.alerts.channels import MAX_NAME, ChannelWish

MAX_WHERE = 4096
_WHERE = "An e-mail address, a web address, or the address of a chat service (`ntfy://…`). It is not shown again."
_FREQUENCY = "`at once`, `every 2h`, `daily 08:00 Europe/Paris`, `weekly mon 08:00`, `at once, quiet 22:00-07:00`."
_OPTIONS = "Options of the kind; secret ones are not shown again."


class AddChannel(InDossier):
    """The channel to set up."""

    name: str = Field(min_length=1, max_length=MAX_NAME, description="What people call it.")
    where: str = Field("", max_length=MAX_WHERE, description=_WHERE)
    kind: str = Field(
        "", max_length=100, description="email, webhook, apprise or webpush. Default: by `where`.", examples=[""]
    )
    options: dict[str, Any] = Field({}, max_length=50, description=_OPTIONS)
    frequency: str = Field("at once", max_length=200, description=f"When it sends: {_FREQUENCY}")


class OneChannel(InDossier):
    """One channel."""

    channel_id: str = Field(min_length=1, max_length=MAX_NAME, description="The channel: its id or name.")


class UpdateChannel(OneChannel):
    """The changes; omitted fields stay unchanged."""

    name: str | None = Field(None, min_length=1, max_length=MAX_NAME, description="What people call it.")
    options: dict[str, Any] | None = Field(
        None, max_length=50, description="Options of the kind; what is not given stays, and so do secrets."
    )
    frequency: str | None = Field(None, max_length=200, description=f"When it sends: {_FREQUENCY}")
    enabled: bool | None = Field(
        None, description="Whether it sends; while not, alerts are kept for it. True also ends a failure."
    )


class ChannelShape(Shape):
    """A way to tell people."""

    id: str
    name: str
    kind: str
    shown: str = Field(description="Where it leads, without secrets.")
    frequency: str
    state: str = Field(description="`on`, `paused` by a person, or `failed` after too many failures.")
    problem: str = Field(description="Why it failed, or why the last attempt did.")
    attempts: int = Field(description="Failures in a row.")
    retry_at: int | None = None
    created_at: int

    @classmethod
    def of(cls, channel: ChannelSetup) -> Self:
        """The shape of a channel."""
        return cls.showing(channel, state=channel.state.value, problem=visible(channel.problem))


class TestSent(Shape):
    """The test message was taken."""

    status: Literal["sent"] = "sent"


@operation("read")
def _list_channels(place: Place, _: InDossier) -> list[ChannelShape]:
    """The channels of a dossier, by name; without secrets."""
    return list(map(ChannelShape.of, place.services.channels.all(place.dossier_id)))


@operation("write")
def _add_channel(place: Place, given: AddChannel) -> ChannelShape:
    """Set up a way to tell people; nothing is sent until a rule fires, or it is tested."""
    kind, options = given.kind, dict(given.options)
    if given.where:
        found, where = destination(given.where)
        if kind not in {"", found}:
            raise ConfigError(f"This is a place for the kind {found}, not {kind[:100]}.", code="bad_destination")
        kind, options = found, where | options
    if not kind:
        raise ConfigError("Say where it leads (`where`), or give a `kind` with its `options`.", code="bad_destination")
    wish = ChannelWish(
        name=given.name,
        kind=kind,
        options=options,
        frequency=given.frequency,
        user_id=place.access.who.user_id,
    )
    return ChannelShape.of(place.services.channels.add(place.dossier_id, wish))


@operation("write")
def _update_channel(place: Place, given: UpdateChannel) -> ChannelShape:
    """Change a channel, pause it, or switch it on again; what is not given stays as it is."""
    channels, dossier_id = place.services.channels, place.dossier_id
    channel = channels.find(dossier_id, given.channel_id)
    changes = given.model_dump(include={"name", "frequency", "options"}, exclude_none=True)
    if changes:
        channel = channels.edit(dossier_id, channel.id, **changes)
    if given.enabled is True and channel.state is not ChannelState.ON:
        channel = channels.resume(dossier_id, channel.id)
    elif given.enabled is False and channel.state is not ChannelState.PAUSED:
        channel = channels.pause(dossier_id, channel.id)
    return ChannelShape.of(channel)


@operation("write", destructive=True)
def _delete_channel(place: Place, given: OneChannel) -> Deleted:
    """Delete a channel with what it had still to tell; it can be restored for seven days."""
    place.services.channels.delete(place.dossier_id, given.channel_id)
    return Deleted()


@operation("write")
def _restore_channel(place: Place, given: OneChannel) -> ChannelShape:
    """Undo the deletion of a channel, by its id or name, within seven days; it begins with what it had to tell."""
    restored = place.services.trash.restore_setup(place.dossier_id, "channel", given.channel_id)
    return ChannelShape.of(place.services.channels.find(place.dossier_id, restored.id))


@operation("write", asks_outside=True)
def _test_channel(place: Place, given: OneChannel) -> TestSent:
    """Send a test message through a channel now, and wait until it is taken."""
    place.services.channels.test(place.access.dossier(place.dossier_id, scope="write"), given.channel_id)
    return TestSent()
