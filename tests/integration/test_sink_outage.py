"""Sinks that are away for a while, with workers that are killed meanwhile; and days on which nothing happens."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

import veille
from receiver import SECRET, Receiver, answer
from vectors import Chroma, ChromaServer, Tap, sections
from veille.bootstrap.clock import system_clock
from veille.services.watching.sources import Wish
from watching import FAST, Watch
from world import Site

SINKS = {"buffer", "chroma", "hook"}


@pytest.fixture
def receiver() -> Iterator[Receiver]:
    with Site() as other:
        yield Receiver(other)


class Desk:
    """A feed, a dossier that watches it, and workers in processes of their own that hand on what it brings."""

    def __init__(self, site: Site, folder: Path, sinks: dict[str, Any]) -> None:
        self.site = site
        self._folder = folder
        self.app = veille.open_app(data=folder / "data", sinks=sinks, fetch=FAST)
        self.entries: list[tuple[str, str, str]] = []
        self._environment = os.environ | {
            "VEILLE_DATA": str(folder / "data"),
            "VEILLE_BUFFER_DIR": str(folder / "buffer"),
            "VEILLE_SINKS": json.dumps(sinks),
            "VEILLE_LEASE_S": "2",
            "VEILLE_FETCH__ALLOW_NETWORKS": '["127.0.0.0/8"]',
            "VEILLE_FETCH__HOST_DELAY_MS": "0",
        }
        self.publish()
        self.dossier_id = self.app.create_dossier("news").id
        self.app.sources.add(self.dossier_id, Wish(url=f"{site.url}/feed", kind="feed"))

    def publish(self, *titles: str) -> None:
        """Entries that were not there before, or are now worded otherwise."""
        fresh = {f"/{title.split()[0]}": (f"/{title.split()[0]}", title, sections(title)) for title in titles}
        self.entries = [fresh.pop(entry[0], entry) for entry in self.entries] + list(fresh.values())
        self.site.feed("/feed", self.entries)

    def look(self) -> None:
        """Have the feed looked at now."""
        self.app.queue.arm(self.dossier_id, system_clock())

    @contextmanager
    def worker(self, **variables: str) -> Iterator[subprocess.Popen[bytes]]:
        """One that is killed at the end, if it lives that long."""
        process = subprocess.Popen([sys.executable, "-m", "veille", "work"], env=self._environment | variables)
        try:
            yield process
        finally:
            process.kill()
            process.wait()

    def failures(self) -> dict[str, int]:
        """Which sinks wait for their next try, and how many changes wait for each."""
        with self.app.dossiers.open(self.dossier_id) as store:
            last = {sink: store.handovers.last(sink) for sink in SINKS}
            return {sink: store.outbox.pending(sink) for sink in SINKS if (one := last[sink]) and one.retry_at}

    def pending(self) -> dict[str, int]:
        with self.app.dossiers.open(self.dossier_id) as store:
            return {sink: store.outbox.pending(sink) for sink in SINKS}

    def files(self) -> int:
        return len(list((self._folder / "buffer" / "pending").glob("*.md")))

    def told(self) -> list[tuple[str, int]]:
        """Everything that happened, in order."""
        with self.app.dossiers.open(self.dossier_id) as store:
            return [(event.title, event.seq) for event in store.outbox.events(0, 1000)]


def _until(happened: Callable[[], bool]) -> None:
    deadline = time.monotonic() + 40
    while not happened():
        assert time.monotonic() < deadline, "it did not happen"
        time.sleep(0.05)


@pytest.mark.timeout(120)
@pytest.mark.covers("R-133", "R-245")
def test_sinks_that_are_down_hold_up_nobody_and_get_everything_once_and_in_order_though_workers_are_killed(
    site: Site, tmp_path: Path, server: ChromaServer, receiver: Receiver
) -> None:
    hook = {"kind": "webhook", "url": receiver.url, "secret": SECRET, "private": True}
    chroma = server.options | {"embedder": "none", "timeout_s": 5, "collection": "all"}
    desk = Desk(site, tmp_path, {"chroma": chroma, "hook": hook})
    with desk.app:
        desk.publish("one", "two", "three")
        with desk.worker():
            _until(lambda: len(receiver.changes) == 3 and desk.pending() == dict.fromkeys(SINKS, 0))
            server.stop()
            receiver.down = answer(503)
            desk.publish("two again", "four", "five", "six")
            desk.look()
            # The buffer gets everything, the others are left alone for a while.
            _until(lambda: desk.files() == 7 and desk.failures() == {"chroma": 4, "hook": 4})
        server.start()
        receiver.down = None
        # This one dies when a sink has something that is not marked yet.
        with desk.worker(VEILLE_FAILPOINT="before_outbox_mark:kill") as worker:
            assert worker.wait(40) == -signal.SIGKILL
        with desk.worker():
            _until(lambda: desk.pending() == dict.fromkeys(SINKS, 0))
        told = desk.told()
    assert [title for title, _ in told[3:]] == ["two again", "four", "five", "six"]
    assert [(change["title"], change["seq"]) for change in receiver.changes.values()] == told
    # At most the one that was under way when the worker died came again.
    assert sum(len(body["changes"]) for body in receiver.bodies) <= len(told) + 1
    assert desk.files() == 7
    records = server.records("all").values()
    titles = ["five", "four", "one", "six", "three", "two again"]
    assert sorted(record["title"] for record in records) == titles
    assert sorted(record["text"] for record in records) == sorted(map(sections, titles))


def _state(folder: Path) -> dict[str, tuple[int, int]]:
    """Every file with its time and size."""
    files = (path for path in folder.rglob("*") if path.is_file())
    return {str(path): (path.stat().st_mtime_ns, path.stat().st_size) for path in files}


@pytest.mark.covers("R-069", "R-133")
def test_what_did_not_change_is_written_to_no_sink(
    site: Site, tmp_path: Path, server: ChromaServer, receiver: Receiver
) -> None:
    with Tap(server) as tap:
        folder = Chroma(tmp_path / "folder")
        sinks = {
            "embedded": folder.options | {"embedder": "none"},
            "server": server.options | {"url": tap.url, "embedder": "none"},
            "hook": {"kind": "webhook", "url": receiver.url, "secret": SECRET},
        }
        with Watch(site, tmp_path, sinks=sinks) as watch:
            for number in range(3):
                site.article(f"/{number}", f"Page {number}", sections(number, number + 100))
                watch.add(f"/{number}")
            site.feed("/feed", [("/a", "An entry", "Its text")])
            watch.add("/feed")
            watch.run()
            assert [delivery.delivered for delivery in watch.deliver()] == [4, 4, 4, 4]
            cursor = watch.app.exports.end([watch.dossier_id])
            tap.seen.clear()
            receiver.asked.clear()
            before = _state(folder.folder), _state(tmp_path / "buffer")
            # The answers are new each time, what they say is not.
            for _ in range(3):
                for page in site.pages.values():
                    page.body += b"<!-- made anew -->"
                watch.turn()
                assert {(one.delivered, one.skipped, one.pending, one.code) for one in watch.deliver()} == {
                    (0, 0, 0, "")
                }
            assert (tap.seen, receiver.asked) == ([], [])
            assert (_state(folder.folder), _state(tmp_path / "buffer")) == before
            assert watch.app.export([watch.dossier_id], "jsonl", tmp_path / "x", cursor)[0] == 0
