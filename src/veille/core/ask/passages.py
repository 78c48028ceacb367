"""What is read for an answer, and the answer: passages, the sentences in them, citations and statements."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final, Literal

from veille.core.language.sentences import sentences

#: Longer sentences are cut at spaces, so that a quote can be read.
_LONGEST: Final = 400
#: Of a longer text only the beginning is read.
_READ: Final = 300_000

Change = Literal["", "changed", "added", "removed"]


@dataclass(frozen=True, slots=True, kw_only=True)
class AskPassage:
    """A revision of a document that is read for an answer."""

    dossier_id: str
    document_id: str
    revision_id: str
    n: int
    title: str
    url: str
    source_name: str
    text: str = field(repr=False)
    lang: str = ""
    #: When it was fetched, and until when it was the current one; None: it still is.
    at: int
    until: int | None = None
    #: The state of its document: `current` or `removed`.
    state: str = "current"
    #: How well its document matches, from 0 to 1.
    rank: float = 0.0
    #: Documents that tell the same have the same.
    story_id: str = ""
    #: Whether it was kept only after the time that is asked about.
    is_later: bool = False


@dataclass(frozen=True, slots=True)
class Sentence:
    """A sentence of a passage, by its place in the text."""

    passage: AskPassage
    start: int
    end: int

    @property
    def text(self) -> str:
        return self.passage.text[self.start : self.end]


@dataclass(frozen=True, slots=True, kw_only=True)
class Citation:
    """A span of a revision: `text[start:end] == quote`, checked against the stored revision."""

    dossier_id: str
    document_id: str
    revision_id: str
    n: int
    start: int
    end: int
    quote: str
    title: str
    url: str
    source_name: str
    #: When the revision was fetched; until when it was the current one, None if it still is.
    at: int
    until: int | None
    #: The state of the document: `current` or `removed`.
    state: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Statement:
    """One sentence of an answer, with what it rests on. For a change, the first citation is from before."""

    text: str
    citations: tuple[Citation, ...]
    change: Change = ""
    #: How many other documents say the same.
    others: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class AskAnswer:
    """The answer to a question: an extract of the best sentences, what a model made of them, or nothing."""

    question: str
    kind: Literal["extract", "model", "nothing"]
    statements: tuple[Statement, ...]
    #: How the question was understood: a time, changes.
    understood: str
    #: Why there is no answer, or why it is only an extract; with its code.
    note: str = ""
    code: str = ""
    #: The model and the prompt, if a model wrote it.
    model: str = ""
    prompt: str = ""


def sentences_of(passage: AskPassage) -> list[Sentence]:
    """The sentences of a passage, in order."""
    text = passage.text[:_READ]
    return [
        Sentence(passage, start, end) for span in sentences(text) for start, end in _bounded(text, *span) if start < end
    ]


def _bounded(text: str, start: int, end: int) -> list[tuple[int, int]]:
    """A span in parts that are short enough, cut after a line, a sign or at least a space."""
    parts = []
    while end - start > _LONGEST:
        most = start + _LONGEST
        cut = next(
            (at for sign in ("\n", "; ", ", ", " ") if (at := text.rfind(sign, start + _LONGEST // 3, most)) > 0), most
        )
        parts.append((start, cut))
        start = cut + len(text[cut:end]) - len(text[cut:end].lstrip(" \n;,"))
    return [*parts, (start, end)]


def citation_of(sentence: Sentence, start: int | None = None, end: int | None = None) -> Citation:
    """The citation of a sentence, or of a part of it."""
    passage = sentence.passage
    start, end = sentence.start if start is None else start, sentence.end if end is None else end
    return Citation(
        dossier_id=passage.dossier_id,
        document_id=passage.document_id,
        revision_id=passage.revision_id,
        n=passage.n,
        start=start,
        end=end,
        quote=passage.text[start:end],
        title=passage.title,
        url=passage.url,
        source_name=passage.source_name,
        at=passage.at,
        until=passage.until,
        state=passage.state,
    )


def holds(citation: Citation, text: str) -> bool:
    """Whether the text of its revision has the quote at its place."""
    return bool(citation.quote) and text[citation.start : citation.end] == citation.quote
