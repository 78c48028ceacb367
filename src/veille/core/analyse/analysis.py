"""An analysis as a value, what it is made from, and how the rules make one.

It is made in two steps. The first reads the text, which a site wrote, and runs in a child process (`core.tasks`): it
gives all but the keywords, and the words that may be some. The second chooses among these by how many documents of the
dossier have each word, which only the process with the index knows.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Final

from veille.core.analyse.borne_out import said_to_people
from veille.core.analyse.keywords import KeywordCandidate, candidates, keywords
from veille.core.analyse.names import Name, names
from veille.core.analyse.summary import summary
from veille.core.analyse.tone import tone
from veille.core.text import flat

#: The version of the rules: documents are analysed again after it changes.
RULES_VERSION: Final = "rules-1"
#: As much of a text is read: what an article is about stands in its beginning.
MOST_CHARS: Final = 50_000
#: The most values of each list, and the most characters of one.
MOST_KEYWORDS, MOST_TOPICS, MOST_TAGS, MOST_LABEL = 10, 5, 8, 60
_FEW: Final = 2


@dataclass(frozen=True, slots=True, kw_only=True)
class AnalysisSubject:
    """A revision to analyse: its words, and what the page says about itself."""

    title: str
    text: str
    lang: str
    #: Its rubric, such as politics; empty if it has none.
    rubric: str = ""
    section: str = ""
    tags: tuple[str, ...] = ()

    @classmethod
    def of(cls, title: str, text: str, lang: str, meta: Mapping[str, Any], rubric: str = "") -> AnalysisSubject:
        """The subject of a revision; its text is only read to `MOST_CHARS`."""
        labels = [*_texts(meta.get("tags")), *_texts(meta.get("categories"))]
        return cls(
            title=flat(title),
            text=text[:MOST_CHARS],
            lang=lang,
            rubric=rubric,
            section=_label(meta.get("section")),
            tags=tuple(dict.fromkeys(label for label in map(_label, labels) if label))[:MOST_TAGS],
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Analysis:
    """What a document is about."""

    summary: str = ""
    #: From -1 (bad news) to 1 (good news); None if the language is not known well enough to say.
    tone: float | None = None
    keywords: tuple[str, ...] = ()
    topics: tuple[str, ...] = ()
    names: tuple[Name, ...] = ()
    #: What a reader may look for: the page's own labels, and the first keywords.
    tags: tuple[str, ...] = ()

    @property
    def tone_word(self) -> str:
        """The tone in a word; empty if it is unknown."""
        return "" if self.tone is None else tone_word(self.tone)


@dataclass(frozen=True, slots=True, kw_only=True)
class TextFacts:
    """What one text says: an analysis without keywords, and the words that may be some."""

    subject: AnalysisSubject
    summary: str
    tone: float | None
    names: tuple[Name, ...]
    topics: tuple[str, ...]
    candidates: tuple[KeywordCandidate, ...]


#: A tone nearer to 0 than this is neutral.
NEUTRAL: Final = 0.1


def tone_word(tone: float) -> str:
    """A tone in a word.

    >>> tone_word(-0.4), tone_word(0.05)
    ('negative', 'neutral')
    """
    if abs(tone) < NEUTRAL:
        return "neutral"
    return "positive" if tone > 0 else "negative"


def text_facts(subject: AnalysisSubject) -> TextFacts:
    """Read a text: the first step. What it says to machines that read it is left out."""
    text = said_to_people(subject.text)
    return TextFacts(
        subject=AnalysisSubject(
            title=subject.title, text="", lang=subject.lang, section=subject.section, tags=subject.tags
        ),
        summary=summary(subject.title, text),
        tone=tone(subject.title, text, subject.lang),
        names=names(subject.title, text, subject.lang),
        topics=_stated_topics(subject),
        candidates=candidates(subject.title, text, subject.lang),
    )


def by_rules(facts: TextFacts, documents: int, having: Mapping[str, int]) -> Analysis:
    """Choose the keywords: the second step. `having`: how many of the `documents` of the index have a word."""
    words = keywords(facts.candidates, documents, having)[:MOST_KEYWORDS]
    # A page without labels of its own has its first keywords as topics.
    topics = facts.topics if len(facts.topics) >= _FEW else unique((*facts.topics, *words[:_FEW]))
    return Analysis(
        summary=facts.summary,
        tone=facts.tone,
        keywords=words,
        topics=topics[:MOST_TOPICS],
        names=facts.names,
        tags=unique((*facts.subject.tags, *words))[:MOST_TAGS],
    )


def unique(labels: Iterable[str]) -> tuple[str, ...]:
    """Labels in their order, each once, whatever its case."""
    return tuple({label.casefold(): label for label in reversed(list(labels))}.values())[::-1]


def _stated_topics(subject: AnalysisSubject) -> tuple[str, ...]:
    """What the page says it is about: its rubric, its section, its first labels."""
    stated = (subject.rubric, subject.section, *subject.tags[:3])
    return unique(label for label in stated if label)[:MOST_TOPICS]


def _texts(value: object) -> list[str]:
    return [one for one in value if isinstance(one, str)] if isinstance(value, list | tuple) else []


def _label(value: object) -> str:
    """A label of a page, if it is short enough to be one."""
    text = flat(value).strip(" ,;#") if isinstance(value, str) else ""
    return text if len(text) <= MOST_LABEL else ""
