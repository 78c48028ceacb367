"""Elements looked for by name: what they say, without the tree."""

from __future__ import annotations

from typing import TYPE_CHECKING

from veille.core.extract._compiled import COMPILED, native

if TYPE_CHECKING:
    from selectolax.lexbor import LexborNode

    #: A name, and an attribute and its value the element must have; empty for any.
    Wanted = tuple[tuple[str, str, str], ...]
    #: Name, attributes and text of an element.
    Found = tuple[str, dict[str, str | None], str]


def find(root: LexborNode, wanted: Wanted) -> list[Found]:
    """Every such element below `root`, in document order: one search for all of them."""
    return native.find(root.mem_id, wanted) if COMPILED else plain_find(root, wanted)


def plain_find(root: LexborNode, wanted: Wanted) -> list[Found]:
    """The same by selectors, which know case and name spaces: what the compiled code has to equal."""
    needed = {tag: attribute for tag, attribute, _ in wanted}
    found = []
    for node in root.css(",".join(_selector(*item) for item in wanted)):
        attributes, tag = node.attributes, node.tag or ""
        # A selector takes `xlink:href` for `href` too.
        if not needed[tag] or needed[tag] in attributes:
            found.append((tag, attributes, node.text()))
    return found


def _selector(tag: str, attribute: str, value: str) -> str:
    return f'{tag}[{attribute}="{value}"]' if value else f"{tag}[{attribute}]" if attribute else tag
