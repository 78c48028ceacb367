from __future__ import annotations

import sys
import threading
from pathlib import Path

import pytest

from veille.adapters.bulk.processes import BulkProcesses, DeadTaskError, in_process
from veille.ports.outside import BulkTask

_TASK = BulkTask(work="wait", dossier_id="", options={})
#: Says that it began, and takes its time.
_WAITS = "import sys, time; open(sys.argv[1], 'a').write('begun\\n'); time.sleep(8)"


@pytest.mark.timeout(60)
def test_tasks_that_are_stopped_are_not_begun_again(tmp_path: Path) -> None:
    said = tmp_path / "said"
    said.touch()
    bulk = BulkProcesses([sys.executable, "-c", _WAITS, str(said)], 2)
    assert list(bulk.run([_TASK] * 4, lambda: len(said.read_text().splitlines()) >= 2)) == []
    assert len(said.read_text().splitlines()) == 2


@pytest.mark.timeout(60)
def test_a_process_that_begins_when_all_is_over_is_killed(tmp_path: Path) -> None:
    ended = threading.Event()
    ended.set()
    with pytest.raises(DeadTaskError):
        in_process([sys.executable, "-c", _WAITS, str(tmp_path / "said")], _TASK, set(), ended)
