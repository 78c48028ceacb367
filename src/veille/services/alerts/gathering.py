"""The facts that rules are judged by, read from a dossier."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING

from veille.core.models import Change
from veille.core.rules.facts import DocumentText, Extreme, Facts, Occasion
from veille.core.search.query import parse
from veille.core.told import why_gone
from veille.core.values.value import ValueChange
from veille.errors import NotFoundError

if TYPE_CHECKING:
    from veille.core.alerts.happening import Happening
    from veille.core.models import Source
    from veille.core.records import Parcel, Revision
    from veille.core.rules.book import RuleBook
    from veille.core.rules.condition import RuleNeeds
    from veille.ports import DossierStore

#: One thing that happened, and the ids of the rules that may fire on it.
Case = tuple[Facts, list[str]]
#: Reads values of changes that are not stored, by the number of the change.
FurtherValues = Callable[[Sequence["Parcel"]], Mapping[int, Sequence[ValueChange]]]


class Gatherer:
    """Reads facts, and no more of them than the rules ask for."""

    def __init__(
        self, store: DossierStore, book: RuleBook, needs: RuleNeeds, further: FurtherValues = lambda _: {}
    ) -> None:
        self._store = store
        self._book = book
        self._needs = needs
        self._further = further

    @cached_property
    def _sources(self) -> dict[str, Source]:
        return {source.id: source for source in self._store.sources.all()}

    @cached_property
    def _muted(self) -> dict[str, int]:
        return self._store.sources.muted()

    def _candidates(self, facts: Facts) -> list[str]:
        """The rules that may fire; none on what a source brings while it is muted."""
        return [] if facts.at < self._muted.get(facts.source_id, 0) else self._book.candidates(facts)

    def of_changes(self, parcels: Sequence[Parcel]) -> list[Case]:
        """The facts of these changes that a rule may fire on."""
        around = self._store.values.around([parcel.event.seq for parcel in parcels])
        further = self._further(parcels)
        cases: list[Case] = []
        kept: list[Parcel] = []
        for parcel in parcels:
            seq = parcel.event.seq
            facts = self._outline(parcel, (*around.get(seq, ()), *further.get(seq, ())))
            if candidates := self._candidates(facts):
                cases.append((facts, candidates))
                kept.append(parcel)
        finds = self._finds([parcel.revision for parcel in kept])
        return [
            (self._complete(facts, parcel, finds), candidates)
            for (facts, candidates), parcel in zip(cases, kept, strict=True)
        ]

    def of_happenings(self, happenings: Iterable[Happening]) -> list[Case]:
        """The facts of sources that changed their state, and of runs that ended."""
        return self._with_candidates(
            replace(
                self._about(Occasion(one.occasion), one.source_id, one.at),
                seq=one.seq,
                state_before=one.state_before,
                state_after=one.state_after,
                code=one.code,
                message=one.message,
                run=one.run,
                has_failed=one.has_failed,
            )
            for one in happenings
        )

    def of_silences(self, since: int, now: int) -> list[Case]:
        """The facts of the sources that have been silent for as long as a rule asks, since a time."""
        return self._with_candidates(
            replace(self._about(Occasion.SILENCE, source.id, now), silent_ms=now - heard_at(source))
            for source in self._sources.values()
            if source.enabled and any(since < heard_at(source) + span <= now for span in self._needs.silences)
        )

    def silences_end(self, now: int) -> int | None:
        """When the next source will have been silent for as long as a rule asks; None if no rule asks."""
        ends = [
            heard_at(source) + span
            for source in self._sources.values()
            if source.enabled
            for span in self._needs.silences
        ]
        return min((at for at in ends if at > now), default=None)

    def source(self, source_id: str) -> Source | None:
        return self._sources.get(source_id)

    def _with_candidates(self, facts: Iterable[Facts]) -> list[Case]:
        return [(one, candidates) for one in facts if (candidates := self._candidates(one))]

    def _about(self, occasion: Occasion, source_id: str, at: int) -> Facts:
        source = self._sources.get(source_id)
        if source is None:
            return Facts(occasion=occasion, at=at, source_id=source_id)
        tags = source.config.get("tags") or ()
        return Facts(
            occasion=occasion,
            at=at,
            source_id=source.id,
            source_name=source.name,
            source_kind=source.kind,
            url=source.url,
            tags=tuple(part.strip() for part in tags.split(",")) if isinstance(tags, str) else tuple(tags),
        )

    def _outline(self, parcel: Parcel, values: Sequence[ValueChange]) -> Facts:
        """The facts without texts: enough to know which rules may fire."""
        event = parcel.event
        return replace(
            self._about(Occasion.CHANGE, event.source_id, event.at),
            seq=event.seq,
            change=event.change,
            document_id=event.document_id,
            url=event.url,
            is_first=event.is_first,
            is_same_text=bool(event.changed_metadata),
            values=tuple(values),
            message=why_gone(event.told) if event.change is Change.REMOVED else "",
        )

    def _complete(self, facts: Facts, parcel: Parcel, finds: dict[str, frozenset[str]]) -> Facts:
        event, revision = parcel.event, parcel.revision
        now = _text(revision)
        before: DocumentText | None = None
        if event.changed_metadata or event.change is Change.REMOVED:
            before = now
        elif event.change is Change.CHANGED:
            before = self._revision_before(event.document_id, revision.n)
        return replace(
            facts,
            before=before,
            after=None if event.change is Change.REMOVED else now,
            extremes=self._extremes(facts, parcel),
            found_by=finds.get(revision.id, frozenset()),
            tellers=self._tellers(event.document_id) if self._needs.tellers else 0,
        )

    def _revision_before(self, document_id: str, n: int) -> DocumentText | None:
        try:
            return _text(self._store.records.revision(document_id, n - 1))
        except NotFoundError:
            # It came back after it had been removed, or older revisions were deleted.
            return None

    def _extremes(self, facts: Facts, parcel: Parcel) -> tuple[Extreme, ...]:
        names = {one.name.casefold(): one.name for one in facts.values}
        found = []
        for asked, days in sorted(self._needs.windows):
            if (name := names.get(asked)) is None:
                continue
            found.append(self._store.values.extremes(facts.document_id, name, days, parcel.event.seq, facts.at))
        return tuple(found)

    def _tellers(self, document_id: str) -> int:
        story = self._store.stories.of(document_id)
        return len({one.source_id for one in story.documents}) if story else 1

    def _finds(self, revisions: Sequence[Revision]) -> dict[str, frozenset[str]]:
        """By revision, the saved searches that find it, of those that rules name."""
        if not self._needs.searches or not revisions:
            return {}
        found: dict[str, set[str]] = {}
        for search in self._store.saved_searches.all():
            if search.name.casefold() not in {name.casefold() for name in self._needs.searches}:
                continue
            # Ages such as `after:7d` count from the newest of them.
            query = parse(search.query, max(one.extracted_at for one in revisions))
            for revision_id in self._store.index.finding(query, revisions):
                found.setdefault(revision_id, set()).add(search.name)
        return {revision_id: frozenset(names) for revision_id, names in found.items()}


def heard_at(source: Source) -> int:
    """When a source last brought something new; as long as it has not, when it was added."""
    return source.changed_at or source.created_at


def _text(revision: Revision) -> DocumentText:
    return DocumentText(title=revision.title, text=revision.text, lang=revision.lang)
