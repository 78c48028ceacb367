from __future__ import annotations

import random
from pathlib import Path

import pytest

from hostile.fuzz import CASES, Fuzz
from hostile.inputs import INPUTS
from hostile.pieces import read_input
from hostile.siege import SHORT, Siege

pytestmark = pytest.mark.timeout(400)


# What it measures, memory above all, is promised for a machine that does nothing else.
@pytest.mark.alone
def test_whatever_a_tenant_does_the_other_is_served_and_nothing_needs_a_hand(tmp_path: Path) -> None:
    report = Siege(SHORT, tmp_path).run()
    assert not report.breaches, report.text()


def test_no_input_takes_more_than_its_deadline_or_brings_a_worker_down(tmp_path: Path) -> None:
    fuzz = Fuzz(tmp_path, random.SystemRandom().getrandbits(32), cases=tmp_path / "cases")
    report = fuzz.run(3, sorted(INPUTS))
    assert not report.failures, report.text()
    assert all(report.tallies[kind].inputs for kind in INPUTS), report.text()


def test_what_once_brought_it_down_does_so_no_more(tmp_path: Path) -> None:
    fuzz = Fuzz(tmp_path, 0)
    try:
        found = {path.name: fuzz.replay(read_input(path.read_text())) for path in sorted(CASES.glob("*.json"))}
    finally:
        fuzz.close()
    assert found
    assert not {name: problem for name, problem in found.items() if problem}
