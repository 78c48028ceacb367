"""The revisions that are read for a question: as they are, as they were at a time, or before and after a change."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Final

from veille.core.ask.moments import BEGINNING, FOREVER, Moment
from veille.core.ask.passages import AskPassage
from veille.core.ask.question import AskedQuestion
from veille.core.ask.wording import likeness, words_of
from veille.core.search.query import Query, Term
from veille.errors import NotFoundError

if TYPE_CHECKING:
    from veille.core.records import Event, Revision, RevisionLine
    from veille.ports import DossierStore

#: Documents that are read for a question.
_READ: Final = 40
#: Changes that are looked through for documents whose current text may not match any more.
_LOOKED_AT: Final = 3000
#: Revisions of one document that are read for a question about a longer time.
_PER_DOCUMENT: Final = 4


class Shelf:
    """The documents of a dossier that may answer a question."""

    def __init__(self, store: DossierStore, question: AskedQuestion) -> None:
        self._store = store
        self._question = question
        self._names = {one.id: one.name for one in store.sources.all()}
        self._ranks = self._ranked()
        self._stories = store.stories.of_many(self._ranks)
        #: How many revisions of the time in question cannot be read any more.
        self.lost = 0

    def passages(self) -> list[AskPassage]:
        """The current revisions, or those of the time that the question names."""
        moment = self._question.moment
        return [passage for document_id in self._ranks for passage in self._at(document_id, moment)]

    def current(self, document_id: str) -> AskPassage | None:
        """The current revision of any document; None if it is not there any more."""
        return next(self._at(document_id, None), None)

    def pairs(self) -> list[tuple[AskPassage | None, AskPassage]]:
        """What documents were before the time that the question names, and at its end; only those that changed."""
        moment = self._question.moment
        start = moment.start if moment else None
        end = moment.end if moment else FOREVER
        return [pair for document_id in self._ranks if (pair := self._pair(document_id, start, end))]

    def _ranked(self) -> dict[str, float]:
        """Documents by how well they match, from 0 to 1, best first."""
        question, ranks = self._question, {}
        if question.terms:
            query = Query(groups=tuple((Term(text=word),) for word in question.terms))
            hits = self._store.index.answering(query, _READ).hits
            most = max((hit.score for hit in hits), default=0.0) or 1.0
            ranks = {hit.document_id: max(hit.score / most, 0.0) for hit in hits}
        if question.moment is not None or question.wants_change:
            for document_id in self._changed():
                ranks.setdefault(document_id, 0.0)
        return ranks

    def _changed(self) -> list[str]:
        """Documents that changed since the time in question, those first whose changes have words of the question."""
        moment = self._question.moment
        first = self._store.outbox.seq_before(moment.start) if moment else 0
        events = self._store.outbox.latest(None, _LOOKED_AT)
        found: dict[str, float] = {}
        for event in events:
            if event.seq > first:
                found[event.document_id] = max(found.get(event.document_id, 0.0), self._told(event))
        terms = bool(self._question.terms)
        order = sorted(found, key=lambda document_id: -found[document_id])
        return [document_id for document_id in order if found[document_id] or not terms][:_READ]

    def _told(self, event: Event) -> float:
        """How many terms of the question the title of a change, its excerpt and the name of its source have."""
        excerpt = " ".join(part.text for part in event.told.excerpt)
        words = set(words_of(f"{event.title} {excerpt} {self._names.get(event.source_id, '')}"))
        return float(sum(any(likeness(term, word) for word in words) for term in self._question.terms))

    def _at(self, document_id: str, moment: Moment | None) -> Iterator[AskPassage]:
        lines = self._lines(document_id)
        if not lines:
            return
        if moment is None:
            yield from self._read(document_id, lines, lines[:1])
            return
        ends = _ends(lines)
        known = [line for line in lines if line.extracted_at < moment.end and ends[line.n] > moment.start]
        if known:
            yield from self._read(document_id, lines, known[:_PER_DOCUMENT])
        elif not moment.is_strict:
            yield from self._read(document_id, lines, lines[-1:], is_later=True)

    def _pair(self, document_id: str, start: int | None, end: int) -> tuple[AskPassage | None, AskPassage] | None:
        lines = self._lines(document_id)
        after = next((line for line in lines if line.extracted_at < end), None)
        if after is None:
            return None
        older = [line for line in lines if (line.n < after.n if not start else line.extracted_at < start)]
        if start == BEGINNING:
            older.reverse()
        is_gone, is_same = after.state == "removed", bool(older) and older[0].n == after.n
        if not is_gone and (is_same or (not start and not older)):
            return None
        became = next(self._read(document_id, lines, [after]), None)
        if became is None:
            return None
        if is_same or (not start and not older):
            return became, became
        if not older:
            return self._since_first_kept(document_id, lines, after), became
        # What was just before may have been removed by a rule of retention: what was before that is still older.
        was = next(self._read(document_id, lines, older[:_PER_DOCUMENT]), None)
        if was is None and start:
            # All of them were: then the oldest of that time that can still be read is what it was.
            inside = [line for line in reversed(lines) if line.extracted_at >= start and line.n < after.n]
            was = next(self._read(document_id, lines, inside), None)
        return (was, became) if was is not None else None

    def _since_first_kept(
        self, document_id: str, lines: Sequence[RevisionLine], after: RevisionLine
    ) -> AskPassage | None:
        """The oldest revision before another, of a document that was not kept before a time; None if there is none."""
        first = [line for line in reversed(lines) if line.n < after.n]
        return next(self._read(document_id, lines, first, is_later=True), None)

    def _lines(self, document_id: str) -> list[RevisionLine]:
        """The revisions of a document, newest first; none if it was deleted meanwhile or is a duplicate."""
        lines = self._store.records.revision_lines(document_id)
        return [] if lines and lines[0].state == "duplicate" else lines

    def _read(
        self, document_id: str, lines: Sequence[RevisionLine], wanted: Sequence[RevisionLine], *, is_later: bool = False
    ) -> Iterator[AskPassage]:
        ends = _ends(lines)
        for line in wanted:
            try:
                revision = self._store.records.revision(document_id, line.n)
            except NotFoundError:
                # Its content was removed by a rule of retention, or it was deleted at this moment.
                self.lost += 1
                continue
            yield self._passage(revision, None if ends[line.n] == FOREVER else ends[line.n], is_later=is_later)

    def _passage(self, revision: Revision, until: int | None, *, is_later: bool) -> AskPassage:
        return AskPassage(
            dossier_id=self._store.id,
            document_id=revision.document_id,
            revision_id=revision.id,
            n=revision.n,
            title=revision.title,
            url=revision.url,
            source_name=self._names.get(revision.source_id, ""),
            text=revision.text,
            lang=revision.lang,
            at=revision.extracted_at,
            until=until,
            state=revision.state,
            rank=self._ranks.get(revision.document_id, 0.0),
            story_id=self._stories.get(revision.document_id, ""),
            is_later=is_later,
        )


def _ends(lines: Sequence[RevisionLine]) -> dict[int, int]:
    """Until when each revision was the current one, by number."""
    following = [FOREVER, *(line.extracted_at for line in lines)]
    return {line.n: end for line, end in zip(lines, following, strict=False)}
