"""Wires channels: which kinds people may set up, and each channel with what it may use."""

from __future__ import annotations

from contextlib import closing, contextmanager
from typing import TYPE_CHECKING

from pydantic import SecretStr, ValidationError

from veille.adapters.sender import DoorSender
from veille.configuration import problem_of
from veille.errors import ConfigError
from veille.ports.channels import Channel, ChannelMeans
from veille.registry import load, names

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from veille.ports import Clock, Workshop
    from veille.settings import Settings

CHANNELS = "veille.adapters.channels"


class AllowedChannels:
    """The port `ChannelKinds`; each channel has its own sender, so that none waits for another."""

    def __init__(self, settings: Settings, clock: Clock, workshop: Workshop, key: Callable[[str], bytes]) -> None:
        self._settings = settings
        self._clock = clock
        self._workshop = workshop
        self._key = key

    def kinds(self) -> list[str]:
        """The kinds that people may set up."""
        return [name for name in names(CHANNELS, Channel) if name in self._settings.alerts.kinds]

    def kind(self, name: str) -> type[Channel]:
        """The class of a kind; ConfigError `channel_not_allowed` if the operator does not allow it."""
        found = load(CHANNELS, name, Channel)
        if name not in self._settings.alerts.kinds:
            raise ConfigError(
                f"Channels of the kind {name!r} are switched off here; the operator can allow them in `alerts.kinds`.",
                code="channel_not_allowed",
            )
        return found

    @contextmanager
    def open(self, kind: str, options: Mapping[str, object]) -> Iterator[Channel]:
        """A channel that can send until the context ends; ConfigError `bad_option` says which option is wrong."""
        self.kind(kind)
        with closing(DoorSender(self._settings.fetch, self._clock)) as sender:
            means = ChannelMeans(
                sender=sender,
                workshop=self._workshop,
                clock=self._clock,
                settings=self._settings.alerts,
                key=self._key,
            )
            yield make_channel(kind, options, means)

    def secret_options(self, kind: str) -> frozenset[str]:
        return secret_options(kind)


def make_channel(kind: str, options: Mapping[str, object], means: ChannelMeans) -> Channel:
    """The channel of a kind with these options; ConfigError `bad_option` says which option is wrong, and why."""
    found = load(CHANNELS, kind, Channel)
    try:
        return found(found.Config.model_validate(dict(options)), means)
    except ValidationError as error:
        key, problem = problem_of(error, found.Config, secret_options(kind))
        raise ConfigError(f"{'.'.join(key) or kind}{problem}", code="bad_option") from error


def secret_options(kind: str) -> frozenset[str]:
    """The options of a kind that are sealed and never shown again."""
    config = load(CHANNELS, kind, Channel).Config
    return frozenset(name for name, field in config.model_fields.items() if _is_secret(field.annotation))


def _is_secret(annotation: object) -> bool:
    return annotation is SecretStr or any(_is_secret(part) for part in getattr(annotation, "__args__", ()))
