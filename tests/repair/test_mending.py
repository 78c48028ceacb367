from __future__ import annotations

from pathlib import Path

import pytest

from repair.campaign import SCENARIOS, wrong

pytestmark = pytest.mark.timeout(120)


@pytest.mark.covers("R-167", "R-180", "R-170", "R-171", "R-172", "R-173", "R-174", "R-175", "R-176", "R-177", "R-178")
@pytest.mark.parametrize("name", SCENARIOS)
def test_a_source_ends_in_the_right_state_and_says_why(name: str, tmp_path: Path) -> None:
    assert wrong(name, tmp_path) == []
