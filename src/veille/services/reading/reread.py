"""Read kept answers again with today's extractor, and put what they read now in the place of what they read then.

    read kept answers (rows)  ->  their bodies  ->  children of the workshop  ->  judged  ->  one small transaction

Every answer is marked with the reader that read it, in the transaction that writes what was read. So a killed reread
has lost nothing, and another one goes on where it was. The world did not change: no event is written, no sink is told.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field, replace
from itertools import accumulate
from typing import TYPE_CHECKING

from veille.core.change.reading import failure_of
from veille.core.reread.answers import KeptAnswer, WantedAnswers, lease_to_read, options_hash
from veille.core.reread.judged import RereadAnswer, RereadOutcome, RereadRevision, document_for, judged
from veille.errors import NotFoundError, StoreError, VeilleError
from veille.reader_version import reader_version
from veille.services.reading.many import read_many

if TYPE_CHECKING:
    from veille.core.models import Lease, Reading, Source
    from veille.core.traffic import Failure, Payload
    from veille.ports import Clock, Dossiers, DossierStore, Workshop

#: Answers that are read and written together: with large pages their transaction takes a tenth of a second, so that
#: checks need not wait for long.
BATCH = 64
#: Bytes of their bodies; a single larger one is a batch of its own.
BATCH_BYTES = 16 << 20
#: Changed revisions whose summary is returned; the others are only counted.
MOST_SHOWN = 1000


@dataclass(frozen=True, slots=True, kw_only=True)
class RereadWish:
    """What to read again."""

    #: Id, name or address of a source; empty for all.
    source: str = ""
    #: Only answers fetched at this time or later.
    since: int = 0
    #: Also what this reader has read already.
    again: bool = False
    #: Only show what would change.
    dry_run: bool = False
    #: The most answers; None for no limit.
    limit: int | None = None
    #: Only answers with ids above the first and up to the second; empty for no bound.
    after: str = ""
    until: str = ""


@dataclass(slots=True, kw_only=True)
class RereadReport:
    """What a reread did, or would do."""

    reader: str
    counts: Counter[str] = field(default_factory=Counter)
    #: The first of the revisions that changed or failed.
    lines: list[RereadRevision] = field(default_factory=list)
    #: What this reader has done so far, in this and earlier runs: revisions by outcome, and those that are waiting.
    progress: dict[str, int] = field(default_factory=dict)

    def add(self, revisions: Iterable[RereadRevision]) -> None:
        """Count these."""
        for one in revisions:
            self.counts[one.outcome] += 1
            if one.outcome is not RereadOutcome.SAME and len(self.lines) < MOST_SHOWN:
                # Without its content: a thousand of them may be shown.
                self.lines.append(replace(one, document=None))


class RereadService:
    """Reads kept answers again, in the dossiers it is given."""

    def __init__(self, dossiers: Dossiers, workshop: Workshop, clock: Clock) -> None:
        self._dossiers = dossiers
        self._workshop = workshop
        self._clock = clock

    def reread(
        self,
        dossier_id: str,
        wish: RereadWish,
        progress: Callable[[RereadReport], None] = lambda _: None,
        stop: Callable[[], bool] = lambda: False,
    ) -> RereadReport:
        """Read again what is wanted of a dossier; `progress` is called after every batch, with the counts so far."""
        report = RereadReport(reader=reader_version())
        with self._dossiers.open(dossier_id) as store:
            sources = _sources(store, wish)
            wanted = _wanted(sources, wish)
            for batch in _batches(store, wanted, wish):
                if stop():
                    break
                report.add(self._done(store, batch, sources, wish, report.reader))
                progress(report)
            if not wish.until:
                # Of a part, nobody asks for it: it takes a look through all answers.
                report.progress = store.raw_answers.progress(replace(wanted, again=False))
        return report

    def ranges(self, dossier_id: str, wish: RereadWish, sizes: Iterator[int]) -> Iterator[RereadWish]:
        """The same wish in parts of so many answers; together they are all that is wanted now."""
        with self._dossiers.open(dossier_id) as store:
            wanted = _wanted(_sources(store, wish), wish)
            after = wish.after
            while some := store.raw_answers.waiting(wanted, after, next(sizes)):
                yield replace(wish, after=after, until=some[-1].id)
                after = some[-1].id

    def progress(self, dossier_id: str, wish: RereadWish) -> dict[str, int]:
        """How many revisions of what is wanted have been read again by this version, by outcome; and what waits."""
        with self._dossiers.open(dossier_id) as store:
            return store.raw_answers.progress(_wanted(_sources(store, wish), replace(wish, again=False)))

    def _done(
        self, store: DossierStore, batch: list[KeptAnswer], sources: dict[str, Source], wish: RereadWish, reader: str
    ) -> Iterator[RereadRevision]:
        """Read a batch and write it, unless this is a dry run; the revisions that were written."""
        readings = self._read(store, batch, sources)
        answers = [
            RereadAnswer(
                kept=kept,
                options=options_hash(sources[kept.source_id]),
                revisions=tuple(_judged(store, kept, readings[kept.id])),
            )
            for kept in batch
        ]
        if not wish.dry_run:
            with store.writing() as writer:
                answers = writer.reread(answers, reader, self._clock())
        for one in answers:
            yield from one.revisions

    def _read(
        self, store: DossierStore, batch: list[KeptAnswer], sources: dict[str, Source]
    ) -> dict[str, Reading | Failure]:
        """The readings of these answers, by their ids; the children read them, never this process."""
        failed: dict[str, Failure] = {}

        def loaded() -> Iterator[tuple[str, Lease, Payload]]:
            for kept in batch:
                try:
                    request, payload = store.raw_answers.load(kept)
                except StoreError:
                    # What cannot be reached now says nothing about the answer: it is read another time.
                    raise
                except VeilleError as error:
                    failed[kept.id] = failure_of(error)
                else:
                    yield kept.id, lease_to_read(store.id, sources[kept.source_id], request), payload

        return {**read_many(self._workshop, loaded()), **failed}


def _sources(store: DossierStore, wish: RereadWish) -> dict[str, Source]:
    found = [store.sources.find(wish.source)] if wish.source else store.sources.all()
    return {source.id: source for source in found}


def _wanted(sources: dict[str, Source], wish: RereadWish) -> WantedAnswers:
    options = {source.id: options_hash(source) for source in sources.values()}
    return WantedAnswers(reader=reader_version(), options=options, since=wish.since, again=wish.again)


def _batches(store: DossierStore, wanted: WantedAnswers, wish: RereadWish) -> Iterator[list[KeptAnswer]]:
    """The answers that are wanted, in batches with a bounded number of bytes."""
    after, left = wish.after, wish.limit
    while left is None or left > 0:
        some = store.raw_answers.waiting(wanted, after, BATCH if left is None else min(BATCH, left))
        some = [kept for kept in some if not wish.until or kept.id <= wish.until]
        if not some:
            return
        # The running sum of their sizes: up to the one with which it is enough.
        sums = accumulate(kept.size for kept in some)
        batch = some[: 1 + sum(size < BATCH_BYTES for size in sums)]
        yield batch
        after = batch[-1].id
        left = None if left is None else left - len(batch)


def _judged(store: DossierStore, kept: KeptAnswer, reading: Reading | Failure) -> Iterator[RereadRevision]:
    for revision in kept.revisions:
        try:
            stored = store.records.revision(revision.document_id, revision.n)
        except NotFoundError:
            # It was deleted meanwhile, and its answer with it.
            continue
        yield judged(revision, stored, document_for(kept, revision, reading))
