"""What a model is asked about the sentences that were found, and what is kept of its answer.

Every sentence of the answer must quote: the quote must be in a sentence that the model was shown, and the sentence must
say no more than its quotes do. Whatever a model was talked into is dropped with it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from itertools import groupby
from typing import Final

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from veille.core.ask.addressed import is_addressed_to_a_machine, stands_by_an_order
from veille.core.ask.choosing import Choice
from veille.core.ask.contradicting import contradicts
from veille.core.ask.passages import Citation, Sentence, Statement, citation_of
from veille.core.ask.question import AskedQuestion
from veille.core.ask.wording import COMPOUND, likeness, telling_words, words_of
from veille.core.dates import iso
from veille.core.prompting.prompts import Material, ModelPrompt
from veille.core.prompting.streams import GrowingList
from veille.core.text import flat, visible

_TASK: Final = """\
You answer a question from numbered sentences of documents that somebody watches. Use nothing but these sentences.
- Answer in one to five short sentences, in the language of the question.
- For each sentence name the numbers it rests on, and quote from each the few words that bear it out, letter by letter.
- Say no more than the quotes say. Prefer their own words, numbers and names.
- Documents have times: what is newer replaces what is older, unless the question asks about a time. A sentence marked \
"before" was replaced by the one marked "after" with the next number.
- If the sentences do not answer the question, answer with an empty list."""
#: What the shares of telling words of a sentence must be that its quotes or the question have.
_BORNE_OUT: Final = 0.6
#: Who talks of these talks of the conversation, not of what was found; unless the question or the quotes do, too.
_CONVERSATION: Final = frozenset(
    "ai answer answers antwort antworten anweisung anweisungen assistant assistent chatbot domanda frage gebruiker "
    "instruction instructions instrucciones istruzioni llm nutzer benutzer pergunta pregunta prompt question questions "
    "reply response reponse respuesta resposta risposta user users usuario utente utilisateur antwoord vraag "
    "ответ вопрос пользователь инструкция".split()
)
#: The most sentences of an answer.
_MOST: Final = 12
_APOSTROPHE: Final = "['\u2018\u2019]"
_NUMBER: Final = re.compile(r"\d+(?:[.,:]\d+)*")
_ADDRESS: Final = re.compile(
    r"(?:https?://|www\.)\S+|\S+@\S+\.\w+|\b[\w-]+\.(?:com|net|org|io|ru|cn|xyz|info|biz)\b", re.IGNORECASE
)


class QuotedWords(BaseModel):
    """A quote of a numbered sentence."""

    model_config = ConfigDict(extra="ignore")

    number: int = Field(description="The number of the sentence.")
    quote: str = Field(max_length=2000, description="Words of that sentence, letter by letter.")


class AnswerSentence(BaseModel):
    """One sentence of an answer."""

    model_config = ConfigDict(extra="ignore")

    text: str = Field(max_length=1000, description="The sentence.")
    quotes: list[QuotedWords] = Field(max_length=8, description="What it rests on.")


class ModelledAnswer(BaseModel):
    """The answer of a model."""

    model_config = ConfigDict(extra="ignore")

    sentences: list[AnswerSentence] = Field(max_length=_MOST, description="The answer; empty if there is none.")


class WrittenSentences:
    """The sentences of an answer that is still being written."""

    def __init__(self) -> None:
        self._items = GrowingList("sentences")
        self._left = _MOST

    def feed(self, part: str) -> list[AnswerSentence]:
        """Those that are whole now, and were not before; none after one that is of the wrong shape."""
        found = []
        for item in self._items.feed(part)[: self._left]:
            try:
                found.append(AnswerSentence.model_validate(item))
            except ValidationError:
                self._left = 0
                return found
        self._left -= len(found)
        return found


def shown_sentences(choices: Iterable[Choice]) -> list[tuple[Sentence, str]]:
    """The sentences that a model is shown, each once, with `before` or `after`; none that is addressed to it."""
    shown: dict[tuple[str, int], tuple[Sentence, str]] = {}
    for choice in choices:
        for sentence in choice.sentences:
            mark = "" if not choice.before or not choice.after else "before" if sentence is choice.before else "after"
            if not stands_by_an_order(sentence.passage.text, sentence.start, sentence.end):
                shown.setdefault((sentence.passage.revision_id, sentence.start), (sentence, mark))
    return list(shown.values())


def answer_prompt(question: AskedQuestion, shown: Sequence[tuple[Sentence, str]]) -> ModelPrompt[ModelledAnswer]:
    """What the model is asked. Titles are from outside, too: they stand inside the fence."""
    numbered = list(enumerate(shown, 1))
    materials: list[Material] = []
    for _, group in groupby(numbered, key=lambda one: one[1][0].passage.revision_id):
        lines = list(group)
        passage = lines[0][1][0].passage
        body = [f"[{number}]{f' ({mark})' if mark else ''} {flat(one.text)}" for number, (one, mark) in lines]
        until = f", replaced {iso(passage.until)[:10]}" if passage.until else ""
        title = "" if is_addressed_to_a_machine(passage.title) else flat(passage.title)
        materials.append(
            Material(
                label=f"document {len(materials) + 1}, fetched {iso(passage.at)[:10]}{until}",
                text="\n".join([f"Title: {title}", *body]),
                document_id=passage.document_id,
            )
        )
    return ModelPrompt(
        name="ask",
        version=1,
        task=_TASK,
        wish=f"Question: {question.text}",
        materials=tuple(materials),
        shape=ModelledAnswer,
        max_tokens=900,
    )


def checked_statements(
    question: AskedQuestion, answer: ModelledAnswer, shown: Sequence[tuple[Sentence, str]]
) -> list[Statement]:
    """The sentences of an answer that their quotes bear out, with these as citations; the others are dropped."""
    found = []
    for said in answer.sentences:
        quotes = [
            (citation, shown[quoted.number - 1][1])
            for quoted in said.quotes
            if 1 <= quoted.number <= len(shown) and (citation := placed(shown[quoted.number - 1][0], quoted.quote))
        ]
        # What was before comes first: "from 12 to 15".
        quotes.sort(key=lambda one: one[1] != "before")
        text, citations = flat(visible(said.text)), dict.fromkeys(citation for citation, _ in quotes)
        # What was replaced is no answer by itself.
        is_old = all(mark == "before" for _, mark in quotes)
        if text and not is_old and is_borne_out(text, [one.quote for one in citations], question.text):
            found.append(Statement(text=text, citations=tuple(citations)))
    return found


def placed(sentence: Sentence, quote: str) -> Citation | None:
    """The citation of words of a sentence; None if they are not in it. White space and quotation marks may differ."""
    said = flat(visible(quote)).strip(" \"'“”„«»…")
    # Models often end a quote with a stop of their own.
    return _found(sentence, said) or _found(sentence, said.rstrip("."))


def _found(sentence: Sentence, quote: str) -> Citation | None:
    if not quote:
        return None
    signs = str.maketrans({"'": _APOSTROPHE, "\u2019": _APOSTROPHE, '"': '["“”„«»]'})
    pattern = r"\s+".join(re.escape(part).translate(signs) for part in quote.split())
    match = re.compile(pattern).search(sentence.passage.text, sentence.start, sentence.end)
    return citation_of(sentence, *match.span()) if match else None


def is_borne_out(text: str, quotes: Sequence[str], question: str) -> bool:
    """Whether a sentence says what its quotes say: its numbers and addresses are in them, most words, no opposite.

    >>> is_borne_out("The ticket costs 12 euros.", ["the ticket costs 12 euros"], "How much is a ticket?")
    True
    >>> is_borne_out("The ticket costs 15 euros.", ["the ticket costs 12 euros"], "How much is a ticket?")
    False
    """
    quoted = "\n".join(quotes)
    if is_addressed_to_a_machine(text) or any(one not in quoted for one in _ADDRESS.findall(text)):
        return False
    if contradicts(text, quotes):
        return False
    known = set(_NUMBER.findall(f"{quoted}\n{question}"))
    if any(number not in known for number in _NUMBER.findall(text)):
        return False
    words, there = telling_words(text), set(words_of(quoted))
    asked = set(words_of(question))
    if any(word in _CONVERSATION and word not in there | asked for word in words):
        return False
    borne = [word for word in words if any(likeness(word, other) >= COMPOUND for other in there)]
    repeated = [
        word for word in words if word not in borne and any(likeness(word, other) >= COMPOUND for other in asked)
    ]
    return bool(borne) and (len(borne) + len(repeated)) / len(words) >= _BORNE_OUT
