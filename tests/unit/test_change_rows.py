"""Rows are made of changes before pages are cut; nothing is lost, nothing comes twice."""

from __future__ import annotations

import random
from collections import Counter

import pytest

from veille.core.show.change_rows import (
    NOISY,
    ChangeLine,
    ChangeWindow,
    Folding,
    RowCursor,
    RowGroup,
    Which,
    arranged,
    row_cursor,
)

DAY = 1000


def _line(seq: int, at: int, source: str = "s", story: str = "") -> ChangeLine:
    return ChangeLine(seq=seq, at=at, source_id=source, document_id=f"d{seq}", story=story or f"d{seq}")


def _day(at: int) -> int:
    return at // DAY


def _pages(stored: dict[str, list[ChangeLine]], window: int, limit: int, folding: Folding) -> list[list[RowGroup]]:
    """All pages of a list whose dossiers are read in windows."""
    cursor, pages = RowCursor(Which.ALL), []
    while True:
        windows = []
        for dossier_id, lines in stored.items():
            before = cursor.before(dossier_id)
            left = [line for line in lines if before is None or line.seq < before]
            following = left[window - 1].seq if len(left) > window else 0
            windows.append(ChangeWindow(dossier_id=dossier_id, lines=left[:window], following=following))
        groups, places = arranged(windows, limit, _day, folding)
        pages.append(groups)
        if not any(places.values()):
            return pages
        written = row_cursor(str(cursor.moved(places)))
        assert written is not None
        cursor = written


@pytest.mark.parametrize("folding", list(Folding))
@pytest.mark.parametrize("seed", range(8))
def test_every_change_is_on_one_page(seed: int, folding: Folding) -> None:
    chance = random.Random(seed)
    stored = {
        f"{number:012x}": sorted(
            (
                _line(seq, chance.randrange(4 * DAY), chance.choice("abc"), chance.choice(["", "x", "y"]))
                for seq in range(1, chance.randrange(2, 120))
            ),
            key=lambda line: -line.seq,
        )
        for number in range(chance.randrange(1, 6))
    }
    pages = _pages(stored, chance.randrange(3, 50), chance.randrange(1, 12), folding)
    shown = Counter((group.dossier_id, line.seq) for page in pages for group in page for line in group.lines)
    assert shown == Counter((dossier_id, line.seq) for dossier_id, lines in stored.items() for line in lines)


def test_a_story_of_a_day_is_one_row_and_a_page_has_so_many_rows() -> None:
    lines = [_line(9 - n, 900 - n, story="tea" if n % 2 else "") for n in range(6)]
    window = ChangeWindow(dossier_id="a", lines=lines, following=0)
    groups, places = arranged([window], 2, _day)
    assert [[line.seq for line in group.lines] for group in groups] == [[9], [8]]
    assert places == {"a": 8}
    groups, places = arranged([window], 10, _day)
    assert [[line.seq for line in group.lines] for group in groups] == [[9], [8, 6, 4], [7], [5]]
    assert places == {"a": 0}


def test_a_noisy_source_is_folded_unless_it_is_alone() -> None:
    noisy = [_line(50 - n, 900 - n, "ships") for n in range(NOISY + 2)]
    alone = ChangeWindow(dossier_id="a", lines=noisy, following=0)
    assert len(arranged([alone], 30, _day)[0]) == NOISY + 2
    both = ChangeWindow(dossier_id="a", lines=[*noisy, _line(1, 1, "quiet")], following=0)
    first, second = arranged([both], 30, _day)[0]
    assert (first.is_fold, len(first.lines), second.is_fold) == (True, NOISY + 2, False)


def test_what_may_be_newer_elsewhere_is_waited_for() -> None:
    busy = ChangeWindow(dossier_id="a", lines=[_line(90, 900), _line(89, 890)], following=89)
    other = ChangeWindow(dossier_id="b", lines=[_line(7, 895), _line(6, 100)], following=0)
    groups, places = arranged([busy, other], 30, _day)
    assert [group.lines[0].at for group in groups] == [900, 895, 890]
    assert places == {"a": 89, "b": 7}


@pytest.mark.parametrize("text", ["", "x", "u.zz", "a.01-", "a.0123456789abcdef-1", "a.1-" + "9" * 30, "u.1-1\n"])
def test_what_is_no_cursor_is_none(text: str) -> None:
    assert row_cursor(text) is None


def test_a_cursor_is_read_as_it_was_written() -> None:
    cursor = RowCursor(Which.OTHERS).moved({"01a1e6d3-52a9-7c2b-bc55-e5c356789a1e": 123456789, "b": 0})
    assert row_cursor(str(cursor)) == cursor
    assert cursor.before("01a1e6d3-52a9-7c2b-bc55-e5c356789a1e") == 123456789
    assert (cursor.before("b"), cursor.before("c")) == (0, None)
