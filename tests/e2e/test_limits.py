from __future__ import annotations

import subprocess
import sys

_PROGRAM = """
import resource
from veille.interfaces.cli._limits import allow_many_files

resource.setrlimit(resource.RLIMIT_NOFILE, ({soft}, {hard}))
allow_many_files()
print(*resource.getrlimit(resource.RLIMIT_NOFILE))
"""


def _limits(soft: int, hard: int) -> tuple[int, ...]:
    program = _PROGRAM.format(soft=soft, hard=hard)
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    return tuple(map(int, done.stdout.split()))


def test_a_process_may_open_as_many_files_as_the_system_lets_it() -> None:
    assert _limits(256, 2000) == (2000, 2000)
    assert _limits(256, 4000) == (4000, 4000)
    assert _limits(1000, 1000) == (1000, 1000)
