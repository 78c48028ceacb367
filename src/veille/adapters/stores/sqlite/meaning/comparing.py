"""Stored vectors compared with that of a question."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from veille.adapters.stores.sqlite.meaning.pieces import TITLE
from veille.core.search.meaning import NearPiece, nearness
from veille.errors import SinkError

if TYPE_CHECKING:
    from veille.adapters.stores.database import Database, Row


def check_lengths(db: Database, name: str, lengths: set[int]) -> None:
    """SinkError if vectors have another length than those that are there, and so cannot be compared with them."""
    known: int | None = db.value(
        "SELECT length(numbers) FROM vectors WHERE embedder = (SELECT id FROM embedders WHERE name = ?) LIMIT 1",
        (name,),
    )
    expected = known or min(lengths, default=0)
    if wrong := lengths - {expected}:
        raise SinkError(
            f"The embedder {name} now gives vectors of {min(wrong)} numbers, not of {expected}: another model "
            "answers under its name. Let it use the former one again, or have all texts embedded anew: "
            "`veille vectors off`, then `veille vectors on`.",
            code="sink.embedder",
        )


def best(vector: Sequence[float], rows: Sequence[Row]) -> list[NearPiece]:
    """The documents of these pieces by how near they are, each with its nearest piece, the best first."""
    from veille.core.search.vectors import likeness  # noqa: PLC0415 - numpy takes its time to load

    rows = [row for row in rows if len(row[-1]) == len(vector)]
    if not rows:
        return []
    titles: dict[str, float] = {}
    shared: set[str] = set()
    texts: dict[str, tuple[float, int, int]] = {}
    for (document_id, n, start, end, is_shared, _), score in zip(
        rows, likeness(vector, [row[-1] for row in rows]).tolist(), strict=True
    ):
        if n == TITLE:
            titles[document_id] = score
            shared |= {document_id} if is_shared else set()
        elif document_id not in texts or score > texts[document_id][0]:
            texts[document_id] = score, start, end
    found = [
        NearPiece(
            document_id=one, score=nearness(score, titles.get(one), is_shared=one in shared), start=start, end=end
        )
        for one, (score, start, end) in texts.items()
    ]
    found += [NearPiece(document_id=one, score=titles[one], start=0, end=0) for one in titles if one not in texts]
    return sorted(found, key=lambda one: -one.score)
