from __future__ import annotations

import json
import sys
import threading
from dataclasses import asdict
from pathlib import Path

import pytest

from veille.adapters.bulk.processes import TRIES, BulkProcesses, DeadTaskError, in_process
from veille.errors import VeilleError
from veille.ports.outside import BulkTask, TaskOutcome

#: Says that it began, and gives an outcome.
_FAILS = "import sys; open(sys.argv[1], 'a').write('begun\\n'); print(sys.argv[2])"
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


@pytest.mark.timeout(60)
@pytest.mark.parametrize(("tries", "code"), [(1, "bad_file"), (TRIES, "bulk_task")])
def test_only_what_may_pass_is_tried_again(tmp_path: Path, tries: int, code: str) -> None:
    said = tmp_path / "said"
    outcome = TaskOutcome(error="It is no file.", code="bad_file", is_passing=tries > 1)
    bulk = BulkProcesses([sys.executable, "-c", _FAILS, str(said), json.dumps(asdict(outcome))], 1)
    with pytest.raises(VeilleError, match="It is no file") as caught:
        list(bulk.run([_TASK], lambda: False))
    assert caught.value.code == code
    assert len(said.read_text().splitlines()) == tries
