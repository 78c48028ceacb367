"""Questions as people type them: ranked by any of their words, in any form, instead of by all as they are written."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final, Literal, get_args

from veille.core.language.cjk import has_signs
from veille.core.search.query import Query, Term
from veille.core.search.words import asked
from veille.errors import ConfigError

#: How a search is ranked: by words, by meaning (vectors), or by both.
SearchMode = Literal["words", "meaning", "both"]
#: Which hits come first.
SearchOrder = Literal["best", "newest", "popular"]

#: So many plain words are no list of words that a document must have all of.
_MANY_WORDS: Final = 4
#: As many are a question, if one of them asks.
_SOME_WORDS: Final = 3
_ASKING: Final = frozenset(
    (
        "what who whom whose which when where why how is are was were does do did can could should will would "
        "was wer wen wem wessen welche welcher welches wann wo wohin woher warum wieso weshalb wie "
        "que qui quel quelle quels quelles quand où pourquoi comment combien est-ce "
        "qué quién quiénes cuál cuáles cuándo dónde cómo cuánto cuántos cuántas "
        "che chi quale quali quando dove perché come quanto quanti "
        "quem qual quais onde porquê como quantos "
        "wat wie welke wanneer waar waarom hoe hoeveel "
        "что кто кого какой какая какое какие когда где куда почему зачем как сколько чей "
        "co kto jaki jaka jakie kiedy gdzie dlaczego jak ile czy"
    ).split()
)

#: A word in more than this share of the documents says nothing about any of them: with BM25 it weighs nothing.
COMMON_SHARE: Final = 0.5
#: In a smaller dossier all are quickly ranked, and a document with common words alone is better than none.
FEW_DOCUMENTS: Final = 2000
#: How many occurrences are ranked at most: beyond it, the most frequent words of a long question are left out.
_MOST_OCCURRENCES: Final = 120_000


def check_mode(mode: str | None) -> None:
    """ConfigError if there is no such mode; None leaves it to the search."""
    if mode is not None and mode not in get_args(SearchMode):
        raise ConfigError(f"There is no mode {mode!r}: search by {', '.join(get_args(SearchMode))}.", code="no_mode")


def is_plain(query: Query) -> bool:
    """Whether a query is only words: no phrase, no `OR`, no `prefix*`. Filters and excluded words may be there."""
    return bool(query.groups) and all(
        len(group) == 1 and not group[0].prefix and not any(map(str.isspace, group[0].text)) for group in query.groups
    )


def is_relaxed(query: Query) -> bool:
    """Whether documents with some of the words are better than none: plain words, or a sentence that quotes something.

    Who asks only for a phrase, or for one of several words, means just that.
    """
    if is_plain(query):
        return True
    words = [group[0] for group in query.groups if not _is_phrase(group[0])]
    return _is_of_words(query) and (query.asks or len(words) >= _MANY_WORDS)


def phrases(query: Query) -> tuple[Term, ...]:
    """The phrases of a question, which its documents should have."""
    return tuple(group[0] for group in query.groups if _is_phrase(group[0]))


def _is_of_words(query: Query) -> bool:
    """Whether it has words and phrases only, and not phrases alone."""
    return all(len(group) == 1 and not group[0].prefix for group in query.groups) and any(
        not _is_phrase(group[0]) for group in query.groups
    )


def _is_phrase(term: Term) -> bool:
    return any(map(str.isspace, term.text))


def _length(word: str) -> int:
    """How many words this is: in scripts without spaces, a run of signs is a whole sentence."""
    return max(1, sum(1 for _ in asked(word))) if has_signs(word) else 1


def is_question(query: Query) -> bool:
    """Whether a query is a question or a sentence, not a few words that a document should have.

    >>> from veille.core.search.query import parse
    >>> [is_question(parse(text, 0)) for text in ("harbour bridge", "who owns the bridge", '"who owns" the bridge')]
    [False, True, False]
    """
    if not is_plain(query):
        return query.asks and _is_of_words(query)
    words = [group[0].text for group in query.groups]
    if query.asks or sum(map(_length, words)) >= _MANY_WORDS:
        return True
    return len(words) >= _SOME_WORDS and words[0].lower() in _ASKING


def question_text(query: Query) -> str:
    """The words of a query as one text."""
    return " ".join(term.text for group in query.groups for term in group)


def telling(shares: Mapping[str, float], documents: int) -> frozenset[str]:
    """Those of the words of a question by which documents are ranked, given in what share of them each word is.

    Very common words are left out, and never all.

    >>> sorted(telling({"the": 0.9, "of": 0.8, "harbour": 0.1, "bridge": 0.0}, 5000))
    ['bridge', 'harbour']
    >>> sorted(telling({"the": 0.9, "of": 0.8}, 5000))
    ['of']
    """
    rarest = sorted(shares, key=lambda word: (shares[word], word))
    if documents < FEW_DOCUMENTS:
        return frozenset(rarest)
    kept, occurrences = rarest[:1], 0.0
    for word in rarest[1:]:
        occurrences += shares[word] * documents
        if shares[word] > COMMON_SHARE or occurrences > _MOST_OCCURRENCES:
            break
        kept.append(word)
    return frozenset(kept)


def in_order(words: Sequence[str], kept: frozenset[str]) -> list[str]:
    """The kept words as often and in the order in which they were asked."""
    return [word for word in words if word in kept]
