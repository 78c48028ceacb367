"""Looks for what a source used to find, by a search and, if that is not enough, with ideas of a language model."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from pydantic import BaseModel, Field

from veille.core.prompting.prompts import Material, ModelPrompt
from veille.core.prompting.replies import NoModelAnswer
from veille.core.seek.candidates import ProvenChange, Remembered, Sought, limits

if TYPE_CHECKING:
    from collections.abc import Sequence

    from veille.core.models import Json, Source
    from veille.core.traffic import Payload
    from veille.ports import Dossiers
    from veille.services.model.consultation import ModelService
    from veille.services.repairing.probe import Looker

#: Documents of a source that are remembered, and characters of each text: enough to know them by.
_MOST, _MOST_TEXT = 20, 20_000
_MOST_IDEAS = 5
#: Characters of the content that a model is shown.
_SHOWN = 1500
_TASK = (
    "A program watches a part of a web page by CSS selectors. The page was redesigned, and the selectors find nothing. "
    "You are given an outline of the page as it is now (one element per line: its tag with id and classes, how many "
    "characters of text it has, and how the text begins) and the content that the selectors found before. Name up to "
    "five CSS selectors that find {what} on the page now, the best first. Use ids and classes of the outline."
)


class SelectorIdeas(BaseModel):
    """The answer of a model."""

    selectors: list[str] = Field(max_length=_MOST_IDEAS)


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
        is_enough = any(one.likeness >= limits(source.kind)[0] for one in found)
        if what is Sought.CONTENT and source.kind != "api" and not is_enough:
            found += self._by_model(dossier_id, source, payload, before, looker)
        return tuple(sorted(found, key=lambda one: -one.likeness))

    def _remembered(self, dossier_id: str, source: Source) -> list[Remembered]:
        with self._dossiers.open(dossier_id) as store:
            known = store.records.documents(source.id, _MOST)
        return [Remembered(title=one.title, url=one.url, text=one.text[:_MOST_TEXT]) for one in known]

    def _by_model(
        self, dossier_id: str, source: Source, payload: Payload, before: Sequence[Remembered], looker: Looker
    ) -> list[ProvenChange]:
        outline = looker.outline(payload) if self._models.is_there else ""
        if not outline:
            return []
        answer = self._models.ask(dossier_id, _prompt(source, outline, before))
        if isinstance(answer, NoModelAnswer):
            return []
        ideas = [_change(source, selector) for selector in answer.value.selectors[:_MOST_IDEAS]]
        found = looker.seek(Sought.CONTENT, source, payload, before, ideas) if ideas else []
        return [replace(one, by=answer.model) for one in found]


def _prompt(source: Source, outline: str, before: Sequence[Remembered]) -> ModelPrompt[SelectorIdeas]:
    is_list = source.kind == "items"
    content = "\n".join(one.title for one in before) if is_list else before[0].text
    return ModelPrompt(
        name="repair",
        version=1,
        task=_TASK.format(what="each item of the list" if is_list else "that content"),
        wish="Which selectors find it now?",
        materials=(
            Material(label="the outline of the page", text=outline),
            Material(label="the content as it was", text=content[:_SHOWN]),
        ),
        shape=SelectorIdeas,
        max_tokens=300,
    )


def _change(source: Source, selector: str) -> Json:
    if source.kind == "items":
        return {"config": {"item": selector, "title_selector": None, "link_selector": None, "date_selector": None}}
    return {"config": {"mode": "css", "selectors": [selector]}}
