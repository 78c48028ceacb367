"""What a page says about itself."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from veille.core.dates import parse_date
from veille.core.text import flat
from veille.core.urls import join

if TYPE_CHECKING:
    from selectolax.lexbor import LexborHTMLParser


@dataclass(frozen=True, slots=True, kw_only=True)
class Metadata:
    """The page's own words; empty where it says nothing."""

    title: str = ""
    description: str = ""
    lang: str = ""
    authors: tuple[str, ...] = ()
    published_at: int | None = None
    modified_at: int | None = None
    canonical_url: str = ""


def read_metadata(tree: LexborHTMLParser, base_url: str) -> Metadata:
    """The metadata of a parsed page."""
    metas = _metas(tree)
    title = tree.css_first("title")
    heading = tree.css_first("h1")
    root = tree.css_first("html")
    link = tree.css_first('link[rel="canonical"]')
    names = (metas.get("og:title"), title and title.text(), heading and heading.text())
    author = metas.get("author", "")
    return Metadata(
        title=next((flat(name) for name in names if name and flat(name)), ""),
        description=metas.get("og:description") or metas.get("description", ""),
        lang=((root.attributes.get("lang") if root else "") or "").split("-")[0].lower(),
        authors=(author,) if author else (),
        published_at=parse_date(metas.get("article:published_time", "")),
        modified_at=parse_date(metas.get("article:modified_time", "")),
        canonical_url=join(base_url, (link.attributes.get("href") or "") if link else "") or "",
    )


def _metas(tree: LexborHTMLParser) -> dict[str, str]:
    metas: dict[str, str] = {}
    for node in tree.css("meta[content]"):
        name = node.attributes.get("property") or node.attributes.get("name") or ""
        value = flat(node.attributes.get("content") or "")
        if value:
            metas.setdefault(name.lower(), value)
    return metas
