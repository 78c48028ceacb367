"""Examples in docstrings say what the code does."""

from __future__ import annotations

import doctest
from importlib import import_module
from pathlib import Path

import pytest

import veille

ROOT = Path(veille.__file__).parents[1]


def _modules() -> list[str]:
    """Those with examples; what the library shows needs a shop, and is run by `test_python_reference.py`."""
    found = (path for path in ROOT.glob("veille/**/*.py") if ">>> " in path.read_text(encoding="utf-8"))
    names = (".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__") for path in found)
    return sorted(name for name in names if not name.startswith("veille.library"))


@pytest.mark.parametrize("name", _modules())
def test_they_run(name: str) -> None:
    done = doctest.testmod(import_module(name))
    assert done.attempted
    assert not done.failed
