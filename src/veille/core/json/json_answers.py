r"""JSON answers: parsed into a value and a list of items, with dot paths into them.

Paths are `data.items`, `authors.0.name`, `authors.*.name`; `\.` is a dot inside a key. A template is text with paths
in braces: `https://example.org/{id}`. Errors say what was received and what to change.
"""

from __future__ import annotations

import json
import re
from typing import Any, Final, NamedTuple

from veille.core.http.charset import decoded, without_halves
from veille.core.traffic import Payload
from veille.errors import ReadError

#: Returned for a path without a value; None is a valid value.
MISSING: Final = object()

_SHOWN_KEYS = 20
_SPLIT = re.compile(r"(?<!\\)\.")
_BRACES = re.compile(r"\{([^{}]+)\}")
_LINES = ("ndjson", "jsonl", "json-lines", "jsonlines", "json-seq")
_SHOWN = 60
_RECORD = "\x1e"


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
    # A path cannot name what is below a key that ends with a backslash: the dot after it would belong to the key.
    keys = {key: key.replace(".", "\\.") for key in value if not key.endswith("\\")}
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


class JsonAnswer(NamedTuple):
    """The value of a JSON answer, and errors in single lines of JSON lines."""

    value: Any
    flaws: tuple[str, ...] = ()


def parsed(payload: Payload) -> JsonAnswer:
    """The value of a JSON answer; JSON lines become a list of their values, without a few invalid lines."""
    text = without_halves(decoded(payload.body, payload.charset or "utf-8")[0].lstrip("\ufeff").strip())
    if any(name in payload.media_type for name in _LINES):
        return _lines(text)
    try:
        return JsonAnswer(json.loads(text))
    except (ValueError, RecursionError) as error:
        if text.startswith("<"):
            raise ReadError(
                f"The answer is {payload.media_type or 'markup'}, not JSON: it begins {text[:_SHOWN]!r}. A login page, "
                "a block or the wrong address? Check the address, the key and the headers; an engine that answers "
                "pages has the strategy `generic`.",
                code="api.not_json",
            ) from error
        # JSON lines often have a media type that does not say so.
        if getattr(error, "msg", "") == "Extra data" and "\n" in text:
            return _lines(text)
        raise ReadError(
            f"This is no JSON ({_reason(error)}): it begins {text[:_SHOWN]!r}. Check the address, and whether the "
            "answer was cut.",
            code="api.malformed",
        ) from error


def items_in(value: Any, result_path: str) -> list[Any]:
    """The list at the path, or an error that says what is there."""
    found = at(value, result_path)
    if isinstance(found, list):
        return found
    lists = lists_in(value)
    advice = f"Lists stand at: {', '.join(lists[:10])}." if lists else "There is no list in the answer."
    if found is MISSING:
        what = f"There is nothing at result_path {result_path!r}: the answer has {described(value)}."
    elif result_path:
        what = f"At result_path {result_path!r} there is no list but {described(found)}."
    else:
        what = f"The answer is no list but an object with {described(found)}; set result_path to its list."
    raise ReadError(f"{what} {advice}", code="api.path")


def _lines(text: str) -> JsonAnswer:
    values: list[Any] = []
    flaws: list[str] = []
    for number, line in enumerate(text.split("\n"), 1):
        stripped = line.strip().strip(_RECORD)
        if not stripped:
            continue
        try:
            values.append(json.loads(stripped))
        except (ValueError, RecursionError) as error:
            flaws.append(f"Line {number} is no JSON ({_reason(error)}): it begins {stripped[:_SHOWN]!r}.")
    if len(flaws) >= max(len(values), 1):
        # If at least half of the lines are invalid, this is not JSON lines.
        raise ReadError(flaws[0], code="api.malformed")
    return JsonAnswer(values, tuple(flaws))


def _reason(error: Exception) -> str:
    return "it is nested too deeply" if isinstance(error, RecursionError) else str(error)[:100]
