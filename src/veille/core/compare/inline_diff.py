"""The differences between two articles, shown inside the newer one: word by word, in `<ins>` and `<del>`.

Blocks (paragraphs, headings, cells, items) are matched first, by their text; then blocks that are similar; then the
words of each such pair, and the targets of their links. Marks go around words only, never around a tag, and deleted
text goes where an element of its kind is allowed: whatever the two articles are, the result is as well-formed as the
newer one.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import count, groupby
from typing import Final

from veille.core.compare.alignment import Stretch, aligned
from veille.core.compare.link_changes import relinked
from veille.core.compare.markup_words import Pieces, WordBlock, is_space

#: Two blocks are versions of one if at least this share of both is the same.
_ALIKE: Final = 0.4
#: A block with fewer words may recur elsewhere by chance; a longer one was moved.
_MOVED_WORDS: Final = 5
_FLOW: Final = frozenset("p plain h1 h2 h3 h4 h5 h6 pre div blockquote section article figure".split())
_CELLS: Final = frozenset({"td", "th"})
_ITEMS: Final = frozenset({"li", "dt", "dd"})
_OWN: Final = frozenset("h1 h2 h3 h4 h5 h6 pre".split())
#: Marks the start of a change until all are numbered; no sanitiser lets it through.
_HERE: Final = "\x00"


@dataclass(frozen=True, slots=True, kw_only=True)
class InlineDiff:
    """The newer article with insertions and deletions; each change has an id, `change-1` and so on."""

    html: str
    changes: int
    #: Words added and removed; blocks that only moved; unchanged words whose link target changed.
    added: int
    removed: int
    moved: int
    relinked: int


@dataclass(slots=True)
class _Pair:
    """A block before and after; one of them is None if the block was added or removed."""

    old: WordBlock | None
    new: WordBlock | None
    same: bool = False
    moved: bool = False
    #: The old version of a moved block.
    origin: WordBlock | None = None


@dataclass(slots=True)
class _Marks:
    """What to insert into the newer article, by the piece that it precedes; and which pieces are new."""

    inserted: dict[int, list[str]] = field(default_factory=lambda: defaultdict(list))
    came: dict[int, str] = field(default_factory=dict)


def inline_diff(old: str, new: str, *, ignore_space: bool = False) -> InlineDiff:
    """The difference of two fragments of sanitised HTML."""
    before, after = Pieces(old), Pieces(new)
    pairs = _paired(before, after, ignore_space=ignore_space)
    _find_moved(before, after, pairs)
    marks, tally = _Marks(), Counter[str]()
    for pair in pairs:
        if pair.new is None:
            continue
        if pair.old is None:
            _came(after, pair.new, marks, tally, moved=pair.moved)
        elif not pair.same:
            _compare(before, after, pair.old, pair.new, marks, tally, ignore_space=ignore_space)
        if earlier := pair.old or pair.origin:
            _note_links(before, after, earlier, pair.new, marks, tally)
    _put_gone(before, after, pairs, marks, tally)
    html, changes = _numbered("".join(_written(after, marks)))
    numbers = {name: tally[name] for name in ("added", "removed", "moved", "relinked")}
    return InlineDiff(html=html, changes=changes, **numbers)


def _paired(before: Pieces, after: Pieces, *, ignore_space: bool) -> list[_Pair]:
    """All blocks of both in order, matching ones as one pair."""

    def texts(pieces: Pieces) -> list[str]:
        return ["".join(pieces.keys(block, ignore_space=ignore_space)) for block in pieces.blocks]

    pairs: list[_Pair] = []
    for i, i_end, j, j_end, same in aligned(texts(before), texts(after)):
        old, new = before.blocks[i:i_end], after.blocks[j:j_end]
        pairs += (
            [_Pair(a, b, same=True) for a, b in zip(old, new, strict=True)] if same else _alike(before, after, old, new)
        )
    return pairs


def _alike(before: Pieces, after: Pieces, old: list[WordBlock], new: list[WordBlock]) -> Iterator[_Pair]:
    """Pair similar blocks among those that differ, by aligning all of their words at once."""
    ours, theirs = _words_in(before, old), _words_in(after, new)
    shared: Counter[tuple[int, int]] = Counter()
    for i, i_end, j, _, same in aligned([word for word, _ in ours], [word for word, _ in theirs]):
        if same:
            shared.update((ours[at][1], theirs[at - i + j][1]) for at in range(i, i_end))
    sizes, others = Counter(block for _, block in ours), Counter(block for _, block in theirs)
    a = b = 0
    for (i, j), number in sorted(shared.items(), key=lambda found: (found[0][1], -found[1])):
        if i < a or j < b or 2 * number < _ALIKE * (sizes[i] + others[j]):
            continue
        yield from (_Pair(block, None) for block in old[a:i])
        yield from (_Pair(None, block) for block in new[b:j])
        yield _Pair(old[i], new[j])
        a, b = i + 1, j + 1
    yield from (_Pair(block, None) for block in old[a:])
    yield from (_Pair(None, block) for block in new[b:])


def _words_in(pieces: Pieces, blocks: list[WordBlock]) -> list[tuple[str, int]]:
    """The words without the spaces, each with the index of its block."""
    return [
        (pieces.all[at], number)
        for number, block in enumerate(blocks)
        for at in block.words
        if not is_space(pieces.all[at])
    ]


def _find_moved(before: Pieces, after: Pieces, pairs: list[_Pair]) -> None:
    gone: dict[str, list[_Pair]] = defaultdict(list)
    for pair in pairs:
        if pair.old is not None and pair.new is None and len(pair.old.words) >= _MOVED_WORDS:
            gone["".join(before.keys(pair.old, ignore_space=True))].append(pair)
    for pair in pairs:
        if pair.old is None and pair.new is not None:
            there = gone.get("".join(after.keys(pair.new, ignore_space=True)))
            if there:
                left = there.pop(0)
                pair.moved = left.moved = True
                pair.origin = left.old


def _compare(  # noqa: PLR0913 - both sides of a pair, and where to note what differs
    before: Pieces,
    after: Pieces,
    old: WordBlock,
    new: WordBlock,
    marks: _Marks,
    tally: Counter[str],
    *,
    ignore_space: bool,
) -> None:
    ours, theirs = before.keys(old, ignore_space=ignore_space), after.keys(new, ignore_space=ignore_space)
    for i, i_end, j, j_end, same in _joined(aligned(ours, theirs), ours):
        if same:
            continue
        gone, came = old.words[i:i_end], new.words[j:j_end]
        if gone:
            at = new.words[j] if j < len(new.words) else new.words[-1] + 1
            marks.inserted[at].append(f"<del{_HERE}>{before.shown(gone)}</del>")
            tally["removed"] += _count(before, gone)
        for number, place in enumerate(came):
            marks.came[place] = _HERE if number == 0 and not gone else ""
        tally["added"] += _count(after, came)


def _note_links(
    before: Pieces, after: Pieces, old: WordBlock, new: WordBlock, marks: _Marks, tally: Counter[str]
) -> None:
    for link in relinked(before, after, old, new):
        marks.inserted[link.place].insert(0, link.told(_HERE))
        tally["relinked"] += 1


def _joined(stretches: list[Stretch], ours: Sequence[str]) -> Iterator[Stretch]:
    """Consecutive replaced words are one change: a space between two of them belongs to it."""
    waiting: Stretch | None = None
    for at, (i, i_end, j, j_end, same) in enumerate(stretches):
        is_gap = same and waiting is not None and at + 1 < len(stretches) and ours[i:i_end] == [" "]
        if not same or is_gap:
            start = waiting or (i, i, j, j, False)
            waiting = (start[0], i_end, start[2], j_end, False)
            continue
        if waiting:
            yield waiting
        waiting = None
        yield i, i_end, j, j_end, True
    if waiting:
        yield waiting


def _came(after: Pieces, new: WordBlock, marks: _Marks, tally: Counter[str], *, moved: bool) -> None:
    for number, place in enumerate(new.words):
        marks.came[place] = (_HERE if number == 0 else "") + (' class="moved"' if moved else "")
    tally["moved" if moved else "added"] += 1 if moved else _count(after, new.words)


def _put_gone(before: Pieces, after: Pieces, pairs: list[_Pair], marks: _Marks, tally: Counter[str]) -> None:
    """Insert removed blocks, each where it would be now."""
    following: list[WordBlock | None] = []
    coming: WordBlock | None = None
    for pair in reversed(pairs):
        following.append(coming)
        coming = pair.new or coming
    last: WordBlock | None = None
    placed: list[tuple[tuple[int, str, int], _Pair]] = []
    for pair, coming in zip(pairs, reversed(following), strict=True):
        if pair.new is None and pair.old is not None:
            place, tag = _place(pair.old, coming, last)
            placed.append(((len(after.all) if place is None else place, tag, pair.old.row if tag == "tr" else 0), pair))
        last = pair.new or last
    for (place, tag, _), group in groupby(placed, key=lambda one: one[0]):
        marks.inserted[place] += _gone(before, tag, [pair for _, pair in group], tally)


def _place(old: WordBlock, coming: WordBlock | None, last: WordBlock | None) -> tuple[int | None, str]:
    """The piece before which a removed block is shown, and its element; without an element, inside another's words."""
    behind = last and (last, last.after, last.after_row)
    for found in (coming and (coming, coming.before, coming.before_row), behind):
        place = _beside(old, *found) if found else None
        if place is not None:
            return place
    if coming is not None:
        return (coming.before, "p") if coming.tag in _FLOW and coming.before is not None else (coming.words[0], "")
    if last is not None:
        return (last.after, "p") if last.tag in _FLOW and last.after is not None else (last.words[-1] + 1, "")
    return None, "p"


def _beside(old: WordBlock, block: WordBlock, place: int | None, row_place: int | None) -> tuple[int, str] | None:
    """Where an element of its own kind is allowed, and which."""
    if old.tag in _CELLS:
        return None if row_place is None else (row_place, "tr")
    if place is None:
        return None
    if old.tag in _ITEMS:
        return (place, old.tag) if block.tag == old.tag else None
    return (place, old.tag if old.tag in _OWN else "p") if block.tag in _FLOW else None


def _gone(before: Pieces, tag: str, group: list[_Pair], tally: Counter[str]) -> Iterator[str]:
    cells = []
    for pair in group:
        assert pair.old is not None  # noqa: S101 - the group has only removed blocks
        if not pair.moved:
            tally["removed"] += _count(before, pair.old.words)
        kind = "gone moved" if pair.moved else "gone"
        mark = f'<del{_HERE} class="{kind}">{before.shown(pair.old.words)}</del>'
        cells.append(f"<td>{mark}</td>" if tag == "tr" else f"<{tag}>{mark}</{tag}>" if tag else mark)
    yield f"<tr>{''.join(cells)}</tr>" if tag == "tr" else "".join(cells)


def _written(after: Pieces, marks: _Marks) -> Iterator[str]:
    is_open = False
    for at, piece in enumerate(after.all):
        mark = marks.came.get(at)
        # One mark continues as long as there are words of the same change, and ends before any tag.
        goes_on = is_open and mark is not None and _HERE not in mark and at not in marks.inserted
        if is_open and not goes_on:
            yield "</ins>"
        yield from marks.inserted.get(at, ())
        if mark is not None and not goes_on:
            yield f"<ins{mark}>"
        is_open = mark is not None
        yield piece
    if is_open:
        yield "</ins>"
    yield from marks.inserted.get(len(after.all), ())


def _numbered(html: str) -> tuple[str, int]:
    numbers = count(1)
    html = re.sub(_HERE, lambda _: f' id="change-{next(numbers)}" data-change', html)
    return html, next(numbers) - 1


def _count(pieces: Pieces, places: Sequence[int]) -> int:
    return sum(not is_space(pieces.all[at]) for at in places)
