"""Pieces of the current texts of a dossier, and their vectors."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from veille.core.search.meaning import KnownEmbedder, MeaningCounts, NearPiece

Allowed = Callable[[Sequence[str]], set[str]]


class MeaningReader(Protocol):
    """What is known of pieces and vectors."""

    def embedders(self) -> list[KnownEmbedder]:
        """The embedders that are switched on, in the order in which they were; none: there are no pieces either."""

    def counts(self) -> MeaningCounts:
        """How many pieces and vectors there are, and how many are still to be made."""


class Meaning(MeaningReader, Protocol):
    """Pieces are written in the commit of their text, with what is to be embedded; vectors follow later.

    A vector belongs to the hash of a piece. It is stored only while there is such a piece, and goes with the last one.
    """

    def switch(self, embedders: Sequence[KnownEmbedder]) -> None:
        """Use these embedders from now on. The vectors of others are deleted; without any, so are all pieces.

        What is there already is cut by `cut` and embedded like what comes. A repeat changes nothing.
        """

    def cut(self, documents: int) -> int:
        """Make the pieces of so many documents that have none yet; returns how many are left."""

    def claim(self, name: str, count: int, now: int, until: int) -> list[tuple[bytes, str]]:
        """Pieces without a vector of this embedder: hash and text. Nobody else gets them until that time."""

    def put(self, name: str, vectors: Mapping[bytes, Sequence[float]]) -> int:
        """Store the vectors whose pieces are still there; returns how many."""

    def nearest(
        self, name: str, vector: Sequence[float], limit: int, allowed: Allowed | None = None
    ) -> list[NearPiece]:
        """The documents with the pieces nearest to a vector, one piece each, the best first.

        `allowed` selects among the ids of documents; it is called until there are enough, or no more.
        """

    def likeness(self, name: str, vector: Sequence[float], document_ids: Sequence[str]) -> list[NearPiece]:
        """Of these documents the nearest piece, where they have vectors."""

    def languages(self) -> dict[str, int]:
        """How many documents that can be found there are in each language."""
