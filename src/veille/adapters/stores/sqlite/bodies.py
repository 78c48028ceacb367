"""Kept answers and pictures on their way between rows and segments, and the files that no row needs any more.

    rows  ->  a segment (a WARC file)  ->  put  ->  one short transaction that empties the rows

Killed in between, a segment is left that no row names; `tidied` deletes it a day later.
"""

from __future__ import annotations

import secrets
import zlib
from contextlib import suppress
from dataclasses import replace
from io import BytesIO
from itertools import chain
from typing import TYPE_CHECKING, Final, NamedTuple

from veille.adapters.stores.sqlite._part import Part
from veille.adapters.stores.sqlite.stored_bodies import ANSWER, PICTURE, answer_body, picture_bytes
from veille.core.fingerprint import uuid7
from veille.core.reread.answers import checked_body, packed_body, unpacked_facts
from veille.core.schedule import DAY
from veille.core.warc.segments import answer_in, picture_in
from veille.errors import ReadError
from veille.failpoints import failpoint
from veille.ports.bodies import BodyFigures, BodyFlaws

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from veille.adapters.stores.database import Database, Row
    from veille.adapters.warc.writing import WarcFile
    from veille.ports.bodies import Bodies

#: Bytes of bodies in a segment; a larger one has a segment of its own.
_SEGMENT: Final = 16 << 20
#: Bodies that are looked at for one: more than fit, unless they are tiny.
_LOOKED_AT: Final = 2000
#: Files that no row needs are deleted when they are this old: younger ones may be of a transaction under way.
_UNUSED_MS: Final = DAY
#: Without waiting for a full segment, bodies are moved when one of them is this old.
_PATIENCE_MS: Final = DAY
#: For zlib: 9, which warcio takes, takes three times as long for 1 % less.
_LEVEL: Final = 6
_GZIP: Final = 31
_ENDING: Final = ".warc.gz"
#: Bodies that are brought back in one transaction.
_BACK_AT_ONCE: Final = 64

#: What is in rows: whose body it is, its bytes, when it was made, and for an answer which.
_ANSWERS: Final = (
    "SELECT 'raw_bodies', raw_bodies.hash, size, min(fetched_at), min(raw_answers.id) FROM raw_bodies "
    "JOIN raw_answers ON raw_answers.hash = raw_bodies.hash WHERE segment IS NULL "
    "GROUP BY raw_bodies.hash, size LIMIT ?1"
)
_PICTURES: Final = (
    "SELECT 'pictures', pictures.hash, length(data), min(extracted_at), '' FROM pictures "
    # In this order: revisions are many more.
    "CROSS JOIN revision_pictures ON revision_pictures.hash = pictures.hash "
    "CROSS JOIN revisions ON revisions.id = revision_id "
    "WHERE segment IS NULL GROUP BY pictures.hash, length(data) LIMIT ?1"
)
_FIGURES: Final = (
    "SELECT count(*) - count(segment), coalesce(sum(length(data)), 0), count(segment), coalesce(sum(length), 0) FROM"
)
_NEEDED: Final = (
    "SELECT DISTINCT segment FROM raw_bodies WHERE segment IS NOT NULL",
    "SELECT DISTINCT segment FROM pictures WHERE segment IS NOT NULL",
    "SELECT DISTINCT file FROM archived_revisions",
)


class _Waiting(NamedTuple):
    """A body that is in its row."""

    table: str
    hash: str
    bytes: int
    at: int
    answer_id: str


class SqliteBodyKeeping(Part):
    """The port `BodyKeeping`."""

    def __init__(self, db: Database, dossier_id: str = "") -> None:
        super().__init__(db, dossier_id)
        #: The hashes of those that are damaged: the others do not go at once because these have waited for so long.
        self._damaged: set[str] = set()

    def figures(self) -> BodyFigures:
        rows = self._db.together([(f"{_FIGURES} {table}", ()) for table in ("raw_bodies", "pictures")])
        here, here_bytes, away, away_bytes = (sum(map(int, of)) for of in zip(*chain(*rows), strict=True))
        beside = 0 if self._db.files.place is None else sum(1 for _ in self._db.files.beside.names())
        return BodyFigures(here=here, here_bytes=here_bytes, away=away, away_bytes=away_bytes, beside=beside)

    def lay_away(self, now: int, *, at_once: bool = False) -> int:
        if self._db.files.place is None:
            return 0
        most = _LOOKED_AT + len(self._damaged)
        rows = chain(*(self._db.execute(query, (most,)) for query in (_ANSWERS, _PICTURES)))
        waiting = [one for row in rows if (one := _Waiting(*row)).hash not in self._damaged]
        is_full = sum(one.bytes for one in waiting) >= _SEGMENT or len(waiting) >= _LOOKED_AT
        if not waiting or not (at_once or is_full or min(one.at for one in waiting) <= now - _PATIENCE_MS):
            return 0
        # In the order in which they came, as they are read again in that order.
        chosen, total = list[_Waiting](), 0
        for one in sorted(waiting, key=lambda one: (one.at, one.answer_id)):
            if chosen and total + one.bytes > _SEGMENT:
                break
            chosen.append(one)
            total += one.bytes
        return self._laid_away(chosen, now)

    def _laid_away(self, chosen: Sequence[_Waiting], now: int) -> int:
        from veille.adapters.warc.writing import WarcFile  # noqa: PLC0415 - an extra

        name = f"{uuid7(now, self._dossier_id, secrets.token_hex(8))}{_ENDING}"
        plain = BytesIO()
        segment = WarcFile(plain, name, packed=False)
        data = bytearray(_member(plain))
        written: list[tuple[str, Row]] = []
        for one in chosen:
            if self._write(segment, one) and _is_readable(one, member := _member(plain)):
                written.append((one.table, (name, len(data), len(member), one.hash)))
                data += member
            else:
                self._damaged.add(one.hash)
                _member(plain)
        if not written:
            return 0
        self._db.files.put(name, bytes(data))
        failpoint("after_segment")
        with self._db.write():
            for table in ("raw_bodies", "pictures"):
                self._db.many(
                    f"UPDATE {table} SET data = x'', segment = ?, start = ?, length = ? "
                    "WHERE hash = ? AND segment IS NULL",
                    [row for of, row in written if of == table],
                )
            failpoint("before_commit")
        return len(written)

    def _write(self, segment: WarcFile, one: _Waiting) -> bool:
        """Add a body to a segment; False if it was deleted meanwhile, or is damaged: then it stays in its row."""
        try:
            if one.table == "pictures":
                rows = self._db.execute(f"SELECT {PICTURE} FROM pictures WHERE hash = ?", (one.hash,))
                segment.picture(one.hash, picture_bytes(self._db, rows[0]), one.at)
                return True
            rows = self._db.execute(
                f"SELECT {ANSWER}, facts FROM raw_answers JOIN raw_bodies ON raw_bodies.hash = raw_answers.hash "
                "WHERE raw_answers.id = ?",
                (one.answer_id,),
            )
            *kept, facts = rows[0]
            segment.answer(one.answer_id, replace(unpacked_facts(facts)[1], body=answer_body(self._db, kept)))
        except (ReadError, IndexError):
            return False
        return True

    def bring_back(self, former: Bodies | None = None) -> Iterator[int]:
        self._db.files.former = former
        if self._db.files.place is not None:
            return
        for table, columns, plain in (("raw_bodies", ANSWER, _packed_answer), ("pictures", PICTURE, picture_bytes)):
            after = ""
            query = f"SELECT {columns} FROM {table} WHERE segment IS NOT NULL AND hash > ? ORDER BY hash LIMIT ?"
            while rows := self._db.execute(query, (after, _BACK_AT_ONCE)):
                after, back = rows[-1][0], []
                for row in rows:
                    # What is missing stays as it is, and is told by `flaws`.
                    with suppress(ReadError):
                        back.append((plain(self._db, row), row[0]))
                with self._db.write():
                    emptied = "data = ?, segment = NULL, start = NULL, length = NULL"
                    self._db.many(f"UPDATE {table} SET {emptied} WHERE hash = ?", back)
                    failpoint("before_commit")
                yield len(back)

    def bring_over(self, former: Bodies | None = None) -> Iterator[int]:
        files = self._db.files
        files.former = former
        source, target = former or files.beside, files.place or files.beside
        if source.where == target.where:
            return
        # The names first: what is named by then is needed.
        there = list(source.names())
        needed = self.needed() if there else set()
        for one in there:
            if one.name in needed:
                # Segments have no place beside the database: those that are needed still could not be brought back.
                if files.place is None and one.name.endswith(_ENDING):
                    continue
                target.put(one.name, source.read(one.name))
                failpoint("after_carrying")
                yield 1
            elif former is None:
                continue
            source.delete(one.name)

    def tidy(self, now: int) -> int:
        return tidied(self._db, now)

    def check(self) -> None:
        if self._db.files.place is not None:
            next(iter(self._db.files.place.names()), None)

    def needed(self) -> set[str]:
        return set(chain(*(self._db.column(query) for query in _NEEDED)))

    def flaws(self) -> BodyFlaws:
        # The rows first: what is laid away meanwhile is there.
        needed = self.needed()
        there = {one.name for one in self._db.files.names()}
        return BodyFlaws(missing=tuple(sorted(needed - there)), unused=len(there - self.needed()))


def _packed_answer(db: Database, row: Row) -> bytes:
    return packed_body(answer_body(db, row))


def _member(plain: BytesIO) -> bytes:
    """The record that was written, as a gzip member; nothing of it stays behind."""
    member = zlib.compress(plain.getvalue(), _LEVEL, _GZIP)
    plain.seek(0)
    plain.truncate()
    return member


def _is_readable(one: _Waiting, member: bytes) -> bool:
    """Whether a record gives what was written to it: only then its row is emptied."""
    try:
        if one.table == "pictures":
            picture_in(member, one.hash, one.bytes)
        else:
            checked_body(answer_in(member, one.bytes), one.hash)
    except ReadError:
        return False
    return True


def tidied(db: Database, now: int) -> int:
    """Delete the files that are older than a day and that no row needs; returns how many."""
    old = [one.name for one in db.files.names() if one.written_at < now - _UNUSED_MS]
    # The rows last: what is old and not named now is never named again.
    needed = set(chain(*(db.column(query) for query in _NEEDED))) if old else set()
    unused = [name for name in old if name not in needed]
    for name in unused:
        db.files.delete(name)
    return len(unused)
