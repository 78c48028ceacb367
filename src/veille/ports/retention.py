"""The port of retention: the rules, the revisions that rules may end, and what becomes of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from veille.core.archive.retention import AgedDocument, Fate


class Retained(Protocol):
    """Documents in the light of their rules of retention."""

    def rule(self) -> str:
        """The rule for sources that have none of their own; empty: everything is kept."""

    def set_rule(self, rule: str) -> None:
        """Set that rule."""

    def can_archive(self) -> bool:
        """Whether archive files have a place that all programs on the store have."""

    def has_rules(self) -> bool:
        """Whether any rule may end anything."""

    def aged(
        self, after: int, limit: int, source_id: str = "", *, now: int, rule: str | None = None
    ) -> list[AgedDocument]:
        """Documents with rows above `after` that a rule may concern, by row; all or those of one source.

        With `rule`, as if it were the dossier's.

        Documents of sources in the trash are left out. A revision is awaited if a sink that was told of anything in
        the last 30 days has not been told of it, and so is the one before it, which is needed to tell what changed.
        """

    def settle(self, fates: Mapping[str, Mapping[int, Fate]], forgotten: Sequence[str], now: int) -> None:
        """Archive and remove revisions, by document and number, and delete documents, in one transaction.

        Archived contents are on disk before the transaction. A removed revision keeps its row: its date, title and
        hash. What else belongs to it (its picture, its kept answer) goes with it. Current revisions are never touched.
        """

    def tidy(self, now: int) -> int:
        """Delete archive files that no revision needs, left by runs that were killed; returns how many."""
