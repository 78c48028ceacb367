"""Guess how to read an unknown JSON answer: which list has the items, and which of their values are which fields."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Final

from veille.core.dates import parse_date
from veille.core.json.endpoints import FIELDS
from veille.core.json.json_answers import MISSING, at, lists_in
from veille.core.models import Json

#: Number of items that are examined.
_LOOKED_AT: Final = 20
_SENTENCE: Final = 20
#: Usual paths of the address of the next page.
_NEXT: Final = ("next", "next_url", "links.next", "_links.next.href", "paging.next", "pagination.next", "meta.next")
#: Patterns for the last part of a path, per field; for keys that are not found automatically.
_SOUNDS: Final = {
    "id": re.compile(r"(?:^|_)(?:id|guid|uuid|key|slug|number|doi|isbn)$|I[dD]$"),
    "title": re.compile(r"title|name|headline|heading|subject|label|caption|question", re.IGNORECASE),
    "text": re.compile(r"text|content|body|desc|summary|abstract|excerpt|message|comment|note|detail", re.IGNORECASE),
    "url": re.compile(r"ur[li]$|link|href|permalink|page$", re.IGNORECASE),
    "published": re.compile(r"publish|posted|created|issued|date|time", re.IGNORECASE),
    "updated": re.compile(r"updat|modif|edited|revised", re.IGNORECASE),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Mapping:
    """How a JSON answer can be read as a list."""

    result_path: str
    #: Only fields that are not found automatically.
    fields: dict[str, str]
    count: int

    @property
    def config(self) -> Json:
        """As the options of a source of kind `api`."""
        return {name: value for name, value in (("result_path", self.result_path), ("fields", self.fields)) if value}


def mapping_of(value: Any) -> Mapping | None:
    """The list that looks most like items, and its fields; None if no list has titles or texts."""
    paths = [""] if isinstance(value, list) else lists_in(value)
    found: list[tuple[int, Mapping]] = []
    for path in paths:
        items = [item for item in at(value, path) if isinstance(item, dict)]
        fields = _fields(items[:_LOOKED_AT])
        if fields.keys() & {"title", "text"}:
            named = {name: place for name, place in fields.items() if place}
            found.append((len(fields), Mapping(result_path=path, fields=named, count=len(items))))
    # More fields count before more items: a list of tags has names, too. Of two equals the shallower one wins.
    return max(found, key=lambda one: (one[0], one[1].count), default=(0, None))[1]


def goes_on_at(value: Any) -> str:
    """The path of the address of the next page; empty if there is none."""
    for path in _NEXT:
        found = at(value, path)
        if isinstance(found, str) and found.startswith(("http://", "https://", "/")):
            return path
    return ""


def _fields(items: list[Json]) -> dict[str, str]:
    """The path of every field that was found; an empty path if it is found automatically."""
    found: dict[str, str] = {}
    for name, keys in FIELDS.items():
        if any(item.get(key) not in (None, "") for key in keys.split() for item in items):
            found[name] = ""
    taken = {key for name in found for key in FIELDS[name].split()}
    paths = [path for path in _paths(items) if path not in taken]
    for name in _SOUNDS:
        if name not in found:
            path = next((path for path in paths if _suits(name, path, items)), None)
            if path is not None:
                found[name] = path
                paths.remove(path)
    if not found.keys() & {"title", "text"}:
        # Any value that is long enough to be a sentence.
        longest = max(paths, key=lambda path: _length(path, items), default="")
        if longest and _length(longest, items) >= _SENTENCE:
            found["text"] = longest
    return found


def _paths(items: list[Json]) -> list[str]:
    """The paths of scalar values, up to one level down, each once; the shallower ones first."""
    near = [pair for item in items for pair in _named(item)]
    objects = [(path, value) for path, value in near if isinstance(value, dict)]
    far = [(f"{path}.{inner}", deeper) for path, value in objects for inner, deeper in _named(value)]
    return list(dict.fromkeys(path for path, value in (*near, *far) if not isinstance(value, dict | list)))


def _named(item: Json) -> Iterator[tuple[str, Any]]:
    for key, value in item.items():
        yield key.replace(".", "\\."), value


def _suits(name: str, path: str, items: list[Json]) -> bool:
    values = [value for item in items if (value := at(item, path)) not in (MISSING, None, "")]
    if not values or not _SOUNDS[name].search(path.rpartition(".")[2]):
        return False
    if name == "id":
        is_plain = all(isinstance(value, str | int) for value in values)
        return is_plain and "." not in path and len(set(values)) == len(items)
    if not all(isinstance(value, str) for value in values):
        return False
    if name in {"published", "updated"}:
        return all(parse_date(value) is not None for value in values)
    is_link = all(value.startswith(("http://", "https://", "/")) for value in values)
    return is_link == (name == "url")


def _length(path: str, items: list[Json]) -> float:
    texts = [value for item in items if isinstance(value := at(item, path), str)]
    return sum(map(len, texts)) / len(texts) if texts else 0
