"""A worker whose database does not answer for a while goes on afterwards, or ends if it is told to."""

from __future__ import annotations

import os
import signal
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from functools import partial
from pathlib import Path

import pytest
from pydantic import SecretStr

from postgres_server import PostgresServer
from process_tree import descendants, wait_until
from samples import STORY
from veille.adapters.stores.postgres import _pools
from veille.core.models import Scope
from veille.services.engine import loop
from veille.signals import when_set
from watching import Watch
from world import Site


@pytest.mark.parametrize("has_place", [False, True])
def test_a_worker_waits_for_its_database_longer_than_a_connection_does(
    site: Site, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, *, has_place: bool
) -> None:
    monkeypatch.setattr(_pools, "PostgresPools", partial(_pools.PostgresPools, patience_s=0.2))
    monkeypatch.setattr(loop, "FULL_S", 0.1)
    site.article("/a", "Bridge", STORY)
    said: list[str] = []
    stop = threading.Event()
    with PostgresServer(synchronous_commit="on") as server:
        store = SecretStr(server.url(server.database(server.ready)))
        place = {"bodies": {"place": str(tmp_path / "bodies")}} if has_place else {}
        with Watch(site, tmp_path, store=store, **place) as watch, ThreadPoolExecutor() as thread:
            work = loop.Loop(
                program=watch.app.beside(),
                scope=Scope(),
                stop=stop,
                drain=False,
                progress=lambda _: None,
                say=said.append,
            )
            working = thread.submit(work.run, [])
            try:
                # It has begun.
                wait_until(lambda: watch.app.store.presence.is_there(watch.app.worker().name.rpartition(":")[0]))
                server.stop("immediate")
                wait_until(lambda: sum("Work goes on" in line for line in said) > 2 or working.done())
                server.start()
                assert not working.done(), working.exception()
                watch.add("/a", "page")
                wait_until(lambda: watch.found("bridge") or working.done())
            finally:
                stop.set()
            working.result()
            assert watch.found("bridge") == ["/a"]


@pytest.mark.parametrize("what", ["dead", "frozen"])
def test_a_worker_that_is_told_to_stop_does_not_wait_for_its_database(site: Site, tmp_path: Path, what: str) -> None:
    stop = threading.Event()
    with PostgresServer() as server, ExitStack() as ending:
        store = SecretStr(server.url(server.database(server.ready)))
        watch = ending.enter_context(Watch(site, tmp_path, store=store))
        thread = ending.enter_context(ThreadPoolExecutor())
        program = watch.app.beside()
        work = loop.Loop(
            program=program, scope=Scope(), stop=stop, drain=False, progress=lambda _: None, say=lambda _: None
        )
        when_set(stop, program.dossiers.part)
        working = thread.submit(work.run, [])
        wait_until(lambda: watch.app.store.presence.is_there(watch.app.worker().name.rpartition(":")[0]))
        if what == "frozen":
            postmaster = int((server.folder / "data" / "postmaster.pid").read_text().split()[0])
            for pid in (postmaster, *descendants(postmaster)):
                os.kill(pid, signal.SIGSTOP)
                ending.callback(os.kill, pid, signal.SIGCONT)
        else:
            server.stop("immediate")
            ending.callback(server.start)
        # By then the worker waits for it.
        time.sleep(3 * loop.IDLE_S)
        began = time.monotonic()
        stop.set()
        working.result()
        assert time.monotonic() - began < 4
