"""Names in a search that are other words without their signs: `C++`, `C#`, `.NET`, `__init__`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from veille.core.search.words import whole_name, whole_names

if TYPE_CHECKING:
    from collections.abc import Iterable

    from veille.core.records import Revision
    from veille.core.search.query import Query, Term

_HAS = "{row} {isin} (SELECT rowid FROM forms WHERE forms MATCH :{value})"


def with_names(query: Query, row: str, values: dict[str, Any]) -> str:
    """The condition that documents have the names of a query, and none that it excludes, by the index of forms."""
    conditions = ""
    wanted = " AND ".join(f"({_any(names)})" for names in _wanted(query))
    excluded = _any(filter(None, map(_name, query.excluded)))
    for value, isin, match in (("named", "IN", wanted), ("unnamed", "NOT IN", excluded)):
        if match:
            values[value] = match
            conditions += f" AND {_HAS.format(row=row, isin=isin, value=value)}"
    return conditions


def has_names(query: Query, revision: Revision) -> bool:
    """The same for a revision that no index has."""
    wanted, excluded = _wanted(query), {_name(term).lower() for term in query.excluded} - {""}
    if not wanted and not excluded:
        return True
    there = whole_names(f"{revision.title}\n{revision.text}")
    return all(there & {name.lower() for name in names} for names in wanted) and not there & excluded


def plainly(query: Query) -> tuple[Term, ...]:
    """What is excluded by words: their letters alone would exclude too much."""
    return tuple(term for term in query.excluded if not _name(term))


def _wanted(query: Query) -> list[list[str]]:
    """The names of each group that has nothing else."""
    groups = [[_name(term) for term in group] for group in query.groups]
    return [names for names in groups if all(names)]


def _name(term: Term) -> str:
    return "" if term.prefix else whole_name(term.text)


def _any(names: Iterable[str]) -> str:
    return " OR ".join(f'"{name}"' for name in names)
