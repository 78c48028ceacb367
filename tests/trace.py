# ruff: noqa: A005 - it is started by its path and never imported
"""Which tests prove which requirement: `python tests/trace.py [--issue 2]`.

Reads the `covers` markers in the tests and the numbered list in docs/requirements.md. Ends with 1 when a marker names a
requirement that does not exist, or when one of the issue asked for has no test.
"""

from __future__ import annotations

import argparse
import ast
import re
import sys
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

TESTS = Path(__file__).parent
PAGE = TESTS.parent / "docs" / "requirements.md"

#: What each issue promised to cover; numbers and ranges.
ISSUES = {
    2: "1-9 18 20 29 83-85 137-139 163 164 217 233",
    # Without R-212, which is about the pages.
    7: "1-5 21 22 30 31 156-179 201-211 213 216 217 226",
    21: "180 240 241 244",
}

Function = ast.FunctionDef | ast.AsyncFunctionDef
Proofs = Mapping[str, list[str]]


def requirements() -> dict[str, str]:
    """Every requirement and its statement."""
    return dict(re.findall(r"^- (R-\d{3}) (.+)$", PAGE.read_text(), re.MULTILINE))


def promised(issue: int) -> list[str]:
    """The requirements of an issue."""
    numbers: list[int] = []
    for part in ISSUES[issue].split():
        first, _, last = part.partition("-")
        numbers += range(int(first), int(last or first) + 1)
    return [f"R-{number:03}" for number in numbers]


def proofs() -> dict[str, list[str]]:
    """The tests of every requirement that a marker names."""
    found: dict[str, list[str]] = defaultdict(list)
    for path in sorted(TESTS.rglob("*.py")):
        module = ast.parse(path.read_text())
        of_all = [call for node in module.body if _is_mark(node) for call in ast.walk(node)]
        for node in ast.walk(module):
            if isinstance(node, Function) and node.name.startswith("test_"):
                for requirement in _covered([*of_all, *node.decorator_list]):
                    found[requirement].append(f"{path.relative_to(TESTS)}::{node.name}")
    return dict(found)


def _is_mark(node: ast.stmt) -> bool:
    """Whether it marks all tests of its module: `pytestmark = …`."""
    return isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "pytestmark"


def _covered(marks: Iterable[ast.AST]) -> Iterator[str]:
    for mark in marks:
        if isinstance(mark, ast.Call) and ast.unparse(mark.func) == "pytest.mark.covers":
            yield from (str(ast.literal_eval(argument)) for argument in mark.args)


def report(known: Mapping[str, str], proven: Proofs, wanted: list[str]) -> Iterator[str]:
    """The lines that `make trace` prints."""
    for requirement in wanted:
        tests = proven.get(requirement, [])
        if tests:
            yield f"{requirement} {known[requirement][:100]}"
            yield from (f"      {test}" for test in tests)
    without = [requirement for requirement in wanted if requirement not in proven]
    count = len(wanted) - len(without)
    yield f"\n{count} of {len(wanted)} requirements have tests; without any: {' '.join(without) or '-'}"


def main(arguments: list[str] | None = None) -> int:
    """Print the report; 1 when it is not as it should be."""
    parser = argparse.ArgumentParser(description="Which tests prove which requirement.")
    parser.add_argument("--issue", type=int, choices=sorted(ISSUES), help="only what this issue promised")
    chosen = parser.parse_args(arguments).issue
    known, proven = requirements(), proofs()
    wanted = promised(chosen) if chosen else list(known)
    print("\n".join(report(known, proven, wanted)))
    unknown = sorted(set(proven) - set(known))
    if unknown:
        print(f"No such requirement: {', '.join(unknown)}", file=sys.stderr)
    missing = [requirement for requirement in wanted if requirement not in proven] if chosen else []
    return 1 if unknown or missing else 0


if __name__ == "__main__":
    sys.exit(main())
