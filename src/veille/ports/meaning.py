"""Pieces of the current texts of a dossier, and their vectors."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from veille.core.search.fusion import Blend
    from veille.core.search.meaning import KnownEmbedder, MeaningCounts, MeaningFlaws, NearPiece

Allowed = Callable[[Sequence[str]], set[str]]


class MeaningReader(Protocol):
    """What is known of pieces and vectors."""

    def embedders(self) -> list[KnownEmbedder]:
        """The embedders that are switched on, in the order in which they were; none: there are no pieces either."""

    def counts(self) -> MeaningCounts:
        """How many pieces and vectors there are, and how many are still to be made."""

    def flaws(self) -> MeaningFlaws:
        """What does not fit together; this looks at every piece."""


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

    def mend(self) -> None:
        """Delete vectors that belong to no piece, and have every text cut again; what has a vector keeps it."""

    def claim(self, name: str, count: int, now: int, until: int) -> list[tuple[bytes, str]]:
        """Pieces without a vector of this embedder: hash and text. Nobody else gets them until that time."""

    def let_go(self, name: str, hashes: Sequence[bytes]) -> None:
        """Let others have claimed pieces at once."""

    def put(self, name: str, vectors: Mapping[bytes, Sequence[float]]) -> int:
        """Store the vectors whose pieces are still there; returns how many. SinkError if their length is another."""

    def nearest(
        self, name: str, vector: Sequence[float], limit: int, allowed: Allowed | None = None
    ) -> list[NearPiece]:
        """The documents with the pieces nearest to a vector, one piece each, the best first.

        `allowed` selects among the ids of documents; it is called until there are enough, or no more.
        """

    def likeness(self, name: str, vector: Sequence[float], document_ids: Sequence[str]) -> list[NearPiece]:
        """Of these documents the nearest piece, where they have vectors."""

    def found_share(self, text: str) -> float:
        """How much of a question is in the texts as words, from 0 to 1: rare words count more than frequent ones."""

    def languages(self) -> dict[str, int]:
        """How many of a sample of the documents that can be found are in each language."""


class Embedders(Protocol):
    """The embedders of one program, by their names in the settings; all threads may use them."""

    def known(self, label: str) -> KnownEmbedder:
        """What a dossier stores of it; ConfigError if there is none of that name."""

    def blend(self, label: str) -> Blend:
        """Which languages it knows, and how much it counts beside words."""

    def embed(self, label: str, texts: Sequence[str]) -> list[list[float]]:
        """A vector for every text, in order. SinkError if it cannot be done now, or something is not installed."""

    def defaults(self) -> list[str]:
        """Those that are used if nobody names one: what is installed of `multilingual` and `english`."""

    @property
    def everywhere(self) -> tuple[str, ...] | None:
        """Those of all dossiers, if the settings say so."""
