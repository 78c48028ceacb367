"""Import WARC files: every capture becomes a revision with the date of its record.

    records of the files, by date  ->  children of the workshop  ->  decided  ->  one small transaction

What a document was is stored once for each moment: a record that is no newer than what is stored of its document is
left out. So an import that was killed goes on when it is run again, and importing a file twice is importing it once.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING

from veille.core.change.memory import Lookup
from veille.core.fingerprint import url_identity, uuid7
from veille.core.models import KeepRaw, Known, Lease, Reading, Source
from veille.core.schedule import DAY
from veille.core.text import printed
from veille.core.urls import canonical
from veille.core.warc.captures import (
    WARC_KIND,
    WarcCapture,
    WarcItem,
    WarcProblem,
    WarcRevision,
    capture_lease,
)
from veille.core.warc.revisions import revision_document
from veille.errors import ConfigError, NotFoundError
from veille.failpoints import failpoint
from veille.services.archives.committing import OLDER, Brought, ImportCommit
from veille.services.reading.many import read_many
from veille.services.watching.sources import MAX_NAME, SourceEdit, Wish

if TYPE_CHECKING:
    from veille.ports import Clock, Dossiers, DossierStore, Workshop
    from veille.ports.warc import WarcFiles
    from veille.services.watching.sources import SourceService

#: Records that are read and written together, and the bytes of their bodies.
BATCH, BATCH_BYTES = 64, 16 << 20
#: Problems that are returned; the others are only counted.
MOST_SHOWN = 1000
#: A record may be this much ahead of our clock.
_AHEAD = DAY
#: The count of records that have nothing to store: redirects, pictures, stylesheets.
LEFT_OUT = "left_out"
_DEFAULT_NAME = "Archive"


@dataclass(slots=True, kw_only=True)
class WarcImportReport:
    """What an import did."""

    #: Documents by what became of them, and records that are `left_out`, and `problems`.
    counts: Counter[str] = field(default_factory=Counter)
    problems: list[WarcProblem] = field(default_factory=list)
    #: Whether it was stopped before the end of the files.
    is_stopped: bool = False

    def tell(self, problem: WarcProblem) -> None:
        """Count a problem."""
        self.counts["problems"] += 1
        if len(self.problems) < MOST_SHOWN:
            self.problems.append(problem)


class WarcImport:
    """Imports files into the dossiers it is given."""

    def __init__(
        self, dossiers: Dossiers, sources: SourceService, workshop: Workshop, files: WarcFiles, clock: Clock
    ) -> None:
        self._dossiers = dossiers
        self._sources = sources
        self._workshop = workshop
        self._files = files
        self._clock = clock

    def run(
        self,
        dossier_id: str,
        paths: Sequence[Path],
        name: str = "",
        *,
        most_bytes: int = 0,
        progress: Callable[[WarcImportReport], None] = lambda _: None,
        stop: Callable[[], bool] = lambda: False,
    ) -> WarcImportReport:
        """Import these files; pages of crawls become documents of a source of that name, which is paused.

        ConfigError `quota_stored` if the dossier has so many bytes (0: no limit); what was imported before stays.
        """
        report = WarcImportReport()
        run_id = uuid7(self._clock(), dossier_id, WARC_KIND)
        with self._dossiers.open(dossier_id) as store:
            keeper = _Sources(store, self._sources, name)
            for batch in _batches(self._files.read(paths)):
                if stop():
                    report.is_stopped = True
                    break
                if most_bytes and store.figures.stored() >= most_bytes:
                    raise ConfigError(
                        "The dossier has used its storage: delete sources or raise quotas.stored_mb, and import again.",
                        code="quota_stored",
                    )
                self._write(store, list(self._read(store, keeper, batch, report)), run_id, report)
                progress(report)
        return report

    def _read(
        self, store: DossierStore, keeper: _Sources, batch: Iterable[WarcItem], report: WarcImportReport
    ) -> Iterator[Brought]:
        """What a batch brings, in its order: the children read captures; our own revisions were read before."""
        items = list(self._wanted(batch, report))
        leases = [keeper.lease(item) for item in items]
        stored = _stored(store, items)
        answers = [
            (str(place), leases[place], item.payload())
            for place, item in enumerate(items)
            if isinstance(item, WarcCapture) and not _is_there(stored, item)
        ]
        readings = read_many(self._workshop, answers)
        for place, (item, lease) in enumerate(zip(items, leases, strict=True)):
            if isinstance(item, WarcRevision) and not _is_at_home(store, item):
                yield _brought(item, lease)
            elif str(place) in readings:
                yield Brought(at=item.at, reading=readings[str(place)])
            else:
                report.counts[OLDER] += 1

    def _wanted(self, batch: Iterable[WarcItem], report: WarcImportReport) -> Iterator[WarcCapture | WarcRevision]:
        latest = self._clock() + _AHEAD
        for item in batch:
            if isinstance(item, WarcProblem):
                report.tell(item)
            elif not 0 < item.at < latest:
                report.tell(_refused(item, "its date lies before 1970, or in the future"))
            elif isinstance(item, WarcRevision):
                yield item
            elif not item.is_page:
                report.counts[LEFT_OUT] += 1
            else:
                try:
                    yield replace(item, url=canonical(item.url))
                except (ValueError, ConfigError):
                    report.tell(_refused(item, "its address is none"))

    def _write(self, store: DossierStore, brought: list[Brought], run_id: str, report: WarcImportReport) -> None:
        """Write a batch in one transaction, every record at its time."""
        if not brought:
            return
        with store.writing() as writer:
            store.runs.start(run_id, self._clock())
            commit = ImportCommit(writer, run_id)
            for at, some in groupby(brought, key=lambda one: one.at):
                report.counts.update(commit.write(list(some), at))
                failpoint("during_warc_import")
            store.runs.finish(run_id, self._clock())
        for url, failure in commit.failures:
            report.tell(WarcProblem(file=url, offset=0, code=failure.code, message=failure.message))


class _Sources:
    """The sources that stand for files: one for the pages of crawls, and one for each source of our own files."""

    def __init__(self, store: DossierStore, sources: SourceService, name: str) -> None:
        self._store = store
        self._sources = sources
        self._name = name or _DEFAULT_NAME
        self._known = {source.url: source for source in store.sources.all()}
        self._default = store.raw_answers.default()

    def lease(self, item: WarcCapture | WarcRevision) -> Lease:
        """A lease with which a record can be read and committed."""
        if isinstance(item, WarcRevision):
            source = self._source(item.facts.source.url, item.facts.source.name)
        else:
            source = self._source(self._name, self._name)
        keep = source.config.get("keep_raw") or self._default
        return capture_lease(self._store.id, source, item.url, KeepRaw(keep))

    def _source(self, address: str, name: str) -> Source:
        url = address if address.startswith(f"{WARC_KIND}:") else f"{WARC_KIND}:{address.strip()}"
        if url not in self._known:
            wish = Wish(url=url, kind=WARC_KIND, name=printed(name)[:MAX_NAME] or _DEFAULT_NAME)
            try:
                added = self._sources.add(self._store.id, wish)
            except ConfigError as error:
                if error.code != "duplicate_source":
                    raise
                # Another part of the same import has just made it.
                self._known = {source.url: source for source in self._store.sources.all()}
            else:
                # Paused: it has nothing to check, and a source that watches the same pages takes them over.
                edit = SourceEdit(enabled=False)
                self._known[url] = self._sources.edit(self._store.id, added.id, edit)
        return self._known[url]


def _refused(item: WarcCapture | WarcRevision, why: str) -> WarcProblem:
    return WarcProblem(file=item.url, offset=0, code="warc_record", message=f"The record cannot be read: {why}.")


def _brought(item: WarcRevision, lease: Lease) -> Brought:
    document = revision_document(item.facts, lease.source.id, item.url, item.text)
    payload = item.answer.payload() if item.answer is not None else None
    reading = Reading(lease=lease, payload=payload, documents=(document,))
    return Brought(at=item.at, reading=reading, is_revision=True, is_removal=item.facts.is_removal)


def _stored(store: DossierStore, items: Iterable[WarcCapture | WarcRevision]) -> dict[str, Known]:
    """What is stored of the pages that these are captures of, by the key of their addresses."""
    keys = {url_identity(item.url) for item in items if isinstance(item, WarcCapture)}
    found = store.recall(Lookup("named", (key,)) for key in keys)
    return {question.of[0]: known for question, known in found.items() if isinstance(known, Known)}


def _is_there(stored: dict[str, Known], item: WarcCapture) -> bool:
    """Whether a capture need not be read: what is stored of its page is as new."""
    known = stored.get(url_identity(item.url))
    return known is not None and (known.seen_at or 0) >= item.at


def _is_at_home(store: DossierStore, item: WarcRevision) -> bool:
    """Whether a revision comes from this very dossier, and its address does not say so."""
    if not item.facts.shares_address:
        return False
    try:
        store.records.find(item.facts.document)
    except NotFoundError:
        return False
    return True


def _batches(items: Iterator[WarcItem]) -> Iterator[list[WarcItem]]:
    batch: list[WarcItem] = []
    size = 0
    for item in items:
        batch.append(item)
        size += len(item.body) if isinstance(item, WarcCapture) else 0
        if len(batch) >= BATCH or size >= BATCH_BYTES:
            yield batch
            batch, size = [], 0
    if batch:
        yield batch
