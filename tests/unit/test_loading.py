from __future__ import annotations

import subprocess
import sys

import pytest

LOADED = """
import sys

import pytest
{code}
print(*sys.modules)
"""


def loaded(code: str) -> set[str]:
    done = subprocess.run(
        [sys.executable, "-c", LOADED.format(code=code)], capture_output=True, text=True, check=True, timeout=60
    )
    return set(done.stdout.split())


def test_the_package_alone_loads_next_to_nothing() -> None:
    assert loaded("import veille").isdisjoint({"numpy", "pydantic", "veille.bootstrap", "veille.settings"})


def test_the_command_line_loads_the_command_that_is_named_and_no_other() -> None:
    modules = loaded(
        "from veille.interfaces.cli import app\nassert app.info.cls\nfrom typer.main import get_group\n"
        "assert get_group(app).commands['sources'].commands['export']"
    )
    rooms = "veille.interfaces.cli."
    ours = {name.removeprefix(rooms) for name in modules if name.startswith(rooms)}
    assert "watching.sources" in ours
    assert ours.isdisjoint({"engine.serve", "_mcp", "crawler.commands", "_news", "demo.commands"})


def test_numpy_is_not_loaded_until_texts_are_compared_or_read() -> None:
    assert "numpy" not in loaded("from tempfile import mkdtemp\nimport veille\nveille.open_app(data=mkdtemp()).close()")


@pytest.mark.parametrize("words", ["--help", "--version", "sources --help", "sources edit --help", "news"])
def test_help_loads_next_to_nothing(words: str) -> None:
    modules = loaded(
        "import contextlib, io\nfrom veille.interfaces.cli import main\n"
        f"sys.argv = ['veille', *{words.split()!r}]\n"
        "with contextlib.suppress(SystemExit), contextlib.redirect_stdout(io.StringIO()): main()"
    )
    heavy = {"typer", "rich", "pydantic", "fastapi", "lxml", "apsw", "numpy", "sqlite3", "asyncio"}
    assert modules.isdisjoint(heavy)
    ours = {name for name in modules if name.startswith("veille.")}
    rooms = ("veille.interfaces.cli.manual", "veille.errors", "veille.version")
    assert {name for name in ours if not name.startswith(rooms)} <= {"veille.interfaces", "veille.interfaces.cli"}


def test_a_list_of_sources_loads_no_reader_of_pages_and_feeds() -> None:
    modules = loaded(
        "import contextlib, io\nfrom tempfile import mkdtemp\nfrom veille.interfaces.cli import main\n"
        "sys.argv = ['veille', '--data', mkdtemp(), 'sources']\n"
        "with contextlib.suppress(SystemExit), contextlib.redirect_stdout(io.StringIO()): main()"
    )
    assert modules.isdisjoint(
        {"rich", "fastapi", "lxml.etree", "feedparser", "veille.core.extract", "veille.core.feeds"}
    )
