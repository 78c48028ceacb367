"""The texts of documents as the indexes of a store take them, from what is stored of them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from veille.core.language.cjk import together
from veille.core.search.words import indexed

if TYPE_CHECKING:
    from collections.abc import Sequence

    from veille.adapters.stores.database import Database, Row


def indexed_texts(db: Database, bodies: Sequence[Row]) -> tuple[list[Row], list[Row]]:
    """For `Database.index`, from rows of the table `bodies`, whose documents are there: words, and forms of words."""
    languages: dict[int, str] = dict(
        db.execute("SELECT row, lang FROM documents WHERE row BETWEEN ? AND ?", (bodies[0][0], bodies[-1][0]))
    )
    forms: list[Row] = [
        (row, indexed(together(title), languages[row]), indexed(together(text), languages[row]))
        for row, title, text in bodies
    ]
    return list(bodies), forms
