"""A reread begins where the reader differs: its version has to follow from everything that it reads with."""

from __future__ import annotations

from pathlib import Path

from veille import reader_version

CORE = Path(reader_version.__file__).parent / "core"
#: Declarations of types, and code that gives the same as the Python code beside it.
NO_READER = frozenset({".pyi", ".so", ".pyc", ".md"})


def test_the_version_follows_from_every_file_of_the_core() -> None:
    others = {path.suffix for path in CORE.rglob("*") if path.is_file()} - NO_READER
    assert others == reader_version._READING
