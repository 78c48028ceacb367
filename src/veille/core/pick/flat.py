"""A page as lists: every element with its place, and every piece of text in reading order."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable
from functools import cached_property
from typing import Any, Final, TypeVar, cast

from selectolax.lexbor import LexborHTMLParser, LexborNode

#: Elements that a reader of the page does not see.
UNSEEN: Final = frozenset(
    "head script style template noscript title meta link base object embed iframe frame frameset applet svg math "
    "canvas audio video source track param col colgroup wbr".split()
)
_TEXT: Final = "-text"
HEADINGS: Final = frozenset("h1 h2 h3 h4 h5 h6 caption legend summary".split())
_SPACE: Final = re.compile(r"\s+")
#: Characters of texts that are compared as a whole.
_MOST_SAID: Final = 500
Made = TypeVar("Made")


class FlatPage:
    """The visible elements of a page in document order, by number; numbers are the same for the same bytes."""

    def __init__(self, tree: LexborHTMLParser, most: int = 200_000) -> None:
        self.nodes: list[LexborNode] = []
        self.tags: list[str] = []
        self.parents: list[int] = []
        #: The first element after the element and all that is in it.
        self.ends: list[int] = []
        #: The pieces of text in reading order, and where those of an element begin and end.
        self.pieces: list[str] = []
        self.first: list[int] = []
        self.last: list[int] = []
        #: Whether there were more elements than were read.
        self.is_cut = False
        self._made: dict[Callable[[FlatPage], Any], Any] = {}
        body = tree.body or tree.root
        if body is not None:
            self._read(body, most)

    def _read(self, body: LexborNode, most: int) -> None:
        """Without recursion: a page may be nested as deeply as it likes."""
        open_ones: list[int] = []
        node: LexborNode | None = body
        while node is not None:
            entered = self._enter(node, open_ones, most)
            below = node.first_child if entered else None
            if below is not None:
                node = below
                continue
            if entered:
                self._leave(open_ones)
            node = self._onward(node, body, open_ones)
        while open_ones:
            self._leave(open_ones)

    def _enter(self, node: LexborNode, open_ones: list[int], most: int) -> bool:
        tag = node.tag or ""
        if tag == _TEXT:
            text = _SPACE.sub(" ", node.text_content or "").strip()
            if text:
                self.pieces.append(text)
            return False
        if tag in UNSEEN or not tag[:1].isalpha():
            return False
        if len(self.nodes) >= most:
            self.is_cut = True
            return False
        self.nodes.append(node)
        self.tags.append(tag)
        self.parents.append(open_ones[-1] if open_ones else -1)
        self.first.append(len(self.pieces))
        self.last.append(0)
        self.ends.append(0)
        open_ones.append(len(self.nodes) - 1)
        return True

    def _leave(self, open_ones: list[int]) -> None:
        n = open_ones.pop()
        self.ends[n], self.last[n] = len(self.nodes), len(self.pieces)

    def _onward(self, node: LexborNode, body: LexborNode, open_ones: list[int]) -> LexborNode | None:
        # Nodes are equal if their markup is, which takes long to compare.
        while node.mem_id != body.mem_id:
            after = node.next
            if after is not None:
                return after
            above = node.parent
            if above is None:
                return None
            self._leave(open_ones)
            node = above
        return None

    def __len__(self) -> int:
        return len(self.nodes)

    def once(self, make: Callable[[FlatPage], Made]) -> Made:
        """What is made of the whole page, made once: so ten parts of it take hardly longer than one."""
        if make not in self._made:
            self._made[make] = make(self)
        return cast("Made", self._made[make])

    @cached_property
    def attributes(self) -> list[dict[str, str | None]]:
        """The attributes of every element."""
        return [node.attributes for node in self.nodes]

    @cached_property
    def children(self) -> list[list[int]]:
        """The elements directly in each element."""
        found: list[list[int]] = [[] for _ in self.nodes]
        for n, parent in enumerate(self.parents):
            if parent >= 0:
                found[parent].append(n)
        return found

    @cached_property
    def headings(self) -> list[int]:
        """The numbers of all headings that have a text."""
        return [n for n, tag in enumerate(self.tags) if tag in HEADINGS and self.first[n] < self.last[n]]

    def text(self, n: int, most: int = 2000) -> str:
        """The text of an element in one line, as far as `most` characters."""
        found: list[str] = []
        size = 0
        for piece in self.pieces[self.first[n] : self.last[n]]:
            found.append(piece)
            size += len(piece) + 1
            if size > most:
                break
        return " ".join(found)[:most]

    @cached_property
    def times(self) -> Counter[str]:
        """How often each piece of text stands on the page."""
        return Counter(self.pieces)

    @cached_property
    def texts(self) -> dict[str, list[int]]:
        """The elements of each short text; of those that are only around another with the same text, the innermost."""
        found: dict[str, list[int]] = {}
        for n in range(len(self)):
            is_outer = n + 1 < len(self) and self.parents[n + 1] == n and self.span(n) == self.span(n + 1)
            if not is_outer and self.size(n) <= _MOST_SAID:
                found.setdefault(self.text(n), []).append(n)
        return found

    def size(self, n: int) -> int:
        """The number of characters of an element's text."""
        return self._sums[self.last[n]] - self._sums[self.first[n]]

    @cached_property
    def _sums(self) -> list[int]:
        sums = [0]
        for piece in self.pieces:
            sums.append(sums[-1] + len(piece))
        return sums

    def above(self, n: int) -> list[int]:
        """The elements around an element, the nearest first."""
        found = []
        n = self.parents[n]
        while n >= 0:
            found.append(n)
            n = self.parents[n]
        return found

    def holds(self, outer: int, inner: int) -> bool:
        """Whether an element is another, or in it."""
        return outer <= inner < self.ends[outer]

    def span(self, n: int) -> tuple[int, int]:
        """Its first piece of text, and the one after its last."""
        return self.first[n], self.last[n]

    def same(self, one: int, other: int) -> bool:
        """Whether two elements have the same text because one is just a wrapper of the other."""
        return (self.holds(one, other) or self.holds(other, one)) and self.span(one) == self.span(other)

    def place(self, n: int) -> tuple[int, int]:
        """Its place among the elements of the same name beside it, from 1, and how many they are."""
        return self._places[n], self._counts.get((self.parents[n], self.tags[n]), 1)

    @cached_property
    def _counts(self) -> Counter[tuple[int, str]]:
        return Counter(zip(self.parents, self.tags, strict=True))

    @cached_property
    def _places(self) -> list[int]:
        seen: Counter[tuple[int, str]] = Counter()
        found = []
        for pair in zip(self.parents, self.tags, strict=True):
            seen[pair] += 1
            found.append(seen[pair])
        return found
