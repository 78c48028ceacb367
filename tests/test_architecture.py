"""The shape of the code, as tests: budgets, layers, documented codes, and what `import veille` costs."""

from __future__ import annotations

import ast
import io
import re
import shutil
import subprocess
import sys
import tokenize
from collections import Counter
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from statistics import quantiles

import pytest

import veille
from veille.core.workload import Limit

ROOT = Path(__file__).parent.parent
PACKAGE = ROOT / "src" / "veille"
MODULES = sorted(PACKAGE.rglob("*.py"))
TESTS = sorted((ROOT / "tests").rglob("*.py"))

MAX_MODULE, MAX_FUNCTION, MAX_PUBLIC = 300, 40, 12
#: Nine of ten modules and functions are no longer than this.
USUAL_MODULE, USUAL_FUNCTION = 180, 18
#: Modules in one folder; at the top of the core lies only what all of it builds on.
MAX_MODULES, MAX_CORE = 20, 16
#: Modules with more public names than that, and why.
MANY_NAMES = {
    "core/models.py": "one page for all nouns",
    "core/schedule.py": "four units of time beside the limits",
    "core/urls.py": "all that is asked about an address",
    "errors.py": "one page for the error tree",
}

#: Names in the schemas of REST and of tools, which clients know, and which something else in the program has, too.
TWINS = {"Changes", "Source"}

Function = ast.FunctionDef | ast.AsyncFunctionDef


def _name(path: Path) -> str:
    return path.relative_to(PACKAGE).as_posix()


@cache
def _tree(path: Path) -> ast.Module:
    return ast.parse(path.read_text())


def _docstring_lines(tree: ast.AST) -> Iterator[int]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Module | ast.ClassDef | Function) and ast.get_docstring(node) is not None:
            yield from range(node.body[0].lineno, (node.body[0].end_lineno or 0) + 1)


@cache
def _code_lines(path: Path) -> set[int]:
    layout = {tokenize.COMMENT, tokenize.NL, tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT, tokenize.ENDMARKER}
    lines: set[int] = set()
    for token in tokenize.generate_tokens(io.StringIO(path.read_text()).readline):
        if token.type not in layout:
            lines.update(range(token.start[0], token.end[0] + 1))
    return lines - set(_docstring_lines(_tree(path)))


def _lengths(path: Path) -> dict[str, int]:
    """Lines of code of every function, by its name and place."""
    code = _code_lines(path)
    return {
        f"{node.name}, line {node.lineno}": sum(line in code for line in range(node.lineno, (node.end_lineno or 0) + 1))
        for node in ast.walk(_tree(path))
        if isinstance(node, Function)
    }


def _public_names(tree: ast.Module) -> list[str]:
    names = []
    for node in tree.body:
        if isinstance(node, ast.ClassDef | Function):
            names.append(node.name)
        elif isinstance(node, ast.Assign | ast.AnnAssign):
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            names += [target.id for target in targets if isinstance(target, ast.Name)]
    return [name for name in names if not name.startswith("_")]


@pytest.mark.parametrize("path", MODULES, ids=_name)
def test_a_module_is_read_in_one_sitting(path: Path) -> None:
    assert len(_code_lines(path)) <= MAX_MODULE
    assert {name: length for name, length in _lengths(path).items() if length > MAX_FUNCTION} == {}
    public = _public_names(_tree(path))
    if _name(path) not in MANY_NAMES:
        assert len(public) <= MAX_PUBLIC, public


def test_a_folder_is_seen_at_a_glance() -> None:
    folders = Counter(_name(path.parent) for path in MODULES if path.name != "__init__.py")
    most = {"core": MAX_CORE}
    crowded = {name: count for name, count in folders.items() if count > most.get(name, MAX_MODULES)}
    assert not crowded


def test_no_two_public_classes_have_the_same_name() -> None:
    names = Counter(node.name for path in MODULES for node in _tree(path).body if isinstance(node, ast.ClassDef))
    twins = {name for name, count in names.items() if count > 1 and not name.startswith("_")}
    assert twins == TWINS


def test_addresses_are_parsed_in_two_places_of_the_core() -> None:
    """As browsers do in `urls`, strictly for the door in `addresses`: a third parser would disagree with them."""
    parsers = re.compile(r"can_ada|url(?:un)?split|urlparse|urljoin|yarl")
    found = [_name(path) for path in MODULES if _name(path).startswith("core/") and parsers.search(path.read_text())]
    # feedparser's own join gives ids of entries that stay the same.
    assert found == ["core/feeds/machine.py", "core/urls.py"]


def test_most_modules_and_functions_are_short() -> None:
    modules = [len(_code_lines(path)) for path in MODULES]
    functions = [length for path in MODULES for length in _lengths(path).values()]
    assert quantiles(modules, n=10)[-1] <= USUAL_MODULE
    assert quantiles(functions, n=10)[-1] <= USUAL_FUNCTION


def test_every_exception_to_the_budget_of_names_is_still_needed() -> None:
    counts = {name: len(_public_names(_tree(PACKAGE / name))) for name in MANY_NAMES}
    assert all(count > MAX_PUBLIC for count in counts.values()), counts


def test_the_public_names_of_the_package_are_pinned() -> None:
    assert veille.__all__ == [
        "ConfigError",
        "NotFoundError",
        "ReadError",
        "SinkError",
        "StoreError",
        "VeilleError",
        "__version__",
        "open",
        "open_async",
    ]


def test_importing_veille_and_searching_with_it_loads_no_network_and_no_list_of_passwords(tmp_path: Path) -> None:
    script = (
        "import sys, veille\n"
        f"with veille.open_app(data={str(tmp_path)!r}) as app:\n"
        "    dossier = app.create_dossier('a')\n"
        "    app.searches.search([dossier.id], 'word')\n"
        "    app.accounts.has_passwords()\n"
        "print([name for name in ('aiohttp', 'uvloop', 'typer', 'rich', 'zxcvbn') if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_a_worker_loads_nothing_that_reads_or_tells(tmp_path: Path) -> None:
    never = (
        *("feedparser", "lxml", "numpy", "selectolax", "tomllib", "veille.core.extract", "veille.core.formats"),
        *("veille.core.rules.book", "veille.services.alerts.judging", "veille.adapters.fetch._browser"),
    )
    script = (
        "import http.server, sys, threading, veille\n"
        "from veille.core.models import Scope\n"
        "from veille.services.watching.sources import Wish\n"
        "server = http.server.HTTPServer(('127.0.0.1', 0), http.server.SimpleHTTPRequestHandler)\n"
        "threading.Thread(target=server.serve_forever, daemon=True).start()\n"
        "with veille.open_app(data='data', fetch={'allow_networks': ['127.0.0.0/8']}) as app:\n"
        "    dossier = app.create_dossier('a')\n"
        "    url = f'http://127.0.0.1:{server.server_port}/feed.xml'\n"
        "    app.sources.add(dossier.id, Wish(url=url, kind='feed', config={'follow_links': True}))\n"
        "    (run,) = app.run(Scope())\n"
        f"print([name for name in {never!r} if name in sys.modules], len(run.items))"
    )
    (tmp_path / "feed.xml").write_text("<rss version='2.0'><channel><title>A feed</title></channel></rss>")
    done = subprocess.run([sys.executable, "-c", script], cwd=tmp_path, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[] 1"


#: What opens dossiers without asking who wants it: for the command line alone.
UNCHECKED = re.compile(
    r"\bapp\.(dossiers?|create_dossier|reading|sources|catalogue|questions|lists|local|adding|searches|search_log)\b"
)


def test_web_layers_open_dossiers_through_an_access_only() -> None:
    assert UNCHECKED.search("with app.dossiers.open(dossier_id) as store:")
    assert not UNCHECKED.search("app.on_behalf(access, 'read').sources.all(dossier_id); access.dossiers()")
    folder = PACKAGE / "interfaces"
    local = {folder / "cli", folder / "demo"}
    web = [path for path in folder.rglob("*.py") if not local & set(path.parents)]
    assert [path.name for path in web if UNCHECKED.search(path.read_text())] == []


#: What interfaces do not do: open a dossier other than by `services.reading`, or write to what all dossiers share.
PAST_SERVICES = re.compile(
    r"\b(access|dossiers)\.open\(|\bDossierStore\b|\.queue\.(?!exhausted\(|backlog\()|\.hosts\.(?!ledger\(|page\(|totals\()"
)


def test_interfaces_read_dossiers_through_read_ports_and_write_through_services() -> None:
    """`services.reading` gives a `DossierReader`; mypy refuses every other call on it."""
    for breach in (
        "with call.access.open(dossier_id) as store:",
        "app.queue.arm(dossier_id, now)",
        "app.hosts.save([])",
    ):
        assert PAST_SERVICES.search(breach), breach
    opens = re.compile(r"\b(access|dossiers)\.open\(")
    paths = [path for path in MODULES if _name(path).startswith("interfaces/") and "engine" not in path.parts]
    local = {path for path in paths if {"cli", "demo"} & set(path.parts)}
    breaches = {path for path in paths if (opens if path in local else PAST_SERVICES).search(path.read_text())}
    assert sorted(map(_name, breaches)) == []


def test_the_read_ports_are_those_that_the_architecture_names() -> None:
    tree = _tree(PACKAGE / "ports" / "dossiers.py")
    reader = next(node for node in tree.body if isinstance(node, ast.ClassDef) and node.name == "DossierReader")
    ports = {ast.unparse(node.annotation) for node in reader.body if isinstance(node, ast.AnnAssign)}
    page = (ROOT / "docs" / "architecture.md").read_text()
    named = re.findall(r"^\| `(\w+)` \|", page.partition("### Read ports")[2].partition("\n## ")[0], re.MULTILINE)
    assert set(named) == ports - {"str"}


#: The entry of a store in the contract suites, and tests that have its name.
STORE_TESTS = re.compile(r"(^|/)(contract/stores|[^/]*(sqlite|postgres)[^/]*)\.py$")


def test_only_tests_that_have_the_name_of_a_store_import_it() -> None:
    named = re.compile(r"\bveille\.adapters\.stores\b")
    names = {path.relative_to(ROOT / "tests").as_posix(): path for path in TESTS}
    found = {name for name, path in names.items() if named.search(path.read_text())}
    assert found, "the store's own tests import it"
    assert sorted(name for name in found if not STORE_TESTS.search(name)) == []


def _codes() -> set[str]:
    written = re.compile(r'\bcode ?= ?f?"([^"]+)"')
    codes = {code for path in MODULES for code in written.findall(path.read_text())}
    return {code.replace("{status}", "<status>") for code in codes}


def test_every_error_code_is_documented_and_every_documented_one_is_used() -> None:
    page = (ROOT / "docs" / "reference" / "errors.md").read_text()
    documented = set(re.findall(r"^\| `([^`]+)` \|", page, re.MULTILINE))
    assert documented == _codes() | set(Limit)


#: Who may put markup to a parser or a sanitiser: those that bound it first, and one that parses its own.
PARSERS = {"article.py", "css.py", "engines.py", "markup_bounds.py", "html.py", "prescan.py", "_page.py"}


def test_markup_from_outside_is_bounded_before_it_is_parsed() -> None:
    parses = re.compile(r"LexborHTMLParser\(|nh3\.clean\(")
    assert {path.name for path in MODULES if parses.search(path.read_text())} == PARSERS


def test_no_test_uses_mocks() -> None:
    words = ("unittest" + ".mock", "Magic" + "Mock", "mocker" + ".", "monkeypatch" + ".setattr(time")
    assert [path.name for path in TESTS for word in words if word in path.read_text()] == []


BREACHES = {
    "Imports point down only": ("core/planted.py", "import veille.services.watching.watch\n"),
    "The core is pure: no network, disk, clock, threads or logging": ("core/planted.py", "import socket\n"),
    "Only bootstrap knows the adapters": ("interfaces/planted.py", "import veille.adapters.sinks.buffer\n"),
    "No cycles": ("core/text.py", "import veille.core.fingerprint\n"),
}


@pytest.mark.covers("R-007", "R-008", "R-009")
@pytest.mark.parametrize("contract", BREACHES)
def test_a_planted_breach_breaks_its_contract(contract: str, tmp_path: Path) -> None:
    file, text = BREACHES[contract]
    target = _copy(tmp_path) / file
    target.write_text((target.read_text() if target.exists() else "") + text)
    assert f"{contract} BROKEN" in _linted(tmp_path)


def test_a_stray_module_outside_the_layers_breaks_them(tmp_path: Path) -> None:
    (_copy(tmp_path) / "utils.py").touch()
    assert "veille.utils" in _linted(tmp_path)


@pytest.mark.covers("R-007", "R-008", "R-009")
def test_the_layers_hold(tmp_path: Path) -> None:
    _copy(tmp_path)
    assert "0 broken" in _linted(tmp_path)


def _copy(folder: Path) -> Path:
    shutil.copy(ROOT / "pyproject.toml", folder)
    return shutil.copytree(PACKAGE, folder / "src" / "veille", ignore=shutil.ignore_patterns("__pycache__"))


def _linted(folder: Path) -> str:
    lint = Path(sys.executable).parent / "lint-imports"
    environment = {"PYTHONPATH": str(folder / "src"), "PATH": str(lint.parent), "COLUMNS": "200"}
    done = subprocess.run(
        [lint, "--no-cache"], cwd=folder, env=environment, capture_output=True, text=True, check=False
    )
    return done.stdout + done.stderr
