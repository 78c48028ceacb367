"""The words of the index, asked for those near to a word that no document has."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from veille.core.search.spelling import Near, halves, is_misspelt, meant, one_error_away, right_letters

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from veille.adapters.stores.database import Database

#: So many letters more or less.
TWO_ERRORS = 2
#: The most words that are compared.
_COMPARED = 20_000
_LAST = "\U0010ffff"


class Vocabulary:
    """The words that documents have."""

    def __init__(self, db: Database) -> None:
        self._db = db

    def unknown(self, words: Mapping[str, str]) -> dict[str, str]:
        """Those of these words that no document has, in any form; each with the beginning of its forms, or nothing."""
        return {word: begun for word, begun in words.items() if not self._is_known(word, begun)}

    def _is_known(self, word: str, begun: str) -> bool:
        found = "SELECT EXISTS (SELECT 1 FROM {0} WHERE {0} MATCH ?)"
        in_some_form = f'"{begun}" *' if begun else f'"{word}"'
        return bool(
            self._db.value(found.format("forms"), (in_some_form,))
            or self._db.value(found.format("search"), (f'"{word}"',))
        )

    def counts(self, words: Sequence[str]) -> dict[str, int]:
        """In how many documents each of these words is; those that none has are missing."""
        asked = "SELECT term, doc FROM json_each(?) CROSS JOIN search_words ON term = value"
        return dict(self._db.execute(asked, (json.dumps(list(words)),)))

    def alike(self, beginning: str, length: int) -> dict[str, int]:
        """Words that begin so and are about as long."""
        return dict(
            self._db.execute(
                "SELECT term, doc FROM search_words WHERE term >= ?1 AND term < ?2 "
                f"AND abs(length(term) - ?3) <= {TWO_ERRORS} LIMIT ?4",
                (beginning, beginning + _LAST, length, _COMPARED),
            )
        )

    def begun(self, beginning: str) -> list[tuple[str, int]]:
        """All words that begin so, the most frequent first, and in how many documents each is."""
        asked = "SELECT term, doc FROM search_words WHERE term >= ? AND term < ? ORDER BY doc DESC"
        return [(term, doc) for term, doc in self._db.execute(asked, (beginning, beginning + _LAST))]

    def nearest(self, word: str) -> Near:
        """The known word that may be meant, or that by a part of a compound whose other half is known; else empty."""
        known = self.counts(one_error_away(word))
        best = meant(word, known.items())
        for right in right_letters(word):
            if not best:
                known = self.alike(word[:right], len(word))
                best = meant(word, known.items())
        return Near(best, known[best]) if best else self._nearest_part(word)

    def _nearest_part(self, word: str) -> Near:
        parts = halves(word)
        known = self.counts([half for _, _, half in parts] + [word[start:end] for start, end, _ in parts])
        if any(half in known and word[start:end] in known for start, end, half in parts):
            return Near()
        for start, end, half in parts:
            if half not in known:
                continue
            part = word[start:end]
            others = self.counts([one for one in one_error_away(part) if is_misspelt(part, one)])
            if best := meant(part, others.items()):
                return Near(best, others[best], start, end, half)
        return Near()
