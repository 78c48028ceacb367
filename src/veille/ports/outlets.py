"""What extensions that hand things on are, and what they are given to do it with."""

from __future__ import annotations

import json
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import IO, TYPE_CHECKING, ClassVar, Protocol

from pydantic import BaseModel, ConfigDict, model_validator

from veille.core.http.secrets import references_in

if TYPE_CHECKING:
    from veille.core.outgoing.export_record import Exported
    from veille.core.records import Parcel
    from veille.core.traffic import Failure, Order, Payload
    from veille.ports.outside import Clock


class OutletConfig(BaseModel):
    """Options of what is sent to."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    @model_validator(mode="before")
    @classmethod
    def _is_spelled_out(cls, options: object) -> object:
        if references_in(json.dumps(options, default=str)):
            raise ValueError("`${…}` is not expanded here; set the option by a variable: VEILLE_SINKS__<NAME>__…")
        return options


class SinkConfig(OutletConfig):
    """Options of a sink; a subclass adds fields, each with a description that interfaces show."""


class Sender(Protocol):
    """Sends to addresses through the one door, within its limits. Failures come back as values."""

    def send(self, order: Order, *, timeout_s: float | None = None, max_bytes: int | None = None) -> Payload | Failure:
        """Send, and wait for the answer: seconds and few words, unless more is said to be expected."""

    def close(self) -> None: ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Means:
    """What a sink may use of the program's."""

    sender: Sender
    clock: Clock
    #: The embedder that these options describe: `kind`, and the options of that kind.
    embedder: Callable[[Mapping[str, object]], Embedder]


class Sink(ABC):
    """Something that follows the changes of a dossier. To add one, put one file into `adapters/sinks`."""

    entry_points: ClassVar[str] = "veille.sinks"
    Config: ClassVar[type[SinkConfig]] = SinkConfig
    #: The most changes it takes at once; None: as many as the operator likes. After each time its place is kept.
    batch: int | None = None
    #: Whether it is handed only what saved searches that name it find.
    only_found: bool = False

    def __init__(self, config: SinkConfig, means: Means) -> None:
        self.config = config
        self.means = means

    @abstractmethod
    def deliver(self, parcels: Sequence[Parcel]) -> int:
        """Hand over the changes in order; how many were really new to the sink.

        Called again with the same parcels after a crash: a repeat must change nothing. Raises SinkError when it
        cannot take them now; it is then asked again later, from the same place. Nobody else waits for it meanwhile.
        """


class EmbedderConfig(OutletConfig):
    """Options of an embedder; a subclass adds fields, each with a description that interfaces show."""


class Embedder(ABC):
    """Turns texts into vectors. To add one, put one file into `adapters/embedders`."""

    entry_points: ClassVar[str] = "veille.embedders"
    Config: ClassVar[type[EmbedderConfig]] = EmbedderConfig

    def __init__(self, config: EmbedderConfig, sender: Sender) -> None:
        self.config = config
        self.sender = sender

    @property
    @abstractmethod
    def name(self) -> str:
        """What the vectors are of: those of different names must not be compared."""

    @abstractmethod
    def embed(self, texts: Sequence[str]) -> list[list[float]]:
        """A vector for every text, in order, all of one length. The same text always gives the same vector.

        However many texts there are, memory is bounded. Raises SinkError when it cannot be done now.
        """


class Export(ABC):
    """A file format for documents and changes. To add one, put one file into `adapters/exports`."""

    entry_points: ClassVar[str] = "veille.exports"

    def __init__(self, out: IO[bytes]) -> None:
        self.out = out

    @abstractmethod
    def write(self, documents: Sequence[Exported]) -> None:
        """Write some more documents or changes; they are not kept in memory for long."""

    def finish(self) -> None:
        """Write what comes at the end."""
        return
