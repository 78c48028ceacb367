"""Answers questions from the documents of a dossier, as they are or as they were, with citations that are checked."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import TYPE_CHECKING, Final

from veille.core.ask.answering import (
    ModelledAnswer,
    WrittenSentences,
    answer_prompt,
    checked_statements,
    shown_sentences,
)
from veille.core.ask.choosing import Choice, best_of, changes_of, extract
from veille.core.ask.notes import note_of, why_nothing
from veille.core.ask.passages import AskAnswer, Statement, holds
from veille.core.ask.question import AskedQuestion, understood
from veille.core.prompting.replies import NoModelAnswer
from veille.core.text import flat
from veille.errors import ConfigError, NotFoundError
from veille.services.reading.looking_back import Shelf
from veille.services.reading.near_sentences import NearSentences

if TYPE_CHECKING:
    from veille.ports import Clock, Dossiers, DossierStore
    from veille.ports.meaning import Embedders
    from veille.services.model.consultation import ModelService

#: A longer question is refused: nobody asks that much at once.
MAX_QUESTION: Final = 10_000
#: What is told of an answer while it is written.
Tell = Callable[[AskAnswer], object]
#: Sentences that a model is shown.
_SHOWN: Final = 16


@dataclass(frozen=True, slots=True)
class _Found:
    """The best sentences; how many revisions could not be read for them, and how many sentences were left out."""

    choices: list[Choice] = field(default_factory=list)
    lost: int = 0
    left_out: int = 0


class AskService:
    """Answers questions over the dossiers that the caller may see."""

    def __init__(
        self, dossiers: Dossiers, models: ModelService, clock: Clock, embedders: Embedders | None = None
    ) -> None:
        self._dossiers = dossiers
        self._near = None if embedders is None else NearSentences(dossiers, embedders)
        self._models = models
        self._clock = clock

    def ask(
        self, dossier_id: str, text: str, limit: int = 5, *, with_model: bool = True, tell: Tell | None = None
    ) -> AskAnswer:
        """The answer to a question: by the model if there is one, else an extract; or that nothing was found.

        While the model writes, `tell` gets what was checked so far, after each sentence. Another try begins anew.
        """
        question, most = understood(_askable(text), self._clock()), max(limit, _SHOWN) if with_model else limit
        found = self._chosen(dossier_id, question, most)
        is_timeless = not question.moment and not question.unread
        if not found.choices and not found.lost and question.wants_change and question.terms and is_timeless:
            # "Which shelves are updated at night" has the words of a question about changes, too.
            as_it_is = understood(text, self._clock(), is_unchanged=True)
            if (other := self._chosen(dossier_id, as_it_is, most)).choices:
                question, found = as_it_is, other
        first = self._extract(dossier_id, question, replace(found, choices=found.choices[:limit]))
        if with_model and first.kind == "extract" and self._models.is_there:
            return self._modelled(dossier_id, question, found.choices, first, tell)
        return first

    def _chosen(self, dossier_id: str, question: AskedQuestion, limit: int) -> _Found:
        if question.is_empty:
            return _Found()
        with self._dossiers.open(dossier_id) as store:
            shelf = Shelf(store, question)
            if question.wants_change:
                best = changes_of(question, shelf.pairs(), limit)
                return _Found(best.choices, shelf.lost, best.left_out)
            best = best_of(question, shelf.passages(), limit)
            choices = best.choices
            if self._near is not None and question.moment is None:
                choices = self._near.joined(dossier_id, question, choices, shelf.current)[:limit]
            return _Found(choices, shelf.lost, best.left_out)

    def _extract(self, dossier_id: str, question: AskedQuestion, found: _Found) -> AskAnswer:
        statements, now = self._checked(dossier_id, extract(found.choices)), self._clock()
        if not statements:
            return AskAnswer(
                question=question.text,
                kind="nothing",
                statements=(),
                understood=question.described,
                note=why_nothing(question, lost=found.lost, left_out=found.left_out, now=now),
                code="no_answer",
            )
        return AskAnswer(
            question=question.text,
            kind="extract",
            statements=statements,
            understood=question.described,
            note=note_of(question, found.choices, lost=found.lost, left_out=found.left_out, now=now),
            code="revision_removed" if found.lost else "",
        )

    def _modelled(
        self,
        dossier_id: str,
        question: AskedQuestion,
        choices: Sequence[Choice],
        fallback: AskAnswer,
        tell: Tell | None,
    ) -> AskAnswer:
        shown = shown_sentences(choices[:_SHOWN])

        def checked(written: ModelledAnswer) -> tuple[Statement, ...]:
            return self._checked(dossier_id, checked_statements(question, written, shown))

        listen = None if tell is None else partial(_Listener, checked, fallback, tell)
        reply = self._models.ask(dossier_id, answer_prompt(question, shown), listen) if shown else None
        if reply is None:
            return fallback
        if isinstance(reply, NoModelAnswer):
            return replace(fallback, code=reply.code, note=reply.message)
        statements = checked(reply.value)
        if not statements:
            said = (
                "The model found no answer"
                if not reply.value.sentences
                else "What the model wrote is not in its quotes"
            )
            return replace(fallback, code="model.unquoted", note=f"{said}: these are the sentences that were found.")
        return replace(fallback, kind="model", statements=statements, model=reply.model, prompt=reply.prompt)

    def _checked(self, dossier_id: str, statements: Sequence[Statement]) -> tuple[Statement, ...]:
        """The statements whose citations are all in the stored revisions, letter by letter; the others are dropped."""
        with self._dossiers.open(dossier_id) as store:
            texts = _Texts(store)
            kept = []
            for one in statements:
                citations = tuple(
                    citation
                    for citation in one.citations
                    if holds(citation, texts.of(citation.document_id, citation.n))
                )
                if citations and (len(citations) == len(one.citations) or not one.change):
                    kept.append(replace(one, citations=citations))
        return tuple(kept)


class _Listener:
    """Tells what is borne out of a reply that is being written."""

    def __init__(
        self, checked: Callable[[ModelledAnswer], tuple[Statement, ...]], fallback: AskAnswer, tell: Tell
    ) -> None:
        self._checked = checked
        self._so_far = replace(fallback, kind="model", statements=())
        self._tell = tell
        self._written = WrittenSentences()

    def __call__(self, part: str) -> None:
        for sentence in self._written.feed(part):
            if found := self._checked(ModelledAnswer(sentences=[sentence])):
                self._so_far = replace(self._so_far, statements=self._so_far.statements + found)
                self._tell(self._so_far)


class _Texts:
    """The texts of revisions as they are stored now."""

    def __init__(self, store: DossierStore) -> None:
        self._store = store
        self._read: dict[tuple[str, int], str] = {}

    def of(self, document_id: str, n: int) -> str:
        if (document_id, n) not in self._read:
            try:
                self._read[document_id, n] = self._store.records.revision(document_id, n).text
            except NotFoundError:
                # Deleted since it was read.
                self._read[document_id, n] = ""
        return self._read[document_id, n]


def _askable(text: str) -> str:
    if not flat(text):
        raise ConfigError(
            "The question is empty: ask something, such as 'what changed since March?'.", code="no_question"
        )
    if len(text) > MAX_QUESTION:
        raise ConfigError(
            f"The question has {len(text)} characters: ask in at most {MAX_QUESTION}.", code="question_too_long"
        )
    return text
