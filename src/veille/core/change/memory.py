"""The lookups of `decide` in stored documents, as values: a store can answer those of many readings in one batch."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, NamedTuple, Protocol, TypeVar, cast

from veille.core.change.second_look import Kept
from veille.core.compare.boilerplate import NO_BOILERPLATE, Boilerplate
from veille.core.fingerprint import watcher_of
from veille.core.models import Document, Known, Request


class Memory(Protocol):
    """Lookups of stored documents."""

    def known(self, document: Document, request: Request) -> Known | None:
        """The stored document that has one of the document's keys, as seen by this request and its source."""

    def twin(self, document: Document) -> Known | None:
        """A current document with exactly the same text.

        What a source watches of a page is nobody else's duplicate, however equal the texts: each is watched for its
        own changes. So a part has twins among the documents of its source only, and no other document has it as one.
        """

    def owned(self, request: Request) -> Known | None:
        """The document that this request fetched before."""

    def named(self, *keys: str) -> Known | None:
        """The stored document that has one of these keys."""

    def unlisted(self, source_id: str, keys: Sequence[str], since: int | None = None) -> Sequence[Known]:
        """The current documents of this source that have none of these keys and were not seen since that time."""

    def kept(self, document_id: str, source_id: str) -> Kept | None:
        """The delivered content of a current document; or the content this source read, if that differs."""

    def boilerplate(self, source_id: str) -> Boilerplate:
        """The boilerplate of the pages of a source, learned from a sample of them."""


class Lookup(NamedTuple):
    """One lookup: the name of a method of `Memory`, and its arguments in the form that `Answers` uses."""

    about: str
    of: tuple[Any, ...]


#: The result of any method of `Memory`.
Answer = Known | Kept | Boilerplate | Sequence[Known] | None
_Answer = TypeVar("_Answer")
Recall = Callable[[Iterable[Lookup]], Mapping[Lookup, Answer]]


class Answers:
    """A `Memory` of answers that were read before; it records the lookups, and those whose answer is missing.

    With `recall` it stores nothing and queries the store every time.
    """

    def __init__(self, recall: Recall | None = None) -> None:
        self._recall = recall
        self._answers: dict[Lookup, Answer] = {}
        self.begin()

    def begin(self) -> None:
        """Clear the recorded lookups, but keep the answers."""
        self.asked: dict[Lookup, Answer] = {}
        self.missing: set[Lookup] = set()

    def learn(self, answers: Mapping[Lookup, Answer]) -> None:
        self._answers.update(answers)

    def lacks(self, questions: Iterable[Lookup]) -> set[Lookup]:
        """Those of the lookups that have no answer yet."""
        return {question for question in questions if question not in self._answers}

    def known(self, document: Document, request: Request) -> Known | None:
        return self._ask(asks_known(document, request), None)

    def twin(self, document: Document) -> Known | None:
        return self._ask(asks_twin(document), None)

    def owned(self, request: Request) -> Known | None:
        return self._ask(Lookup("owned", (request.id,)), None)

    def named(self, *keys: str) -> Known | None:
        return self._ask(Lookup("named", keys), None) if keys else None

    def unlisted(self, source_id: str, keys: Sequence[str], since: int | None = None) -> Sequence[Known]:
        return self._ask(Lookup("unlisted", (source_id, tuple(keys), since)), ())

    def kept(self, document_id: str, source_id: str) -> Kept | None:
        return self._ask(Lookup("kept", (document_id, source_id)), None)

    def boilerplate(self, source_id: str) -> Boilerplate:
        return self._ask(Lookup("boilerplate", (source_id,)), NO_BOILERPLATE)

    def _ask(self, question: Lookup, nothing: _Answer) -> _Answer:
        """The answer; `nothing` as a placeholder while it is missing."""
        if self._recall is not None:
            return cast("_Answer", self._recall([question])[question])
        if question not in self._answers:
            self.missing.add(question)
            return nothing
        self.asked[question] = self._answers[question]
        return cast("_Answer", self._answers[question])


def asks_known(document: Document, request: Request) -> Lookup:
    """The lookup of `Memory.known`."""
    return Lookup("known", (document.keys, request.source_id, request.id))


def asks_twin(document: Document) -> Lookup:
    """The lookup of `Memory.twin`."""
    return Lookup("twin", (document.content_hash, watcher_of(document.keys[0])))
