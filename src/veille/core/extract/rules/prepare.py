"""Cleaning of the box that the readability strategy chose: drops forms, share bars, link lists and empty boxes."""

from __future__ import annotations

import re
from collections import Counter
from typing import Final

from veille.core.extract.tree.dom import Element

_POSITIVE: Final = re.compile(
    r"article|body|content|entry|hentry|h-entry|main|page|pagination|post|text|blog|story", re.IGNORECASE
)
_NEGATIVE: Final = re.compile(
    r"-ad-|hidden|^hid$| hid$| hid |^hid |banner|combx|comment|com-|contact|footer|gdpr|masthead|media|meta|outbrain"
    r"|promo|related|scroll|share|shoutbox|sidebar|skyscraper|sponsor|shopping|tags|widget",
    re.IGNORECASE,
)
_SHARE: Final = re.compile(r"(\b|_)(share|sharedaddy)(\b|_)", re.IGNORECASE)
_VIDEO: Final = re.compile(
    r"//(www\.)?((dailymotion|youtube|youtube-nocookie|player\.vimeo|v\.qq|bilibili|live.bilibili)\.com"
    r"|(archive|upload\.wikimedia)\.org|player\.twitch\.tv)",
    re.IGNORECASE,
)
_AD: Final = re.compile(
    r"^(ad(vertising|vertisement)?|pub(licité)?|werb(ung)?|广告|Реклама|Anuncio)$|^((loading|正在加载|Загрузка|chargement|cargando)(…|\.\.\.)?)$",
    re.IGNORECASE,
)
_SPACES: Final = re.compile(r"\s{2,}")
_HEADINGS: Final = frozenset({"h1", "h2", "h3", "h4", "h5", "h6"})
_TEXTISH: Final = frozenset({"span", "li", "td", "blockquote", "dl", "div", "img", "ol", "p", "pre", "table", "ul"})
_LISTS: Final = frozenset({"ul", "ol"})
_EMBEDS: Final = frozenset({"object", "embed", "iframe"})
_GONE: Final = frozenset({"object", "embed", "footer", "link", "aside"})
_CONTROLS: Final = frozenset({"iframe", "input", "textarea", "select", "button"})
#: Parts that only a table of data has.
_DATA_PARTS: Final = frozenset({"caption", "col", "colgroup", "tfoot", "thead", "th"})
_FIGURE, _CODE, _TABLE = frozenset({"figure"}), frozenset({"code"}), frozenset({"table"})
_SHARE_CHARS: Final = 500


def inner_text(element: Element) -> str:
    """Trimmed text with runs of white space collapsed to one space."""
    return _SPACES.sub(" ", element.text().strip())


def link_density(element: Element) -> float:
    """The share of the text that is linked; links within the page count a third."""
    length = len(inner_text(element))
    if not length:
        return 0.0
    linked = 0.0
    for inner in element.walk():
        if inner.tag == "a":
            href = inner.attributes.get("href", "")
            linked += len(inner_text(inner)) * (0.3 if href.startswith("#") and len(href) > 1 else 1)
    return linked / length


def class_weight(element: Element, *, weigh: bool) -> int:
    """The weight of class and id: 25 for each good or bad one."""
    weight = 0
    for value in (element.attributes.get("class"), element.attributes.get("id")):
        if weigh and value:
            weight -= 25 * (_NEGATIVE.search(value) is not None)
            weight += 25 * (_POSITIVE.search(value) is not None)
    return weight


def prepare(article: Element, *, weigh: bool, conditional: bool) -> None:
    """Clean the chosen box in place."""
    tables = {id(table) for table in article.walk() if table.tag == "table" and _holds_data(table)}

    def clean(*tags: str) -> None:
        if conditional:
            for element in [inner for inner in article.walk() if inner.tag in tags][::-1]:
                if _doubtful(element, tables, weigh=weigh):
                    element.remove()

    clean("form")
    clean("fieldset")
    _remove(article, _GONE)
    _remove_share_bars(article)
    _remove(article, _CONTROLS)
    for element in [inner for inner in article.walk() if inner.tag in ("h1", "h2")]:
        if class_weight(element, weigh=weigh) < 0:
            element.remove()
    clean("table")
    clean("ul")
    clean("div")
    _tidy(article)


def _remove_share_bars(article: Element) -> None:
    for top in article.elements():
        for element in list(top.walk()):
            if _SHARE.search(element.name) and len(element.text()) < _SHARE_CHARS:
                element.remove()


def _remove(article: Element, tags: frozenset[str]) -> None:
    for element in list(article.walk()):
        if element.tag in tags and not (element.tag in _EMBEDS and _is_video(element)):
            element.remove()


def _is_video(element: Element) -> bool:
    return any(_VIDEO.search(value) for value in element.attributes.values())


def _tidy(article: Element) -> None:
    for element in list(article.walk()):
        if element.tag == "h1":
            element.tag = "h2"
        elif element.tag == "p" and not element.text().strip():
            if not any(inner.tag in ("img", "embed", "object", "iframe") for inner in element.walk()):
                element.remove()
        elif element.tag == "table":
            cells = [inner for inner in element.walk() if inner.tag in ("td", "th")]
            if len(cells) == 1:
                element.tag = "div"
                element.children = []
                element.append(cells[0])
                cells[0].tag = "div"


def _holds_data(table: Element) -> bool:
    if table.attributes.get("role") == "presentation" or table.attributes.get("datatable") == "0":
        return False
    if table.attributes.get("summary"):
        return True
    inner = list(table.walk())
    tags = {element.tag for element in inner if element.tag != "caption" or element.children}
    if tags & _DATA_PARTS:
        return True
    if "table" in tags:
        return False
    rows = [element for element in inner if element.tag == "tr"]
    columns = max((sum(cell.tag in ("td", "th") for cell in row.elements()) for row in rows), default=0)
    if columns <= 1 or len(rows) <= 1:
        return False
    return len(rows) >= 10 or columns > 4 or len(rows) * columns > 10


def _doubtful(element: Element, tables: set[int], *, weigh: bool) -> bool:
    """Whether a form, list, table or box looks like furniture."""
    if id(element) in tables or any(id(above) in tables for above in element.ancestors(1000)):
        return False
    if element.inside(_CODE, 3) or any(id(inner) in tables for inner in element.walk()):
        return False
    weight = class_weight(element, weigh=weigh)
    if weight < 0:
        return True
    text = inner_text(element)
    if text.count(",") >= 10:
        return False
    return _looks_like_furniture(element, text, weight)


def _looks_like_furniture(element: Element, text: str, weight: int) -> bool:
    inner = list(element.walk())
    counts = Counter(below.tag for below in inner)
    embeds = [below for below in inner if below.tag in _EMBEDS]
    if any(_is_video(embed) for embed in embeds):
        return False
    if _AD.match(text):
        return True
    is_list = element.tag in _LISTS or _share(inner, _LISTS, text) > 0.9
    density, paragraphs, images = link_density(element), counts["p"], counts["img"]
    is_short = len(text) < 25 and (images == 0 or images > 2) and density > 0
    remove = (
        (images > 1 and paragraphs / images < 0.5 and not element.inside(_FIGURE, 3))
        or (not is_list and counts["li"] - 100 > paragraphs)
        or counts["input"] > paragraphs // 3
        or (not is_list and is_short and _share(inner, _HEADINGS, text) < 0.9 and not element.inside(_FIGURE, 3))
        or (not is_list and weight < 25 and density > 0.2)
        or (weight >= 25 and density > 0.5)
        or (images == 0 and not any(inner_text(below) for below in inner if below.tag in _TEXTISH))
        or (len(embeds) == 1 and len(text) < 75)
        or len(embeds) > 1
    )
    if is_list and remove:
        return any(len(child.elements()) > 1 for child in element.elements()) or images != counts["li"]
    return remove


def _share(inner: list[Element], tags: frozenset[str], text: str) -> float:
    """The text in elements of these names, as a share of the whole text."""
    return sum(len(inner_text(below)) for below in inner if below.tag in tags) / len(text) if text else 0.0
