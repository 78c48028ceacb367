"""Items of a list: what two marked elements have in common, and everything else that has it too."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from veille.core.pick.flat import FlatPage
from veille.core.pick.names import as_css, names_of
from veille.core.pick.selector import selector_of
from veille.errors import ConfigError

_LEAST: Final = 2


def item_selector(page: FlatPage, marked: Sequence[int]) -> str:
    """The selector of all items, of which two or more are marked; ConfigError if they have nothing in common."""
    if len(set(marked)) < _LEAST:
        raise ConfigError("Mark two of the items: what they have in common tells all others.", code="bad_items")
    lines = [[*reversed(page.above(n)), n] for n in marked]
    depth = 0
    while all(len(line) > depth + 1 for line in lines) and len({line[depth + 1] for line in lines}) == 1:
        depth += 1
    branches = [line[depth + 1] for line in lines if len(line) > depth + 1]
    if len(set(branches)) < _LEAST:
        raise ConfigError(
            "One of the marked parts is in the other: mark two items beside each other.", code="bad_items"
        )
    tags = {page.tags[n] for n in branches}
    if len(tags) > 1:
        raise ConfigError("The marked parts are not alike: mark two items of the same list.", code="bad_items")
    names = set.intersection(*(set(names_of(page.attributes[n])) for n in branches))
    kept = sorted(css for name in names if name.startswith(".") and (css := as_css(name)))[:2]
    return f"{selector_of(page, lines[0][depth])} > {tags.pop()}{''.join(kept)}"
