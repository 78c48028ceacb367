from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from samples import STORY
from veille.core.models import Change
from veille.core.records import Run
from veille.errors import ConfigError
from veille.services.watching.sources import Wish
from veille.settings import FetchSettings
from watching import Watch, told
from world import Site


class Shelf:
    """A folder of documents that is watched."""

    def __init__(self, watch: Watch, folder: Path) -> None:
        self.watch = watch
        self.folder = folder

    def add(self, **config: Any) -> None:
        wish = Wish(url=str(self.folder), kind="folder", config=config)
        self.watch.app.sources.add(self.watch.dossier_id, wish)

    def write(self, name: str, text: str) -> Path:
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
        return path

    def look(self) -> Run:
        return self.watch.turn()[0]

    def changes(self) -> dict[Change, int]:
        return {change: count for change, count in told(self.look()).items() if change is not Change.SAME}

    def codes(self, report: Run) -> dict[str, str]:
        return {item.url.rpartition("/")[2]: item.code for item in report.items if item.code}

    def current(self) -> dict[str, str]:
        """The path and text of every document that is there."""
        with self.watch.app.dossiers.open(self.watch.dossier_id) as store:
            found = [revision for revision in store.records.documents(limit=1000) if revision.state == "current"]
            start = f"file://{self.folder}/"
            return {revision.url.removeprefix(start): revision.text for revision in found}


@pytest.fixture
def shelf(tmp_path: Path) -> Iterator[Shelf]:
    folder = tmp_path.resolve() / "shelf"
    folder.mkdir()
    with Site() as site, Watch(site, tmp_path, fetch=FetchSettings(file_roots=(folder,))) as watch:
        yield Shelf(watch, folder)


@pytest.mark.covers("R-088", "R-068", "R-069")
def test_files_are_added_changed_and_removed(shelf: Shelf) -> None:
    shelf.write("a.txt", f"A. {STORY}")
    shelf.write("sub/b.md", f"B. {STORY}")
    shelf.add()
    assert shelf.changes() == {Change.NEW: 2}
    assert shelf.changes() == {}
    shelf.write("a.txt", f"A, edited. {STORY}")
    shelf.write("sub/c.txt", f"C. {STORY}")
    assert shelf.changes() == {Change.NEW: 1, Change.CHANGED: 1}
    (shelf.folder / "sub" / "b.md").unlink()
    report = shelf.look()
    assert shelf.codes(report) == {"b.md": "unlisted"}
    assert set(shelf.current()) == {"a.txt", "sub/c.txt"}


def test_the_last_content_of_a_removed_file_stays_readable_and_it_may_come_back(shelf: Shelf) -> None:
    path = shelf.write("a.txt", f"A. {STORY}")
    shelf.write("b.txt", f"B. {STORY}")
    shelf.add()
    shelf.look()
    away = path.rename(shelf.folder.parent / "a.txt")
    assert shelf.changes() == {Change.REMOVED: 1}
    with shelf.watch.app.dossiers.open(shelf.watch.dossier_id) as store:
        found = store.records.revision(store.records.find(f"file://{path}"))
        assert (found.state, found.text[:2]) == ("removed", "A.")
        assert [event.change for event in store.outbox.events()] == ["new", "new", "removed"]
    away.rename(path)
    assert shelf.changes() == {Change.NEW: 1}, "The very same file, with the same time: followers had dropped it."
    assert set(shelf.current()) == {"a.txt", "b.txt"}


@pytest.mark.covers("R-066")
def test_a_file_is_read_again_when_its_modification_date_differs_and_its_text_decides(shelf: Shelf) -> None:
    path = shelf.write("a.txt", STORY)
    shelf.add()
    shelf.look()
    assert told(shelf.look()) == {Change.SAME: 1}, "The folder alone: no date in it differs."
    os.utime(path, ns=(1, 1))
    assert told(shelf.look()) == {Change.SAME: 2}, "The folder and the file, which has the same text."
    shelf.write("a.txt", STORY.replace("Tuesday", "Tuesdai"))
    os.utime(path, ns=(2, 2))
    assert told(shelf.look())[Change.CHANGED] == 1


@pytest.mark.covers("R-079")
def test_a_file_that_was_moved_stays_the_same_document(shelf: Shelf) -> None:
    path = shelf.write("a.txt", STORY)
    shelf.add()
    shelf.look()
    (shelf.folder / "done").mkdir()
    path.rename(shelf.folder / "done" / "z.txt")
    assert shelf.changes() == {}
    assert list(shelf.current()) == ["done/z.txt"]
    shelf.write("done/z.txt", f"Edited. {STORY}")
    assert shelf.changes() == {Change.CHANGED: 1}
    (shelf.folder / "done" / "z.txt").unlink()
    shelf.write("other.txt", f"Other. {STORY}")
    assert shelf.changes() == {Change.NEW: 1, Change.REMOVED: 1}


def test_links_are_named_and_never_followed(shelf: Shelf) -> None:
    (shelf.folder.parent / "secret.txt").write_text(STORY, encoding="utf-8")
    (shelf.folder / "out.txt").symlink_to(shelf.folder.parent / "secret.txt")
    (shelf.folder / "up").symlink_to(shelf.folder.parent)
    (shelf.folder / "round").symlink_to(shelf.folder)
    shelf.write("a.txt", f"A. {STORY}")
    shelf.add()
    report = shelf.look()
    assert shelf.codes(report) == {"out.txt": "link_refused", "up": "link_refused", "round": "link_refused"}
    assert list(shelf.current()) == ["a.txt"]


def test_an_empty_folder_is_believed_at_the_second_look_only(shelf: Shelf) -> None:
    path = shelf.write("a.txt", STORY)
    shelf.add()
    shelf.look()
    path.unlink()
    report = shelf.look()
    assert [item.code for item in report.items] == ["empty_listing"]
    assert list(shelf.current()) == ["a.txt"]
    assert shelf.changes() == {Change.REMOVED: 1}


def test_nothing_is_removed_while_the_folder_cannot_be_read(shelf: Shelf) -> None:
    shelf.write("a.txt", STORY)
    shelf.add()
    shelf.look()
    away = shelf.folder.rename(shelf.folder.parent / "unmounted")
    assert [item.code for item in shelf.look().items] == ["file_missing"]
    away.rename(shelf.folder)
    assert shelf.changes() == {}
    assert list(shelf.current()) == ["a.txt"]


def test_nothing_is_removed_while_a_part_of_the_folder_cannot_be_read(shelf: Shelf) -> None:
    shelf.write("sub/a.txt", STORY)
    other = shelf.write("b.txt", f"B. {STORY}")
    shelf.add()
    shelf.look()
    other.unlink()
    # Deeper than anybody looks: this holds for root, too, who may read everything.
    deep = shelf.write("/".join("d" * 70) + "/c.txt", STORY)
    report = shelf.look()
    assert set(shelf.codes(report).values()) == {"folder_too_deep"}
    assert report.counts[Change.REMOVED] == 0
    deep.unlink()
    shutil.rmtree(shelf.folder / "d")
    assert shelf.changes() == {Change.REMOVED: 1}


def test_patterns_types_and_hidden_names_say_what_is_read(shelf: Shelf) -> None:
    for name in ("a.txt", "b.md", ".hidden.txt", "draft/c.txt", "sub/d.txt", "e.bin"):
        shelf.write(name, f"{name}. {STORY}")
    shelf.add(exclude=["draft/*"], types=["txt"])
    shelf.look()
    assert set(shelf.current()) == {"a.txt", "sub/d.txt"}


def test_a_flat_folder_leaves_out_what_is_below(shelf: Shelf) -> None:
    shelf.write("a.txt", f"A. {STORY}")
    shelf.write("sub/b.txt", f"B. {STORY}")
    shelf.add(recursive=False)
    shelf.look()
    assert list(shelf.current()) == ["a.txt"]


def test_odd_names_are_read_and_found_again(shelf: Shelf) -> None:
    for number, name in enumerate(("wörld 100%.txt", "a b#c?.txt", "q&x=1;.txt")):
        shelf.write(name, f"{number}. {STORY}")
    os.close(os.open(os.fsencode(shelf.folder) + b"/\xff.txt", os.O_CREAT))
    shelf.write("x.txt", f"X. {STORY}")
    shelf.add()
    report = shelf.look()
    assert told(report)[Change.NEW] == 4
    assert [item.code for item in report.items if item.change is Change.ERROR] == ["empty"], "The one without a text."
    assert shelf.changes() == {}


@pytest.mark.parametrize("url", ["documents", "./documents", "/srv/../etc", "file:///", "/", "https://example.org/"])
def test_what_is_not_a_folder_is_refused_at_once(shelf: Shelf, url: str) -> None:
    with pytest.raises(ConfigError) as caught:
        shelf.watch.app.sources.add(shelf.watch.dossier_id, Wish(url=url, kind="folder"))
    assert caught.value.code == "bad_url"


def test_a_folder_outside_the_allowed_ones_says_who_can_allow_it(shelf: Shelf) -> None:
    wish = Wish(url=str(shelf.folder.parent), kind="folder")
    with pytest.raises(ConfigError, match=r"fetch\.file_roots") as caught:
        shelf.watch.app.sources.add(shelf.watch.dossier_id, wish)
    assert caught.value.code == "unsafe_address"
