"""The structured data of a page: its JSON-LD, nested items included, and its microdata in the same shape."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from typing import Any, Final

from selectolax.lexbor import LexborHTMLParser, LexborNode

_MAX_ITEMS: Final = 500
#: `json.loads` would make one for every text.
_DECODER: Final = json.JSONDecoder(strict=False)
#: Some pages wrap the data to hide it from very old parsers.
_WRAPPING: Final = re.compile(r"^\s*(?://\s*)?(?:<!\[CDATA\[|<!--)|(?://\s*)?(?:\]\]>|-->)\s*$")
#: The attribute that holds an element's value, if that is not its text.
_VALUES: Final = {"meta": "content", "a": "href", "link": "href", "img": "src", "time": "datetime", "data": "value"}


def loads(text: str) -> Any:
    """The value, or None if it is not JSON."""
    try:
        return _DECODER.decode(text)
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
    last = 0
    # One pass in document order: the item around a node comes before it. A node that matches both comes twice.
    for node in tree.css("[itemscope],[itemprop]")[: _MAX_ITEMS * 10]:
        number, attributes = node.mem_id, node.attributes
        if number == last:
            continue
        last = number
        item: dict[str, Any] | None = None
        if "itemscope" in attributes and len(found) < _MAX_ITEMS:
            stated = (attributes.get("itemtype") or "").split()
            item = {"@type": [name.rpartition("/")[2] for name in stated], "@origin": "microdata"}
        names = (attributes.get("itemprop") or "").split()
        holder = _holder(node, found) if names else None
        if holder is not None:
            _add(holder, names, _value(node, attributes) if item is None else item)
        if item is not None:
            found[number] = item
    return [item for item in found.values() if item["@type"]]


def _add(holder: dict[str, Any], names: list[str], value: Any) -> None:
    for name in names:
        held = holder.setdefault(name, value)
        if held is not value:
            holder[name] = [*(held if isinstance(held, list) else [held]), value]


def _holder(node: LexborNode, items: dict[int, dict[str, Any]]) -> dict[str, Any] | None:
    above = node.parent
    while above is not None:
        number = above.mem_id
        if number in items:
            return items[number]
        above = above.parent
    return None


def _value(node: LexborNode, attributes: dict[str, str | None]) -> str:
    # Many pages state the value in `content` beside the displayed text, on any element.
    stated = attributes.get("content") or attributes.get(_VALUES.get(node.tag or "", "")) or ""
    return stated or " ".join((node.text() or "").split())
