"""The tables of the two stores are the same, and the walls between dossiers stand."""

from __future__ import annotations

import socket
from collections.abc import Iterator
from pathlib import Path

import apsw
import psycopg
import pytest

from postgres_server import PostgresServer, shared
from veille.adapters.stores.postgres import _pools
from veille.adapters.stores.postgres._dialect import NUMBERS
from veille.adapters.stores.postgres._pools import PostgresPools, borrowed
from veille.adapters.stores.sqlite import _schema
from veille.errors import StoreError
from veille.interfaces.cli._failures import NOT_CONFIGURED, fail

ONE, OTHER = "0198a7c0-0000-7000-8000-000000000001", "0198a7c0-0000-7000-8000-000000000002"
#: Of the indexes of SQLite, which PostgreSQL has in another form.
_INDEXES = ("search", "forms")

Connection = psycopg.Connection[tuple[object, ...]]


@pytest.fixture
def server() -> PostgresServer:
    return shared()


@pytest.fixture
def database(server: PostgresServer) -> Iterator[str]:
    name = server.database(server.ready)
    yield server.url(name)
    server.drop(name)


@pytest.mark.parametrize(
    ("scripts", "schema", "own"),
    [(_schema.DOSSIER, "veille_tables", {"dossier_id"}), (_schema.CATALOG, "veille", set())],
)
def test_both_stores_have_the_same_columns(
    database: str, tmp_path: Path, scripts: tuple[str, ...], schema: str, own: set[str]
) -> None:
    file = apsw.Connection(str(tmp_path / "a.db"))
    for script in scripts:
        file.execute(script)
    tables = [
        str(name)
        for (name,) in file.execute("SELECT name FROM sqlite_master WHERE type = 'table'")
        if not str(name).startswith(("sqlite_", *_INDEXES))
        or str(name) in {"search_alerts", "search_looks", "search_log"}
    ]
    expected = {
        name: {str(row[0]) for row in file.execute("SELECT name FROM pragma_table_info(?)", (name,))} | own
        for name in tables
    }
    file.close()
    with psycopg.connect(database) as connection:
        rows = connection.execute(
            "SELECT table_name, array_agg(column_name::text) FROM information_schema.columns WHERE table_schema = %s "
            "AND table_name NOT IN ('origin', 'programs', 'versions', 'word_segments', 'word_chunks', 'word_marks', "
            "'call_turns', 'shelf', 'vault_key') "
            "GROUP BY table_name",
            (schema,),
        ).fetchall()
    assert {name: set(columns) for name, columns in rows} == expected


def test_every_key_and_every_index_of_a_dossier_begins_with_it(database: str) -> None:
    with psycopg.connect(database) as connection:
        rows = connection.execute(
            "SELECT i.indexrelid::regclass::text, a.attname "
            "FROM pg_index AS i JOIN pg_class AS c ON c.oid = i.indrelid "
            "JOIN pg_attribute AS a ON a.attrelid = c.oid AND a.attnum = i.indkey[0] "
            "WHERE c.relnamespace = 'veille_tables'::regnamespace"
        ).fetchall()
    assert len(rows) > 100
    assert [name for name, first in rows if first != "dossier_id"] == []


def test_columns_that_are_taken_for_numbers_are_numbers_everywhere(database: str) -> None:
    with psycopg.connect(database) as connection:
        rows = connection.execute(
            "SELECT column_name, array_agg(DISTINCT data_type::text) FROM information_schema.columns "
            "WHERE table_schema = 'veille_tables' "
            "AND (column_name = ANY (%s) OR (table_name, column_name) = ('vectors', 'id')) "
            "GROUP BY column_name",
            (list(NUMBERS),),
        ).fetchall()
    assert dict(rows) == {name: ["bigint"] for name in (*NUMBERS, "id")}


@pytest.fixture
def filled(database: str) -> Iterator[Connection]:
    """As the application, with one row in each of two dossiers."""
    with psycopg.connect(database, autocommit=True) as connection:
        for dossier_id in (ONE, OTHER):
            connection.execute(
                "INSERT INTO veille.dossiers (id, name, created_at) VALUES (%s, %s, 1)", (dossier_id,) * 2
            )
            connection.execute("SELECT set_config('veille.dossier', %s, false)", (dossier_id,))
            connection.execute("INSERT INTO veille_dossier.options VALUES ('sharing', 'on')")
        yield connection


@pytest.mark.covers("R-002")
def test_the_views_show_one_dossier_to_whoever_asks(filled: Connection) -> None:
    assert filled.execute("SELECT current_user").fetchall() == [("postgres",)]
    assert filled.execute("SELECT dossier_id::text FROM veille_dossier.options").fetchall() == [(OTHER,)]
    filled.execute("SELECT set_config('veille.dossier', '', false)")
    assert filled.execute("SELECT * FROM veille_dossier.options").fetchall() == []


@pytest.mark.covers("R-002")
def test_the_application_sees_and_writes_one_dossier_whatever_it_asks(filled: Connection) -> None:
    filled.execute("SET ROLE veille_app")
    filled.execute("SELECT set_config('veille.dossier', %s, false)", (ONE,))
    assert filled.execute("SELECT dossier_id::text FROM veille_tables.options").fetchall() == [(ONE,)]
    assert filled.execute("UPDATE veille_tables.options SET value = 'off'").rowcount == 1
    assert filled.execute("DELETE FROM veille_tables.options WHERE dossier_id = %s", (OTHER,)).rowcount == 0
    with pytest.raises(psycopg.errors.InsufficientPrivilege):
        filled.execute("INSERT INTO veille_tables.options (dossier_id, name, value) VALUES (%s, 'a', 'b')", (OTHER,))


def test_the_application_owns_nothing_and_changes_no_tables(filled: Connection) -> None:
    owned = filled.execute(
        "SELECT count(*) FROM pg_shdepend WHERE refobjid = 'veille_app'::regrole AND deptype = 'o'"
    ).fetchone()
    assert owned == (0,)
    filled.execute("SET ROLE veille_app")
    for forbidden in (
        "DROP TABLE veille_tables.options",
        "TRUNCATE veille_tables.options",
        "ALTER TABLE veille_tables.options DISABLE ROW LEVEL SECURITY",
        "CREATE TABLE veille.more (n int)",
        "DELETE FROM veille.origin",
    ):
        with pytest.raises(psycopg.errors.InsufficientPrivilege):
            filled.execute(forbidden.encode())


def test_a_deleted_dossier_leaves_no_row_and_the_others_all(filled: Connection) -> None:
    filled.execute("DELETE FROM veille.dossiers WHERE id = %s", (ONE,))
    assert filled.execute("SELECT dossier_id::text FROM veille_tables.options").fetchall() == [(OTHER,)]


def _refusal(url: str) -> StoreError:
    with pytest.raises(StoreError) as caught:
        PostgresPools(url, patience_s=0.1)
    assert "\n" not in str(caught.value)
    return caught.value


def _code(url: str) -> str:
    return _refusal(url).code


def test_a_database_that_cannot_be_used_is_told_in_one_line_and_not_touched(
    server: PostgresServer, database: str
) -> None:
    assert _code("postgresql://localhost:port/x") == "store.bad_url"
    assert _code("mysql://localhost/x") == "store.bad_url"
    assert _code(f"postgresql://postgres@/x?host={server.folder}/nowhere") == "store.unreachable"
    with socket.create_server(("127.0.0.1", 0)) as listening:
        port = listening.getsockname()[1]
    assert _code(f"postgresql://postgres@127.0.0.1:{port}/x") == "store.unreachable"
    assert _code("postgresql://postgres@no-such-host.invalid/x") == "store.no_server"
    for name in ("a" * 64, "db..example"):
        assert _code(f"postgresql://postgres@{name}/x") == "store.bad_url"
    assert _code(server.url("nowhere")) == "store.refused"
    with psycopg.connect(database, autocommit=True) as connection:
        connection.execute("UPDATE veille.origin SET version = 99, veille = '9.9'")
        assert _code(database) == "store.newer"
        connection.execute("UPDATE veille.origin SET version = 1, schema = 'other'")
        assert _code(database) == "store.other"
        connection.execute("DROP TABLE veille.origin")
        assert _code(database) == "store.foreign"
        name = database.split("/")[3].split("?", maxsplit=1)[0]
        connection.execute(f"ALTER DATABASE {name} SET default_transaction_read_only = on".encode())
    assert _code(database) == "store.read_only"


@pytest.mark.parametrize("encoding", ["LATIN1", "SQL_ASCII"])
def test_a_database_that_cannot_hold_all_texts_is_refused_and_not_touched(
    server: PostgresServer, encoding: str
) -> None:
    name = f"in_{encoding.lower()}"
    url = server.url(name)
    with psycopg.connect(server.url(), autocommit=True) as connection:
        connection.execute(f"CREATE DATABASE {name} ENCODING {encoding} LOCALE 'C' TEMPLATE template0".encode())
    refused = _refusal(url)
    assert refused.code == "store.encoding"
    assert encoding in str(refused)
    assert fail(refused) == NOT_CONFIGURED
    with psycopg.connect(url, client_encoding="UTF8") as connection:
        assert connection.execute("SELECT nspname FROM pg_namespace WHERE nspname ~ 'veille'").fetchall() == []
    server.drop(name)


def test_an_encoding_of_the_environment_or_the_address_changes_no_text(
    database: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PGCLIENTENCODING", "LATIN1")
    pools = PostgresPools(f"{database}&client_encoding=SQL_ASCII")
    for context in (borrowed(pools.of_catalog), borrowed(pools.of_dossiers), pools.alone()):
        with context as connection:
            row = connection.execute("SELECT $1, length($1)", ("Zażółć gęślą, 猫 é",)).fetchone()
            assert row == ("Zażółć gęślą, 猫 é", 17)
    pools.close()


def test_options_of_the_address_arrive_as_they_are_written(database: str) -> None:
    pools = PostgresPools(f"{database}&options=-c%20lock_timeout%3D7s&pgbouncer=true&application_name=a+b%2Bc")
    with borrowed(pools.of_catalog) as connection:
        row = connection.execute("SELECT current_setting('lock_timeout'), current_setting('application_name')")
        assert row.fetchone() == ("7s", "a+b+c")
    pools.close()


def test_a_server_that_is_too_old_is_refused_for_good(database: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_pools, "OLDEST", 99)
    refused = _refusal(database)
    assert refused.code == "store.old_server"
    assert "99 or newer" in str(refused)
    assert fail(refused) == NOT_CONFIGURED


def test_a_connection_that_is_cut_is_told_by_the_call_alone(database: str, caplog: pytest.LogCaptureFixture) -> None:
    pools = PostgresPools(database)

    def cut() -> None:
        with psycopg.connect(database, autocommit=True) as other, borrowed(pools.of_catalog) as connection:
            other.execute("SELECT pg_terminate_backend(%s)", (connection.info.backend_pid,))
            connection.execute("SELECT 1")

    with pytest.raises(StoreError) as caught:
        cut()
    assert caught.value.is_unreachable
    with borrowed(pools.of_catalog) as connection:
        assert connection.execute("SELECT 1").fetchone() == (1,)
    pools.close()
    assert caplog.messages == []


@pytest.fixture
def nobody(server: PostgresServer) -> Iterator[str]:
    """A role that may do nothing but log in and what it does in a database of its own; both have its name."""
    name = "nobody_here"
    with psycopg.connect(server.url(), autocommit=True) as connection:
        connection.execute(f"CREATE ROLE {name} LOGIN")
        connection.execute(f"CREATE DATABASE {name} OWNER {name}")
        yield name
        connection.execute(f"DROP DATABASE {name} WITH (FORCE)")
        connection.execute(f"DROP ROLE {name}")


def test_a_role_without_rights_is_told_so(database: str, nobody: str) -> None:
    assert _code(database.replace("postgres@", f"{nobody}@")) == "store.rights"


def test_a_role_that_may_make_none_needs_only_be_a_member_of_the_applications(
    server: PostgresServer, database: str, nobody: str
) -> None:
    url = server.url(nobody, nobody)
    with psycopg.connect(database, autocommit=True) as connection:
        # Another database of the server has made the application's role already.
        assert connection.execute("SELECT to_regrole('veille_app') IS NOT NULL").fetchone() == (True,)
        assert _code(url) == "store.rights"
        connection.execute(f"GRANT veille_app TO {nobody}".encode())
    with psycopg.connect(url) as connection:
        assert connection.execute("SELECT to_regnamespace('veille') IS NULL").fetchone() == (True,)
    PostgresPools(url).close()
    with psycopg.connect(url) as connection:
        rows = connection.execute("SELECT DISTINCT tableowner FROM pg_tables WHERE schemaname LIKE 'veille%'")
        assert rows.fetchall() == [(nobody,)]
