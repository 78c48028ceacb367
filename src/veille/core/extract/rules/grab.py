"""The core of the readability strategy: score paragraphs, pick the best box, join its siblings.

A reimplementation of Readability's behaviour; its numbers are kept, because we are compared with its published
results.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Final

from veille.core.extract.rules.prepare import class_weight, inner_text, link_density, prepare
from veille.core.extract.tree.dom import Element

UNLIKELY: Final = re.compile(
    r"-ad-|ai2html|banner|breadcrumbs|combx|comment|community|cover-wrap|disqus|extra|footer|gdpr|header|legends|menu|related"
    r"|remark|replies|rss|shoutbox|sidebar|skyscraper|social|sponsor|supplemental|ad-break|agegate|pagination|pager|popup"
    r"|yom-remote",
    re.IGNORECASE,
)
MAYBE: Final = re.compile(r"and|article|body|column|content|main|mathjax|shadow", re.IGNORECASE)
_BYLINE: Final = re.compile(r"byline|author|dateline|writtenby|p-author", re.IGNORECASE)
_ROLES: Final = frozenset({"menu", "menubar", "complementary", "navigation", "alert", "alertdialog", "dialog"})
_SCORED: Final = frozenset({"section", "h2", "h3", "h4", "h5", "h6", "p", "td", "pre"})
_BLOCKS: Final = frozenset({"blockquote", "dl", "div", "img", "ol", "p", "pre", "table", "ul"})
_PHRASING: Final = frozenset(
    (
        "abbr audio b bdo br button cite code data datalist dfn em embed i img input kbd label mark math meter "
        "noscript object output progress q ruby samp script select small span strong sub sup textarea time var wbr "
        "svg font"
    ).split()
)
_SHELLS: Final = frozenset({"div", "section", "header", "h1", "h2", "h3", "h4", "h5", "h6"})
_BASE: Final = {
    "div": 5, "pre": 3, "td": 3, "blockquote": 3, "address": -3, "ol": -3, "ul": -3, "dl": -3, "dd": -3, "dt": -3,
    "li": -3, "form": -3, "h1": -5, "h2": -5, "h3": -5, "h4": -5, "h5": -5, "h6": -5, "th": -5,
}  # fmt: skip
_KEPT_TAGS: Final = frozenset({"div", "article", "section", "p", "ol", "ul"})
_COMMAS: Final = re.compile("[\u002c\u060c\ufe50\ufe10\ufe11\u2e41\u2e34\u2e32\uff0c]")
_TABLES, _CODE = frozenset({"table"}), frozenset({"code"})
_WORDS: Final = re.compile(r"\W+")
_ENOUGH: Final = 3
_SIMILAR: Final = 0.75


class Grabber:
    """Tries more and more lenient readings of the page until one gives enough text."""

    def __init__(self, fresh: Callable[[], Element], title: str, threshold: int, byline: str = "") -> None:
        self.fresh = fresh
        self.title = title
        self.threshold = threshold
        self.strip = self.weigh = self.conditional = True
        #: The one that is known; without it, the first in the page is taken for it and out of the article.
        self.known_byline = self.byline = byline

    def grab(self) -> Element | None:
        """The article, or the longest attempt if none reaches the threshold."""
        attempts: list[tuple[int, Element]] = []
        for self.strip, self.weigh, self.conditional in (
            (True, True, True), (False, True, True), (False, False, True), (False, False, False),
        ):  # fmt: skip
            self.byline = self.known_byline
            article = self._attempt()
            length = len(inner_text(article))
            if length >= self.threshold:
                return article
            attempts.append((length, article))
        length, best = max(attempts, key=lambda attempt: attempt[0])
        return best if length else None

    def _attempt(self) -> Element:
        body = self.fresh()
        replace_breaks(body)
        article = Element("div", {"id": "readability-page-1", "class": "page"})
        for element in self._chosen(body, self._candidates(self._sift(body))):
            article.append(element)
        prepare(article, weigh=self.weigh, conditional=self.conditional)
        return article

    def _sift(self, body: Element) -> list[Element]:
        """Remove hidden and unlikely elements, wrap bare text in paragraphs; returns the elements to score."""
        scored: list[Element] = []
        titled = False
        stack = body.elements()[::-1]
        while stack:
            element = stack.pop()
            repeats = not titled and self._repeats_title(element)
            titled = titled or repeats
            if repeats or self._unwanted(element):
                element.remove()
                continue
            if element.tag == "div":
                element = _as_paragraphs(element)
            if element.tag in _SCORED:
                scored.append(element)
            stack.extend(element.elements()[::-1])
        return scored

    def _unwanted(self, element: Element) -> bool:
        role = element.attributes.get("role", "")
        return (
            not shown(element)
            or self._is_byline(element)
            or (element.attributes.get("aria-modal") == "true" and role == "dialog")
            or (self.strip and (_unlikely(element) or role in _ROLES))
            or (element.tag in _SHELLS and _hollow(element))
        )

    def _is_byline(self, element: Element) -> bool:
        if self.byline:
            return False
        itemprop = element.attributes.get("itemprop", "")
        if element.attributes.get("rel") != "author" and "author" not in itemprop and not _BYLINE.search(element.name):
            return False
        text = element.text().strip()
        if not 0 < len(text) < 100:
            return False
        name = next((inner for inner in element.walk() if "name" in inner.attributes.get("itemprop", "")), None)
        self.byline = name.text().strip() if name is not None else text
        return True

    def _repeats_title(self, element: Element) -> bool:
        if element.tag not in ("h1", "h2") or not self.title:
            return False
        return similarity(self.title, inner_text(element)) > _SIMILAR

    def _candidates(self, scored: list[Element]) -> list[Element]:
        """Boxes with a score, best first; at most five."""
        found: list[Element] = []
        for element in scored:
            text = inner_text(element)
            above = element.ancestors(5)
            if len(text) < 25 or not above:
                continue
            points = 1 + len(_COMMAS.split(text)) + min(len(text) // 100, 3)
            for level, box in enumerate(above):
                if box.parent is None and box.tag != "body":
                    continue
                if box.score is None:
                    found.append(box)
                box.score = self._scored(box) + points / (1 if level == 0 else 2 if level == 1 else level * 3)
        for box in found:
            box.score = (box.score or 0) * (1 - link_density(box))
        return sorted(found, key=lambda box: -(box.score or 0))[:5]

    def _scored(self, box: Element) -> float:
        """The score of a box: its initial one if it has none yet."""
        if box.score is None:
            box.score = _BASE.get(box.tag, 0) + class_weight(box, weigh=self.weigh)
        return box.score

    def _chosen(self, body: Element, best: list[Element]) -> list[Element]:
        """The best box with those of its siblings that belong to it; everything if no box stands out."""
        if not best or best[0].tag == "body":
            everything = Element("div", {})
            for child in body.children[:]:
                everything.append(child)
            return [everything]
        top = self._shared(best)
        top = _richer(top, self._scored(top))
        parent = top.parent
        while parent is not None and parent.tag != "body" and len(parent.elements()) == 1:
            top, parent = parent, parent.parent
        return self._with_siblings(top)

    def _shared(self, best: list[Element]) -> Element:
        """A box above the best one that also holds at least three of its competitors."""
        top = best[0]
        score = top.score or 0
        rivals = [box.ancestors(1000) for box in best[1:] if score > 0 and (box.score or 0) / score >= _SIMILAR]
        if len(rivals) < _ENOUGH:
            return top
        box = top.parent
        while box is not None and box.tag != "body":
            if sum(any(above is box for above in rival) for rival in rivals) >= _ENOUGH:
                return box
            box = box.parent
        return top

    def _with_siblings(self, top: Element) -> list[Element]:
        score = self._scored(top)
        threshold = max(10, score * 0.2)
        name = top.attributes.get("class", "")
        kept = []
        for sibling in top.parent.elements() if top.parent else [top]:
            bonus = score * 0.2 if name and sibling.attributes.get("class", "") == name else 0
            scored = sibling.score is not None and sibling.score + bonus >= threshold
            if sibling is top or scored or (sibling.tag == "p" and _prose(sibling)):
                kept.append(sibling)
        for sibling in kept:
            if sibling.tag not in _KEPT_TAGS:
                sibling.tag = "div"
        return kept


def similarity(known: str, text: str) -> float:
    """The share of the text whose words are known, by length; 0 without words."""
    words = [word for word in _WORDS.split(text.lower()) if word]
    of_known = set(_WORDS.split(known.lower()))
    other = [word for word in words if word not in of_known]
    return 1 - len(" ".join(other)) / len(" ".join(words)) if words else 0.0


def _richer(top: Element, last: float) -> Element:
    """The first box above with a higher score; stop once a score falls below a third."""
    least = last / 3
    parent = top.parent
    while parent is not None and parent.tag != "body":
        if parent.score is not None:
            if parent.score < least:
                break
            if parent.score > last:
                return parent
            last = parent.score
        parent = parent.parent
    return top


def _prose(element: Element) -> bool:
    text = inner_text(element)
    density = link_density(element)
    if len(text) > 80:
        return density < 0.25
    return bool(text) and density == 0 and re.search(r"\.( |$)", text) is not None


def shown(element: Element) -> bool:
    """Whether the element's own attributes keep it visible."""
    style = element.attributes.get("style", "").replace(" ", "")
    return (
        "display:none" not in style
        and "visibility:hidden" not in style
        and "hidden" not in element.attributes
        and (element.attributes.get("aria-hidden") != "true" or "fallback-image" in element.attributes.get("class", ""))
    )


def _unlikely(element: Element) -> bool:
    name = element.name
    return (
        element.tag not in ("body", "a")
        and UNLIKELY.search(name) is not None
        and MAYBE.search(name) is None
        and not element.inside(_TABLES, 3)
        and not element.inside(_CODE, 3)
    )


def _hollow(element: Element) -> bool:
    return not element.text().strip() and all(child.tag in ("br", "hr") for child in element.elements())


def _phrasing(child: Element | str) -> bool:
    if isinstance(child, str) or child.tag in _PHRASING:
        return True
    return child.tag in ("a", "del", "ins") and all(_phrasing(inner) for inner in child.children)


def _blank(child: Element | str) -> bool:
    return not child.strip() if isinstance(child, str) else child.tag == "br"


def _as_paragraphs(div: Element) -> Element:  # noqa: C901 - one pass over the children
    """Wrap runs of bare text in paragraphs; a box with one paragraph, or with text only, becomes one."""
    children, div.children = div.children, []
    run: list[Element | str] = []
    for child in [*children, None]:
        if child is not None and _phrasing(child):
            if run or not _blank(child):
                run.append(child)
                continue
        elif run:
            while run and _blank(run[-1]):
                run.pop()
            paragraph = Element("p", {}, div)
            paragraph.children = run
            for inner in paragraph.elements():
                inner.parent = paragraph
            div.children.append(paragraph)
            run = []
        if child is not None:
            div.children.append(child)
    inside = div.elements()
    bare = not any(isinstance(child, str) and child.strip() for child in div.children)
    if len(inside) == 1 and inside[0].tag == "p" and bare and link_density(div) < 0.25 and div.parent is not None:
        only = inside[0]
        only.remove()
        only.parent = div.parent
        div.parent.children[div.index()] = only
        return only
    if not any(element.tag in _BLOCKS for element in div.walk()):
        div.tag = "p"
    return div


def replace_breaks(body: Element) -> None:
    """Two line breaks in a row start a paragraph."""
    for element in [body, *body.walk()]:
        if any(isinstance(child, Element) and child.tag == "br" for child in element.children):
            _split_at_breaks(element)


def _split_at_breaks(element: Element) -> None:
    out: list[Element | str] = []
    paragraph: Element | None = None
    children = element.children
    at = 0
    while at < len(children):
        child = children[at]
        if isinstance(child, Element) and child.tag == "br":
            end, breaks = at, 0
            while end < len(children) and _blank(children[end]):
                breaks += isinstance(children[end], Element)
                end += 1
            if breaks > 1:
                paragraph = Element("p", {}, element)
                out.append(paragraph)
                at = end
                continue
        if paragraph is not None and _phrasing(child):
            paragraph.children.append(child)
            if isinstance(child, Element):
                child.parent = paragraph
        else:
            paragraph = None
            out.append(child)
        at += 1
    element.children = out
    if element.tag == "p" and any(isinstance(child, Element) and child.tag == "p" for child in out):
        element.tag = "div"
