from __future__ import annotations

import os
import socket
import time
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from veille.adapters.fetch import Door
from veille.core.traffic import Failure, Order, Payload, Validators
from veille.settings import FetchSettings


class Folder:
    def __init__(self, root: Path) -> None:
        self.root = root / "docs"
        (self.root / "sub").mkdir(parents=True)
        (self.root / "sub" / "note.txt").write_text("hello", encoding="utf-8")
        (root / "secret.txt").write_text("secret", encoding="utf-8")
        (root / "docs-other").mkdir()
        (root / "docs-other" / "x.txt").write_text("secret", encoding="utf-8")
        settings = FetchSettings(file_roots=(self.root,), max_bytes=1000, timeout_s=2)
        self.door = Door(settings, lambda: time.time_ns() // 1_000_000)

    def __call__(self, path: str, validators: Validators | None = None) -> Payload | Failure:
        self.door.submit(Order(key="x", url=path, validators=validators or Validators()))
        while not (answers := self.door.collect(1)):
            pass
        return answers[0][1]

    def code(self, path: str) -> str:
        answer = self(path)
        assert isinstance(answer, Failure), answer
        return answer.code


@pytest.fixture
def folder(tmp_path: Path) -> Iterator[Folder]:
    made = Folder(tmp_path.resolve())
    with closing(made.door):
        yield made


def test_a_file_in_an_allowed_folder_is_read_and_then_not_modified(folder: Folder) -> None:
    url = f"file://{folder.root}/sub/note.txt"
    first = folder(url)
    assert isinstance(first, Payload)
    assert (first.body, first.media_type, first.status) == (b"hello", "text/plain", 200)
    second = folder(url, first.validators)
    assert isinstance(second, Payload)
    assert second.not_modified
    (folder.root / "sub" / "note.txt").write_text("changed", encoding="utf-8")
    third = folder(url, first.validators)
    assert isinstance(third, Payload)
    assert third.body == b"changed"


@pytest.mark.parametrize(
    "path",
    [
        "/etc/passwd",
        "/proc/self/environ",
        "{root}/../secret.txt",
        "{root}/%2e%2e/secret.txt",
        "{root}/sub/%2E%2E/%2e%2e/secret.txt",
        "{root}-other/x.txt",
        "{root}",
        "{root}/sub",
        "{root}/link.txt",
        "{root}/folder-link/secret.txt",
        "{root}/pipe",
        "{root}/socket",
        "{root}/a%00b",
    ],
)
def test_nothing_else_can_be_read(path: str, folder: Folder, monkeypatch: pytest.MonkeyPatch) -> None:
    (folder.root / "link.txt").symlink_to(folder.root.parent / "secret.txt")
    (folder.root / "folder-link").symlink_to(folder.root.parent)
    os.mkfifo(folder.root / "pipe")
    monkeypatch.chdir(folder.root)  # socket addresses are short
    with closing(socket.socket(socket.AF_UNIX)) as listener:
        listener.bind("socket")
        assert folder.code(f"file://{path.format(root=folder.root)}") == "file_refused"


@pytest.mark.parametrize("url", ["file:etc/passwd", "file:/etc/passwd", "file://host/etc/passwd", "FILE:x"])
def test_an_address_of_another_shape_is_refused(url: str, folder: Folder) -> None:
    assert folder.code(url) in {"bad_url", "file_refused"}


def test_a_missing_file_and_a_large_one_say_so(folder: Folder) -> None:
    (folder.root / "large").write_bytes(bytes(2000))
    assert folder.code(f"file://{folder.root}/missing") == "file_missing"
    assert folder.code(f"file://{folder.root}/large") == "too_large"


def test_without_an_allowed_folder_there_are_no_files(tmp_path: Path) -> None:
    (tmp_path / "x").write_text("x", encoding="utf-8")
    with closing(Door(FetchSettings(), lambda: 0)) as door:
        door.submit(Order(key="x", url=f"file://{tmp_path}/x"))
        while not (answers := door.collect(1)):
            pass
    answer = answers[0][1]
    assert isinstance(answer, Failure)
    assert answer.code == "file_refused"
