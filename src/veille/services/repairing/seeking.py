"""Looks for what a source used to find, by a search and, if that is not enough, with ideas of a language model."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from veille.core.prompting.replies import NoModelAnswer
from veille.core.seek.candidates import ProvenChange, Remembered, Sought, limits
from veille.core.seek.ideas import prompt_for

if TYPE_CHECKING:
    from collections.abc import Sequence

    from veille.core.models import Source
    from veille.core.traffic import Payload
    from veille.ports import Dossiers
    from veille.services.model.consultation import ModelService
    from veille.services.repairing.probe import Looker

#: Documents of a source that are remembered, and characters of each text: enough to know them by.
_MOST, _MOST_TEXT = 20, 20_000


class Seeker:
    """Finds changes of sources, each with the proof that it gives what was before."""

    def __init__(self, dossiers: Dossiers, models: ModelService) -> None:
        self._dossiers = dossiers
        self._models = models

    def found(
        self, dossier_id: str, source: Source, what: Sought, payload: Payload, looker: Looker
    ) -> tuple[ProvenChange, ...]:
        """The changes that an answer proves, the most like first."""
        before = self._remembered(dossier_id, source)
        if not before:
            return ()
        found = looker.seek(what, source, payload, before)
        if not _is_enough(what, source, found):
            found += self._by_model(dossier_id, source, what, payload, before, looker)
        return tuple(sorted(found, key=lambda one: -one.likeness))

    def _remembered(self, dossier_id: str, source: Source) -> list[Remembered]:
        with self._dossiers.open(dossier_id) as store:
            known = store.records.documents(source.id, _MOST)
        return [Remembered(title=one.title, url=one.url, text=one.text[:_MOST_TEXT]) for one in known]

    def _by_model(
        self,
        dossier_id: str,
        source: Source,
        what: Sought,
        payload: Payload,
        before: Sequence[Remembered],
        looker: Looker,
    ) -> list[ProvenChange]:
        outline = looker.outline(what, source, payload) if self._models.is_there else ""
        if not outline:
            return []
        answer = self._models.ask(dossier_id, prompt_for(what, source, outline, before))
        if isinstance(answer, NoModelAnswer):
            return []
        ideas = answer.value.changes(source, outline)
        if what is Sought.LINKS:
            # Each is proven by what is found there.
            return [ProvenChange(change=one, likeness=0.0, sample="", by=answer.model) for one in ideas]
        found = looker.seek(what, source, payload, before, ideas) if ideas else []
        return [replace(one, by=answer.model) for one in found]


def _is_enough(what: Sought, source: Source, found: Sequence[ProvenChange]) -> bool:
    """Whether nobody else need be asked."""
    if what is Sought.CONTENT:
        return any(one.likeness >= limits(source.kind)[0] for one in found)
    return bool(found) or what is Sought.MOVED
