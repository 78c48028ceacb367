"""Write current texts with both of their indexes: the words as they are, and the forms of words."""

from __future__ import annotations

from typing import TYPE_CHECKING

from veille.core.language.cjk import apart
from veille.core.search.words import indexed

if TYPE_CHECKING:
    from collections.abc import Sequence

    from veille.adapters.stores.database import Database


def write_bodies(db: Database, bodies: Sequence[tuple[int, str, str, str]]) -> None:
    """Store and index the titles and texts (and languages) of documents, by their rows, which have none yet."""
    rows = [(row, apart(title), apart(text)) for row, title, text, _ in bodies]
    db.many("INSERT INTO bodies (row, title, text) VALUES (?, ?, ?)", rows)
    forms = [(row, indexed(title, lang), indexed(text, lang)) for row, title, text, lang in bodies]
    db.index(rows, forms)
