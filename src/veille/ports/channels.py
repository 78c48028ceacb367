"""The extension point for channels: how people are told of alerts."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar, Protocol

from pydantic import model_validator

from veille.ports.outlets import OutletConfig

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from contextlib import AbstractContextManager

    from veille.core.alerts.models import Message
    from veille.ports.outlets import Sender
    from veille.ports.outside import Clock, Workshop
    from veille.settings import AlertSettings


class ChannelConfig(OutletConfig):
    """Options of a channel; a subclass adds fields, each with a description that interfaces show.

    Fields of the type SecretStr are sealed, and never shown again.
    """

    @model_validator(mode="before")
    @classmethod
    def _is_spelled_out(cls, options: object) -> object:
        """Of a channel, `${…}` is text like any other."""
        return options


@dataclass(frozen=True, slots=True, kw_only=True)
class ChannelMeans:
    """What a channel may use."""

    #: Sends requests through the door, with its rules for addresses.
    sender: Sender
    #: Runs what users wrote (templates) and what is not ours (apprise), without network and with limits.
    workshop: Workshop
    clock: Clock
    settings: AlertSettings
    #: A secret key of this installation for a purpose.
    key: Callable[[str], bytes]


class Channel(ABC):
    """A way in which people are told. To add one, put one file into `adapters/channels`."""

    entry_points: ClassVar[str] = "veille.channels"
    Config: ClassVar[type[ChannelConfig]] = ChannelConfig

    def __init__(self, config: ChannelConfig, means: ChannelMeans) -> None:
        self.config = config
        self.means = means

    @abstractmethod
    def shown(self) -> str:
        """Where it leads, for people, without secrets: `anna@example.org`."""

    def check(self) -> None:
        """Raise ConfigError if messages cannot be sent this way: called before a channel is saved."""
        return

    @abstractmethod
    def send(self, message: Message) -> None:
        """Send a message; it was accepted when this returns.

        After a crash it is called again with the same message, under the same id. Raises SinkError if it could not be
        sent; with `set_aside`, because it was refused, and will be again until somebody corrects the channel.
        """


class ChannelKinds(Protocol):
    """The kinds of channels that people may set up."""

    def kinds(self) -> list[str]:
        """Their names, sorted."""

    def kind(self, name: str) -> type[Channel]:
        """The class of a kind; NotFoundError if there is none, ConfigError if the operator does not allow it."""

    def open(self, kind: str, options: Mapping[str, object]) -> AbstractContextManager[Channel]:
        """A channel that can send until the context ends; ConfigError `bad_option` says which option is wrong."""

    def secret_options(self, kind: str) -> frozenset[str]:
        """The options of a kind that are sealed, and never shown again."""
