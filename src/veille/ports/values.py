"""The values of documents over time."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from veille.core.rules.facts import Extreme
    from veille.core.values.value import ValueChange, ValueLine, ValuePoint


class Values(Protocol):
    """The values of a dossier's documents: a point for every time that one changed."""

    def series(
        self, *, source_id: str = "", document_id: str = "", name: str = "", since: int = 0, limit: int = 1000
    ) -> list[ValuePoint]:
        """The points since a time, the oldest first; if there are more than the limit, the newest of them.

        With a time, the points in force then come first, at their own times.
        """

    def current(self, source_id: str = "") -> list[ValuePoint]:
        """The values that are in force now, by document and name; without a source, those of the whole dossier."""

    def lines(
        self, *, source_id: str = "", document_id: str = "", name: str = "", since: int = 0, limit: int = 1000
    ) -> list[ValueLine]:
        """The values of current documents as they are now, the last changed first; also those no longer found.

        With a time, only those that changed since.
        """

    def names(self) -> list[str]:
        """The names of all values, sorted."""

    def around(self, seqs: Sequence[int]) -> Mapping[int, tuple[ValueChange, ...]]:
        """For each event: all values of its document before and after it, also those that it left as they were."""

    def extremes(self, document_id: str, name: str, days: int, before_seq: int, at: int) -> Extreme:
        """The lowest and the highest number in force in the days before `at`, of points before that event.

        Prices in another currency than the one after the event do not count.
        """


class StoredValues(Values, Protocol):
    """The values of documents, and those that are to be read from now on."""

    def begin(self, points: Sequence[ValuePoint]) -> None:
        """Store values that current revisions have already, and that were not read from them; no event tells of it.

        What was read before stays, and a document that has another revision by now is left as it is.
        """
