"""The port to a language model, and what a dossier stores of its answers."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, ClassVar, Protocol

from veille.ports.outlets import OutletConfig

if TYPE_CHECKING:
    from veille.core.prompting.replies import Completion, ModelCall, StoredReply
    from veille.core.traffic import Failure
    from veille.ports.outlets import Sender


class ModelConfig(OutletConfig):
    """Options of a model; a subclass adds fields, each with a description that interfaces show."""


class Model(ABC):
    """A language model. To add one, put one file into `adapters/models`."""

    entry_points: ClassVar[str] = "veille.models"
    Config: ClassVar[type[ModelConfig]] = ModelConfig
    #: Whether it can be asked at all; if not, everything is done by rules.
    is_there: ClassVar[bool] = True

    def __init__(self, config: ModelConfig, sender: Sender) -> None:
        self.config = config
        self.sender = sender

    @property
    @abstractmethod
    def name(self) -> str:
        """Identifies the model: answers of models with different names are kept apart."""

    @abstractmethod
    def complete(self, call: ModelCall) -> Completion | Failure:
        """One reply, within the time limit of the call. Failures are returned; a bad answer never raises.

        Nothing is repeated here: the caller knows what it may cost and how long it may take.
        """

    def stream(self, call: ModelCall, heard: Callable[[str], object]) -> Completion | Failure:
        """The same reply; before it, `heard` gets its text in parts as they arrive.

        A model that does not send parts need not do this: its reply comes as a whole.
        """
        del heard
        return self.complete(call)


class ModelRecords(Protocol):
    """The answers of models that a dossier keeps, and the tokens it used per day (UTC)."""

    def kept(self, key: str, now: int) -> StoredReply | None:
        """The answer to a prompt; None if there is none, or it has expired."""

    def reserve(self, tokens: int, limit: int, now: int) -> bool:
        """Count these tokens as used today; False, and nothing is counted, if that would exceed the limit (0: none).

        They are counted before they are used, so that no crash and no other process makes the limit larger.
        """

    def settle(self, reserved: int, used: int, reserved_at: int) -> None:
        """Count what was really used instead, on the day of the reservation."""

    def keep(self, answer: StoredReply, document_ids: Sequence[str], until: int) -> None:
        """Keep an answer until a time, or until one of these documents is deleted; deletes all expired ones."""

    def used(self, now: int) -> int:
        """The tokens used on the day of `now`."""
