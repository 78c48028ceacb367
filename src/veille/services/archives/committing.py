"""Write what WARC files brought: as checks would have written it, each record at its own time."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from veille.core.change.batch import decide_all, waves
from veille.core.models import Document, Known, Lease, Plan, Reading
from veille.core.warc.revisions import removal_plan, revision_plan

if TYPE_CHECKING:
    from veille.core.traffic import Failure
    from veille.ports import Writer

#: What became of a document besides the changes of `Change`: what is stored of it is as new; a source watches it; or
#: it could not be read.
OLDER, WATCHED, FAILED = "older", "watched", "failed"


@dataclass(frozen=True, slots=True, kw_only=True)
class Brought:
    """What was read from a record, and when that was so."""

    at: int
    reading: Reading
    #: Whether it is a revision by its own word: then it is not compared, only stored.
    is_revision: bool = False
    is_removal: bool = False


class ImportCommit:
    """One write transaction."""

    def __init__(self, writer: Writer, run_id: str) -> None:
        self._writer = writer
        self._run_id = run_id
        #: Since when the documents with these keys are as they are, for what was written here.
        self._written: dict[str, int] = {}
        #: The readings that failed, with their addresses.
        self.failures: list[tuple[str, Failure]] = []

    def write(self, brought: Sequence[Brought], at: int) -> Counter[str]:
        """Write what was so at a time; returns how many documents became what."""
        counts: Counter[str] = Counter()
        pages = [one.reading for one in brought if not one.is_revision]
        if pages:
            self._write_pages(list(self._fresh(pages, at, counts)), at, counts)
        for one in brought:
            if one.is_revision:
                counts[self._write_revision(one, at)] += 1
        return counts

    def _fresh(self, readings: Iterable[Reading], at: int, counts: Counter[str]) -> Iterator[Reading]:
        """The readings with those of their documents that are newer than what is stored."""
        for reading in readings:
            if reading.failure is not None:
                self.failures.append((reading.lease.request.url, reading.failure))
                counts[FAILED] += 1
                continue
            fresh = tuple(one for one in reading.documents if self._is_newer(one, reading.lease, at))
            if older := len(reading.documents) - len(fresh):
                counts[OLDER] += older
            if fresh:
                yield replace(reading, documents=fresh)

    def _is_newer(self, document: Document, lease: Lease, at: int) -> bool:
        if any(self._written.get(key, 0) >= at for key in document.keys):
            return False
        known = self._writer.known(document, lease.request)
        if known is not None and (known.seen_at or 0) >= at:
            return False
        self._written.update(dict.fromkeys(document.keys, at))
        return True

    def _write_pages(self, readings: Sequence[Reading], at: int, counts: Counter[str]) -> None:
        for wave in waves(decide_all(readings, self._writer.recall, at), self._writer.recall, at):
            plans: list[Plan] = []
            for one in wave:
                if one.plan.failure is not None:
                    self.failures.append((one.plan.lease.request.url, one.plan.failure))
                    counts[FAILED] += 1
                else:
                    plans.append(one.plan)
                    counts.update(item.change.value for item in one.plan.items)
            self._writer.apply(plans, self._run_id, at)

    def _write_revision(self, one: Brought, at: int) -> str:
        """Write a revision or a removal; returns what became of its document."""
        lease, (document,) = one.reading.lease, one.reading.documents
        known = self._writer.known(document, lease.request)
        if known is not None and (known.seen_at or 0) >= at:
            return OLDER
        if known is not None and known.state == "current" and known.source_id != lease.source.id:
            return WATCHED
        if one.is_removal:
            if known is None or known.state != "current":
                return OLDER
            plan = removal_plan(lease, known)
        else:
            plan = revision_plan(lease, document, known, self._before(known, lease), at, one.reading.payload)
        self._writer.apply([plan], self._run_id, at)
        return plan.items[0].change.value

    def _before(self, known: Known | None, lease: Lease) -> tuple[str, str]:
        """The title and text of a known document."""
        kept = self._writer.kept(known.document_id, lease.source.id) if known is not None else None
        return (kept.title, kept.text) if kept is not None else ("", "")
