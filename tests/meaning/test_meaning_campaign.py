from __future__ import annotations

from pathlib import Path

from meaning.campaign import run


def test_kills_leave_no_vector_without_its_piece_and_lose_no_piece(tmp_path: Path) -> None:
    outcome = run(tmp_path, 12, 5)
    assert outcome.is_sound, outcome
    assert outcome.edits > 5, "the processes lived long enough to do something"
