"""The words of the index, asked for those near to a word that no document has."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from veille.core.search.spelling import meant, one_error_away, two_errors_believed

if TYPE_CHECKING:
    from collections.abc import Sequence

    from veille.adapters.stores.sqlite._db import Database

#: With two errors, the first letters are taken for right: words that begin otherwise would be too many to compare.
_RIGHT_LETTERS = 3
#: The most words that are compared.
_COMPARED = 20_000
_LAST = "\U0010ffff"


class Vocabulary:
    """The words that documents have."""

    def __init__(self, db: Database) -> None:
        self._db = db

    def unknown(self, words: Sequence[str]) -> list[str]:
        """Those of these words that no document has, in any form."""
        return self._db.column(
            "SELECT value FROM json_each(?) AS words "
            "WHERE NOT EXISTS (SELECT 1 FROM forms WHERE forms MATCH '\"' || value || '\"') "
            "AND NOT EXISTS (SELECT 1 FROM search WHERE search MATCH '\"' || value || '\"')",
            (json.dumps(list(words)),),
        )

    def nearest(self, word: str) -> tuple[str, int]:
        """The known word that may be meant, and in how many documents it is; empty without any."""
        known: dict[str, int] = dict(
            self._db.execute(
                "SELECT term, doc FROM json_each(?) CROSS JOIN search_words ON term = value",
                (json.dumps(one_error_away(word)),),
            )
        )
        if not known and two_errors_believed(word):
            beginning = word[:_RIGHT_LETTERS]
            known = dict(
                self._db.execute(
                    "SELECT term, doc FROM search_words WHERE term >= ?1 AND term < ?2 "
                    "AND abs(length(term) - ?3) <= 2 LIMIT ?4",
                    (beginning, beginning + _LAST, len(word), _COMPARED),
                )
            )
        best = meant(word, known.items())
        return best, known.get(best, 0)
