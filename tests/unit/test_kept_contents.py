from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from veille.core.archive.kept_contents import WHOLE_EVERY, as_delta, packed, restored, stays_whole, unpacked, whole

PAGE = "The council voted on Tuesday to rebuild the old harbour bridge, closed since the flood of last autumn. " * 20


@given(st.text())
def test_a_packed_text_comes_back(text: str) -> None:
    assert unpacked(packed(text)) == text


@pytest.mark.parametrize(
    ("before", "after"),
    [(PAGE, PAGE.replace("Tuesday", "Monday")), (PAGE, ""), (PAGE, "short"), (PAGE + "é\x00", PAGE)],
)
def test_an_older_revision_is_restored_from_the_next_one(before: str, after: str) -> None:
    kept = packed(before), packed(f"<p>{before}</p>")
    following = after.encode(), f"<p>{after}</p>".encode()
    delta = as_delta(kept, following)
    assert (whole(kept) if delta is None else restored(delta, following)) == whole(kept)
    assert whole(kept) == (before.encode(), f"<p>{before}</p>".encode())


def test_a_small_edit_takes_a_hundred_bytes() -> None:
    delta = as_delta((packed(PAGE), packed("")), (PAGE.replace("Tuesday", "Monday").encode(), b""))
    assert delta is not None
    assert sum(map(len, delta)) <= 100


def test_a_delta_that_is_no_smaller_is_not_kept() -> None:
    assert as_delta((packed("a"), packed("")), (b"something else", b"")) is None


def test_every_so_many_revisions_one_stays_whole() -> None:
    assert [n for n in range(1, 40) if stays_whole(n)] == [WHOLE_EVERY, 2 * WHOLE_EVERY]
