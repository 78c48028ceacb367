"""The structured data of a page: its JSON-LD, nested items included, and its microdata in the same shape."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from typing import Any, Final

from selectolax.lexbor import LexborHTMLParser, LexborNode

_MAX_ITEMS: Final = 500
#: Some pages wrap the data to hide it from very old parsers.
_WRAPPING: Final = re.compile(r"^\s*(?://\s*)?(?:<!\[CDATA\[|<!--)|(?://\s*)?(?:\]\]>|-->)\s*$")
#: The attribute that holds an element's value, if that is not its text.
_VALUES: Final = {"meta": "content", "a": "href", "link": "href", "img": "src", "time": "datetime", "data": "value"}


def loads(text: str) -> Any:
    """The value, or None if it is not JSON."""
    try:
        return json.loads(text, strict=False)
    except (ValueError, RecursionError):
        return None


def jsonld(scripts: Iterable[str]) -> list[dict[str, Any]]:
    """Every object with a type in these scripts, outer ones first."""
    found: list[dict[str, Any]] = []
    queue: list[Any] = [loads(_unwrapped(text)) for text in scripts]
    for value in queue:
        if len(queue) > _MAX_ITEMS * 20:
            break
        if isinstance(value, dict):
            if "@type" in value:
                found.append(value)
            queue.extend(inner for inner in value.values() if isinstance(inner, dict | list))
        elif isinstance(value, list):
            queue.extend(value)
    return found[:_MAX_ITEMS]


def _unwrapped(text: str) -> str:
    bare = text.strip()
    # Almost no script is wrapped, and the pattern would scan every character.
    wrapped = bare.startswith(("//", "<!")) or bare.endswith(("]]>", "-->"))
    return _WRAPPING.sub("", text) if wrapped else text


def types(item: dict[str, Any]) -> set[str]:
    """The item's types, without the vocabulary's address."""
    value = item.get("@type")
    names = value if isinstance(value, list) else [value]
    return {name.rpartition("/")[2] for name in names if isinstance(name, str)}


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
