from __future__ import annotations

import fcntl
import os
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import FrameType
from typing import Any

import pytest

import veille
from veille.adapters.sinks.buffer import STALE_DRAFT_S
from veille.core.models import Scope
from veille.ports.contents import Outbox
from veille.services.watching.sources import Wish
from world import Site

_CALLS: dict[Any, str] = {os.write: "write", os.fsync: "fsync", os.rename: "rename"}


@contextmanager
def steps(outbox: Outbox) -> Iterator[list[str]]:
    """What matters for surviving a power cut, in the order the delivering thread does it."""
    taken: list[str] = []
    mark = type(outbox).mark.__code__

    def note(frame: FrameType, event: str, call: Any) -> None:
        if event == "c_call" and call in _CALLS:
            taken.append(_CALLS[call])
        if event == "call" and frame.f_code is mark:
            taken.append("mark")

    threading.setprofile(note)
    try:
        yield taken
    finally:
        threading.setprofile(None)


@pytest.fixture
def waiting(app: veille.App, site: Site) -> tuple[str, str]:
    """A dossier with one change that waits for delivery, and the name its file will have."""
    site.article("/", "The lighthouse", "The lighthouse keeper wrote every storm down. " * 5)
    dossier = app.create_dossier("coast").id
    app.sources.add(dossier, Wish(url=site.url, kind="page"))
    app.run(Scope())
    with app.dossiers.open(dossier) as store:
        return dossier, f"{store.outbox.events()[0].revision_id}.md"


@pytest.mark.covers("R-139")
def test_a_file_is_on_the_disk_before_it_has_its_name_and_has_its_name_before_it_is_marked(
    app: veille.App, waiting: tuple[str, str]
) -> None:
    with app.dossiers.open(waiting[0]) as store, steps(store.outbox) as taken:
        app.deliver([waiting[0]])
    assert taken == ["write", "write", "fsync", "rename", "fsync", "mark"]


@pytest.mark.covers("R-139")
def test_a_file_that_another_program_is_writing_is_left_to_it(
    app: veille.App, waiting: tuple[str, str], tmp_path: Path
) -> None:
    dossier, name = waiting
    pending = tmp_path / "buffer" / "pending"
    pending.mkdir(parents=True)
    draft = pending / f"{name}.tmp"
    with draft.open("w") as other:
        other.write("half")
        other.flush()
        fcntl.flock(other, fcntl.LOCK_EX)
        (delivery,) = app.deliver([dossier])
        assert (delivery.code, delivery.delivered, delivery.pending) == ("sink.busy", 0, 1)
        assert draft.read_text() == "half"
    # It died, so the file is ours now.
    (delivery,) = app.deliver([dossier], at_once=True)
    assert (delivery.code, delivery.delivered, delivery.pending) == ("", 1, 0)
    assert [path.name for path in pending.iterdir()] == [name]


@pytest.mark.covers("R-139")
def test_drafts_that_nobody_will_finish_are_cleared_away(
    app: veille.App, waiting: tuple[str, str], tmp_path: Path
) -> None:
    dossier, name = waiting
    pending = tmp_path / "buffer" / "pending"
    pending.mkdir(parents=True)
    old, young = pending / "old.md.tmp", pending / "young.md.tmp"
    for draft in (old, young):
        draft.touch()
    long_ago = old.stat().st_mtime - STALE_DRAFT_S - 1
    os.utime(old, (long_ago, long_ago))
    app.deliver([dossier])
    assert sorted(path.name for path in pending.iterdir()) == sorted([name, young.name])
