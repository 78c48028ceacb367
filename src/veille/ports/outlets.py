"""The extension points for output (sinks, embedders, exports), and what they may use."""

from __future__ import annotations

import json
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import IO, TYPE_CHECKING, ClassVar, Protocol

from pydantic import BaseModel, ConfigDict, model_validator

from veille.core.http.secrets import references_in
from veille.core.search.fusion import Blend

if TYPE_CHECKING:
    from contextlib import AbstractContextManager
    from pathlib import Path

    from veille.core.models import Json
    from veille.core.outgoing.export_record import Exported
    from veille.core.outgoing.takeout import TakenFile
    from veille.core.records import Parcel
    from veille.core.traffic import Failure, Order, Payload
    from veille.ports.outside import Clock


class OutletConfig(BaseModel):
    """Base class of the options of sinks and embedders."""

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
    """Sends requests through the door, within its limits. Failures are returned, not raised."""

    def send(self, order: Order, *, timeout_s: float | None = None, max_bytes: int | None = None) -> Payload | Failure:
        """Send, and wait for the answer. The default limits fit a quick and short answer.

        Meanwhile `order.heard` is called, in this thread, with what has arrived of it.
        """

    def close(self) -> None: ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Means:
    """What a sink may use."""

    sender: Sender
    clock: Clock
    #: Creates an embedder from its options: `kind`, and the options of that kind.
    embedder: Callable[[Mapping[str, object]], Embedder]


class Recall(StrEnum):
    """What became of what a sink was given, when its dossier is deleted."""

    #: It is deleted there.
    GONE = "gone"
    #: The receiver was told, and has to delete it.
    TOLD = "told"
    #: It stays: this kind of sink cannot take anything back.
    KEPT = "kept"


class Sink(ABC):
    """Receives the changes of a dossier. To add a sink, put one file into `adapters/sinks`."""

    entry_points: ClassVar[str] = "veille.sinks"
    Config: ClassVar[type[SinkConfig]] = SinkConfig
    #: Maximum number of changes per call; None: the operator's setting. The cursor is stored after each call.
    batch: int | None = None
    #: Whether it gets only changes found by saved searches that name this sink.
    only_found: bool = False
    #: Whether what it keeps of a document is kept for each dossier apart. Only then it is told that a document is no
    #: longer in a dossier because its source was moved to another one: elsewhere that would remove it there, too.
    is_apart: bool = False

    def __init__(self, config: SinkConfig, means: Means) -> None:
        self.config = config
        self.means = means

    @abstractmethod
    def deliver(self, parcels: Sequence[Parcel]) -> int:
        """Deliver the changes in order; returns how many were new to the sink.

        After a crash it is called again with the same parcels: it must be idempotent. Raises SinkError if it cannot
        take them now; delivery is then retried later from the same cursor. Other sinks do not wait for it.
        """

    def forget(self, dossier_id: str, document_ids: Iterable[str]) -> Recall:  # noqa: ARG002 - for subclasses
        """Delete all that came from a dossier, which is being deleted; these are all its documents.

        It may be called again. Raises SinkError if it cannot be done now.
        """
        return Recall.KEPT


class EmbedderConfig(OutletConfig):
    """Options of an embedder; a subclass adds fields, each with a description that interfaces show."""


class Embedder(ABC):
    """Turns texts into vectors. To add an embedder, put one file into `adapters/embedders`."""

    entry_points: ClassVar[str] = "veille.embedders"
    Config: ClassVar[type[EmbedderConfig]] = EmbedderConfig
    #: Whether several threads may use it at once.
    for_threads: ClassVar[bool] = False

    def __init__(self, config: EmbedderConfig, sender: Sender) -> None:
        self.config = config
        self.sender = sender

    @property
    @abstractmethod
    def name(self) -> str:
        """Identifies the vector space: vectors of embedders with different names must not be compared."""

    @property
    def blend(self) -> Blend:
        """Which languages it knows, and how much its vectors count beside words in a search."""
        return Blend()

    @abstractmethod
    def embed(self, texts: Sequence[str]) -> list[list[float]]:
        """A vector for every text, in order, all of one length. The same text always gives the same vector.

        Memory is bounded for any number of texts. Raises SinkError if it cannot be done now.
        """


class Export(ABC):
    """A file format for documents and changes. To add a format, put one file into `adapters/exports`."""

    entry_points: ClassVar[str] = "veille.exports"

    def __init__(self, out: IO[bytes]) -> None:
        self.out = out

    @abstractmethod
    def write(self, documents: Sequence[Exported]) -> None:
        """Write the next documents or changes; an export must not collect them all in memory."""

    def finish(self) -> None:
        """Write what comes at the end."""
        return


class TakeoutWriter(Protocol):
    """A file that is being filled. Its parts are written one after the other, in little memory."""

    def lines(self, name: str, records: Iterable[Json]) -> int:
        """Add a file of JSON lines; returns how many."""

    def file(self, name: str, content: bytes) -> None:
        """Add a file; one that is there already is not added again."""

    def finish(self, about: Json) -> list[TakenFile]:
        """Add the manifest: what it is about, and every file with its size, its lines and its SHA-256."""


class TakeoutFiles(Protocol):
    """Makes the files of exports."""

    def write(self, out: Path | IO[bytes]) -> AbstractContextManager[TakeoutWriter]:
        """A new export. A path gets its file only when it is complete."""
