"""How the SQLite store keeps revisions."""

from __future__ import annotations

from contract.stores import ON_SQLITE
from desk import Desk
from samples import NOW, document


@ON_SQLITE
def test_older_revisions_take_a_twentieth_of_the_room(desk: Desk) -> None:
    words = [f"w{n * n * 7919 % 3001}" for n in range(1200)]
    desk.bring(document(text=" ".join(words)))
    for at in range(1, 15):
        words[at * 80 : at * 80 + 3] = [f"edited{at}"]
        text = " ".join(words)
        desk.again(document(text=text, html=f"<p>{text}</p>"), now=NOW + at)
    with desk.open() as opened:
        sizes = opened.db.execute("SELECT length(text) + length(html) FROM revisions ORDER BY n")  # type: ignore[attr-defined]  # it is the SQLite one
    older, newest = [row[0] for row in sizes[:-1]], sizes[-1][0]
    assert len(older) == 14
    assert sum(older) / len(older) < newest / 20
