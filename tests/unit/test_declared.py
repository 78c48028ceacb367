"""Whatever the program imports is declared: in a fresh environment there is nothing else."""

from __future__ import annotations

import ast
import sys
import tomllib
from importlib.metadata import packages_distributions, requires
from pathlib import Path

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).parents[2]
TABLE = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
FOR_USERS = [one for name, extra in TABLE["optional-dependencies"].items() for one in extra
             if name not in {"dev", "train", "bench"}]  # fmt: skip
#: Parts of a dependency that are packages of their own, and what stands in its promised interface.
COMES_WITH = {
    "google-auth": "gspread",
    "h11": "uvicorn",
    "markupsafe": "jinja2",
    "mcp-types": "mcp",
    "psycopg-pool": "psycopg",
    "pydantic-core": "pydantic",
    "requests": "google-auth",
    "typing-extensions": "pydantic",
}
#: For type checkers alone; of a later Python; what a table is made for if a program has it.
ELSEWHERE = {"_typeshed", "compression", "pandas"}


def _names(requirements: list[str]) -> set[str]:
    return {canonicalize_name(Requirement(one).name) for one in requirements}


def _imported() -> dict[str, set[str]]:
    """The packages that any module imports anywhere, and the modules."""
    found: dict[str, set[str]] = {}
    for path in (ROOT / "src" / "veille").rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            whole = [one.name for one in node.names] if isinstance(node, ast.Import) else []
            parts = [node.module or ""] if isinstance(node, ast.ImportFrom) and node.level == 0 else []
            for name in whole + parts:
                found.setdefault(name.partition(".")[0], set()).add(str(path.relative_to(ROOT)))
    return {name: paths for name, paths in found.items() if name not in {"veille", *sys.stdlib_module_names}}


def test_everything_that_is_imported_is_declared() -> None:
    declared = _names(TABLE["dependencies"]) | _names(FOR_USERS) | COMES_WITH.keys()
    known = packages_distributions()
    missing = {
        name: paths
        for name, paths in _imported().items()
        # Some packages do not say which modules they have.
        if not declared & {canonicalize_name(one) for one in [*known.get(name, ()), name]} and name not in ELSEWHERE
    }
    assert missing == {}


def test_what_comes_with_a_dependency_is_required_by_it() -> None:
    declared = _names(TABLE["dependencies"]) | _names(FOR_USERS) | COMES_WITH.keys()
    for part, whole in COMES_WITH.items():
        assert whole in declared
        assert part in _names(list(requires(whole) or ())), f"{whole} does not bring {part} any more: declare it"
