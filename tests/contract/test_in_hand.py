from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from veille.adapters.presence import FileInHand
from veille.ports import InHand

_DIES = (
    "import os, sys; from pathlib import Path; from veille.adapters.presence import FileInHand as Hand\n"
    "hand = Hand(Path(sys.argv[1])); hand.take('a', '1'); hand.take('longer', '2', '22'); hand.take('d', '5', '6')\n"
    "idle = Hand(Path(sys.argv[1])); idle.take('b', '3'); idle.put_down()\n"
    "done = Hand(Path(sys.argv[1])); done.take('c', '4'); done.close()\n"
    "os._exit(1)"
)
#: By name: one more worker on a folder; and a script whose process ends with something in hand.
IN_HANDS: dict[str, tuple[Callable[[Path], InHand], str]] = {"file": (FileInHand, _DIES)}


@pytest.mark.parametrize("name", IN_HANDS)
def test_what_was_in_hand_is_told_once_and_only_of_those_who_are_gone(name: str, tmp_path: Path) -> None:
    make, dies = IN_HANDS[name]
    mine, other = make(tmp_path / "in_hand"), make(tmp_path / "in_hand")
    assert other.dropped() == []
    mine.take("dossier", "request")
    assert other.dropped() == []
    subprocess.run([sys.executable, "-c", dies, str(tmp_path / "in_hand")], check=False, timeout=50)
    assert mine.dropped() == [("d", "5"), ("d", "6")]
    assert other.dropped() == []
    mine.close()
    mine.close()
    assert other.dropped() == []
    mine.take("dossier", "request")
    mine.put_down()
    mine.close()
    assert not any(path.is_file() for path in tmp_path.rglob("*")), "nothing is left behind"
