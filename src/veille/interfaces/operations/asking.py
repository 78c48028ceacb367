"""Questions to the documents of a dossier, answered with citations."""

from __future__ import annotations

from typing import Literal, Self

from pydantic import Field

from veille.core.ask.passages import AskAnswer
from veille.core.ask.passages import Citation as CitedSpan
from veille.core.ask.passages import Statement as Said
from veille.core.text import visible
from veille.interfaces.operations._operation import InDossier, Place, operation
from veille.interfaces.operations.shapes import Shape
from veille.services.reading.asking import MAX_QUESTION


class Ask(InDossier):
    """The question."""

    question: str = Field(
        max_length=MAX_QUESTION,
        description="A question, such as `what changed in the tariff since March?`; `since:` and `as of:` name times.",
    )
    limit: int = Field(5, ge=1, le=20, description="Maximum number of statements.")
    model: bool = Field(default=True, description="Whether a language model may write the answer, if there is one.")


class AnswerCitation(Shape):
    """A span of a revision: characters `start` to `end` of its text are the quote. Checked before it is shown."""

    document_id: str
    revision_id: str
    revision: int
    start: int
    end: int
    quote: str
    title: str
    url: str
    source_name: str
    at: int = Field(description="When the revision was fetched.")
    until: int | None = Field(None, description="Until when it was the current one; missing if it still is.")
    state: str = Field(description="`current`, or `removed` if the document was.")

    @classmethod
    def of(cls, one: CitedSpan) -> Self:
        """The shape of a citation; its quote is as it is stored."""
        return cls.showing(one, revision=one.n, title=visible(one.title))


class AnswerStatement(Shape):
    """One sentence of the answer."""

    text: str
    change: Literal["", "changed", "added", "removed"] = Field(
        description="Of what changed: how. If it was changed, the first citation is from before."
    )
    others: int = Field(description="How many other documents say the same.")
    citations: list[AnswerCitation]

    @classmethod
    def of(cls, one: Said) -> Self:
        """The shape of a statement."""
        return cls.showing(one, text=visible(one.text), citations=list(map(AnswerCitation.of, one.citations)))


class Answered(Shape):
    """The answer to a question."""

    trust: Literal["untrusted"] = "untrusted"
    question: str
    kind: Literal["extract", "model", "nothing"] = Field(
        description="The best sentences of the documents; written by a model and checked; or nothing was found."
    )
    understood: str = Field(description="The time and the kind of question, as they were understood.")
    statements: list[AnswerStatement]
    note: str = Field("", description="Why nothing was found, or why it is only an extract.")
    code: str = Field("", description="The code of the note.")
    model: str = Field("", description="The model that wrote it, and by which prompt.")
    prompt: str = ""

    @classmethod
    def of(cls, one: AskAnswer) -> Self:
        """The shape of an answer."""
        return cls.showing(one, statements=list(map(AnswerStatement.of, one.statements)))


@operation("read", untrusted=True, asks_outside=True)
def _ask(place: Place, given: Ask) -> Answered:
    """Answer a question from the documents of a dossier, as they are or were, with quotes that are checked."""
    answer = place.services.asking.ask(place.dossier_id, given.question, given.limit, with_model=given.model)
    return Answered.of(answer)
