"""What leaves a store with an export, and how a person is erased from it; the same for both stores."""

from __future__ import annotations

import json
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from veille.adapters.stores.sqlite.daily.trash import MOVED
from veille.adapters.stores.sqlite.read.revisions import STORED, history_from
from veille.adapters.stores.sqlite.stored_bodies import ANSWER, PICTURE, answer_body, picture_bytes
from veille.adapters.stores.transfer.leaving_tables import ACCOUNT, DOSSIER, JSON_COLUMNS
from veille.adapters.stores.transfer.tables import catalog_tables, dossier_tables
from veille.core.archive.kept_contents import unpacked
from veille.core.outgoing.takeout import without_credentials
from veille.core.reread.answers import unpacked_facts
from veille.errors import ReadError
from veille.failpoints import failpoint

if TYPE_CHECKING:
    from collections.abc import Iterator

    from veille.adapters.stores.database import Database, Row
    from veille.adapters.stores.sqlite.dossier_pool import DossierPool
    from veille.adapters.stores.transfer.leaving_tables import LeavingTable
    from veille.adapters.stores.transfer.tables import SharedTable
    from veille.core.access.accounts import User

Record = dict[str, Any]

#: Rows, and revisions of a document, that are read at once.
_PAGE = 500
_HISTORY = 20
#: Whom a line of the audit log names after its person was erased.
ERASED = "(deleted)"
_OF_DOCUMENT = (
    f"SELECT {STORED} FROM revisions JOIN documents ON documents.id = revisions.document_id "
    "WHERE documents.id = ? AND n < ? ORDER BY n DESC LIMIT ?"
)
_DOCUMENTS = "SELECT id FROM documents WHERE id > ? ORDER BY id LIMIT ?"
_OWN_DOCUMENTS = (
    "SELECT id FROM documents WHERE id > ? AND source_id NOT IN "
    f"(SELECT id FROM sources WHERE trashed_at IS NOT NULL AND key GLOB '{MOVED}*') ORDER BY id LIMIT ?"
)
_BEYOND = 2**62


class StoredLeavings:
    """The port `LeavingRows`."""

    def __init__(self, catalog: Database, dossiers: DossierPool) -> None:
        self._catalog = catalog
        self._dossiers = dossiers

    def of_dossier(self, dossier_id: str, user_id: str | None) -> Iterator[tuple[str, Iterator[Record]]]:
        with self._dossiers.open(dossier_id) as store:
            db = store.db
            for table in dossier_tables():
                if (leaving := DOSSIER.get(table.name)) is None:
                    continue
                if table.name in _WITH_CONTENTS:
                    yield leaving.file, _WITH_CONTENTS[table.name](db)
                else:
                    person = user_id if leaving.is_personal else None
                    yield leaving.file, _records(db, table, leaving, person)

    def files_of(self, dossier_id: str) -> Iterator[tuple[str, bytes]]:
        with self._dossiers.open(dossier_id) as store:
            db = store.db
            for (picture,) in _pages(db, "SELECT hash FROM pictures WHERE hash > ? ORDER BY hash LIMIT ?", ""):
                for row in db.execute(f"SELECT {PICTURE} FROM pictures WHERE hash = ?", (picture,)):
                    yield _picture(db, row)
            for (source_id,) in _pages(
                db, "SELECT source_id FROM failed_steps WHERE source_id > ? ORDER BY source_id LIMIT ?", ""
            ):
                for (data,) in db.execute("SELECT data FROM failed_steps WHERE source_id = ?", (source_id,)):
                    yield f"pictures/failed-{source_id}.png", data
            for (body,) in _pages(db, "SELECT hash FROM raw_bodies WHERE hash > ? ORDER BY hash LIMIT ?", ""):
                for row in db.execute(f"SELECT {ANSWER} FROM raw_bodies WHERE hash = ?", (body,)):
                    yield _body(db, row)

    def document_ids(self, dossier_id: str) -> Iterator[str]:
        with self._dossiers.open(dossier_id) as store:
            yield from (one for (one,) in _pages(store.db, _OWN_DOCUMENTS, ""))

    def of_person(self, dossier_id: str, user: User) -> Iterator[tuple[str, Iterator[Record]]]:
        with self._dossiers.open(dossier_id) as store:
            db = store.db
            for table in dossier_tables():
                leaving = DOSSIER.get(table.name)
                if leaving is not None and leaving.person:
                    yield leaving.file, _records(db, table, leaving, _named(leaving, user))

    def of_account(self, user: User) -> Iterator[tuple[str, Iterator[Record]]]:
        for table in catalog_tables():
            if (leaving := ACCOUNT.get(table.name)) is not None:
                yield leaving.file, _records(self._catalog, table, leaving, _named(leaving, user))

    def erase_in(self, dossier_id: str, user: User) -> None:
        with self._dossiers.open(dossier_id) as store, store.db.forgetting() as db:
            for name, leaving in DOSSIER.items():
                if leaving.is_personal or name == "shares":
                    db.execute(f"DELETE FROM {name} WHERE {leaving.person} = ?", (user.id,))
                elif leaving.person:
                    db.execute(
                        f"UPDATE {name} SET {leaving.person} = '' WHERE {leaving.person} = ?", (_named(leaving, user),)
                    )

    def erase_account(self, user: User) -> None:
        # Earlier changes of these rows left copies in the free space of the file. They go first: should this be killed
        # after the transaction, nothing is left; and again, with what others changed meanwhile.
        self._catalog.compact()
        with self._catalog.forgetting() as db:
            db.execute(
                "UPDATE audit SET who = ?2, detail = '{}', address = '' WHERE user_id = ?1 AND user_id <> ''",
                (user.id, ERASED),
            )
            # Lines of others that name them, as the value of a detail.
            quoted = json.dumps(user.email, ensure_ascii=False).replace("\\", "\\\\")
            pattern = "%" + quoted.replace("%", "\\%").replace("_", "\\_") + "%"
            db.execute("UPDATE audit SET detail = '{}' WHERE detail LIKE ? ESCAPE '\\'", (pattern,))
            db.execute("UPDATE schedules SET set_by = '' WHERE set_by = ?", (user.email,))
            tokens = "SELECT id FROM tokens WHERE user_id = ?"
            db.execute(f"DELETE FROM app_passwords WHERE token_id IN ({tokens})", (user.id,))
            for name in ("sessions", "links", "members", "tokens"):
                db.execute(f"DELETE FROM {name} WHERE user_id = ?", (user.id,))
            db.execute("DELETE FROM users WHERE id = ?", (user.id,))
            failpoint("before_account_is_erased")
        failpoint("after_account_was_erased")
        self._catalog.compact()


def _named(leaving: LeavingTable, user: User) -> str:
    """How a table names a person."""
    return user.email if leaving.person.endswith("_by") and leaving.file != "shares" else user.id


def _records(db: Database, table: SharedTable, leaving: LeavingTable, person: str | None = None) -> Iterator[Record]:
    """The rows of a table in the order of their keys, in pages: what is added meanwhile may be among them."""
    columns = [one for one in table.columns if one not in leaving.without]
    # The key comes twice: it is where the next page begins.
    listed = ", ".join(f'"{one}"' for one in (*columns, *table.key))
    whose = f'"{leaving.person}" = ?' if person is not None else ""
    given = () if person is None else (person,)
    after: tuple[Any, ...] = ()
    while True:
        beyond = f"({table.ordered}) > ({', '.join('?' * len(after))})" if after else ""
        where = " AND ".join(filter(None, (whose, beyond)))
        query = (
            f"SELECT {listed} FROM {table.name} {f'WHERE {where} ' if where else ''}ORDER BY {table.ordered} LIMIT ?"
        )
        rows = db.execute(query, (*given, *after, _PAGE))
        for row in rows:
            yield {name: _value(name, value) for name, value in zip(columns, row, strict=False)}
        if len(rows) < _PAGE:
            return
        after = tuple(rows[-1][len(columns) :])


def _value(name: str, value: Any) -> Any:
    if isinstance(value, bytes):
        # The only blobs that leave as rows are texts of views.
        return unpacked(value)
    if name not in JSON_COLUMNS or not isinstance(value, str) or not value.startswith(("{", "[")):
        return value
    try:
        return without_credentials(json.loads(value))
    except ValueError:
        return value


def _pages(db: Database, query: str, after: Any) -> Iterator[tuple[Any, ...]]:
    """The rows of a query that continues after the first column of the last row."""
    while rows := db.execute(query, (after, _PAGE)):
        yield from rows
        after = rows[-1][0]


def _revisions(db: Database) -> Iterator[Record]:
    """Every revision with its content; `kept` says why if it has none."""
    for (document_id,) in _pages(db, _DOCUMENTS, ""):
        before = _BEYOND
        while rows := db.execute(_OF_DOCUMENT, (document_id, before, _HISTORY)):
            for revision in history_from(db, rows):
                record = asdict(revision)
                record["kept"] = revision.kept.value
                yield record
                before = revision.n


def _picture(db: Database, row: Row) -> tuple[str, bytes]:
    try:
        return f"pictures/{row[0]}.webp", picture_bytes(db, row)
    except ReadError as error:
        return f"pictures/{row[0]}.{error.code.removeprefix('body_')}", row[1]


def _body(db: Database, row: Row) -> tuple[str, bytes]:
    """A kept body as a file; a damaged or missing one as it is stored, under another name."""
    try:
        return f"bodies/{row[0]}.bin", answer_body(db, row)
    except ReadError as error:
        return f"bodies/{row[0]}.{error.code.removeprefix('body_')}", row[2]


def _answers(db: Database) -> Iterator[Record]:
    """Every kept answer, with what came with its body."""
    query = "SELECT id, source_id, hash, fetched_at, read_by, read_at, facts FROM raw_answers WHERE id > ?"
    for *row, facts in _pages(db, f"{query} ORDER BY id LIMIT ?", ""):
        record: Record = dict(zip(("id", "source_id", "hash", "fetched_at", "read_by", "read_at"), row, strict=True))
        try:
            _, payload = unpacked_facts(facts)
        except ReadError:
            yield record | {"damaged": True}
            continue
        told = ("url", "status", "final_url", "media_type", "charset", "etag", "last_modified")
        yield record | {name: getattr(payload, name) for name in told}


_WITH_CONTENTS = {"revisions": _revisions, "raw_answers": _answers}
