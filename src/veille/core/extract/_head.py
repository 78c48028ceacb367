"""What reader mode says about a page and its article: the head of the page, and Readability's title and credits.

A reimplementation of Readability's behaviour, as `rules` are. `_metadata` knows more; programs that were written for
Readability expect these values.
"""

from __future__ import annotations

import re
from dataclasses import replace
from html import unescape
from typing import Any, Final

from veille.core.extract._metadata import MAX_NAME, MAX_SUMMARY, MAX_TITLE
from veille.core.extract._page import Page
from veille.core.extract._types import UNTITLED, ArticleHead, Metadata
from veille.core.extract.facts.head import bounded
from veille.core.extract.rules.grab import similarity
from veille.core.extract.tree.page_data import loads

#: A space-separated list of names, of which the first counts; and one name.
_PROPERTY: Final = re.compile(
    r"(article|dc|dcterm|og|twitter)\s*:\s*(author|creator|description|published_time|title|site_name)", re.IGNORECASE
)
_NAME: Final = re.compile(
    r"\s*(?:(?:dc|dcterm|og|twitter|parsely|weibo:(?:article|webpage))\s*[-.:]\s*)?"
    r"(?:author|creator|pub-date|description|title|site_name)\s*",
    re.IGNORECASE,
)
#: Names of metas, the preferred first.
_TITLES: Final = (
    "dc:title", "dcterm:title", "og:title", "weibo:article:title", "weibo:webpage:title", "title", "twitter:title",
    "parsely-title",
)  # fmt: skip
_CREATORS: Final = ("dc:creator", "dcterm:creator", "author", "parsely-author")
_EXCERPTS: Final = (
    "dc:description", "dcterm:description", "og:description", "weibo:article:description", "weibo:webpage:description",
    "description", "twitter:description",
)  # fmt: skip
_ARTICLES: Final = re.compile(
    r"^Article|AdvertiserContentArticle|NewsArticle|Report|SatiricalArticle|ScholarlyArticle|SocialMediaPosting"
    r"|BlogPosting|LiveBlogPosting|DiscussionForumPosting|TechArticle|APIReference$"
)
_SCHEMA: Final = re.compile(r"https?://schema\.org/?")
_CDATA: Final = re.compile(r"^\s*<!\[CDATA\[|\]\]>\s*$")
_SEPARATOR: Final = re.compile(r"\s[|\-–—\\/>»]\s")  # noqa: RUF001 - dashes of every length separate
_HIERARCHY: Final = re.compile(r"\s[\\/>»]\s")
_FIRST_PART: Final = re.compile(r"^[^|\-–—\\/>»]*[|\-–—\\/>»]")  # noqa: RUF001
_SEPARATORS: Final = re.compile(r"[|\-–—\\/>»]+")  # noqa: RUF001
_ADDRESS: Final = re.compile(r"[a-z][a-z0-9+.-]*:\S+", re.IGNORECASE)
#: Titles out of these bounds are replaced by the only h1.
_SHORT, _LONG = 15, 150
#: A part of a title with so few words is none; with so many before a colon, the colon belongs to it.
_FEW_WORDS, _USUAL_WORDS, _MANY_WORDS = 3, 4, 5
_SIMILAR: Final = 0.75
_TITLE: Final = "title:not(svg *)"


def stated(page: Page, metadata: Metadata) -> Metadata:
    """The metadata with the title and description that the page states in its head, and nothing guessed."""
    title = _first(page, 'meta[property="og:title"]', _TITLE)
    description = _first(page, 'meta[property="og:description"]', 'meta[name="description"]')
    return replace(metadata, title=bounded(title, MAX_TITLE) or UNTITLED, description=bounded(description, MAX_SUMMARY))


def page_title(page: Page) -> str:
    """The text of the first `title` that is not of a picture; empty if there is none."""
    return _first(page, _TITLE)


def article_head(page: Page) -> ArticleHead:
    """Title, excerpt, byline and site as Readability finds them in the head; empty where it finds none."""
    metas, item = _metas(page), _item(page)
    title = _text(item, "name") or _text(item, "headline")
    if _text(item, "name") and _text(item, "headline") and item["name"] != item["headline"]:
        title = _chosen(page, item["name"], item["headline"])
    author = metas.get("article:author", "")
    byline = _authors(item.get("author")) or _any(metas, _CREATORS) or ("" if _ADDRESS.fullmatch(author) else author)
    return ArticleHead(
        title=bounded(unescape(title or _any(metas, _TITLES) or _guessed_title(page)), MAX_TITLE),
        excerpt=bounded(unescape(_text(item, "description") or _any(metas, _EXCERPTS)), MAX_SUMMARY),
        byline=bounded(unescape(byline), MAX_TITLE),
        site_name=bounded(unescape(_text(item.get("publisher"), "name") or metas.get("og:site_name", "")), MAX_NAME),
    )


def _first(page: Page, *selectors: str) -> str:
    """The content or text of the first selector whose first match has any."""
    for selector in selectors:
        node = page.tree.css_first(selector)
        if node is not None:
            content = node.attributes.get("content")
            said = " ".join((node.text() if content is None else content).split())
            if said:
                return said
    return ""


def _metas(page: Page) -> dict[str, str]:
    """The metas that name something of an article; of several with one name, the last counts."""
    found: dict[str, str] = {}
    for attributes, _ in page.marked["meta"]:
        content = (attributes.get("content") or "").strip()
        if not content:
            continue
        name = attributes.get("name") or ""
        listed = _PROPERTY.search(attributes.get("property") or "")
        if listed:
            found["".join(listed[0].lower().split())] = content
        elif _NAME.fullmatch(name):
            found["".join(name.lower().split()).replace(".", ":")] = content
    return found


def _any(metas: dict[str, str], names: tuple[str, ...]) -> str:
    return next((metas[name] for name in names if metas.get(name)), "")


def _item(page: Page) -> dict[str, Any]:
    """The first article in the page's JSON-LD."""
    for _, text in page.marked["script"]:
        value = loads(_CDATA.sub("", text))
        if isinstance(value, list):
            value = next(filter(_is_article, value), None)
        if not isinstance(value, dict) or not _is_schema(value.get("@context")):
            continue
        graph = value.get("@graph")
        if not value.get("@type") and isinstance(graph, list):
            value = next(filter(_is_article, graph), None)
        if isinstance(value, dict) and _is_article(value):
            return value
    return {}


def _is_article(item: Any) -> bool:
    kind = item.get("@type") if isinstance(item, dict) else None
    return isinstance(kind, str) and _ARTICLES.search(kind) is not None


def _is_schema(context: Any) -> bool:
    vocabulary = context.get("@vocab") if isinstance(context, dict) else context
    return isinstance(vocabulary, str) and _SCHEMA.fullmatch(vocabulary) is not None


def _text(item: Any, name: str) -> str:
    value = item.get(name) if isinstance(item, dict) else None
    return value.strip() if isinstance(value, str) else ""


def _authors(stated: Any) -> str:
    people = stated if isinstance(stated, list) else [stated]
    return ", ".join(filter(None, (_text(person, "name") for person in people)))


def _chosen(page: Page, name: str, headline: str) -> str:
    """Of a name and a headline that differ, the one like the title: some sites put their own name in one of them."""
    title = _guessed_title(page)
    is_headline = similarity(headline, title) > _SIMILAR and similarity(name, title) <= _SIMILAR
    return headline if is_headline else name


def _guessed_title(page: Page) -> str:
    """The title of the page without the name of the site, as far as its form shows which part that is."""
    whole = page.title
    short = _shortened(page, whole)
    words = len(short.split())
    if words > _USUAL_WORDS:
        return short
    # So few words are a title only if a single word was cut from a path, such as "News > The harbour bridge".
    is_part = _HIERARCHY.search(whole) is not None and words == len(_SEPARATORS.sub("", whole).split()) - 1
    return short if is_part else whole


def _shortened(page: Page, whole: str) -> str:
    separators = list(_SEPARATOR.finditer(whole))
    if separators:
        before = whole[: separators[-1].start()]
        return (before if len(before.split()) >= _FEW_WORDS else _FIRST_PART.sub("", whole)).strip()
    if ": " in whole:
        headings = (" ".join(node.text().split()) for node in page.root.css("h1, h2"))
        return whole if whole in headings else _after_colon(whole)
    top = page.marked["h1"]
    if not _SHORT <= len(whole) <= _LONG and len(top) == 1:
        return " ".join(top[0][1].split())
    return whole


def _after_colon(whole: str) -> str:
    last = whole.rpartition(":")[2].strip()
    if len(last.split()) < _FEW_WORDS:
        return whole.partition(":")[2].strip()
    return whole if len(whole.partition(":")[0].split()) > _MANY_WORDS else last
