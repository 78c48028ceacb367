"""The examples of the Python reference and of its how-to are run, in the order in which they are read."""

from __future__ import annotations

import asyncio
import doctest
import inspect
import re
from ast import PyCF_ALLOW_TOP_LEVEL_AWAIT
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

import veille
from python_reference import DOORS, examples, python_page
from veille.library import AsyncDossier, DataFolder, WatchedDossier
from world import Page, Site

_PAGE = Path(__file__).parents[2] / "docs" / "howto" / "use-it-from-python.md"
_TEA = (
    "<html lang='en'><title>Smoked tea</title><h1>Smoked tea</h1><p class='price'>{} EUR</p>"
    "<p>The smoked tea comes from the hills behind the harbour, where it dries over a fire of pine for three days.</p>"
    "<p>The shop opens at nine and closes at six, and sends the tea to every island that a ferry reaches.</p>"
)
#: The shop is as it was until it was checked for the first time, then its price has risen.
_RISES_AFTER = "WatchedDossier.check"
#: What needs all the others to have run.
_LAST = ("open_async", "WatchedDossier.remove")


@pytest.fixture
def site(monkeypatch: pytest.MonkeyPatch) -> Iterator[Site]:
    monkeypatch.setenv("VEILLE_FETCH__HOST_DELAY_MS", "0")
    monkeypatch.setenv("VEILLE_FETCH__ALLOW_NETWORKS", '["127.0.0.0/8"]')
    with Site() as site:
        site.pages["/tea"] = Page(_TEA.format("12.90").encode())
        yield site


def _here(text: str, site: Site, folder: Path) -> str:
    return text.replace("https://shop.example", site.url).replace("/srv/veille", str(folder))


def test_the_examples_of_the_reference_say_what_they_show(site: Site, tmp_path: Path) -> None:
    shown = examples()
    known: dict[str, Any] = {"asyncio": asyncio}
    said: list[str] = []

    def run() -> None:
        runner = doctest.DocTestRunner()
        for name in [one for one in shown if one not in _LAST] + list(_LAST):
            text = _here(shown[name], site, tmp_path / "data")
            test = doctest.DocTestParser().get_doctest(text, known, name, name, 0)
            runner.run(test, out=said.append, clear_globs=False)
            known.update(test.globs)
            if name == _RISES_AFTER:
                site.pages["/tea"] = Page(_TEA.format("13.90").encode())
        known["data"].close()

    # In a thread: tests with a browser leave a loop in this one.
    with ThreadPoolExecutor(1) as pool:
        pool.submit(run).result()
    assert "".join(said) == ""


def test_every_method_of_the_library_has_an_example_and_a_method_to_await() -> None:
    for one in (DataFolder, WatchedDossier):
        public = {name for name, found in vars(one).items() if inspect.isfunction(found) and name[0] != "_"}
        assert {f"{one.__name__}.{name}" for name in public - {"close"}} <= examples().keys()
    assert {name for name in vars(WatchedDossier) if name[0] != "_"} == {
        name for name in vars(AsyncDossier) if name[0] != "_"
    }


def test_what_the_package_promises_is_what_the_reference_describes() -> None:
    described = set(re.findall(r"^#+ `veille\.(\w+)`$", python_page(), re.MULTILINE))
    assert described - {door.removeprefix("veille.") for door in DOORS} == set(veille.__all__)
    assert all(getattr(veille, name) for name in veille.__all__)


def test_everything_that_a_method_returns_is_described() -> None:
    page = python_page()
    library, _, doors = page.partition("## Without a data folder")
    returned = " ".join(re.findall(r"-> (.*)$", library, re.MULTILINE))
    words = set(re.findall(r"[A-Z]\w+", returned)) - {"None", "Any", "Iterator", "AsyncIterator", "DataFrame", "Table"}
    assert {"RunItem", "Event", "Hit", "ValuePoint"} < words
    assert {word for word in words if f"`{word}`" not in library} == set()
    assert all(f"### `{name}`" in doors for name in DOORS)


def test_the_programs_of_the_how_to_run(site: Site, tmp_path: Path) -> None:
    told: list[str] = []

    async def tell(title: str) -> None:
        told.append(title)

    blocks = re.findall(r"```python\n(.*?)```", _PAGE.read_text(encoding="utf-8"), re.DOTALL)
    first, *further = [_here(block, site, tmp_path / "data") for block in blocks]
    known: dict[str, Any] = {"cursor": "", "tell": tell}

    async def run() -> None:
        for block in further:
            waits = eval(compile(block, str(_PAGE), "exec", PyCF_ALLOW_TOP_LEVEL_AWAIT), known)  # noqa: S307 - ours
            if waits is not None:
                await waits

    def all_of_them() -> None:
        exec(first, known)  # noqa: S102 - ours
        with veille.open(tmp_path / "data") as data:
            known["prices"] = data.dossier("prices")
            asyncio.run(run())

    with ThreadPoolExecutor(1) as pool:
        pool.submit(all_of_them).result()
    assert told == ["Smoked tea"]
    assert known["cursor"]
    assert list(known["table"]["value_number"]) == [12.9]
