"""Values that a rule brings with it, read from revisions that are stored already.

So the rule can be tried on the past before it is saved, and knows the value of today when the next one comes.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final

from pydantic import ValidationError

from veille.core.models import Change
from veille.core.traffic import Failure
from veille.core.values.value import Value, ValueChange, ValuePoint
from veille.core.values.wishes import ValueWish, wish_of
from veille.errors import NotFoundError

if TYPE_CHECKING:
    from veille.core.alerts.models import RuleScope
    from veille.core.records import Parcel, Revision
    from veille.ports import DossierStore, Workshop

#: The most documents of a source, the last changed first, whose values are known at once.
MOST_DOCUMENTS: Final = 200


class NewValues:
    """Reads values of the sources that a rule names. Only those between words: other ways need the page as it came."""

    def __init__(self, store: DossierStore, workshop: Workshop, scope: RuleScope, values: Mapping[str, Any]) -> None:
        self._store = store
        self._workshop = workshop
        self._sources = frozenset(scope.sources)
        self._wishes = _between_words(values)

    def of(self, parcels: Sequence[Parcel]) -> dict[int, list[ValueChange]]:
        """The values before and after these changes, by the number of the change."""
        wanted = [one for one in parcels if one.event.source_id in self._sources] if self._wishes else []
        if not wanted:
            return {}
        texts = [text for one in wanted for text in (self._before(one), _after(one))]
        from veille.core.tasks.values import FindValuesNear  # noqa: PLC0415 - slow to import

        task = FindValuesNear(texts=tuple(texts), wishes=self._wishes, lang=wanted[-1].revision.lang)
        found = self._workshop.run(task, group=self._store.id)
        if isinstance(found, Failure):
            return {}
        return {one.event.seq: _changes(*found[2 * place : 2 * place + 2]) for place, one in enumerate(wanted)}

    def begin(self) -> None:
        """Store what current documents have of them, so that the next change is one, and not the first time."""
        for source_id in self._sources if self._wishes else ():
            documents = self._store.records.documents(source_id, MOST_DOCUMENTS)
            texts = tuple(one.text for one in documents)
            lang = documents[0].lang if documents else ""
            from veille.core.tasks.values import FindValuesNear  # noqa: PLC0415 - slow to import

            task = FindValuesNear(texts=texts, wishes=self._wishes, lang=lang)
            found = self._workshop.run(task, group=self._store.id)
            if isinstance(found, Failure):
                continue
            self._store.values.begin(
                [_point(revision, value) for revision, values in zip(documents, found, strict=True) for value in values]
            )

    def _before(self, parcel: Parcel) -> str:
        event = parcel.event
        if event.change is not Change.CHANGED or event.changed_metadata:
            return "" if event.change is Change.NEW else parcel.revision.text
        try:
            return self._store.records.revision(event.document_id, parcel.revision.n - 1).text
        except NotFoundError:
            return ""


def _point(revision: Revision, value: Value) -> ValuePoint:
    return ValuePoint(
        document_id=revision.document_id,
        source_id=revision.source_id,
        revision_id=revision.id,
        at=revision.extracted_at,
        value=value,
        name=value.name,
    )


def _after(parcel: Parcel) -> str:
    return "" if parcel.event.change is Change.REMOVED else parcel.revision.text


def _changes(before: Sequence[Value], after: Sequence[Value]) -> list[ValueChange]:
    old, new = ({value.name: value for value in values} for values in (before, after))
    return [ValueChange(name=name, before=old.get(name), after=new.get(name)) for name in {**old, **new}]


def _between_words(values: Mapping[str, Any]) -> dict[str, ValueWish]:
    found = {}
    for name, written in values.items():
        try:
            wish = written if isinstance(written, ValueWish) else ValueWish.model_validate(wish_of(written, "selector"))
        except ValidationError:
            # Saving the rule says what is wrong.
            continue
        if wish.near:
            found[name] = wish
    return found
