"""Processes of the service that hang, in native code or frozen: they are replaced, and none outlives its parent."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path

import pytest

from process_tree import children, command, descendants, is_alive, wait_until, workers
from samples import STORY
from service import Service
from veille.services.watching.sources import Wish
from world import Site

pytestmark = pytest.mark.timeout(150)  # several starts of the program each, on machines that may be busy

#: Long against what a busy machine does to a process, short for a test.
STALLED_S = "8"
#: The interpreter is taken as soon as the first page is there, and not given back.
HANGS = {"VEILLE_FAILPOINT": "after_fetch:hang", "VEILLE_SERVE__GRACE_S": "1", "VEILLE_LEASE_S": "3"}


def _watch(service: Service, site: Site) -> None:
    site.article("/a", "Bridge", STORY)
    service.watch(service.dossier("news"), f"{site.url}/a")


def _is_fetched(site: Site) -> bool:
    return any(one.path == "/a" for one in site.seen)


def _pid(service: Service) -> int:
    assert service.process
    return service.process.pid


def _web(service: Service) -> int:
    (found,) = [child for child in children(_pid(service)) if ".engine.web " in command(child)]
    return found


def _is_answered(service: Service) -> bool:
    # On a very busy machine the next process may be taken for one that hangs, too.
    with suppress(ConnectionError):
        return bool(service.anonymous().get("/health") == {"status": "ok"})
    return False


def test_a_worker_that_hangs_in_native_code_is_killed_and_replaced_and_sigterm_ends_the_service(
    tmp_path: Path, site: Site
) -> None:
    with Service(tmp_path, workers=1, VEILLE_SERVE__STALLED_S=STALLED_S, **HANGS) as service:
        (first,) = workers(_pid(service))
        _watch(service, site)
        wait_until(lambda: _is_fetched(site))
        site.seen.clear()
        wait_until(lambda: not is_alive(first))
        wait_until(lambda: f"worker {first} has shown no sign of life" in "".join(service.said))
        wait_until(lambda: workers(_pid(service)))
        service.anonymous().get("/health")
        # Its successor takes up the same page, and hangs too: it does not hear that it is to end.
        wait_until(lambda: _is_fetched(site), 80)
        family, began = descendants(_pid(service)), time.monotonic()
        assert service.end() == 0
        assert time.monotonic() - began < 15
        assert not any(map(is_alive, family))


def test_a_killed_service_leaves_no_process_behind_though_a_worker_hangs(tmp_path: Path, site: Site) -> None:
    with Service(tmp_path, workers=2, **HANGS) as service:
        _watch(service, site)
        wait_until(lambda: _is_fetched(site))
        family = descendants(_pid(service))
        assert len(family) >= 3
        service.end(signal.SIGKILL)
        wait_until(lambda: not any(map(is_alive, family)), 5)


def test_frozen_processes_are_replaced_and_requests_wait_for_that(tmp_path: Path) -> None:
    with Service(tmp_path, workers=1, VEILLE_SERVE__STALLED_S=STALLED_S) as service:
        frozen = [*workers(_pid(service)), _web(service)]
        wait_until(lambda: "listens on" in "".join(service.said))
        for pid in frozen:
            os.kill(pid, signal.SIGSTOP)
        # The socket is the parent's: who connects meanwhile is answered by the next process.
        wait_until(lambda: _is_answered(service))
        wait_until(lambda: not any(map(is_alive, frozen)))
        wait_until(lambda: workers(_pid(service)))
        assert all(f"{pid} has shown no sign of life" in "".join(service.said) for pid in frozen)


def test_a_worker_that_nobody_watches_over_ends_itself_when_it_hangs(tmp_path: Path, site: Site) -> None:
    office = Service(tmp_path, workers=0, **HANGS, VEILLE_SERVE__STALLED_S=STALLED_S)
    site.article("/a", "Bridge", STORY)
    with office.program() as app:
        app.sources.add(app.create_dossier("news").id, Wish(url=f"{site.url}/a"))
    done = subprocess.run(
        [sys.executable, "-m", "veille", "work"],
        env=office.environment,
        capture_output=True,
        text=True,
        check=False,
        timeout=100,
    )
    assert done.returncode == 1
    assert "failpoints.py" in done.stderr, "it says where it hung"
