"""What a model is asked about a document, and which of its answers are believed.

The text is from outside and may tell the model what to say. So an answer is compared with the text, without what that
says to machines: names and keywords have to stand in it, each sentence of the summary has to be borne out by it, and
what is left of the summary has to be about what the text is about. What is not so is left out; if that is all of the
summary, the whole answer is worthless, and the rules' analysis is taken.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import replace
from typing import Final, Literal

from pydantic import BaseModel, Field

from veille.core.analyse.analysis import (
    MOST_KEYWORDS,
    MOST_LABEL,
    MOST_TAGS,
    MOST_TOPICS,
    Analysis,
    AnalysisSubject,
    unique,
)
from veille.core.analyse.borne_out import borne_out, said_to_people
from veille.core.analyse.names import MOST_NAMES, Name
from veille.core.prompting.prompts import Material, ModelPrompt
from veille.core.search.snippets import folded
from veille.core.text import UNSPACED_LETTERS, UNSPACED_SIGNS, flat, visible

NAME: Final = "analyse"
VERSION: Final = 1
#: The version of analyses by this prompt, as `ModelPrompt.provenance` writes it.
PROMPT_VERSION: Final = f"{NAME}/{VERSION}"
#: As much of a text is sent: what an article is about stands in its beginning.
_SENT: Final = 8000
_MOST_SUMMARY: Final = 800
#: A summary shares so many words with the beginning of the text, or all if there are fewer; not counting short ones.
_SHARED: Final = 2
#: It has no place in a summary.
_ADDRESS: Final = re.compile(r"(?:https?://|www\.)\S+|\S+@\S+\.\w+")
#: Words that say something: long ones, and pairs of signs.
_WORD: Final = re.compile(
    rf"[^\W{UNSPACED_SIGNS}{UNSPACED_LETTERS}]{{5,}}|[{UNSPACED_SIGNS}]{{2}}|[{UNSPACED_LETTERS}]{{4}}"
)
_TASK: Final = (
    "You describe a document for an archive: briefly, soberly, only by what it says itself. The summary has two or "
    "three sentences in the language of the document. The tone is a number from -1 (very bad news) over 0 (neutral) to "
    "1 (very good news). Keywords and names are words of the document, as it writes them. Topics are one to five broad "
    "subjects of one or two words, such as `economy` or `public health`."
)


class NamedThing(BaseModel):
    """A name in the document."""

    text: str = Field(min_length=1, max_length=200)
    kind: Literal["person", "organisation", "place", "name"] = "name"


class AnalysisReply(BaseModel):
    """The analysis of a document."""

    summary: str = Field(min_length=1, max_length=4000)
    tone: float = Field(ge=-1, le=1, allow_inf_nan=False)
    keywords: list[str] = Field(default_factory=list, max_length=50)
    topics: list[str] = Field(default_factory=list, max_length=20)
    names: list[NamedThing] = Field(default_factory=list, max_length=100)


def analysis_prompt(subject: AnalysisSubject, document_id: str) -> ModelPrompt[AnalysisReply]:
    """What a model is asked about a document."""
    text = f"{subject.title}\n\n{subject.text[:_SENT]}"
    return ModelPrompt(
        name=NAME,
        version=VERSION,
        task=_TASK,
        wish="Describe this document.",
        materials=(Material(label="document", text=text, document_id=document_id),),
        shape=AnalysisReply,
        max_tokens=800,
    )


def believed(reply: AnalysisReply, subject: AnalysisSubject, rules: Analysis) -> Analysis | None:
    """What of a reply is borne out by the text; None if its summary is not."""
    material = said_to_people(f"{subject.title}\n{subject.text[:_SENT]}")
    summary = flat(visible(reply.summary))
    if len(summary) > _MOST_SUMMARY or _ADDRESS.search(summary):
        return None
    summary = borne_out(summary, material, subject.lang)
    if not _is_about(summary, subject, rules):
        return None
    text = folded(material)
    keywords = unique(_standing(reply.keywords, text))[:MOST_KEYWORDS] or rules.keywords
    kinds = {flat(one.text): one.kind for one in reply.names}
    names = [Name(name, kinds[name], text.count(folded(name))) for name in unique(_standing(kinds, text))]
    topics = unique(label for label in map(_topic, reply.topics) if label)[:MOST_TOPICS]
    return replace(
        rules,
        summary=summary,
        tone=round(reply.tone, 2),
        keywords=keywords,
        names=tuple(names[:MOST_NAMES]) or rules.names,
        topics=topics or rules.topics,
        tags=unique((*subject.tags, *keywords))[:MOST_TAGS],
    )


def _is_about(summary: str, subject: AnalysisSubject, rules: Analysis) -> bool:
    """Whether a summary shares words with the title and the first sentences."""
    lead = f"{subject.title} {rules.summary}"
    telling = set(_WORD.findall(folded(lead)))
    words = folded(summary)
    shared = sum(1 for word in telling if word in words)
    return bool(summary) and shared >= min(_SHARED, len(telling))


def _standing(labels: Iterable[str], text: str) -> list[str]:
    """The labels that stand in the text."""
    flats = (flat(label) for label in labels)
    return [label for label in flats if label and len(label) <= MOST_LABEL and folded(label) in text]


def _topic(label: str) -> str:
    """A topic, if it is a few plain words."""
    plain = flat(label).strip(" .,#")
    is_plain = 0 < len(plain) <= MOST_LABEL // 2 and len(plain.split()) <= 3  # noqa: PLR2004 - "science and technology"
    return plain if is_plain and all(sign.isalnum() or sign in " -&'" for sign in plain) else ""
