"""Links whose words stayed while what they lead to did not: that is no change of the text, and yet one."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from html import escape

from veille.core.compare.alignment import aligned
from veille.core.compare.markup_words import Block, Pieces, is_space


@dataclass(frozen=True, slots=True)
class Relinked:
    """A link that leads elsewhere now. One of its addresses is empty when there was none, or is none any more."""

    before: str
    after: str
    #: Before which piece of the newer article that is told: behind the link, within its block.
    place: int

    def told(self, attributes: str = "") -> str:
        """Said in HTML. Addresses are words here: nothing can be clicked."""
        came = f"{'link now goes' if self.before else 'now a link'} to <ins>{escape(self.after)}</ins>"
        went = f"{'before' if self.after else 'no link any more, before'}: <del>{escape(self.before)}</del>"
        # In parts, as a reader may want to see only what came, or only what went.
        parts = [f'<span class="added">({came})</span>'] if self.after else []
        parts += [f'<span class="removed">({went})</span>'] if self.before else []
        return f' <small class="relinked"{attributes}>{" ".join(parts)}</small>'


def relinked(before: Pieces, after: Pieces, old: Block, new: Block) -> Iterator[Relinked]:
    """The links of two versions of a block that go elsewhere, as far as they have words in common."""
    if before.links.keys().isdisjoint(old.words) and after.links.keys().isdisjoint(new.words):
        return
    shared = list(_shared(before, after, old, new))
    yield from _led_elsewhere(before, after, new, shared)
    yield from _unlinked(before, after, shared)


def _led_elsewhere(before: Pieces, after: Pieces, new: Block, shared: list[tuple[int, int]]) -> Iterator[Relinked]:
    targets: dict[int, list[str]] = defaultdict(list)
    for i, j in shared:
        if j in after.links:
            targets[after.links[j]].append(before.target(before.links.get(i)))
    last = {after.links[at]: at for at in new.words if at in after.links}
    for link, earlier in targets.items():
        target = after.target(link)
        # Where some words of it led there already, more words or fewer are the link now: nothing that matters.
        if target and target not in earlier:
            yield Relinked(next(filter(None, earlier), ""), target, _behind(after, last[link], new.end))


def _unlinked(before: Pieces, after: Pieces, shared: list[tuple[int, int]]) -> Iterator[Relinked]:
    """Links none of whose words lead anywhere now."""
    places: dict[int, list[int]] = defaultdict(list)
    for i, j in shared:
        if i in before.links:
            places[before.links[i]].append(j)
    for link, words in places.items():
        if before.target(link) and not any(after.target(after.links.get(at)) for at in words):
            yield Relinked(before.target(link), "", words[-1] + 1)


def _shared(before: Pieces, after: Pieces, old: Block, new: Block) -> Iterator[tuple[int, int]]:
    """Where the words stand that both versions have."""
    for i, i_end, j, _, same in aligned(before.keys(old), after.keys(new)):
        for step in range(i_end - i if same else 0):
            if not is_space(before.all[old.words[i + step]]):
                yield old.words[i + step], new.words[j + step]


def _behind(pieces: Pieces, word: int, end: int) -> int:
    """Behind the link that a word stands in; if that ends with another block, behind the word."""
    closing = (at for at in range(word + 1, end) if pieces.all[at] == "</a>")
    return next(closing, word) + 1
