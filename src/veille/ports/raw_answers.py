"""The port of answers that are kept as they came, so that a better extractor can read them again."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from veille.core.models import KeepRaw, Request
    from veille.core.reread.answers import KeptAnswer, WantedAnswers
    from veille.core.traffic import Payload


class RawAnswers(Protocol):
    """Kept answers: written in the transaction of their revision, deleted with the last of their revisions.

    Only `load` reads bytes: everything else works on rows, so that bodies may be stored elsewhere.
    """

    def default(self) -> KeepRaw:
        """What is kept of sources that do not say it themselves."""

    def set_default(self, keep: KeepRaw) -> None:
        """Set that, and delete what is no longer kept. Pages are fetched in full at their next check, to be kept."""

    def waiting(self, wanted: WantedAnswers, after: str, limit: int) -> list[KeptAnswer]:
        """Kept answers with ids above `after` that the wanted reader has not read yet, by id."""

    def load(self, answer: KeptAnswer) -> tuple[Request, Payload]:
        """The request and the whole answer; ReadError `body_damaged` if it is damaged, NotFoundError if it is gone."""

    def newest(self, source_id: str, url: str) -> tuple[Request, Payload] | None:
        """The last kept answer of a source from this address; None if none is kept. Errors as with `load`."""

    def progress(self, wanted: WantedAnswers) -> dict[str, int]:
        """How many revisions the wanted reader has read again, by outcome; and how many are `waiting`."""
