"""The best sentences for a question, each thing once; and what changed, with the sentences from before and after."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from difflib import SequenceMatcher
from typing import Final

from veille.core.ask.passages import AskPassage, Change, Sentence, Statement, citation_of
from veille.core.ask.question import AskedQuestion
from veille.core.ask.scoring import Scored, Scorer, leads_to_answers, only_numbers_a_part
from veille.core.ask.wording import telling_words, words_of
from veille.core.text import flat

#: At most so many sentences of one document are chosen.
_PER_DOCUMENT: Final = 3
#: Two sentences are versions of one if they share this much of their words.
_SAME: Final = 0.4
_RETOLD: Final = 0.7
#: A sentence of so many characters that two documents have is one, whatever their titles: it says what it is about.
_WHOLE: Final = 80
#: What is worse than this share of the best is left out.
_TAIL: Final = 0.65
#: A sentence that was changed tells more than one that came or went.
_CHANGED: Final = 0.05
#: Further sentences of a text are not compared.
_COMPARED: Final = 2000
#: What being among the newest counts if the question asks for that.
_NEWEST: Final = 0.15


@dataclass(frozen=True, slots=True)
class Choice:
    """What is chosen for an answer: a sentence, or for a change the sentences from before and after."""

    after: Sentence | None
    before: Sentence | None = None
    change: Change = ""
    score: float = 0.0
    #: How many other documents say the same.
    others: int = 0
    #: Whether all changes of its document are asked for.
    is_all: bool = False

    @property
    def sentences(self) -> tuple[Sentence, ...]:
        return tuple(one for one in (self.before, self.after) if one is not None)

    @property
    def newest(self) -> Sentence:
        return self.sentences[-1]


@dataclass(frozen=True, slots=True)
class ChosenSentences:
    """What was chosen, best first, and how many sentences were left out because they look like orders to machines."""

    choices: list[Choice]
    left_out: int = 0


def best_of(question: AskedQuestion, passages: Sequence[AskPassage], limit: int) -> ChosenSentences:
    """The best sentences of these revisions."""
    scorer = Scorer(question, passages)
    found = _as_it_is(scorer, passages)
    if not found:
        scorer.loosen()
        found = _as_it_is(scorer, passages)
    return ChosenSentences(_collapsed(_by_age(question, found), limit), len(scorer.left_out))


def _as_it_is(scorer: Scorer, passages: Sequence[AskPassage]) -> list[Choice]:
    scored = (one for passage in passages for one in scorer.scored(passage))
    return [Choice(one.sentence, score=one.score) for one in scored if scorer.answers(one)]


def changes_of(
    question: AskedQuestion, pairs: Sequence[tuple[AskPassage | None, AskPassage]], limit: int
) -> ChosenSentences:
    """The best changed sentences of documents, given what each was before (None: it is new) and what it is."""
    every = [passage for pair in pairs for passage in pair if passage is not None]
    scorer = Scorer(question, every)
    found = [choice for pair in pairs for choice in _changes(scorer, *pair)]
    if not found:
        scorer.loosen()
        found = [choice for pair in pairs for choice in _changes(scorer, *pair)]
    return ChosenSentences(_collapsed(_by_age(question, found), limit), len(scorer.left_out))


def _changes(scorer: Scorer, before: AskPassage | None, after: AskPassage) -> list[Choice]:
    if after.state == "removed" and before is not None and before.revision_id == after.revision_id:
        return [
            Choice(None, one.sentence, "removed", one.score, is_all=one.is_all)
            for one in scorer.scored(before)
            if scorer.answers(one)
        ]
    new = scorer.scored(after)
    if before is None:
        good = [one for one in new if scorer.answers(one)]
        telling = [one for one in good if not (leads_to_answers(one.sentence) or only_numbers_a_part(one.sentence))]
        return [
            Choice(one.sentence, change="added", score=one.score - 0.1, is_all=one.is_all) for one in telling or good
        ]
    old = scorer.scored(before)
    found: list[Choice] = []
    for was, became in _versions(old, new):
        if not scorer.answers(was, became):
            continue
        if was is None and became is not None:
            found.append(Choice(became.sentence, change="added", score=became.score, is_all=became.is_all))
        elif became is None and was is not None:
            found.append(Choice(None, was.sentence, "removed", was.score, is_all=was.is_all))
        elif was is not None and became is not None:
            score = max(was.score, became.score) + _CHANGED
            found.append(Choice(became.sentence, was.sentence, "changed", score, is_all=became.is_all))
    return found


def _versions(old: Sequence[Scored], new: Sequence[Scored]) -> list[tuple[Scored | None, Scored | None]]:
    """The sentences that differ, each with what it was before or became: by their words, or by their place."""
    texts = [[flat(one.sentence.text) for one in side[:_COMPARED]] for side in (old, new)]
    found: list[tuple[Scored | None, Scored | None]] = []
    for kind, *places in SequenceMatcher(None, texts[0], texts[1], autojunk=False).get_opcodes():
        if kind != "equal":
            found += _paired(old[places[0] : places[1]], new[places[2] : places[3]], [set(side) for side in texts])
    return found


def _paired(
    old: Sequence[Scored], new: Sequence[Scored], known: Sequence[set[str]]
) -> list[tuple[Scored | None, Scored | None]]:
    """The pairs of one place where the texts differ; a sentence that only moved is none."""
    was = [one for one in old if flat(one.sentence.text) not in known[1]]
    became = [one for one in new if flat(one.sentence.text) not in known[0]]
    pairs: list[tuple[Scored | None, Scored | None]] = []
    for one in list(became):
        best = max(was, key=lambda other: _alike(one, other), default=None)
        if best is not None and _alike(one, best) >= _SAME:
            pairs.append((best, one))
            was.remove(best)
            became.remove(one)
    if len(was) == len(became):
        return pairs + list(zip(was, became, strict=True))
    return pairs + [(one, None) for one in was] + [(None, one) for one in became]


def _alike(one: Scored, other: Scored) -> float:
    """The share of words that two sentences have in common; numbers change most, and count for nothing."""
    words, others = (
        {word for word in telling_words(scored.sentence.text) if not word[0].isdigit()} for scored in (one, other)
    )
    return len(words & others) / max(len(words | others), 1)


def _by_age(question: AskedQuestion, found: Sequence[Choice]) -> list[Choice]:
    """With the newest first among the good ones, if that is asked for."""
    if not question.wants_newest and question.terms:
        return list(found)
    ages = sorted({one.newest.passage.at for one in found})
    place = {at: number / max(len(ages) - 1, 1) for number, at in enumerate(ages)}
    return [replace(one, score=one.score + _NEWEST * place[one.newest.passage.at]) for one in found]


def _collapsed(found: Iterable[Choice], limit: int) -> list[Choice]:
    """The best, each thing once, and not too many of one document.

    Documents of one story often say the same in other words; those that only look alike, as the pages of a shop do,
    have other numbers and names.
    """
    kept: list[Choice] = []
    others: list[set[str]] = []
    counts: Counter[str] = Counter()
    order = sorted(found, key=lambda one: (-one.score, -one.newest.passage.at, one.newest.start))
    for one in order:
        if one.score < _TAIL * order[0].score and not one.is_all:
            continue
        document_id = one.newest.passage.document_id
        same = next((at for at, other in enumerate(kept) if _is_told(one, other)), None)
        if same is not None:
            others[same].add(document_id)
        elif len(kept) < limit and (one.is_all or counts[document_id] < _PER_DOCUMENT):
            counts[document_id] += 1
            kept.append(one)
            others.append({document_id})
    return [replace(one, others=len(tellers) - 1) for one, tellers in zip(kept, others, strict=True)]


def _is_told(one: Choice, other: Choice) -> bool:
    """Whether one says what the other says already: the same words, or in one story most of them and all numbers."""
    text, known = (tuple(flat(sentence.text) for sentence in choice.sentences) for choice in (one, other))
    if text == known and (one.newest.passage.title == other.newest.passage.title or len(text[-1]) >= _WHOLE):
        return True
    story = one.newest.passage.story_id
    if not story or story != other.newest.passage.story_id or one.newest.passage.title != other.newest.passage.title:
        return False
    words, others = (set(words_of(" ".join(texts))) for texts in (text, known))
    numbers = {word for word in words ^ others if word[0].isdigit()}
    return not numbers and len(words & others) / max(len(words | others), 1) >= _RETOLD


def extract(choices: Iterable[Choice]) -> tuple[Statement, ...]:
    """The chosen sentences as an answer, in their own words."""
    return tuple(
        Statement(
            text=flat(one.newest.text),
            citations=tuple(map(citation_of, one.sentences)),
            change=one.change,
            others=one.others,
        )
        for one in choices
    )
