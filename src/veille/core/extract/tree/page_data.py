"""The structured data of a page: its JSON-LD, nested items included, and its microdata in the same shape."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from typing import Any, Final

from selectolax.lexbor import LexborNode

from veille.core.extract.tree.compiled import COMPILED, native
from veille.core.http.charset import without_halves

_MAX_ITEMS: Final = 500
#: Of an element that is an item or a property: the number of the item that has it or -1, its type or None, the names of
#: the property, its value.
Property = tuple[int, str | None, str, str]
#: `json.loads` would make one for every text.
_DECODER: Final = json.JSONDecoder(strict=False)
#: Some pages wrap the data to hide it from very old parsers.
_WRAPPING: Final = re.compile(r"^\s*(?://\s*)?(?:<!\[CDATA\[|<!--)|(?://\s*)?(?:\]\]>|-->)\s*$")
#: The attribute that holds an element's value, if that is not its text.
_VALUES: Final = {"meta": "content", "a": "href", "link": "href", "img": "src", "time": "datetime", "data": "value"}


def loads(text: str) -> Any:
    """The value, or None if it is not JSON."""
    try:
        return _DECODER.decode(without_halves(text))
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


def microdata(root: LexborNode) -> list[dict[str, Any]]:
    """Every item with a type; those that are properties of another are also inside it."""
    found: list[dict[str, Any]] = []
    for holder, kind, names, value in properties(root):
        item: dict[str, Any] | None = None
        if kind is not None:
            item = {"@type": [name.rpartition("/")[2] for name in kind.split()], "@origin": "microdata"}
        if holder >= 0:
            _add(found[holder], names.split(), value if item is None else item)
        if item is not None:
            found.append(item)
    return [item for item in found if item["@type"]]


def properties(root: LexborNode) -> list[Property]:
    """Every item and property of the microdata, in document order."""
    if COMPILED:
        return native.properties(root.mem_id, _MAX_ITEMS, _MAX_ITEMS * 10)
    return plain_properties(root)


def plain_properties(root: LexborNode) -> list[Property]:
    """The same in Python: the reference for the compiled code."""
    found: list[Property] = []
    items: dict[int, int] = {}
    last = 0
    # One pass in document order: the item around a node comes before it. A node that matches both comes twice.
    for node in root.css("[itemscope],[itemprop]")[: _MAX_ITEMS * 10]:
        number, attributes = node.mem_id, node.attributes
        if number == last:
            continue
        last = number
        is_item = "itemscope" in attributes and len(items) < _MAX_ITEMS
        names = attributes.get("itemprop") or ""
        holder = _holder(node, items) if names else -1
        value = _value(node, attributes) if holder >= 0 and not is_item else ""
        found.append((holder, (attributes.get("itemtype") or "") if is_item else None, names, value))
        if is_item:
            items[number] = len(items)
    return found


def _add(holder: dict[str, Any], names: list[str], value: Any) -> None:
    for name in names:
        held = holder.setdefault(name, value)
        if held is not value:
            holder[name] = [*(held if isinstance(held, list) else [held]), value]


def _holder(node: LexborNode, items: dict[int, int]) -> int:
    above = node.parent
    while above is not None:
        number = above.mem_id
        if number in items:
            return items[number]
        above = above.parent
    return -1


def _value(node: LexborNode, attributes: dict[str, str | None]) -> str:
    # Many pages state the value in `content` beside the displayed text, on any element.
    stated = attributes.get("content") or attributes.get(_VALUES.get(node.tag or "", "")) or ""
    return stated or " ".join((node.text() or "").split())
