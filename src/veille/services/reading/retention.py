"""Carry out the rules of retention: older revisions are thinned out, archived or removed.

Documents are settled in small batches, each in one transaction. Nothing has to be remembered in between: a run that is
killed has settled some documents, and the next one finds the others.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from veille.core.archive.retention import AgedDocument, Fate, fates, is_forgotten, refuse_to_archive, retention
from veille.errors import NotFoundError, ReadError, StoreError

if TYPE_CHECKING:
    from veille.ports import Clock, Dossiers, DossierStore

#: Documents that are settled together; their transaction takes a fraction of a second.
BATCH = 100
#: Documents whose lines are returned; the others are only counted.
MOST_SHOWN = 1000


@dataclass(frozen=True, slots=True, kw_only=True)
class SettledDocument:
    """What a run did with a document, or would do."""

    document_id: str
    title: str
    url: str
    rule: str
    #: The numbers of revisions.
    archived: tuple[int, ...]
    removed: tuple[int, ...]
    #: Whether it is deleted with all it had.
    is_deleted: bool


@dataclass(slots=True, kw_only=True)
class RetentionReport:
    """What a run did, or would do: `archived` and `removed` revisions, `deleted` documents.

    `unarchived` revisions stay where they are, because archive files have no place.
    """

    counts: Counter[str] = field(default_factory=Counter)
    #: Whether it was stopped before it had seen everything.
    is_stopped: bool = False
    #: The first of the documents that were touched.
    documents: list[SettledDocument] = field(default_factory=list)

    def add(self, settled: Iterable[SettledDocument]) -> None:
        """Count these."""
        for one in settled:
            self.counts["archived"] += len(one.archived)
            self.counts["removed"] += len(one.removed)
            self.counts["deleted"] += one.is_deleted
            if len(self.documents) < MOST_SHOWN:
                self.documents.append(one)

    def in_words(self) -> str:
        """What was counted, after "would" or "will"."""
        verbs = {"archive": "archived", "remove": "removed"}
        parts = [
            f"{verb} {count} {'revision' if count == 1 else 'revisions'}"
            for verb, name in verbs.items()
            if (count := self.counts[name])
        ]
        if count := self.counts["deleted"]:
            parts.append(f"delete {count} {'document' if count == 1 else 'documents'}")
        return (" and ".join(parts) or "change nothing") + self.left()

    def left(self) -> str:
        """What stays though a rule says otherwise, after the rest; empty if nothing does."""
        count = self.counts["unarchived"]
        what = "revision stays" if count == 1 else "revisions stay"
        return f" ({count} {what} in the database: archiving needs `bodies.place`)" if count else ""


class RetentionService:
    """The rules of retention, and their execution, in the dossiers it is given."""

    def __init__(self, dossiers: Dossiers, clock: Clock) -> None:
        self._dossiers = dossiers
        self._clock = clock

    def rule(self, dossier_id: str) -> str:
        """The rule for sources that have none of their own."""
        with self._dossiers.open(dossier_id) as store:
            return store.retained.rule() or "all"

    def set_rule(self, dossier_id: str, rule: str) -> str:
        """Set that rule; it is carried out by the next run.

        ConfigError `bad_retention` if it is none, `no_archive` if archive files would have no place.
        """
        with self._dossiers.open(dossier_id) as store:
            retention(rule)
            if not store.retained.can_archive():
                refuse_to_archive(rule)
            store.retained.set_rule(rule.strip())
        return rule.strip() or "all"

    def run(
        self,
        dossier_id: str,
        source: str = "",
        *,
        rule: str | None = None,
        dry_run: bool = False,
        progress: Callable[[RetentionReport], None] = lambda _: None,
        stop: Callable[[], bool] = lambda: False,
    ) -> RetentionReport:
        """Carry out the rules of a dossier, or of one source (by id, name or address); or show what they would do.

        With `rule`, as if it were the dossier's.
        """
        retention(rule or "")
        report = RetentionReport()
        now = self._clock()
        with self._dossiers.open(dossier_id) as store:
            source_id = store.sources.find(source).id if source else ""
            can_archive = store.retained.can_archive()
            for batch in _batches(store, source_id, now, rule):
                if stop():
                    report.is_stopped = True
                    break
                settled = [found for one in batch if (found := _settled(one, now))]
                if not can_archive:
                    if unarchived := sum(len(one.archived) for one in settled):
                        report.counts["unarchived"] += unarchived
                    settled = [left for one in settled if (left := _without_archive(one))]
                if settled and not dry_run:
                    _settle(store, settled, now)
                report.add(settled)
                progress(report)
            if not dry_run:
                store.retained.tidy(now)
        return report


def keep_rules(dossiers: Dossiers, clock: Clock, stop: Callable[[], bool] = lambda: False) -> Counter[str]:
    """Carry out the rules of all dossiers; returns the sum of what was done."""
    service = RetentionService(dossiers, clock)
    counts: Counter[str] = Counter()
    for dossier in dossiers.all():
        try:
            with dossiers.open(dossier.id) as store:
                has_rules = store.retained.has_rules()
            counts += service.run(dossier.id, stop=stop).counts if has_rules else Counter()
        except (NotFoundError, ReadError, StoreError):
            # Deleted meanwhile, or a file of it is damaged or missing: that is told elsewhere.
            continue
    return counts


def _batches(store: DossierStore, source_id: str, now: int, rule: str | None) -> Iterator[list[AgedDocument]]:
    after = 0
    while batch := store.retained.aged(after, BATCH, source_id, now=now, rule=rule):
        yield batch
        after = batch[-1].row


def _settled(document: AgedDocument, now: int) -> SettledDocument | None:
    """What becomes of a document; None if nothing does."""
    rule = retention(document.rule)
    is_deleted = is_forgotten(document, rule, now)
    found = {} if is_deleted else fates(document.versions, rule, now)
    if not found and not is_deleted:
        return None
    return SettledDocument(
        document_id=document.id,
        title=document.title,
        url=document.url,
        rule=document.rule,
        archived=_of(found, Fate.ARCHIVE),
        removed=_of(found, Fate.REMOVE),
        is_deleted=is_deleted,
    )


def _without_archive(settled: SettledDocument) -> SettledDocument | None:
    """The same where archive files have no place; None if nothing is left to do."""
    return replace(settled, archived=()) if settled.removed or settled.is_deleted else None


def _of(found: dict[int, Fate], fate: Fate) -> tuple[int, ...]:
    return tuple(sorted(n for n, one in found.items() if one is fate))


def _settle(store: DossierStore, settled: Sequence[SettledDocument], now: int) -> None:
    store.retained.settle(
        {
            one.document_id: dict.fromkeys(one.archived, Fate.ARCHIVE) | dict.fromkeys(one.removed, Fate.REMOVE)
            for one in settled
            if not one.is_deleted
        },
        [one.document_id for one in settled if one.is_deleted],
        now,
    )
