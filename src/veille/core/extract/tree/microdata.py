"""The microdata of a page, in the shape of its JSON-LD: callers treat both alike."""

from __future__ import annotations

from typing import Any, Final

from selectolax.lexbor import LexborHTMLParser, LexborNode

_MAX_ITEMS: Final = 500
#: The attribute that holds an element's value, if that is not its text.
_VALUES: Final = {"meta": "content", "a": "href", "link": "href", "img": "src", "time": "datetime", "data": "value"}


def microdata(tree: LexborHTMLParser) -> list[dict[str, Any]]:
    """Every item with a type; those that are properties of another are also inside it."""
    found: dict[int, dict[str, Any]] = {}
    for node in tree.css("[itemscope]")[:_MAX_ITEMS]:
        stated = (node.attributes.get("itemtype") or "").split()
        found[node.mem_id] = {"@type": [name.rpartition("/")[2] for name in stated], "@origin": "microdata"}
    for node in tree.css("[itemprop]")[: _MAX_ITEMS * 10]:
        holder = _holder(node, found)
        if holder is None:
            continue
        value: Any = found[node.mem_id] if node.mem_id in found else _value(node)
        for name in (node.attributes.get("itemprop") or "").split():
            held = holder.setdefault(name, value)
            if held is not value:
                holder[name] = [*(held if isinstance(held, list) else [held]), value]
    return [item for item in found.values() if item["@type"]]


def _holder(node: LexborNode, items: dict[int, dict[str, Any]]) -> dict[str, Any] | None:
    above = node.parent
    while above is not None:
        if above.mem_id in items:
            return items[above.mem_id]
        above = above.parent
    return None


def _value(node: LexborNode) -> str:
    attributes = node.attributes
    # Many pages state the value in `content` beside the displayed text, on any element.
    stated = attributes.get("content") or attributes.get(_VALUES.get(node.tag or "", "")) or ""
    return stated or " ".join((node.text() or "").split())
