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
from dataclasses import dataclass
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
#: Space between a mark and its first or last word.
_SPACE_FIRST: Final = re.compile(r"(<(?:ins|del)\b[^<>]*>)(\s+)(?=[^\s<])")
_SPACE_LAST: Final = re.compile(r"(?<=[^\s>])(\s+)(</(?:ins|del)>)")
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


def inline_diff(old: str, new: str, *, ignore_space: bool = False) -> InlineDiff:
    """The difference of two fragments of sanitised HTML."""
    diff = _Diff(Pieces(old), Pieces(new), ignore_space=ignore_space)
    diff.compare()
    html, changes = _numbered(_hugging("".join(diff.written())))
    numbers = {name: diff.tally[name] for name in ("added", "removed", "moved", "relinked")}
    return InlineDiff(html=html, changes=changes, **numbers)


class _Diff:
    """Two articles, and what is marked in the newer one."""

    def __init__(self, before: Pieces, after: Pieces, *, ignore_space: bool) -> None:
        self.before, self.after, self.ignore_space = before, after, ignore_space
        #: What to insert into the newer article, by the piece that it precedes.
        self.inserted: dict[int, list[str]] = defaultdict(list)
        #: The pieces that are new, and the attributes of their marks.
        self.came: dict[int, str] = {}
        self.tally = Counter[str]()

    def compare(self) -> None:
        pairs = self.paired()
        _find_moved(self.before, self.after, pairs)
        for pair in pairs:
            if pair.new is None:
                continue
            if pair.old is None:
                self.add(pair.new, moved=pair.moved)
            elif not pair.same:
                self.compare_words(pair.old, pair.new)
            if earlier := pair.old or pair.origin:
                for link in relinked(self.before, self.after, earlier, pair.new):
                    self.inserted[link.place].insert(0, link.as_html(_HERE))
                    self.tally["relinked"] += 1
        self.put_gone(pairs)

    def paired(self) -> list[_Pair]:
        """All blocks of both in order, matching ones as one pair."""
        before, after = self.before, self.after
        pairs: list[_Pair] = []
        for i, i_end, j, j_end, same in aligned(self.texts(before), self.texts(after)):
            old, new = before.blocks[i:i_end], after.blocks[j:j_end]
            if same:
                pairs += (_Pair(a, b, same=True) for a, b in zip(old, new, strict=True))
            else:
                pairs += _alike(before, after, old, new)
        return pairs

    def texts(self, pieces: Pieces) -> list[str]:
        return ["".join(self.keys(pieces, block)) for block in pieces.blocks]

    def keys(self, pieces: Pieces, block: WordBlock) -> list[str]:
        return pieces.keys(block, ignore_space=self.ignore_space)

    def compare_words(self, old: WordBlock, new: WordBlock) -> None:
        ours, theirs = self.keys(self.before, old), self.keys(self.after, new)
        for i, i_end, j, j_end, same in _joined(aligned(ours, theirs), ours):
            if same:
                continue
            gone, came = old.words[i:i_end], new.words[j:j_end]
            if gone:
                at = new.words[j] if j < len(new.words) else new.words[-1] + 1
                self.inserted[at].append(f"<del{_HERE}>{self.before.shown(gone)}</del>")
                self.tally["removed"] += _count(self.before, gone)
            for number, place in enumerate(came):
                self.came[place] = _HERE if number == 0 and not gone else ""
            self.tally["added"] += _count(self.after, came)

    def add(self, new: WordBlock, *, moved: bool) -> None:
        for number, place in enumerate(new.words):
            self.came[place] = (_HERE if number == 0 else "") + (' class="moved"' if moved else "")
        self.tally["moved" if moved else "added"] += 1 if moved else _count(self.after, new.words)

    def put_gone(self, pairs: list[_Pair]) -> None:
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
                row = pair.old.row if tag == "tr" else 0
                placed.append(((len(self.after.all) if place is None else place, tag, row), pair))
            last = pair.new or last
        for (place, tag, _), group in groupby(placed, key=lambda one: one[0]):
            cells = "".join(self.gone(pair, tag) for _, pair in group)
            self.inserted[place].append(f"<tr>{cells}</tr>" if tag == "tr" else cells)

    def gone(self, pair: _Pair, tag: str) -> str:
        """A removed block as HTML; the element is that of its row for a cell, and empty inside another's words."""
        assert pair.old is not None  # noqa: S101 - only removed blocks are placed
        if not pair.moved:
            self.tally["removed"] += _count(self.before, pair.old.words)
        kind, element = "gone moved" if pair.moved else "gone", "td" if tag == "tr" else tag
        mark = f'<del{_HERE} class="{kind}">{self.before.shown(pair.old.words)}</del>'
        return f"<{element}>{mark}</{element}>" if element else mark

    def written(self) -> Iterator[str]:
        is_open = False
        for at, piece in enumerate(self.after.all):
            mark = self.came.get(at)
            # One mark continues as long as there are words of the same change, and ends before any tag.
            goes_on = is_open and mark is not None and _HERE not in mark and at not in self.inserted
            if is_open and not goes_on:
                yield "</ins>"
            yield from self.inserted.get(at, ())
            if mark is not None and not goes_on:
                yield f"<ins{mark}>"
            is_open = mark is not None
            yield piece
        if is_open:
            yield "</ins>"
        yield from self.inserted.get(len(self.after.all), ())


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


def _hugging(html: str) -> str:
    """Marks begin and end with a word; the space beside it stands outside."""
    return _SPACE_LAST.sub(r"\2\1", _SPACE_FIRST.sub(r"\2\1", html))


def _numbered(html: str) -> tuple[str, int]:
    numbers = count(1)
    html = re.sub(_HERE, lambda _: f' id="change-{next(numbers)}" data-change', html)
    return html, next(numbers) - 1


def _count(pieces: Pieces, places: Sequence[int]) -> int:
    return sum(not is_space(pieces.all[at]) for at in places)
