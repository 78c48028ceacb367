"""Facts from the address and the head about the kind of page, as numbers for the block model."""

from __future__ import annotations

import re
from typing import Final

_TYPE: Final = re.compile(rb'"@type"\s*:\s*\[?\s*"(\w+)"')
_DIGIT: Final = re.compile(r"\d")
_OG: Final = re.compile(rb"""og:type["'][^>]{0,40}content=["']?([\w.:]+)""")
_SCHEMA: Final = (
    frozenset({b"Product", b"ProductGroup"}),
    frozenset({b"CollectionPage", b"ItemList", b"OfferCatalog"}),
)
_PATHS: Final = tuple(
    re.compile(pattern)
    for pattern in (
        r"product|/p/|/dp/|/item|/ip/|sku|/buy/",
        r"docs|documentation|reference|manual|guide|/api|wiki|/help|developer|learn",
        r"blog|news|article|story|/20\d\d|post",
    )
)


def schema_types(data: bytes) -> set[bytes]:
    """Every schema.org type named in the page's JSON."""
    # Searching one byte runs at memory speed; the pattern alone would take longer than parsing.
    found = set()
    at = data.find(b"@")
    while at >= 0:
        if data.startswith(b'@type"', at):
            match = _TYPE.match(data, at - 1)
            if match:
                found.add(match.group(1))
        at = data.find(b"@", at + 1)
    return found


def og_type(data: bytes) -> str:
    """The OpenGraph type in lower case, or empty."""
    at = data.find(b"og:type")
    match = _OG.match(data, at) if at >= 0 else None
    return match.group(1).decode("ascii", "replace").lower() if match else ""


def page_facts(types: set[bytes], kind: str, url: str) -> tuple[float, ...]:
    """Features from schema types, OpenGraph type, and the words and shape of the address."""
    lower = url.lower()
    path = url.partition("://")[2].partition("/")[2].partition("?")[0].strip("/")
    last = path.rpartition("/")[2]
    return (
        *(float(not types.isdisjoint(names)) for names in _SCHEMA),
        float(kind.startswith("product")),
        *(float(pattern.search(lower) is not None) for pattern in _PATHS),
        float(path.count("/") + bool(path)),
        float(last.count("-") + last.count("_")),
        float(len(_DIGIT.findall(last))),
    )
