"""A CSS selector of one element for people: names before places."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from typing import Final

from veille.core.pick.flat import FlatPage
from veille.core.pick.names import as_css, names_of

_MOST_TRIED: Final = 12
#: Elements that are looked at in all for one selector, and selectors that are tried on any page.
_MOST_LOOKED_AT, _FEWEST_TRIES = 1_000_000, 6


def selector_of(page: FlatPage, n: int) -> str:
    """A selector that matches this element and no other; with places only where names are not enough."""
    tries = _tries(page)
    for way in islice(_by_names(page, n), tries):
        if _only(page, way, n):
            return way
    return _by_places(page, n, tries)


def _tries(page: FlatPage) -> int:
    """How many selectors are tried: each looks through the whole page."""
    return max(_FEWEST_TRIES, _MOST_LOOKED_AT // len(page))


def _by_names(page: FlatPage, n: int) -> Iterator[str]:
    own = _ways(page, n)
    yield from own
    for above in page.above(n)[:_MOST_TRIED]:
        for outer in _ways(page, above)[:3]:
            if outer != page.tags[above]:
                yield from (f"{outer} {way}" for way in own[:4])


def _ways(page: FlatPage, n: int) -> list[str]:
    tag = page.tags[n]
    names = [css for name in names_of(page.attributes[n]) if (css := as_css(name))]
    alone = [name if name.startswith("#") else f"{tag}{name}" for name in names]
    classes = [name for name in names if name.startswith(".")][:2]
    both = [f"{tag}{''.join(classes)}"] if len(classes) > 1 else []
    return [*alone[:6], *both, tag]


def _only(page: FlatPage, selector: str, n: int) -> bool:
    found = page.nodes[0].css(selector)
    return len(found) == 1 and found[0].mem_id == page.nodes[n].mem_id


def _by_places(page: FlatPage, n: int, tries: int) -> str:
    """The way down from the nearest element that has a name of its own."""
    steps: list[str] = []
    left = iter(range(tries))
    for one in (n, *page.above(n)):
        ways = _ways(page, one)[:-1] if one != n else []
        named = next((way for way, _ in zip(ways, left, strict=False) if _only(page, way, one)), "")
        if named:
            steps.append(named)
            break
        at, of = page.place(one)
        place = f":nth-of-type({at})" if of > 1 else ""
        steps.append(f"{page.tags[one]}{place}")
    return " > ".join(reversed(steps))
