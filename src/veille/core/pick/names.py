"""Names that an author of a page gave to an element: ids, roles, labels, classes; without those made by a program."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from functools import lru_cache
from typing import Final

#: Attributes that name what an element is, the most reliable first.
_NAMING: Final = (
    "data-testid",
    "data-test-id",
    "data-test",
    "data-qa",
    "data-cy",
    "itemprop",
    "data-id",
    "data-sku",
    "data-product-id",
    "data-key",
    "data-field",
    "data-name",
    "data-role",
    "data-label",
    "role",
    "aria-label",
    "property",
    "name",
    "for",
    "headers",
    "rel",
)
#: Attributes whose value is the identity of a record, so that digits in it are no accident.
_KEYS: Final = frozenset({"data-id", "data-sku", "data-product-id", "data-key"})
#: Beginnings of names that frameworks make, and states that come and go.
_MADE: Final = re.compile(
    r"(?:ember|jss|css-|sc-|svelte-|emotion|radix-|react-|mui-|headlessui|_ng|ng-|v-|yui|gwt|ext-|j_id|cid-|uid|gen-|:r)",
    re.IGNORECASE,
)
_STATES: Final = frozenset(
    "active selected open closed current hover focus odd even first last collapsed expanded visible hidden show hide "
    "in out loaded lazy loading disabled enabled row col clearfix left right flex block inline grid".split()
)
_STATE: Final = re.compile(r"(?:is|has|js|no)-", re.IGNORECASE)
#: The end that style sheets of modules add: `Price_price__3xY2z`, `price--a81f3`, `price-x7Yk2`.
_HASHED_END: Final = re.compile(r"(?:__|--|-|_)(?=[A-Za-z0-9]*\d)[A-Za-z0-9]{4,}$")
_MIXED: Final = re.compile(r"(?:[a-z]+[A-Z]+|[A-Z]+[a-z]+[A-Z])[A-Za-z]*[a-z][A-Z]")
_VOWEL: Final = re.compile(r"[aeiouyAEIOUY]")
_MOST_NAME: Final = 80
_LEAST: Final = 2
_LONG_WORD: Final = 5
_CSS_WORD: Final = re.compile(r"[A-Za-z_][\w-]*")


def is_made(name: str) -> bool:
    """Whether a name looks made by a program: hashes, counters, states."""
    plain = name.strip()
    if not _LEAST <= len(plain) <= _MOST_NAME or _MADE.match(plain) or _STATE.match(plain):
        return True
    if plain.casefold() in _STATES or any(sign.isdigit() for sign in plain):
        return True
    words = re.split(r"[-_]+", plain)
    return any(len(word) >= _LONG_WORD and (not _VOWEL.search(word) or _MIXED.match(word)) for word in words)


def lasting(name: str) -> str:
    """A class without the hash that a build adds to it; empty if nothing lasting is left."""
    if _MADE.match(name):
        return ""
    cut = _HASHED_END.sub("", name)
    cut = cut.rstrip("-_")
    return "" if is_made(cut) else cut


def names_of(attributes: Mapping[str, str | None]) -> tuple[str, ...]:
    """The lasting names of an element, as selectors: `#buy`, `[itemprop="price"]`, `.price`; the best first."""
    if not attributes:
        return ()
    found: list[str] = []
    known = (attributes.get("id") or "").strip()
    if known and not is_made(known):
        found.append(f"#{known}")
    # Most elements have but a class.
    for name in _NAMING if len(attributes) > 1 or "class" not in attributes else ():
        value = (attributes.get(name) or "").strip()
        if value and len(value) <= _MOST_NAME and (name in _KEYS or not any(sign.isdigit() for sign in value)):
            found.append(f'[{name}="{value}"]')
    return tuple(dict.fromkeys([*found, *_classes(attributes.get("class") or "")]))


@lru_cache(2048)
def _classes(given: str) -> tuple[str, ...]:
    return tuple(f".{kept}" for one in given.split()[:30] if (kept := lasting(one)))


def keys_of(names: Iterable[str]) -> frozenset[str]:
    """The names among these that belong to one thing of its kind: an id, or the key of a record."""
    return frozenset(name for name in names if name.startswith(("#", *(f"[{key}=" for key in _KEYS))))


def weight(name: str) -> float:
    """How much a name says."""
    if name.startswith("."):
        return 1.0
    if name.startswith(("[role=", "[rel=", "[name=")):
        return 1.0
    return 2.0


def shared(wanted: Iterable[str], there: frozenset[str]) -> float:
    """The share of names that are there, 0 to 1, by their weight."""
    names = tuple(wanted)
    total = sum(map(weight, names))
    return sum(weight(name) for name in names if name in there) / total if total else 0.0


def as_css(name: str) -> str:
    """A name as a CSS selector; empty if it has signs that would have to be escaped."""
    if name.startswith("["):
        return name if '"' not in name[name.index('"') + 1 : -2] and "\\" not in name else ""
    return name if _CSS_WORD.fullmatch(name[1:]) else ""
