"""Which sentences answer a question: the words they share with it, where they stand, and what they have in them."""

# ruff: noqa: RUF001 - words of other scripts

from __future__ import annotations

import math
import operator
import re
from collections import Counter
from collections.abc import Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, replace
from typing import Final

from veille.core.ask.addressed import stands_by_an_order
from veille.core.ask.expecting import Expected, counts, has_expected, has_value
from veille.core.ask.passages import AskPassage, Sentence, sentences_of
from veille.core.ask.question import AskedQuestion
from veille.core.ask.wording import COMPOUND, EXACT, FORM, is_kana, likeness, telling_words, words_of
from veille.core.search.meaning import question_language
from veille.core.text import flat

# Chosen together on worlds of `make ask` with other seeds than the usual one; run it before you change any of them.
#: What a word counts that stands not in the sentence but above it, beside it or in the title.
_HEADING, _TITLE, _BEFORE, _AFTER = 0.6, 0.9, 0.35, 0.15
#: What a word for an amount, a day or an hour counts where there is one: "price" where a sentence has a price.
_NAMED_TYPE = 0.7
_RANK, _TYPE, _NO_TYPE, _IS_HEADING, _IS_QUESTION = 0.12, 0.12, -0.08, -0.3, -0.3
_LATER, _REMOVED = -0.15, -0.04
#: A document without the words of the question that titles of others have is about something else.
_OTHER = -0.4
_TO_MACHINES = 0.3
#: Signs that are mostly endings and particles count less.
_KANA = 0.3
#: A short sentence with what is expected ("Price: 12") need not repeat the title, if that has so much of the question.
_TITLED = 0.8
#: What is in no sentence at all may be another word for what is.
_UNKNOWN = 0.6
#: A sentence with less of the question than this, counting all around it, answers nothing.
_LEAST: Final = 0.5
#: The same where nothing answers so: people greet, tell why they ask and use words that nobody wrote.
_LOOSE_UNKNOWN, _LOOSE_LEAST = 0.15, 0.4
#: Then two words of the question must be there, counted from this match on, and not only such as "price" and "open"; or
#: one in the title, where the sentence has the day, hour or person that is asked for (amounts are everywhere); or one
#: in the sentence itself, letter by letter, if the question has no more than three.
_THERE, _THERE_LEAST, _THERE_FEW = 0.5, 2, 3
#: The least share of the question that the sentence itself must have, unless it has what is expected.
_LEAST_OWN = 0.12
#: What is asked of the thing that a document is called by: this share of it stands in the sentence or above it. Of
#: longer questions so many words count: people tell why they ask.
_ASKED_LEAST: Final = 0.25
_ASKED_TERMS: Final = 3
_SHORT: Final = 90
_ENDS: Final = tuple(".!?。！？…:;,।؟")
_NUMBERED: Final = re.compile(r"^\s*(?:\d{1,2}(?:\.\d{1,2})*[.)]?|§\s?\d+|[IVX]{1,5}[.)]|[A-Za-z][.)])\s+(?=\w)")
_PART_NUMBER: Final = re.compile(r"\s*\d{1,2}(?:\.\d{1,2})*\.\s*")
#: A heading applies to this many sentences below it.
_REACH: Final = 12
#: A heading that asks what is asked here: it has this share of the question, which has this share of it. So many
#: sentences below it answer, whatever their words; what a word of the heading counts for them.
_ASKED, _ASKED_ONLY, _ANSWERING, _ANSWERED, _IS_ANSWER = 0.75, 0.4, 2, 0.9, 0.15
_ANSWER_WORDS: Final = 3
#: A passage in another language than the question says it less well than one in its own.
_FOREIGN: Final = -0.25


@dataclass(frozen=True, slots=True)
class Scored:
    """A sentence and how well it answers; `covered` is the share of the question that it and its surroundings have."""

    sentence: Sentence
    score: float
    covered: float
    #: Whether changes are asked for of what its document is called by, so that each counts.
    is_all: bool = False


class Scorer:
    """Scores the sentences of passages for one question."""

    def __init__(self, question: AskedQuestion, passages: Sequence[AskPassage]) -> None:
        self._question = question
        self._terms = question.terms
        self._nothing = (0.0,) * len(self._terms)
        self._known: dict[str, tuple[float, ...] | None] = {}
        languages = Counter(passage.lang for passage in passages)
        self._asked_in = asked_in = question_language(question.text, languages)
        #: The language of the question, if there is anything in it.
        self._lang = asked_in if asked_in in languages else ""
        self._sentences = {passage.revision_id: sentences_of(passage) for passage in passages}
        self._own = {
            revision_id: [self._matches(one.text) for one in found] for revision_id, found in self._sentences.items()
        }
        self._in_any = [
            float(max((one[at] for found in self._own.values() for one in found), default=0.0) >= COMPOUND)
            for at in range(len(self._terms))
        ]
        self._titles = {passage.revision_id: self._matches(passage.title) for passage in passages}
        self._called = {passage.revision_id: self._matches(_called(passage)) for passage in passages}
        #: The words of titles, which are no names of those who are asked for.
        self._names = {passage.revision_id: _names(question, passage) for passage in passages}
        self._least, self._is_loose = _LEAST, False
        #: Sentences that would answer, but look like orders to machines or stand beside one: revision and beginning.
        self.left_out: set[tuple[str, int]] = set()
        self._weights = self._weighted(_UNKNOWN)
        #: Which terms name the thing that is asked for; and what is expected: "price", "hours".
        self._heads = [at for at, term in enumerate(self._terms) if term in question.head]
        self._named = tuple(float(term in question.kind_words) for term in self._terms)

        named = [
            max((called[at] for called in self._called.values()), default=0.0) >= FORM for at in range(len(self._terms))
        ]
        self._missing = {passage.revision_id: self._lacks(passage, named) for passage in passages}

    def _lacks(self, passage: AskPassage, named: Sequence[bool]) -> float:
        """The share of the terms that name something, by the titles, which a passage has nowhere."""
        own, called = self._own[passage.revision_id], self._called[passage.revision_id]
        has = [max([called[at], *(one[at] for one in own)]) >= FORM for at in range(len(self._terms))]
        weights = [weight * is_name for weight, is_name in zip(self._weights, named, strict=True)]
        lacking = sum(weight for weight, there in zip(weights, has, strict=True) if not there)
        return lacking / sum(weights) if sum(weights) else 0.0

    def sentences(self, passage: AskPassage) -> list[Sentence]:
        return self._sentences[passage.revision_id]

    def loosen(self) -> None:
        """For a second try, when nothing answered: what is nowhere counts for little."""
        self._least, self._is_loose, self._weights = _LOOSE_LEAST, True, self._weighted(_LOOSE_UNKNOWN)

    def answers(self, *scored: Scored | None) -> bool:
        """Whether any of these has enough of the question."""
        return any(one is not None and one.covered >= self._least for one in scored)

    def scored(self, passage: AskPassage) -> list[Scored]:
        """All sentences of a passage, in their order."""
        found, own = self._sentences[passage.revision_id], self._own[passage.revision_id]
        called = self._called[passage.revision_id]
        nothing = self._nothing
        scores, heading, reach, answers = [], nothing, 0, 0
        for at, sentence in enumerate(found):
            around = (
                (heading if reach else nothing, _HEADING),
                (called, _TITLE),
                (own[at - 1] if at else nothing, _BEFORE),
                (own[at + 1] if at + 1 < len(own) else nothing, _AFTER),
            )
            if answers and len(telling_words(sentence.text)) >= _ANSWER_WORDS:
                has = tuple(max(one, _ANSWERED * above) for one, above in zip(own[at], heading, strict=True))
                scored = self._score(sentence, has, around)
                scores.append(replace(scored, score=scored.score + _IS_ANSWER))
            else:
                scores.append(self._score(sentence, own[at], around))
            if not self._question.wants_change and self._says_nothing(found, at):
                scores[-1] = replace(scores[-1], covered=0.0)
            reach, answers = max(reach - 1, 0), max(answers - 1, 0)
            if _is_heading(sentence.text) or _is_question(sentence.text):
                heading, reach = own[at], _REACH
                answers = _ANSWERING if self._asks_the_same(sentence.text, heading) else 0
        return scores

    def _says_nothing(self, found: Sequence[Sentence], at: int) -> bool:
        """Whether a sentence is a title: of the document, of a numbered part, or with words of the question only."""
        text = found[at].text
        if _is_title(found[at]) or text.startswith("#"):
            return True
        if not _is_bare(text):
            return False
        if _NUMBERED.match(text):
            # Steps are numbered, too, one after the other.
            return not any(_NUMBERED.match(one.text) for one in (*found[max(at - 1, 0) : at], *found[at + 1 : at + 2]))
        words = telling_words(text) if self._question.wants_what else []
        return bool(words) and all(self._match(word) is not None for word in words)

    def _asks_the_same(self, heading: str, matches: tuple[float, ...]) -> bool:
        """Whether a heading asks what the question asks, and little else."""
        if not self._terms or not _is_question(heading) or self._share(matches) < _ASKED:
            return False
        words = telling_words(heading)
        return sum(self._match(word) is not None for word in words) >= _ASKED_ONLY * len(words)

    def _score(
        self, sentence: Sentence, own: tuple[float, ...], around: Sequence[tuple[tuple[float, ...], float]]
    ) -> Scored:
        text, passage = sentence.text, sentence.passage
        fits = self._fits(text)
        if fits > 0:
            own = tuple(max(one, _NAMED_TYPE * named) for one, named in zip(own, self._named, strict=True))
        best = list(own)
        for others, weight in around:
            best = [max(one, other * weight) for one, other in zip(best, others, strict=True)]
        title = self._titles[passage.revision_id]
        covered, itself = self._share(best), self._share(own, without=title)
        if fits > 0 and len(text) < _SHORT and self._share(title) >= _TITLED:
            itself = max(itself, _TITLED)
        called = around[1][0]
        is_all = self._question.wants_change and self._is_called(passage, called)
        if self._terms and itself < _LEAST_OWN and fits <= 0 and not is_all:
            covered = 0.0
        if not self._question.wants_change and not self._says_asked(sentence, own, around, fits):
            covered = 0.0
        if self._is_loose and not (
            self._is_about(called if is_all and self._is_foreign(passage) else own, best, called, fits)
            and self._has_asked(text, own, around)
        ):
            covered = 0.0
        score = (covered + itself) / 2 + _RANK * passage.rank + fits
        score += _IS_HEADING if _is_title(sentence) or _is_bare(text) else 0
        score += _IS_QUESTION if _is_question(text) else 0
        score += _OTHER * self._missing[passage.revision_id]
        score += _LATER if passage.is_later else 0
        score += _REMOVED if passage.state != "current" else 0
        score += _FOREIGN if self._lang and passage.lang not in {"", self._lang} else 0
        # Looked at last: it takes as long as all else.
        if covered >= self._least and stands_by_an_order(passage.text, sentence.start, sentence.end):
            self.left_out.add((passage.revision_id, sentence.start))
            score *= _TO_MACHINES
            covered *= _TO_MACHINES
        return Scored(sentence, score, covered, is_all)

    def _is_called(self, passage: AskPassage, called: Sequence[float]) -> bool:
        """Whether a document is all that is asked about, so that any change of it is told.

        "Stadtbücherei" is the "Bücherei", too; in another language it has other words for what a name is of.
        """
        has = [float(one >= COMPOUND) for one in called]
        if not any(has):
            return False
        is_known = all(one >= other for one, other in zip(has, self._in_any, strict=True))
        return self._share(has) >= _TITLED or (is_known and self._is_foreign(passage))

    def _is_foreign(self, passage: AskPassage) -> bool:
        return bool(self._asked_in and passage.lang) and passage.lang != self._asked_in

    def _is_about(self, own: Sequence[float], best: Sequence[float], called: Sequence[float], fits: float) -> bool:
        """Whether so many words are there that it is no chance that any is."""
        if fits > 0 and self._question.expected != {Expected.AMOUNT} and max(called, default=0) >= FORM:
            return True
        telling = [at for at, is_named in enumerate(self._named) if not is_named]
        there = sum(best[at] >= _THERE for at in telling)
        is_said = len(telling) <= _THERE_FEW and any(own[at] == EXACT for at in telling)
        return there >= (1 if is_said else _THERE_LEAST)

    def _has_asked(self, text: str, own: Sequence[float], around: Sequence[tuple[tuple[float, ...], float]]) -> bool:
        """Whether the thing that is asked for stands in the sentence or beside it; else a value of its kind."""
        if not self._heads:
            expected = () if self._question.is_whether else self._question.expected
            return not expected or any(has_value(text, one) for one in expected)
        (above, _), _, *beside = around
        return any(match[at] >= _THERE for match in (own, above, *(other for other, _ in beside)) for at in self._heads)

    def _says_asked(
        self, sentence: Sentence, own: Sequence[float], around: Sequence[tuple[tuple[float, ...], float]], fits: float
    ) -> bool:
        """Whether a sentence has what is asked of the thing that its document is about, and a value of its kind."""
        (above, _), (called, _), *_ = around
        other = [at for at, one in enumerate(called) if one < FORM]
        is_said = [self._terms[at] in self._question.opening_words and own[at] >= FORM for at in other]
        asked = [at for at, said in zip(other, is_said, strict=True) if said or not self._named[at]]
        asked = asked or ([] if fits > 0 else other)
        if sum(max(own[at], above[at]) for at in asked) < _ASKED_LEAST * min(len(asked), _ASKED_TERMS):
            return False
        # "Everybody may use the sauna" has no name.
        is_all = bool(asked) and all(own[at] >= FORM for at in asked)
        spared = {Expected.PERSON, Expected.REASON} if is_all else frozenset[Expected]()
        names = self._names[sentence.passage.revision_id]
        return _has_needed(self._question, sentence.text, names, spared)

    def _fits(self, text: str) -> float:
        """Whether the sentence has what the question expects."""
        expected = self._question.expected
        if not expected:
            return 0.0
        has = sum(has_expected(text, one) for one in expected)
        return _TYPE * has / len(expected) if has else _NO_TYPE

    def _matches(self, text: str) -> tuple[float, ...]:
        """For each term of the question how well some word of the text is it."""
        found = [match for word in set(words_of(text)) if (match := self._match(word)) is not None]
        return tuple(map(max, zip(*found, strict=True))) if found else self._nothing

    def _match(self, word: str) -> tuple[float, ...] | None:
        """For each term of the question how well a word is it; None if it is none of them."""
        if word not in self._known:
            match = tuple(likeness(term, word) for term in self._terms)
            self._known[word] = match if any(match) else None
        return self._known[word]

    def _share(self, matches: Sequence[float], without: Sequence[float] = ()) -> float:
        """The share of the question that matches; of the rest, without what the title has, if that is given."""
        weights = self._weights
        if without:
            left = [weight * (1 - other) for weight, other in zip(weights, without, strict=True)]
            weights = left if sum(left) > 0 else weights
        total = sum(weights)
        return sum(map(operator.mul, matches, weights)) / total if total else 1.0

    def _weighted(self, unknown: float) -> list[float]:
        """How much each term tells: what is in few sentences tells more; what is in none still counts."""
        every = [own for matches in self._own.values() for own in matches]
        counts = [sum(own[at] >= FORM for own in every) for at in range(len(self._terms))]
        if not every:
            return [1.0] * len(self._terms)
        weights = [
            math.log(1 + (len(every) - count + 0.5) / (count + 0.5)) * (1 if count else unknown) for count in counts
        ]
        return [weight * (_KANA if is_kana(term) else 1) for weight, term in zip(weights, self._terms, strict=True)]


def _called(passage: AskPassage) -> str:
    """By what a document is called: its title, and the name that somebody gave its source."""
    return passage.title if "/" in passage.source_name else f"{passage.title} {passage.source_name}"


def _names(question: AskedQuestion, passage: AskPassage) -> set[str]:
    return {*words_of(_called(passage)), *question.terms}


def _has_needed(
    question: AskedQuestion, text: str, names: AbstractSet[str], spared: AbstractSet[Expected] = frozenset()
) -> bool:
    if question.counted and not counts(text, question.counted):
        return False
    return all(has_value(text, one, names) for one in question.needed - spared)


def may_answer(question: AskedQuestion, sentence: Sentence) -> bool:
    """Whether a sentence has a value of the kind that a question asks for, whatever its words."""
    if Expected.REASON in question.expected:
        # Most reasons have no "because".
        return True
    names = _names(question, sentence.passage)
    expected = () if question.is_whether else question.expected
    return _has_needed(question, sentence.text, names) and (
        not expected or any(has_value(sentence.text, one, names) for one in expected)
    )


def leads_to_answers(sentence: Sentence) -> bool:
    """Whether a sentence says what those below it are about, and nothing itself: a title, a heading, a question."""
    text = sentence.text
    return _is_bare(text) or _is_question(text) or _is_title(sentence)


def only_numbers_a_part(sentence: Sentence) -> bool:
    """Whether a sentence says no more than which part of a document begins: "Chapter 3.", "9.11.1."."""
    return bool(_PART_NUMBER.fullmatch(sentence.text)) or flat(sentence.passage.title).startswith(flat(sentence.text))


def _is_title(sentence: Sentence) -> bool:
    text, title = flat(sentence.text), flat(sentence.passage.title)
    return text in (title, _NUMBERED.sub("", title))


def _is_bare(text: str) -> bool:
    text = _NUMBERED.sub("", text)
    return _is_heading(text) and not any(map(str.isdigit, text)) and ": " not in text


def _is_heading(text: str) -> bool:
    return (len(text) < _SHORT and not text.rstrip().endswith(_ENDS)) or text.startswith("#")


def _is_question(text: str) -> bool:
    return text.rstrip(" !！\n").endswith(("?", "？", "؟"))
