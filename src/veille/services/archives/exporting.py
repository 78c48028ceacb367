"""Export the history of dossiers as WARC files: every revision, by date, and the answers that are kept."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from veille.core.archive.content_state import ContentState
from veille.core.fingerprint import raw_hash, uuid7
from veille.core.records import DocumentFilter, Revision
from veille.core.reread.answers import KeptAnswer, WantedAnswers
from veille.core.warc.revisions import SourceFacts
from veille.errors import NotFoundError, StoreError, VeilleError

if TYPE_CHECKING:
    from veille.core.traffic import Payload
    from veille.ports import Dossiers, DossierStore
    from veille.ports.warc import WarcFiles, WarcWriter

#: Documents and answers that are listed at a time.
_PAGE = 500
#: Revisions written between two looks at the stop signal.
_BATCH = 100
_NO_SOURCE = SourceFacts(name="", kind="", url="")


@dataclass(slots=True, kw_only=True)
class WarcExportReport:
    """What was written: `revisions`, `answers` and `removals`.

    And how many revisions were `without_content`, and how many were written `without_answer` though theirs is kept.
    """

    counts: Counter[str] = field(default_factory=Counter)
    #: By code, what could not be read although it is there: how often, and what is said of the first.
    unread: Counter[str] = field(default_factory=Counter)
    messages: dict[str, str] = field(default_factory=dict)

    def miss(self, what: str, error: VeilleError) -> None:
        """Count something that cannot be read; what somebody deleted meanwhile is no failure."""
        self.counts[what] += 1
        if not isinstance(error, NotFoundError):
            self.unread[error.code] += 1
            self.messages.setdefault(error.code, str(error))


class _Moment(NamedTuple):
    """A revision, or the removal of a document, in the order of their times."""

    at: int
    document_id: str
    n: int
    is_removal: bool = False


class WarcExport:
    """Exports the dossiers it is given."""

    def __init__(self, dossiers: Dossiers, files: WarcFiles) -> None:
        self._dossiers = dossiers
        self._files = files

    def run(
        self,
        dossier_id: str,
        path: Path,
        source: str = "",
        since: int = 0,
        progress: Callable[[WarcExportReport], None] = lambda _: None,
    ) -> WarcExportReport:
        """Write the revisions of a dossier, or of one source (by id, name or address), that are from then or later.

        The file appears only when it is complete.
        """
        report = WarcExportReport()
        with self._dossiers.open(dossier_id) as store, self._files.write(path) as out:
            source_id = store.sources.find(source).id if source else ""
            export = _Export(store, out, report, source_id, since)
            for place, moment in enumerate(sorted(export.moments())):
                export.write(moment)
                if place % _BATCH == 0:
                    progress(report)
        return report


class _Export:
    """The export of one dossier."""

    def __init__(
        self, store: DossierStore, out: WarcWriter, report: WarcExportReport, source_id: str, since: int
    ) -> None:
        self._store = store
        self._out = out
        self._report, self._counts = report, report.counts
        self._source_id = source_id
        self._since = since
        self._sources = {one.id: SourceFacts(name=one.name, kind=one.kind, url=one.url) for one in store.sources.all()}
        self._answers = {revision.revision_id: answer for answer in self._kept() for revision in answer.revisions}
        #: The ids under which answers were written, by the ids that they have in the store.
        self._ids: dict[str, str] = {}
        self._written: set[str] = set()
        #: How many documents have an address.
        self._addresses: Counter[str] = Counter()

    def moments(self) -> Iterator[_Moment]:
        """The revisions and removals of all documents."""
        for document_id, url, removed_at in self._documents():
            self._addresses[url] += 1
            lines = self._store.records.revision_lines(document_id)
            for line in lines:
                if line.extracted_at < self._since:
                    continue
                if line.has_content:
                    yield _Moment(line.extracted_at, document_id, line.n)
                else:
                    self._counts["without_content"] += 1
            if lines and removed_at is not None and removed_at >= self._since:
                yield _Moment(removed_at, document_id, lines[0].n, is_removal=True)

    def write(self, moment: _Moment) -> None:
        """Write a revision, after the answer that it was read from if that is kept."""
        try:
            revision = self._store.records.revision(moment.document_id, moment.n)
        except StoreError:
            raise
        except VeilleError as error:
            # It was deleted meanwhile, or its archive is not there.
            self._report.miss("without_content", error)
            return
        source = self._sources.get(revision.source_id, _NO_SOURCE)
        shares_address = self._addresses[revision.url] > 1
        if moment.is_removal:
            self._out.removal(revision, source, moment.at, shares_address=shares_address)
            self._counts["removals"] += 1
            return
        self._out.revision(revision, source, shares_address=shares_address, answer_id=self._write_answer(revision))
        self._counts["revisions"] += 1

    def _write_answer(self, revision: Revision) -> str:
        """The id of the answer that a revision was read from, once it is written; empty if it is not kept."""
        kept = self._answers.get(revision.id)
        if kept and kept.id in self._ids:
            return self._ids[kept.id]
        try:
            payload = self._store.raw_answers.load(kept)[1] if kept else self._archived(revision)
        except StoreError:
            raise
        except VeilleError as error:
            # It was deleted meanwhile, is damaged or out of reach: the text is written all the same.
            self._report.miss("without_answer", error)
            return ""
        if payload is None:
            return ""
        # From what it is: of revisions that were read from one, some may be archived, each with it.
        answer_id = uuid7(payload.fetched_at, payload.final_url, raw_hash(payload.body))
        if answer_id not in self._written:
            self._out.answer(answer_id, payload)
            self._written.add(answer_id)
            self._counts["answers"] += 1
        if kept:
            self._ids[kept.id] = answer_id
        return answer_id

    def _archived(self, revision: Revision) -> Payload | None:
        return self._store.raw_answers.archived(revision.id) if revision.kept == ContentState.ARCHIVED else None

    def _kept(self) -> Iterator[KeptAnswer]:
        wanted = WantedAnswers(reader="", options=dict.fromkeys(self._sources, ""), again=True)
        after = ""
        while some := self._store.raw_answers.waiting(wanted, after, _PAGE):
            yield from some
            after = some[-1].id

    def _documents(self) -> Iterator[tuple[str, str, int | None]]:
        """The id and address of every document, and when it was removed, if it was."""
        place = 0
        while found := self._store.records.walk(place, _PAGE):
            place = found[-1][0]
            yield from ((one.document_id, one.url, None) for _, one in found if self._is_wanted(one.source_id))
        wanted = DocumentFilter(state="removed", source_id=self._source_id)
        before = None
        while True:
            lines, before = self._store.records.lines(wanted, before, _PAGE)
            yield from ((line.id, line.url, line.changed_at) for line in lines)
            if before is None:
                return

    def _is_wanted(self, source_id: str) -> bool:
        return not self._source_id or source_id == self._source_id
