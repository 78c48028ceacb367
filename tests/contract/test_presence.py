from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from veille.adapters.presence import FilePresence
from veille.ports import Presence

_STAYS = (
    "import sys; from pathlib import Path; from veille.adapters.presence import FilePresence\n"
    "with FilePresence(Path(sys.argv[1])).hold('them'):\n"
    "    print('there', flush=True); sys.stdin.read()"
)
#: By name: a program's view of who is there; and a script that is there as `them`, says so, and waits.
PRESENCES: dict[str, tuple[Callable[[Path], Presence], str]] = {"file": (FilePresence, _STAYS)}


@pytest.mark.parametrize("name", PRESENCES)
def test_somebody_is_there_while_they_hold_their_name(name: str, tmp_path: Path) -> None:
    make, _ = PRESENCES[name]
    here, there = make(tmp_path / "present"), make(tmp_path / "present")
    assert not there.is_there("me")
    with here.hold("me"), here.hold("me too"):
        assert (here.is_there("me"), there.is_there("me"), there.is_there("me too")) == (True, True, True)
        assert not there.is_there("another")
    assert (here.is_there("me"), there.is_there("me too")) == (False, False)


@pytest.mark.parametrize("name", PRESENCES)
def test_whoever_is_killed_is_gone_at_once(name: str, tmp_path: Path) -> None:
    make, stays = PRESENCES[name]
    presence = make(tmp_path / "present")
    command = [sys.executable, "-c", stays, str(tmp_path / "present")]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "there\n"
        assert presence.is_there("them")
        assert presence.is_there("them"), "to ask does not end it"
        process.kill()
        process.wait()
        assert not presence.is_there("them")
