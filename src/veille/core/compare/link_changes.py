"""Links whose text is the same in both versions, while their target is another."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from html import escape

from veille.core.compare.alignment import aligned
from veille.core.compare.markup_words import Pieces, WordBlock, is_space


@dataclass(frozen=True, slots=True)
class Relinked:
    """A link with a new target. One address is empty if there was no link before, or is none now."""

    before: str
    after: str
    #: The piece of the newer article before which this is shown: after the link, within its block.
    place: int

    def as_html(self, attributes: str = "") -> str:
        """A note for the article. Addresses in it are plain text: nothing is clickable."""
        came = f"{'link now goes' if self.before else 'now a link'} to <ins>{escape(self.after)}</ins>"
        went = f"{'before' if self.after else 'no link any more, before'}: <del>{escape(self.before)}</del>"
        # In two parts, as a reader may want to see only additions, or only deletions.
        parts = [f'<span class="added">({came})</span>'] if self.after else []
        parts += [f'<span class="removed">({went})</span>'] if self.before else []
        return f' <small class="relinked"{attributes}>{" ".join(parts)}</small>'


def relinked(before: Pieces, after: Pieces, old: WordBlock, new: WordBlock) -> Iterator[Relinked]:
    """The links of two versions of a block with new targets, as far as they have words in common."""
    if before.links.keys().isdisjoint(old.words) and after.links.keys().isdisjoint(new.words):
        return
    shared = list(_shared(before, after, old, new))
    yield from _led_elsewhere(before, after, new, shared)
    yield from _unlinked(before, after, shared)


def _led_elsewhere(before: Pieces, after: Pieces, new: WordBlock, shared: list[tuple[int, int]]) -> Iterator[Relinked]:
    targets: dict[int, list[str]] = defaultdict(list)
    for i, j in shared:
        if j in after.links:
            targets[after.links[j]].append(before.target(before.links.get(i)))
    last = {after.links[at]: at for at in new.words if at in after.links}
    for link, earlier in targets.items():
        target = after.target(link)
        # If some of its words had that target already, only the extent of the link changed: not worth reporting.
        if target and target not in earlier:
            yield Relinked(next(filter(None, earlier), ""), target, _behind(after, last[link], new.end))


def _unlinked(before: Pieces, after: Pieces, shared: list[tuple[int, int]]) -> Iterator[Relinked]:
    """Links of which no word is linked now."""
    places: dict[int, list[int]] = defaultdict(list)
    for i, j in shared:
        if i in before.links:
            places[before.links[i]].append(j)
    for link, words in places.items():
        if before.target(link) and not any(after.target(after.links.get(at)) for at in words):
            yield Relinked(before.target(link), "", words[-1] + 1)


def _shared(before: Pieces, after: Pieces, old: WordBlock, new: WordBlock) -> Iterator[tuple[int, int]]:
    """The places of the words that both versions have."""
    for i, i_end, j, _, same in aligned(before.keys(old), after.keys(new)):
        for step in range(i_end - i if same else 0):
            if not is_space(before.all[old.words[i + step]]):
                yield old.words[i + step], new.words[j + step]


def _behind(pieces: Pieces, word: int, end: int) -> int:
    """The place after the link that a word is in; if the link ends in another block, after the word."""
    closing = (at for at in range(word + 1, end) if pieces.all[at] == "</a>")
    return next(closing, word) + 1
