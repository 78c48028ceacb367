"""Rank documents for questions, as the search of a dossier does: to measure it, or to use it without a data folder.

>>> documents = [("a", "Ferries", "The ferry to the island.", "en"), ("b", "Bridges", "A bridge was closed.", "en")]
>>> rank(documents, {"q1": "When do the ferries sail?"})
{'q1': ['a']}
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Hashable, Iterable, Mapping
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TypeVar

from veille.bootstrap import open_app
from veille.core.language.languages import LANGUAGES, language_of, short_code
from veille.core.search.question import SearchMode, check_mode
from veille.core.text import clean
from veille.services.reading.filling import fill

__all__ = ["SearchMode", "rank"]

DocumentId = TypeVar("DocumentId", bound=Hashable)
QueryId = TypeVar("QueryId", bound=Hashable)

#: How many documents are returned for each question.
BEST = 100
#: Cores that embed documents.
_THREADS = min(8, os.cpu_count() or 1)


def rank(
    documents: Iterable[tuple[DocumentId, str | None, str | None, str | None]],
    queries: Mapping[QueryId, str | None],
    mode: SearchMode = "words",
) -> dict[QueryId, list[DocumentId]]:
    """The ids of the best 100 documents for each query, best first; each is taken as a question, however short.

    A document is its id, title, text and language; all but the id may be missing. A language that is missing, or no
    code that we know, is found out. Documents with one id are one: it is as good as the best of them.
    By meaning and by both need the extra `vectors`; documents are embedded only by the embedders that the queries need.
    """
    check_mode(mode)
    questions = {query_id: text or "" for query_id, text in queries.items()}
    given: list[DocumentId] = []

    def contents() -> Iterable[tuple[str, str, str]]:
        for document_id, title, text, lang in documents:
            given.append(document_id)
            known, declared = clean(text or ""), short_code(lang or "")
            yield clean(title or ""), known, declared if declared in LANGUAGES else language_of(known)

    with TemporaryDirectory(prefix="veille-") as folder, open_app(data=Path(folder)) as app:
        dossier = app.create_dossier("ranked")
        with app.dossiers.open(dossier.id) as store:
            places = dict(zip(fill(store, dossier.id, contents(), app.clock()), given, strict=True))
        if mode != "words" and not app.meaning.prepare(dossier.id, questions.values(), threads=_THREADS):
            mode = "words"
        most = BEST * max(Counter(given).values(), default=1)
        return {
            query_id: list(
                dict.fromkeys(
                    places[hit.document_id] for hit in app.searches.ranked([dossier.id], text, most, mode=mode)
                )
            )[:BEST]
            for query_id, text in questions.items()
        }
