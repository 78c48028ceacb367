"""A picture of a page to point at: its structure and its texts, and nothing else of it.

It is written anew from the elements: two harmless kinds of element, none of the page's own attributes, every text
escaped. So nothing of the page can run, load or move anything, whatever it contains, and no parser can read it
otherwise.
"""

from __future__ import annotations

from html import escape
from typing import Final

from selectolax.lexbor import LexborNode

from veille.core.pick.flat import UNSEEN, FlatPage

#: More elements are not shown: a browser would take too long, and nobody points at the twenty-thousandth.
MOST_ELEMENTS: Final = 20_000
_MOST_DEPTH: Final = 120
_MOST_CHARS: Final = 4_000_000
_INLINE: Final = frozenset(
    (
        "a abbr acronym b bdi bdo big cite code data del dfn em font i ins kbd label mark nobr output q s samp small "
        "span strike strong sub sup time tt u var button input select option picture img meter progress slot"
    ).split()
)
#: Elements that look like themselves.
_SHOWN: Final = frozenset(
    (
        "a b strong i em code h1 h2 h3 h4 h5 h6 li p pre table thead tbody tfoot tr td th caption dt dd blockquote "
        "button img input nav header footer aside main section article form ul ol dl small sup sub hr"
    ).split()
)
_CAPTIONS: Final = ("alt", "placeholder", "value", "aria-label", "title")
_MOST_CAPTION: Final = 80


def snapshot_of(page: FlatPage) -> tuple[str, int]:
    """The markup of the picture, and how many elements were left out of it."""
    numbers = {node.mem_id: n for n, node in enumerate(page.nodes[:MOST_ELEMENTS])}
    return (_Writer(numbers).written(page.nodes[0]) if numbers else ""), max(0, len(page) - MOST_ELEMENTS)


class _Writer:
    """Writes the elements one after the other, without recursion."""

    def __init__(self, numbers: dict[int, int]) -> None:
        self._numbers = numbers
        self._out: list[str] = []
        self._size = 0
        #: What closes the open elements; nothing for those that are too deep to be shown.
        self._ends: list[str] = []

    def written(self, top: LexborNode) -> str:
        node: LexborNode | None = top
        while node is not None:
            below = node.first_child if self._enter(node) else None
            if below is not None:
                node = below
                continue
            node = self._onward(node, top)
        self._out += reversed(self._ends)
        return "".join(self._out)

    def _enter(self, node: LexborNode) -> bool:
        """Write the beginning of an element; whether it is open now."""
        tag = node.tag or ""
        if tag == "-text":
            self._add(escape((node.text_content or "").replace("\0", "")))
            return False
        n = self._numbers.get(node.mem_id)
        if tag in UNSEEN or n is None:
            return False
        if tag == "br":
            self._add("<br>")
            return False
        kind = "span" if tag in _INLINE else "div"
        look = f' class="k-{tag}"' if tag in _SHOWN else ""
        is_shown = len(self._ends) < _MOST_DEPTH
        if is_shown:
            self._add(f'<{kind}{look} data-n="{n}">{_caption(node, tag)}')
        end = f"</{kind}>" if is_shown else ""
        if node.first_child is None:
            self._add(end)
            return False
        self._ends.append(end)
        return True

    def _onward(self, node: LexborNode, top: LexborNode) -> LexborNode | None:
        while node.mem_id != top.mem_id:
            if node.next is not None:
                return node.next
            above = node.parent
            if above is None:
                return None
            self._add(self._ends.pop())
            node = above
        return None

    def _add(self, text: str) -> None:
        is_end = text.startswith("</")
        if is_end or self._size < _MOST_CHARS:
            self._size += len(text)
            self._out.append(text)


def _caption(node: LexborNode, tag: str) -> str:
    """What stands for a picture or a field."""
    if tag not in {"img", "input"}:
        return ""
    attributes = node.attributes
    said = next((value for name in _CAPTIONS if (value := attributes.get(name))), "")
    return escape(said[:_MOST_CAPTION]) or ("picture" if tag == "img" else "field")
