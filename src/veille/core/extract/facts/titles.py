"""The title of a page: its headline as an article states or shows it, without the name of the site."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import islice
from typing import Final

from selectolax.lexbor import LexborNode

from veille.core.extract._page import Page
from veille.core.extract.facts.head import Head, folded, is_prose, named, stated

#: Names of metas, the preferred first.
_METAS: Final = ("dc:title", "dcterm:title", "og:title", "parsely-title")
_SEPARATOR: Final = re.compile(r"\s[|\-–—\\/>»]\s")  # noqa: RUF001 - dashes of every length separate
#: Signs before or after the name of a site, where other evidence shows that it is one.
_JOINT: Final = re.compile(r"\s+[|\-–—·•»:/\\]\s+|\s*[|｜]\s*|\s*：")  # noqa: RUF001
#: A title cut shorter than this may have lost more than the name of the site.
_TITLE_WORDS: Final = 5
_READER: Final = frozenset({"reader", "readability"})
_MAX_HEADINGS: Final = 60
_MAX_JOINTS: Final = 20
_LIVE: Final = re.compile(r"\bLIVE\b")
_TRAIL: Final = re.compile(r"bread|crumb", re.IGNORECASE)
_TRAIL_TAGS: Final = frozenset({"nav", "li"})


def title_of(page: Page, head: Head) -> str:
    """The title; empty if the page has none. In reader mode it is the one that Readability gives."""
    said, shared = stated(head, "headline", "name"), head.first(*_METAS)
    if page.options.mode not in _READER and _is_article(page, head):
        if said and shared and said != shared:
            said = _shown(page, said, shared)
        if title := said or shared:
            return _without_site(title, _headings(page), head)
    return said or shared or _of_title(page, head) or next(_headings(page), "")


def _is_article(page: Page, head: Head) -> bool:
    """Whether the title is a headline; elsewhere what stands beside it tells which product or manual it belongs to."""
    return is_prose(head.item) or page.article_type == "article"


def _headings(page: Page) -> Iterator[str]:
    return (" ".join(text.split()) for _, text in page.marked["h1"])


def _of_title(page: Page, head: Head) -> str:
    """`title` without the site name, if the page's data or a separator shows which part that is."""
    for name in ("name", "headline"):
        known = named(head.item.get(name), head)
        if known and (known in page.title or not page.title):
            return known
    before = _SEPARATOR.split(page.title)[:-1]
    end = page.title.rfind(before[-1]) + len(before[-1]) if before else 0
    short = page.title[:end]
    return short if len(short.split()) >= _TITLE_WORDS else page.title


def _without_site(title: str, headings: Iterator[str], head: Head) -> str:
    """The title without parts beside the displayed headline, or beside which stands the name of the site."""
    joints = list(islice(_JOINT.finditer(title), _MAX_JOINTS + 1))
    if not 0 < len(joints) <= _MAX_JOINTS:
        return title
    shown = {folded(heading) for heading in headings} - {""}
    for joint in joints:
        if folded(title[: joint.start()]) in shown:
            return title[: joint.start()]
    if folded(title[joints[-1].end() :]) in head.site_names:
        return title[: joints[-1].start()]
    return title


def _shown(page: Page, said: str, shared: str) -> str:
    """Which of two headlines is the page's: the stated one, unless the page shows the shared one instead.

    Some pages state a headline for search engines, show it in small print in the trail of links above the article,
    and show readers another one; some put the line above the headline before it, or that the page is live.
    """
    wanted, other = folded(said), folded(shared)
    if wanted == other or other.startswith(wanted) or not other:
        return said
    if _LIVE.search(said) and not _LIVE.search(shared):
        return shared
    in_trail = shows_shared = False
    if wanted in map(folded, _headings(page)):
        in_trail = all(
            _is_in_trail(node) for node in page.root.css("h1")[:_MAX_HEADINGS] if folded(node.text() or "") == wanted
        )
    if not in_trail and not wanted.endswith(other) and not _is_marked(page, other):
        return said
    for node in islice(page.root.css("h1,h2"), _MAX_HEADINGS):
        text = folded(node.text() or "")
        if text == wanted and not (in_trail and node.tag == "h1"):
            return said
        shows_shared = shows_shared or text == other or (in_trail and text.endswith(other))
    return shared if shows_shared else said


def _is_marked(page: Page, headline: str) -> bool:
    """Whether the body marks this as the headline."""
    marked = (item.get("headline") for item in page.items if "@origin" in item)
    return any(folded(text) == headline for text in marked if isinstance(text, str))


def _is_in_trail(node: LexborNode) -> bool:
    """Whether the element or one around it belongs to the trail of links above an article."""
    above: LexborNode | None = node
    for _ in range(4):
        if above is None:
            return False
        attributes = above.attributes
        if above.tag in _TRAIL_TAGS or _TRAIL.search(f"{attributes.get('class') or ''} {attributes.get('id') or ''}"):
            return True
        above = above.parent
    return False
