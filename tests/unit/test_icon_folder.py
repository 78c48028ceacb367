from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from veille.adapters import icon_folder
from veille.adapters.icon_folder import IconFolder


def test_pictures_are_written_by_many_at_once(tmp_path: Path) -> None:
    shelf = IconFolder(tmp_path / "icons")
    with ThreadPoolExecutor(8) as threads:
        list(threads.map(lambda number: shelf.write(str(number), b"x"), range(400)))
    assert all(shelf.read(str(number)) == b"x" for number in range(400))


def test_the_oldest_make_room(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(icon_folder, "MOST", 3)
    shelf = IconFolder(tmp_path / "icons")
    for number in range(5):
        shelf.write(str(number), b"x")
    assert [shelf.read(str(number)) for number in range(5)] == [None, None, b"x", b"x", b"x"]
