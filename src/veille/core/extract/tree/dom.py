"""A small element tree for algorithms that rewrite the page, and its serialisation to HTML."""

from __future__ import annotations

from collections.abc import Iterator
from html import escape
from typing import Final

from selectolax.lexbor import LexborNode

_VOID: Final = frozenset("area base br col embed hr img input link meta param source track wbr".split())
_DROPPED: Final = frozenset({"script", "style", "noscript", "template", "-comment", "-doctype"})


class Element:
    """An element with its children; texts are plain strings among them."""

    __slots__ = ("attributes", "children", "parent", "score", "tag")

    def __init__(self, tag: str, attributes: dict[str, str], parent: Element | None = None) -> None:
        self.tag = tag
        self.attributes = attributes
        self.parent = parent
        self.children: list[Element | str] = []
        self.score: float | None = None

    @property
    def name(self) -> str:
        """Class and id as one string, for word searches."""
        return f"{self.attributes.get('class', '')} {self.attributes.get('id', '')}"

    def elements(self) -> list[Element]:
        return [child for child in self.children if isinstance(child, Element)]

    def walk(self) -> Iterator[Element]:
        """Every element below, in document order; the element just yielded may be removed."""
        stack: list[Element] = self.elements()[::-1]
        while stack:
            element = stack.pop()
            yield element
            if element.parent is not None:
                stack.extend(element.elements()[::-1])

    def text(self) -> str:
        out: list[str] = []
        stack: list[Element | str] = [self]
        while stack:
            item = stack.pop()
            if isinstance(item, str):
                out.append(item)
            else:
                stack.extend(item.children[::-1])
        return "".join(out)

    def ancestors(self, limit: int) -> list[Element]:
        out: list[Element] = []
        element = self.parent
        while element is not None and len(out) < limit:
            out.append(element)
            element = element.parent
        return out

    def inside(self, tags: frozenset[str], limit: int = 1000) -> bool:
        return any(above.tag in tags for above in self.ancestors(limit))

    def append(self, child: Element | str) -> None:
        if isinstance(child, Element):
            child.remove()
            child.parent = self
        self.children.append(child)

    def index(self) -> int:
        assert self.parent is not None  # noqa: S101 - only called for children
        return next(number for number, child in enumerate(self.parent.children) if child is self)

    def remove(self) -> None:
        if self.parent is not None:
            del self.parent.children[self.index()]
            self.parent = None

    def html(self) -> str:
        out: list[str] = []
        stack: list[Element | str | tuple[str]] = [self]
        while stack:
            item = stack.pop()
            if isinstance(item, tuple):
                out.append(item[0])
            elif isinstance(item, str):
                out.append(escape(item, quote=False))
            else:
                pairs = "".join(f' {key}="{escape(value)}"' for key, value in item.attributes.items())
                out.append(f"<{item.tag}{pairs}>")
                if item.tag not in _VOID:
                    stack.append((f"</{item.tag}>",))
                    stack.extend(item.children[::-1])
        return "".join(out)


def copy(root: LexborNode) -> Element:
    """A copy of everything below `root`, without scripts, styles and comments."""
    top = Element(root.tag or "div", {key: value or "" for key, value in root.attributes.items()})
    stack: list[tuple[LexborNode | None, Element]] = [(root.first_child, top)]
    while stack:
        node, parent = stack.pop()
        while node is not None:
            tag = node.tag or ""
            if tag == "-text":
                parent.children.append(node.text_content or "")
            elif tag not in _DROPPED:
                element = Element(tag, {key: value or "" for key, value in node.attributes.items()}, parent)
                parent.children.append(element)
                stack.append((node.next, parent))
                parent, node = element, node.first_child
                continue
            node = node.next
    return top
