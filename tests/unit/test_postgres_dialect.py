from __future__ import annotations

import pytest

from veille.adapters.stores.postgres._dialect import IsNull, Match, Table, translated
from veille.core.archive.portable import portable_text

TABLES = {"t": Table(("id", "n", "text"), ("id",)), "pairs": Table(("a", "b"), ("a", "b"))}


def _of(sql: str, *, in_dossier: bool = True) -> str:
    return translated(sql, TABLES, in_dossier=in_dossier).text


@pytest.mark.parametrize(
    ("sql", "expected", "bindings"),
    [
        ("SELECT ? + ?", "SELECT $1 + $2", (0, 1)),
        ("SELECT ?2, ?1, ?2", "SELECT $1, $2, $1", (1, 0)),
        ("SELECT :b, :a, :b, '? :c'", "SELECT $1, $2, $1, '? :c'", ("b", "a")),
        ("SELECT 1 WHERE ?1 IS NULL OR n < ?1", "SELECT 1 WHERE $1 = 1 OR n < $2", (IsNull(0), 0)),
        ("SELECT 1 WHERE :a IS NOT NULL", "SELECT 1 WHERE $1 = 0", (IsNull("a"),)),
    ],
)
def test_places_are_numbered_and_what_is_bound_to_them_is_known(
    sql: str, expected: str, bindings: tuple[object, ...]
) -> None:
    found = translated(sql, TABLES, in_dossier=True)
    assert (found.text, found.bindings) == (expected, bindings)


#: A statement and its translation, by turns.
CASES = """
SELECT iif(a > max(b, 1), iif(c, 'x, (', d), 2)
SELECT CASE WHEN a > greatest(b, 1) THEN CASE WHEN c THEN 'x, (' ELSE d END ELSE 2 END
SELECT max(n), min(n, 2)
SELECT max(n), least(n, 2)
SELECT json_group_array(json_array(a, b))
SELECT coalesce(json_agg(json_build_array(a, b)), '[]')::text
SELECT x'00ff', x''
SELECT '\\x00ff'::bytea, '\\x'::bytea
SELECT 1 WHERE s NOT GLOB 'trash_*'
SELECT 1 WHERE s NOT LIKE 'trash\\_%'
SELECT 1 WHERE s LIKE 'a%'
SELECT 1 WHERE s ILIKE 'a%'
SELECT 1 WHERE a IS NOT b OR a IS c OR d IS NULL
SELECT 1 WHERE a IS DISTINCT FROM b OR a IS NOT DISTINCT FROM c OR d IS NULL
SELECT CAST(a AS INTEGER) FROM t INDEXED BY t_n WHERE a
SELECT CAST(a AS bigint) FROM t WHERE a
SELECT seq FROM sqlite_sequence WHERE name = 'outbox'
SELECT max(seq) FROM outbox
SELECT count(*) FROM (SELECT 1 FROM t LIMIT 5)
SELECT count(*) FROM (SELECT 1 FROM t LIMIT 5) AS query_0
SELECT 1 FROM a JOIN t ON t.id IN (SELECT id FROM t WHERE n = a.n LIMIT 2) ORDER BY 1
SELECT 1 FROM a CROSS JOIN LATERAL (SELECT id FROM t WHERE n = a.n LIMIT 2) AS chosen_0 (it) CROSS JOIN LATERAL (SELECT * FROM t WHERE t.id = chosen_0.it OFFSET 0) AS t ORDER BY 1
SELECT 1 FROM t WHERE id IN (SELECT value FROM json_each(?))
SELECT 1 FROM t WHERE id IN (SELECT value FROM json_each($1))
DELETE FROM t WHERE row IN (SELECT value FROM json_each(?)) AND n = ?
DELETE FROM t WHERE row IN (SELECT CAST(value AS bigint) FROM json_each($1) OFFSET 0) AND n = $2
SELECT t.n FROM json_each(?) JOIN t ON t.id = value ->> 0 AND n = value ->> 1 AND t.n IN (SELECT value FROM json_each(?))
SELECT t.n FROM (SELECT key, value, value ->> 0 AS value_0, value ->> 1 AS value_1 FROM json_each($1) OFFSET 0) AS json_each JOIN t ON t.id = json_each.value_0 AND n = json_each.value_1 AND t.n IN (SELECT value FROM json_each($2))
SELECT t.n FROM json_each(:a) AS one JOIN json_each(:b) AS other ON 1 JOIN t ON t.row = one.value AND text = unhex(other.value)
SELECT t.n FROM (SELECT key, value, CAST(value AS bigint) AS number FROM json_each($1) OFFSET 0) AS one JOIN (SELECT key, value, unhex(value) AS unhexed FROM json_each($2) OFFSET 0) AS other ON 1 JOIN t ON t.row = one.number AND text = other.unhexed
INSERT OR IGNORE INTO t VALUES (1) RETURNING id
INSERT INTO t VALUES (1) ON CONFLICT DO NOTHING RETURNING id
INSERT OR REPLACE INTO t (id, n) VALUES (1, 2)
INSERT INTO t (id, n) VALUES (1, 2) ON CONFLICT (dossier_id, id) DO UPDATE SET n = excluded.n
INSERT INTO t VALUES (1) ON CONFLICT DO UPDATE SET n = 1
INSERT INTO t VALUES (1) ON CONFLICT (dossier_id, id) DO UPDATE SET n = 1
INSERT INTO t VALUES (1) ON CONFLICT (text) DO NOTHING
INSERT INTO t VALUES (1) ON CONFLICT (dossier_id, text) DO NOTHING
INSERT INTO t VALUES (1) ON CONFLICT DO NOTHING
INSERT INTO t VALUES (1) ON CONFLICT DO NOTHING
"""  # noqa: E501


@pytest.mark.parametrize(("sql", "expected"), list(zip(*[iter(CASES.strip().splitlines())] * 2, strict=True)))
def test_what_is_only_written_differently_is_translated(sql: str, expected: str) -> None:
    assert _of(sql) == expected


def test_keys_of_the_catalog_have_no_dossier() -> None:
    sql = "INSERT OR REPLACE INTO t VALUES (1, 2, 3)"
    assert _of(sql, in_dossier=False) == (
        "INSERT INTO t VALUES (1, 2, 3) ON CONFLICT (id) DO UPDATE SET n = excluded.n, text = excluded.text"
    )


@pytest.mark.parametrize(
    ("sql", "gives_rows", "is_write"),
    [
        ("SELECT 1", True, False),
        ("WITH a AS (SELECT 1) UPDATE t SET n = 1", False, True),
        ("DELETE FROM t RETURNING id", True, True),
    ],
)
def test_only_statements_that_give_rows_are_waited_for(sql: str, *, gives_rows: bool, is_write: bool) -> None:
    found = translated(sql, TABLES, in_dossier=True)
    assert (found.gives_rows, found.is_write) == (gives_rows, is_write)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a\0b", "a\ufffdb"),
        ('["a\\u0000b"]', '["a\\ufffdb"]'),
        ('["\\ud83d\\ude00"]', '["\\ud83d\\ude00"]'),
        ('["\\ud83d", "\\ude00"]', '["\\ufffd", "\\ufffd"]'),
        ('["\\\\u0000"]', '["\\\\u0000"]'),
        ("\\u0000 in plain text", "\\u0000 in plain text"),
    ],
)
def test_what_postgresql_cannot_store_is_replaced(text: str, expected: str) -> None:
    assert portable_text(text) == expected


@pytest.mark.parametrize(
    ("sql", "expected", "bindings"),
    [
        (
            "SELECT 1 WHERE a IN (SELECT rowid FROM search WHERE search MATCH :a)",
            "SELECT 1 WHERE a IN (SELECT unnest(CAST($1 AS bigint[])))",
            (Match("a", "search"),),
        ),
        (
            "SELECT EXISTS (SELECT 1 FROM forms WHERE forms MATCH ?)",
            "SELECT cardinality(CAST($1 AS bigint[])) > 0",
            (Match(0, "forms"),),
        ),
    ],
)
def test_what_matches_is_bound_as_rows(sql: str, expected: str, bindings: tuple[object, ...]) -> None:
    found = translated(sql, TABLES, in_dossier=True)
    assert (found.text, found.bindings) == (expected, bindings)
