"""What the rows of stories must be after anything that can happen to documents."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from case_stories import Shelf
from veille.adapters.stores.sqlite.commit.story_writer import StoryDesk
from veille.core.language.similar import Signature
from veille.core.language.stories import MAX_VOICES, StoryStep


def _text(rng: random.Random, base: list[str]) -> str:
    kept = [word if rng.random() > rng.choice([0.02, 0.2, 0.6]) else f"x{rng.randrange(500)}" for word in base]
    return " ".join(kept[: rng.randrange(40, len(kept) + 1)])


def _assert_whole(shelf: Shelf) -> None:
    rows = shelf.db.execute("SELECT story, voice, signature FROM story_documents")
    marks: dict[int, set[int]] = {}
    for story, voice, packed in rows:
        held = marks.setdefault(story, set())
        held |= set(Signature(packed).marks()) if voice else set()
    assert all(marks.values()), "every story has a voice"
    assert set(marks) == {row[0] for row in shelf.db.execute("SELECT row FROM stories")}
    indexed = shelf.db.execute("SELECT mark, story FROM story_marks")
    assert all(mark in marks[story] for mark, story in indexed), "no mark is left behind"
    counts = shelf.db.execute("SELECT sum(voice) FROM story_documents GROUP BY story")
    assert all(1 <= count <= MAX_VOICES for (count,) in counts)
    assert shelf.db.execute("PRAGMA foreign_key_check") == []


@pytest.mark.parametrize("seed", range(3))
def test_the_rows_of_stories_stay_whole_whatever_comes_changes_and_goes(seed: int, tmp_path: Path) -> None:
    rng = random.Random(seed)
    bases = [[f"w{rng.randrange(3000)}" for _ in range(120)] for _ in range(6)]
    shelf = Shelf(tmp_path)
    shelf.add([_text(rng, rng.choice(bases)) for _ in range(150)])
    _assert_whole(shelf)
    desk = StoryDesk(shelf.db)
    for turn in range(20):
        with shelf.db.write():
            steps = [
                StoryStep(document, f"document {document}", _text(rng, rng.choice(bases)) if rng.random() < 0.7 else "")
                for document in rng.sample(range(1, 151), 20)
            ]
            desk.rearrange(steps, turn)
        _assert_whole(shelf)
    with shelf.db.write():
        desk.rearrange([StoryStep(document) for document in range(1, 151)], 20)
    for name in ("stories", "story_documents", "story_marks"):
        assert shelf.db.value(f"SELECT count(*) FROM {name}") == 0, name
    shelf.close()


@pytest.mark.parametrize("seed", range(3))
def test_many_steps_at_once_make_the_stories_of_one_step_after_the_other(seed: int, tmp_path: Path) -> None:
    found = []
    for name in ("together", "alone"):
        rng = random.Random(seed)
        bases = [[f"w{rng.randrange(3000)}" for _ in range(120)] for _ in range(6)]
        (tmp_path / name).mkdir()
        shelf = Shelf(tmp_path / name)
        shelf.add([_text(rng, rng.choice(bases)) for _ in range(100)])
        desk = StoryDesk(shelf.db)
        for turn in range(8):
            steps = [
                StoryStep(document, f"document {document}", _text(rng, rng.choice(bases)) if rng.random() < 0.7 else "")
                for document in rng.sample(range(1, 101), 30)
            ]
            with shelf.db.write():
                for some in [steps] if name == "together" else [[step] for step in steps]:
                    desk.rearrange(some, turn)
        found.append(
            shelf.db.execute(
                "SELECT document, stories.id, voice FROM story_documents JOIN stories ON stories.row = story "
                "ORDER BY document"
            )
        )
        shelf.close()
    assert found[0] == found[1]
