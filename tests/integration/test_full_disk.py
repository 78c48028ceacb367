from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from veille.core.models import Scope
from veille.errors import StoreError
from watching import FAST, Watch
from world import Site

#: More than any disk has.
ALL_OF_IT = 10**9


def test_nothing_is_fetched_while_the_disk_is_nearly_full_and_all_of_it_afterwards(site: Site, tmp_path: Path) -> None:
    site.article("/a", "Title", "A text about ferries")
    with Watch(site, tmp_path, fetch=FAST, min_free_mb=ALL_OF_IT) as watch:
        watch.add("/a")
        with pytest.raises(StoreError, match="min_free_mb") as caught:
            watch.app.run(Scope())
        assert caught.value.code == "store.full"
        assert watch.app.searches.search([watch.dossier_id], "ferries") == []
    assert site.seen == []
    with Watch(site, tmp_path, fetch=FAST) as watch:
        watch.app.run(Scope())
        assert watch.app.searches.search([watch.dossier_id], "ferries")


def test_a_worker_outlasts_a_full_disk(site: Site, tmp_path: Path) -> None:
    site.article("/a", "Title", "A text about ferries")
    with Watch(site, tmp_path, fetch=FAST) as watch:
        watch.add("/a")
        data = str(watch.app.settings.data)
    environment = os.environ | {"VEILLE_MIN_FREE_MB": str(ALL_OF_IT)}
    command = [sys.executable, "-m", "veille", "work", "--data", data]
    with subprocess.Popen(command, env=environment, stderr=subprocess.PIPE, text=True) as worker:
        assert worker.stderr is not None
        told = worker.stderr.readline()
        assert worker.poll() is None
        worker.send_signal(signal.SIGTERM)
        told += worker.stderr.read()
    assert "nearly full" in told
    assert "Traceback" not in told
    assert worker.returncode == 0
    assert site.seen == []
