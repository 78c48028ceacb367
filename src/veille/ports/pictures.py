"""The port of pictures that are kept with revisions."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Protocol


@dataclass(frozen=True, slots=True, kw_only=True)
class KeptPicture:
    """A kept picture."""

    hash: str
    width: int
    height: int


@dataclass(frozen=True, slots=True, kw_only=True)
class FailedStep:
    """What a page looked like when a step failed; the picture is PNG, and may be empty."""

    at: int
    message: str
    data: bytes = field(repr=False)


class Pictures(Protocol):
    """Pictures of pages: written in the transaction of their revision, deleted with the last of their revisions."""

    def of_revision(self, document_id: str, n: int) -> KeptPicture | None:
        """The picture of a revision; of one without a picture the last one before it, None if there is none."""

    def load(self, picture: KeptPicture) -> bytes:
        """Its bytes, WebP; NotFoundError if it was deleted meanwhile."""

    def numbers(self, document_id: str) -> list[int]:
        """The numbers of the revisions that have pictures of their own, in order."""

    def pictured(self, revision_ids: Sequence[str]) -> set[str]:
        """Which of these revisions have a picture of their own."""

    def to_compare(self, source_id: str, request_id: str) -> tuple[bytes, bytes]:
        """The newest kept picture of a source's page, and the first of two pictures of a change; empty if none."""

    def failed_step(self, source_id: str) -> FailedStep | None:
        """The step of a source that failed at its last check; None if none did."""
