"""The links of a page that lead to other sites, each with its text."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from veille.core.extract._page import Page
from veille.core.extract._types import PageLink
from veille.core.extract.tree.compiled import COMPILED, native
from veille.core.text import without_controls

#: Tells of an absolute address whether it leads to another site; asked once for each host.
Leaves = Callable[[str], bool]
#: The links that are kept, and how many more there are.
Outgoing = tuple[list[dict[str, str]], int]

#: How many links are kept, the characters of one text, and of all together: metadata is in every list.
MOST_OUT_LINKS: Final = 1000
_MOST_ANCHOR_CHARS: Final = 200
_MOST_LINK_CHARS: Final = 100_000


def links_of(page: Page, beyond: str) -> tuple[PageLink, ...]:
    """Every link of the page once, in order; the first text wins. Those that start with `beyond` are left out."""
    found: dict[str, PageLink] = {}
    left = page.links(beyond)[::-1]
    while left:
        # Release each one at once: a page may have a hundred thousand links.
        href, rel, text = left.pop()
        url = _resolved(page, href)
        if url and url not in found and not (beyond and url.startswith(beyond)):
            found[url] = PageLink(url, text, rel or "")
    return tuple(found.values())


def outgoing(page: Page, home: str, leaves: Leaves) -> Outgoing:
    """The links to other sites, in order; none that starts with `home`. Those beyond a limit are only counted."""
    root = page.tree.root
    if not COMPILED or root is None:
        return plain_outgoing(page, home, leaves)
    limits = MOST_OUT_LINKS, _MOST_ANCHOR_CHARS, _MOST_LINK_CHARS
    return native.outgoing(
        root.mem_id, home, page.is_rooted(home), lambda href: _resolved(page, href), leaves, without_controls, *limits
    )


def plain_outgoing(page: Page, home: str, leaves: Leaves) -> Outgoing:
    """The same in Python: the reference for the compiled code."""
    kept: list[dict[str, str]] = []
    left_out, room = 0, _MOST_LINK_CHARS
    # The hosts of a page's links repeat.
    known: dict[str, bool] = {}
    for target, anchor, _ in links_of(page, home):
        host = target.split("/", 3)[2]
        if host not in known:
            known[host] = leaves(target)
        if not known[host]:
            continue
        text = anchor[:_MOST_ANCHOR_CHARS]
        if not text.isprintable():
            text = without_controls(text)
        room -= len(target) + len(text)
        if room >= 0 and len(kept) < MOST_OUT_LINKS:
            kept.append({"url": target, "text": text})
        else:
            left_out += 1
    return kept, left_out


def _resolved(page: Page, href: str) -> str:
    """The absolute address of a link; empty if it leads nowhere else."""
    href = href.strip()
    return "" if href.startswith("#") else page.base.absolute(href)
