"""Things found by the beginning of their id, through the index of their ids."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from veille.core.text import printed
from veille.errors import AmbiguousError

if TYPE_CHECKING:
    from veille.adapters.stores.database import Database

#: What an id begins with.
_BEGINNING = re.compile(r"[0-9a-f-]{1,36}", re.IGNORECASE)
#: With fewer letters, a text is rather meant as a name.
_SHORTEST = 4
#: Behind every id that begins so: ids have digits, letters up to f, and dashes.
_BEHIND = "g"


def id_beginning(
    db: Database, table: str, text: str, *, code: str, label: str = "name", shortest: int = _SHORTEST
) -> str | None:
    """The only id that begins with the text; None if none does, AmbiguousError if several do.

    `label`: the column that tells people which is which.
    """
    if len(text) < shortest or not _BEGINNING.fullmatch(text):
        return None
    start = text.lower()
    rows = db.execute(
        f"SELECT id, {label} FROM {table} WHERE id >= ?1 AND id < ?2 ORDER BY id LIMIT ?3",
        (start, start + _BEHIND, AmbiguousError.MOST + 1),
    )
    if len(rows) > 1:
        raise AmbiguousError(
            f"The ids of several {table} begin with {text!r}",
            [f"{row[0]} ({printed(str(row[1]))[:40]})" for row in rows],
            code=code,
        )
    return str(rows[0][0]) if rows else None
