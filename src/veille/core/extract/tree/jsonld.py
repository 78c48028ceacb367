"""The JSON-LD of a page, flattened: nested items are items too."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from typing import Any, Final

_MAX_ITEMS: Final = 500
#: Some pages wrap the data to hide it from very old parsers.
_WRAPPING: Final = re.compile(r"^\s*(?://\s*)?(?:<!\[CDATA\[|<!--)|(?://\s*)?(?:\]\]>|-->)\s*$")


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
