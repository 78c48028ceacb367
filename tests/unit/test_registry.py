from __future__ import annotations

import sys
import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import ClassVar

import numpy as np  # noqa: F401 - it cannot be loaded a second time, so the tests must find it loaded
import pytest

from samples import payload
from veille import registry
from veille.core.extract import Options, extract_page, modes
from veille.core.kinds import Kind, kind_names, kind_of
from veille.errors import ConfigError, NotFoundError
from veille.registry import load, load_all, names

Drop = Callable[[str, str, str], None]

STRATEGY = """
from veille.core.extract import Candidate, Page, Strategy

class Asides(Strategy):
    def candidate(self, page: Page) -> Candidate | None:
        node = page.tree.css_first("p.best")
        return Candidate(nodes=(node,), score={score}) if node is not None else None
"""
PAGE = "<main><p>" + "What the page says at length. " * 20 + "</p></main><p class=best>The best.</p>"


class Tool(ABC):
    """A base made for these tests."""

    entry_points: ClassVar[str] = "veille.tests.tools"

    @abstractmethod
    def use(self) -> str: ...


@pytest.fixture
def drop(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Drop]:
    """Put a file into a package, as if it had been saved there."""
    before = set(sys.modules)

    def put(package: str, name: str, code: str) -> None:
        folder = tmp_path / package
        folder.mkdir(exist_ok=True)
        (folder / f"{name}.py").write_text(code)
        module = __import__(package, fromlist=["x"])
        monkeypatch.setattr(module, "__path__", [*module.__path__, str(folder)])
        registry._files.cache_clear()

    yield put
    registry._files.cache_clear()
    for name in set(sys.modules) - before:
        del sys.modules[name]


@pytest.fixture
def tools(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """An empty package for tools."""
    (tmp_path / "tools_of_tests").mkdir()
    (tmp_path / "tools_of_tests" / "__init__.py").touch()
    monkeypatch.syspath_prepend(str(tmp_path))
    yield tmp_path / "tools_of_tests"
    registry._files.cache_clear()
    registry._every.cache_clear()
    registry._group.cache_clear()
    for name in [name for name in sys.modules if name.startswith(("tools_of_tests", "outside_tools"))]:
        del sys.modules[name]


def _tool(name: str) -> str:
    return (
        "from unit_registry import Tool\n"
        f"class {name}(Tool):\n    def use(self) -> str:\n        return '{name.lower()}'\n"
    )


@pytest.fixture(autouse=True)
def _importable(monkeypatch: pytest.MonkeyPatch) -> None:
    # The files written here import the base from this module, under a name that no test runner chooses.
    monkeypatch.setitem(sys.modules, "unit_registry", sys.modules[__name__])


def test_the_name_of_a_file_is_the_name_of_its_extension(tools: Path) -> None:
    (tools / "hammer.py").write_text(_tool("Hammer"))
    (tools / "_private.py").write_text("raise RuntimeError('never imported')")
    assert names("tools_of_tests", Tool) == ["hammer"]
    assert load("tools_of_tests", "hammer", Tool)().use() == "hammer"


def test_a_file_that_another_thread_is_importing_is_waited_for(tools: Path) -> None:
    (tools / "slow.py").write_text("import time\ntime.sleep(0.2)\n" + _tool("Slow"))
    with ThreadPoolExecutor() as threads:
        first = threads.submit(load, "tools_of_tests", "slow", Tool)
        while "tools_of_tests.slow" not in sys.modules:
            time.sleep(0.001)
        assert load("tools_of_tests", "slow", Tool) is first.result()


def test_listing_names_imports_nothing(tools: Path) -> None:
    (tools / "heavy.py").write_text("raise RuntimeError('imported')")
    assert names("tools_of_tests", Tool) == ["heavy"]


def test_all_extensions_come_in_alphabetical_order(tools: Path) -> None:
    for name in ("Saw", "Axe"):
        (tools / f"{name.lower()}.py").write_text(_tool(name))
    assert list(load_all("tools_of_tests", Tool)) == ["axe", "saw"]


def test_an_unknown_name_lists_the_known_ones(tools: Path) -> None:
    (tools / "hammer.py").write_text(_tool("Hammer"))
    with pytest.raises(NotFoundError, match="no tool called 'pliers'; known: hammer") as caught:
        load("tools_of_tests", "pliers", Tool)
    assert caught.value.code == "unknown_extension"


@pytest.mark.parametrize("code", ["", _tool("One") + _tool("Two")])
def test_a_file_holds_exactly_one_extension(code: str, tools: Path) -> None:
    (tools / "odd.py").write_text(code)
    with pytest.raises(ConfigError, match=r"exactly one Tool, it holds [02]") as caught:
        load("tools_of_tests", "odd", Tool)
    assert caught.value.code == "bad_extension"


def _outside(tools: Path, entry: str) -> None:
    """Another package, installed beside ours."""
    folder = tools.parent
    (folder / "outside_tools.py").write_text(_tool("Outside") + "nothing = 1\n")
    info = folder / "outside_tools-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: outside-tools\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text(f"[veille.tests.tools]\n{entry}\n")
    registry._every.cache_clear()
    registry._group.cache_clear()


def test_outside_packages_add_extensions_through_entry_points(tools: Path) -> None:
    (tools / "hammer.py").write_text(_tool("Hammer"))
    _outside(tools, "outside = outside_tools:Outside")
    assert names("tools_of_tests", Tool) == ["hammer", "outside"]
    assert load("tools_of_tests", "outside", Tool)().use() == "outside"


def test_an_entry_point_that_is_something_else_is_refused(tools: Path) -> None:
    _outside(tools, "outside = outside_tools:nothing")
    with pytest.raises(ConfigError, match="outside_tools:nothing is not a Tool") as caught:
        load("tools_of_tests", "outside", Tool)
    assert caught.value.code == "bad_extension"


def test_our_own_file_wins_over_an_entry_point_of_the_same_name(tools: Path) -> None:
    (tools / "hammer.py").write_text(_tool("Hammer"))
    _outside(tools, "hammer = outside_tools:Outside")
    assert load("tools_of_tests", "hammer", Tool)().use() == "hammer"


def test_a_kind_that_is_dropped_in_is_found(drop: Drop) -> None:
    drop(
        "veille.core.kinds",
        "nothing",
        "from veille.core.kinds import Kind\nclass Nothing(Kind):\n    def read(self, *_):\n        yield from ()\n",
    )
    assert "nothing" in kind_names()
    assert isinstance(kind_of("nothing", {}), Kind)


@pytest.mark.parametrize(("score", "wins"), [(2.0, True), (0.0, False)])
def test_a_strategy_that_is_dropped_in_is_found_and_the_best_score_wins(
    drop: Drop, score: float, *, wins: bool
) -> None:
    drop("veille.core.extract", "zz_best", STRATEGY.format(score=score))
    found = extract_page(PAGE, payload().url)
    assert found.content is not None
    assert (found.strategy == "zz_best") is wins
    assert (found.content.text == "The best.") is wins
    assert not wins or found.score == score


def test_a_source_can_ask_for_one_strategy_alone(drop: Drop) -> None:
    drop("veille.core.extract", "zz_best", STRATEGY.format(score=0.0))
    assert extract_page(PAGE, payload().url, Options(mode="zz_best")).strategy == "zz_best"
    kind_of("page", {"mode": "zz_best"}).check()
    assert "zz_best" in modes()


def test_a_page_no_strategy_finds_anything_in_has_no_content() -> None:
    found = extract_page(b"", payload().url)
    assert (found.content, found.strategy, found.score, found.quality) == (None, None, 0.0, None)
