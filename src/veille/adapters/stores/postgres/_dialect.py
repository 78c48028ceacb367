"""The statements of the parts, which are written for SQLite, as PostgreSQL has them.

Only what differs in writing is translated here. What SQLite has and PostgreSQL has not is a function of the schema (see
`schema/0001/1_functions.sql`), and what means something else in both is avoided in the parts: see
docs/decisions/0036-one-sql-for-two-stores.md.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence


class Table(NamedTuple):
    """What has to be known of a table: its columns and its primary key, in their order, without `dossier_id`."""

    columns: Sequence[str]
    key: Sequence[str]


class IsNull(NamedTuple):
    """Whether the binding of this name or place is NULL."""

    of: str | int


class Match(NamedTuple):
    """The binding of this name or place, which is a query in the syntax of FTS5, as the rows that match it."""

    of: str | int
    table: str


Binding = str | int | IsNull | Match


class Translated(NamedTuple):
    """A statement for PostgreSQL, and which bindings it takes in which order."""

    text: str
    #: Names, or places from 0.
    bindings: tuple[Binding, ...]
    #: Whether it gives rows; otherwise nobody needs to wait for its end.
    gives_rows: bool
    is_write: bool


#: String literals, quoted names and comments, in which nothing is translated.
_LITERAL = re.compile(r"x?'(?:[^']|'')*'|\"[^\"]*\"|--[^\n]*", re.IGNORECASE)
_MASKED = re.compile("\x00(\\d+)\x00")
_PLACE = re.compile(r"(?:\?(\d*)|(?<![:\w]):([a-z_]\w*))(?:( IS (?:NOT )?NULL\b)|@(search|forms)@)?")
#: Full-text search: whether there is any match, and which match.
_ANY_MATCH = re.compile(r"EXISTS \(SELECT 1 FROM (search|forms) WHERE \1 MATCH (\?\d*|:\w+)\)")
_MATCHES = re.compile(r"\(SELECT rowid FROM (search|forms) WHERE \1 MATCH (\?\d*|:\w+)\)")
_CALL = re.compile(r"\b(iif|max|min|json_group_array|json_group_object|json_array|json_object)\(", re.IGNORECASE)
_INSERT = re.compile(r"\bINSERT (?:OR (REPLACE|IGNORE) )?INTO (\w+)(?:\s*\(([^)]*)\))?", re.IGNORECASE)
_CONFLICT = re.compile(r"\bON CONFLICT(?:\s*\(([^)]*)\))?(?=\s+DO UPDATE)|\bON CONFLICT\s*\(([^)]*)\)", re.IGNORECASE)
#: A row for each row that a query over the row before it chooses.
_CHOSEN = re.compile(r"\bJOIN (\w+) ON \1\.(\w+) (?:IN|=) \((?=SELECT\b)", re.IGNORECASE)
_NAMELESS = re.compile(r"\b(?:FROM|JOIN)\s*\((?=\s*(?:SELECT|WITH|VALUES)\b)", re.IGNORECASE)
_NAMED = re.compile(r"\s+AS\b", re.IGNORECASE)
_RETURNING = re.compile(r"\sRETURNING\b", re.IGNORECASE)
_WRITE = re.compile(r"\b(INSERT|UPDATE|DELETE)\b", re.IGNORECASE)
_GLOB = re.compile("\\bGLOB \x00(\\d+)\x00")
_LAST = re.compile("\\bSELECT seq FROM sqlite_sequence WHERE name = \x00(\\d+)\x00")

#: Columns that are numbers in every table that has them.
NUMBERS = ("row", "seq", "mark", "story", "document")
_NUMBER = rf"\b(?:(?:{'|'.join(NUMBERS)})|vectors\.id)"
#: The elements of a list, by the name that they go by; and all that is asked of them.
_EACH = re.compile(r"\bjson_each\((\?\d*|:\w+)\)(?: AS (\w+))?")
_ONLY = "(SELECT value FROM "
_AMONG = re.compile(rf"({_NUMBER}) IN \(SELECT value FROM json_each\((\?\d*|:\w+)\)\)")

#: Rewritten as they stand.
_WORDS = (
    # Whether two values are the same, NULL or not.
    (re.compile(r"\bIS NOT (?!NULL\b|TRUE\b|FALSE\b|DISTINCT\b)", re.IGNORECASE), "IS DISTINCT FROM "),
    (re.compile(r"\bIS (?!NOT\b|NULL\b|TRUE\b|FALSE\b|DISTINCT\b)", re.IGNORECASE), "IS NOT DISTINCT FROM "),
    (re.compile(r"\bAS INTEGER\)", re.IGNORECASE), "AS bigint)"),
    (re.compile(r"\bAS BLOB\)", re.IGNORECASE), "AS bytea)"),
    # In SQLite, only a fixed order of the two.
    (re.compile(r"\bCROSS JOIN (\w+(?: AS \w+)?) ON\b", re.IGNORECASE), r"JOIN \1 ON"),
    (re.compile(r"\bAS REAL\)", re.IGNORECASE), "AS double precision)"),
    # SQLite's LIKE does not distinguish A from a.
    (re.compile(r"\bLIKE\b", re.IGNORECASE), "ILIKE"),
    (_ANY_MATCH, r"cardinality(CAST(\2@\1@ AS bigint[])) > 0"),
    (_MATCHES, r"(SELECT unnest(CAST(\2@\1@ AS bigint[])))"),
    (re.compile(r"\s+INDEXED BY \w+", re.IGNORECASE), ""),
)


def translated(sql: str, tables: Mapping[str, Table], *, in_dossier: bool) -> Translated:
    """The statement; in a dossier, keys begin with `dossier_id`."""
    literals: list[str] = []

    def mask(found: re.Match[str]) -> str:
        literals.append(found[0])
        return f"\x00{len(literals) - 1}\x00"

    text = _LITERAL.sub(mask, sql)
    text = _LAST.sub(lambda found: f"SELECT max(seq) FROM {literals[int(found[1])][1:-1]}", text)
    for pattern, replacement in _WORDS:
        text = pattern.sub(replacement, text)
    text = _GLOB.sub(lambda found: _like(literals, int(found[1])), text)
    text = _fences(text)
    text = _conflicts(_aliases(_laterals(_calls(text))), tables, in_dossier=in_dossier)
    text, bindings = _numbered(text)
    text = _MASKED.sub(lambda found: _literal(literals[int(found[1])]), text)
    is_write = _WRITE.search(text) is not None
    return Translated(text, bindings, gives_rows=not is_write or bool(_RETURNING.search(text)), is_write=is_write)


def _literal(text: str) -> str:
    return f"'\\x{text[2:-1]}'::bytea" if text[0] in "xX" else text


def _like(literals: list[str], at: int) -> str:
    literals.append(re.sub(r"([%_\\])", r"\\\1", literals[at]).replace("*", "%"))
    return f"LIKE \x00{len(literals) - 1}\x00"


def _numbered(text: str) -> tuple[str, tuple[Binding, ...]]:
    """`?`, `?1` and `:name` as `$1`, and what is bound to each."""
    order: dict[Binding, int] = {}
    unnumbered = iter(range(len(text)))

    def number(found: re.Match[str]) -> str:
        key = found[2] or (int(found[1]) - 1 if found[1] else next(unnumbered))
        if found[4]:
            return f"${order.setdefault(Match(key, found[4]), len(order) + 1)}"
        if not found[3]:
            return f"${order.setdefault(key, len(order) + 1)}"
        return f"${order.setdefault(IsNull(key), len(order) + 1)} = {0 if 'NOT' in found[3] else 1}"

    return _PLACE.sub(number, text), tuple(order)


def _calls(text: str) -> str:
    # From the last to the first: what is rewritten stands behind those that are still to come.
    for found in reversed(list(_CALL.finditer(text))):
        end = _closing(text, found.end())
        arguments = list(_arguments(text[found.end() : end]))
        rewritten = _REWRITTEN[found[1].lower()](arguments)
        if rewritten is not None:
            text = f"{text[: found.start()]}{rewritten}{text[end + 1 :]}"
    return text


def _laterals(text: str) -> str:
    """Joins with what a query chooses, which PostgreSQL would ask again for every pair of rows.

    It chooses first, whatever is known of the sizes of tables: `OFFSET 0` is never turned into a join.
    """
    for number, found in enumerate(reversed(list(_CHOSEN.finditer(text)))):
        end = _closing(text, found.end())
        name, column, query = found[1], found[2], text[found.end() : end]
        alias = f"chosen_{number}"
        row = f"SELECT * FROM {name} WHERE {name}.{column} = {alias}.it OFFSET 0"
        chosen = f"CROSS JOIN LATERAL ({query}) AS {alias} (it) CROSS JOIN LATERAL ({row}) AS {name}"
        text = f"{text[: found.start()]}{chosen}{text[end + 1 :]}"
    return text


def _fences(text: str) -> str:
    """What is taken from the elements of a list is taken before they are joined with a table.

    Row-level security lets an index be asked only for what cannot tell of rows that it hides: a column, but not what a
    function makes of one. With such a function, all of a dossier would be read. `OFFSET 0` keeps it where it is.
    """
    found = [one for one in _EACH.finditer(text) if not text.endswith(_ONLY, 0, one.start())]
    for one in reversed(found):
        # Whose elements are meant has to be plain.
        if one[2] or sum(not other[2] for other in found) == 1:
            text = _fenced(text, one)
    return _AMONG.sub(r"\1 IN (SELECT CAST(value AS bigint) FROM json_each(\2) OFFSET 0)", text)


def _fenced(text: str, each: re.Match[str]) -> str:
    name = each[2] or "json_each"
    element = rf"\b{each[2]}\.value\b" if each[2] else r"(?<![\w.])value\b"
    taken: dict[str, str] = {}

    def take(what: str, column: str) -> str:
        taken[column] = what
        return f"{name}.{column}"

    text = f"{text[: each.start()]}\x01{text[each.end() :]}"
    text = re.sub(rf"{element} ->> (\d+)", lambda of: take(f"value ->> {of[1]}", f"value_{of[1]}"), text)
    text = re.sub(rf"\bunhex\({element}\)", lambda _: take("unhex(value)", "unhexed"), text)
    text = re.sub(rf"({_NUMBER}) = {element}", lambda of: f"{of[1]} = {take('CAST(value AS bigint)', 'number')}", text)
    columns = "".join(f", {what} AS {column}" for column, what in taken.items())
    fenced = f"(SELECT key, value{columns} FROM json_each({each[1]}) OFFSET 0) AS {name}"
    return text.replace("\x01", fenced if taken else each[0])


def _aliases(text: str) -> str:
    """Names for queries in the place of a table, which PostgreSQL wants before version 16."""
    for number, found in enumerate(reversed(list(_NAMELESS.finditer(text)))):
        end = _closing(text, found.end()) + 1
        if not _NAMED.match(text, end):
            text = f"{text[:end]} AS query_{number}{text[end:]}"
    return text


def _closing(text: str, start: int) -> int:
    depth = 1
    for at in range(start, len(text)):
        depth += (text[at] == "(") - (text[at] == ")")
        if not depth:
            return at
    raise ValueError(f"A bracket is never closed: {text}")


def _arguments(text: str) -> Iterator[str]:
    depth = start = 0
    for at, sign in enumerate(text):
        depth += (sign == "(") - (sign == ")")
        if sign == "," and not depth:
            yield text[start:at].strip()
            start = at + 1
    yield text[start:].strip()


def _most(name: str) -> Callable[[list[str]], str | None]:
    """Of several values: `greatest`; of a column, `max` is the same."""
    return lambda values: f"{name}({', '.join(values)})" if len(values) > 1 else None


_REWRITTEN: dict[str, Callable[[list[str]], str | None]] = {
    "iif": lambda of: f"CASE WHEN {of[0]} THEN {of[1]} ELSE {of[2]} END",
    "max": _most("greatest"),
    "min": _most("least"),
    "json_group_array": lambda of: f"coalesce(json_agg({of[0]}), '[]')::text",
    "json_group_object": lambda of: f"coalesce(json_object_agg({of[0]}, {of[1]}), '{{}}')::text",
    "json_array": lambda of: f"json_build_array({', '.join(of)})",
    "json_object": lambda of: f"json_build_object({', '.join(of)})",
}


def _conflicts(text: str, tables: Mapping[str, Table], *, in_dossier: bool) -> str:
    """What happens to a row that is there already: named by its key, which PostgreSQL wants to know."""
    insert = _INSERT.search(text)
    if insert is None:
        return text
    manner, name, given = insert[1], insert[2], insert[3]
    lead = "dossier_id, " if in_dossier else ""
    key = lead + ", ".join(tables[name].key)
    text = _CONFLICT.sub(
        lambda found: f"ON CONFLICT ({lead}{own})" if (own := found[1] or found[2]) else f"ON CONFLICT ({key})", text
    )
    if manner is None:
        return text
    if manner.upper() == "IGNORE":
        ending = " ON CONFLICT DO NOTHING"
    else:
        columns = [one.strip() for one in given.split(",")] if given else tables[name].columns
        kept = ", ".join(f"{one} = excluded.{one}" for one in columns if one not in tables[name].key)
        ending = f" ON CONFLICT ({key}) DO UPDATE SET {kept}"
    text = f"{text[: insert.start()]}INSERT INTO{text[insert.start(2) - 1 :]}"
    returning = _RETURNING.search(text)
    at = returning.start() if returning else len(text.rstrip())
    return f"{text[:at]}{ending}{text[at:]}"
