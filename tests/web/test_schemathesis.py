from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

REQUESTS = Path(__file__).with_name("made_up_requests.py")


@pytest.mark.timeout(600)
def test_made_up_requests_are_answered_as_documented() -> None:
    """In a process of its own: schemathesis makes up the requests while it collects, which every worker would pay."""
    options = ["-o", "addopts=", "-q", "-p", "no:randomly", "-p", "no:cacheprovider"]
    alone = {name: value for name, value in os.environ.items() if not name.startswith("PYTEST_XDIST")}
    done = subprocess.run(
        [sys.executable, "-m", "pytest", *options, REQUESTS], capture_output=True, text=True, check=False, env=alone
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert " passed" in done.stdout
