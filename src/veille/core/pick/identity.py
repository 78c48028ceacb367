"""Which part of a page a source watches, as a short key: two sources may watch two parts of one page."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from typing import Any

#: The options that say what is taken from an address.
_PARTS = ("parts", "selectors", "item")
#: Likewise, where the rest of a page is a document of its own, beside that of the whole page.
_OWN = (*_PARTS, "without", "own_document")


def part_key(config: Mapping[str, Any]) -> str:
    """The key of the watched part; empty for a source that watches all of its page."""
    names = _OWN if config.get("own_document") else _PARTS
    said = {name: config[name] for name in names if config.get(name)}
    if not said:
        return ""
    return hashlib.sha256(json.dumps(said, sort_keys=True).encode()).hexdigest()[:16]
