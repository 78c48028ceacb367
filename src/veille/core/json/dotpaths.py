r"""Dot paths into JSON: `data.items`, `authors.0.name`, `authors.*.name`; `\.` is a dot inside a key.

A template is text with paths in braces: `https://example.org/{id}`.
"""

from __future__ import annotations

import re
from typing import Any, Final

#: Returned for a path without a value; None is a valid value.
MISSING: Final = object()

_SHOWN_KEYS = 20
_SPLIT = re.compile(r"(?<!\\)\.")
_BRACES = re.compile(r"\{([^{}]+)\}")


def at(value: Any, path: str) -> Any:
    """The value at the path, or MISSING; the empty path is the value itself."""
    return _walk(value, [part.replace("\\.", ".") for part in _SPLIT.split(path)]) if path else value


def is_template(text: str) -> bool:
    """Whether the text contains paths in braces."""
    return _BRACES.search(text) is not None


def filled_in(template: str, value: Any) -> Any:
    """The template with its paths replaced, or MISSING if one of them has no value."""
    found = {path: at(value, path) for path in _BRACES.findall(template)}
    if any(item is MISSING for item in found.values()):
        return MISSING
    return _BRACES.sub(lambda match: "" if found[match[1]] is None else str(found[match[1]]), template)


def put(value: Any, path: str, item: Any) -> Any:
    """A copy of the value with the item set at the path; missing objects are created."""
    head, *rest = [part.replace("\\.", ".") for part in _SPLIT.split(path, maxsplit=1)]
    inside = dict(value) if isinstance(value, dict) else {}
    inside[head] = put(inside.get(head), rest[0], item) if rest else item
    return inside


def described(value: Any) -> str:
    """Describe a value for error messages about paths: the keys of an object, or the type."""
    if isinstance(value, dict):
        names = sorted(map(str, value))
        more = f" and {len(names) - _SHOWN_KEYS} more" if len(names) > _SHOWN_KEYS else ""
        return f"the keys {', '.join(name[:60] for name in names[:_SHOWN_KEYS])}{more}" if names else "no keys"
    if isinstance(value, list):
        return f"a list of {len(value)}"
    names_of = {str: "a text", bool: "true or false", int: "a number", float: "a number", type(None): "null"}
    return names_of.get(type(value), "something else")


def lists_in(value: Any, depth: int = 3) -> list[str]:
    """The paths of lists in a value, the shallowest first: candidates for `result_path`."""
    if not isinstance(value, dict) or not depth:
        return []
    keys = {key: key.replace(".", "\\.") for key in value}
    here = [path for key, path in keys.items() if isinstance(value[key], list)]
    deeper = [f"{path}.{inner}" for key, path in keys.items() for inner in lists_in(value[key], depth - 1)]
    return here + deeper


def _walk(value: Any, parts: list[str]) -> Any:
    for index, part in enumerate(parts):
        if part == "*" and isinstance(value, list):
            found = [_walk(item, parts[index + 1 :]) for item in value]
            return [item for item in found if item is not MISSING]
        if isinstance(value, dict) and part in value:
            value = value[part]
        elif isinstance(value, list) and part.isascii() and part.isdigit() and int(part[:9]) < len(value):
            value = value[int(part[:9])]
        else:
            return MISSING
    return value
