from __future__ import annotations

import pytest

from veille.core.workload import WORTH_SHARING, Room


def hosts(count: int, due: int) -> dict[str, int]:
    return {f"{number}.example": due for number in range(count)}


@pytest.mark.covers("R-164")
@pytest.mark.parametrize(
    ("room", "due", "expected"),
    [
        (Room(total=512, per_host=8), hosts(250, 4), 125),
        (Room(total=100, per_host=8), hosts(250, 4), 25),
        (Room(total=512, per_host=2), hosts(250, 4), 125),
        (Room(total=512, per_host=8), hosts(WORTH_SHARING, 1), WORTH_SHARING),
        (Room(total=512, per_host=8), hosts(WORTH_SHARING + 1, 1), WORTH_SHARING),
        (Room(total=512, per_host=512), hosts(1, 5_000), 1),
        (Room(total=512, per_host=8), {}, 0),
    ],
)
def test_a_claim_leaves_half_of_what_is_due_to_others_unless_it_is_little(
    room: Room, due: dict[str, int], expected: int
) -> None:
    assert room.share(due) == list(due)[:expected]


def test_an_equal_share_of_the_room_is_for_each_dossier() -> None:
    room = Room(total=10, per_host=8)
    assert [room.allows("a", dossiers) for dossiers in (1, 3, 20)] == [10, 4, 1]


def test_half_of_the_capacity_that_others_leave_is_for_a_dossier() -> None:
    room = Room(total=100, per_host=8, capacity=40, held={"a": 5, "b": 20})
    assert [room.allows(dossier) for dossier in "abc"] == [5, -3, 7]
