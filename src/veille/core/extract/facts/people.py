"""The authors of a page: the people it names, in its data, its metas or beside the headline."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import islice
from typing import Any, Final

from selectolax.lexbor import LexborNode

from veille.core.dates import before_date, written_date
from veille.core.extract._page import Page
from veille.core.extract.facts.head import Head, clean, folded, named, unique
from veille.core.extract.facts.nearby import Below
from veille.core.extract.tree.hidden import visible

_BY: Final = re.compile(r"^(?:by|von|par|por|di|da|af|av|door|text|autor|author)\b[:\s]+", re.IGNORECASE)
#: Names of metas, the preferred first.
_METAS: Final = (
    "dc:creator", "dcterm:creator", "author", "article:author", "dc.creator", "parsely-author", "sailthru.author",
    "authors", "byl",
)  # fmt: skip
_MAX_AUTHOR: Final = 100
_MAX_AUTHORS: Final = 50
_MAX_STATED: Final = 2000
#: Selectors for the author in the body, the most reliable first, each with the `Page.notes` pairs it depends on.
_BYLINES: Final = (
    ('[rel="author"],[itemprop~="author"]', (("rel", "author"), ("itemprop", "author"))),
    ('[class*="byline" i],[id*="byline" i]', (("class", "byline"), ("id", "byline"))),
    ('[class*="author" i]:not([class*="authority" i])', (("class", "author"),)),
)
_OTHERS: Final = re.compile(r"comment|quot|zitat|cite", re.IGNORECASE)
#: Pages whose authors are those of reviews and teasers.
_OF_MANY: Final = frozenset({"product", "collection"})
_MAX_BYLINE: Final = 60
#: A longer box holds more than a byline.
_MAX_BOX: Final = 100
#: Elements looked at for one selector, and names looked for in one element.
_MAX_TRIED: Final = 10
_MAX_PARTS: Final = 20
_AND: Final = re.compile(r"\s*[;/|&]\s*|\s+(?:and|und|og|och|et|y|e|en|ja|i)\s+")
#: Signs between a name and a date in one line.
_BESIDE: Final = re.compile(r"\s*[|·•]\s*|\s[-–—]\s")  # noqa: RUF001
#: Most names have none of these.
_JOINED: Final = re.compile(r"[,،、;/|&]|\s[a-z]{1,3}\s")
_COMMA: Final = re.compile(r"\s*[,،、]\s*")
_PARTICLE: Final = frozenset(
    "de da do dos del della der den di du la le van von zu zum bin ibn al el ter ten af av y e".split()
)
_ROLE: Final = re.compile(
    r"\b(?:editor|reporter|correspondent|writer|journalist|contributor|columnist|staff|senior|chief|head|director|"
    r"professor|analyst|expert|ceo|reda[kc]\w*|korrespondent\w*|vorsitz\w*|news\w*|agenc\w*|press\w*|team|desk|"
    r"profile|view|follow|about|contact|sign|share|disclosure|authors?|written|posts?|services?|forum|home)\b",
    re.IGNORECASE,
)
_DIGIT: Final = re.compile(r"\d")
_MIN_NAME, _MAX_NAME = 2, 5
_NAME: Final = re.compile(r"[^\W\d_][^\d_<>@*:!?()\[\]{}|/\\©®+=\"#$%&;]*")
#: Names of one byline have an element in common, at most this many levels above them.
_CLOSE: Final = 4
#: Short titles after a name ("MA", "Ph.D.").
_MAX_TITLE: Final = 6
_ADDRESS: Final = re.compile(r"https?:|mailto:|[/@]|www\.|[\w.-]+\.\w{2,}/")


def authors_of(page: Page, head: Head, below: Below) -> tuple[str, ...]:
    """The authors: people rather than the site itself, as the page states or shows them."""
    names = (name for name in _authors_of(page, head, below) if len(name) <= _MAX_AUTHOR)
    return tuple(islice(names, _MAX_AUTHORS))


def _authors_of(page: Page, head: Head, below: Below) -> tuple[str, ...]:
    said = unique(name for value in _stated(head) for name in _people(value, head))
    if any(not _is_site(name, head) for name in said):
        return _more(page, head, said)
    shown = _byline(page, head)
    if _are_people(shown, head):
        return shown
    return tuple(_below(head, below.lines)) or said or _referred(head) or shown


def _more(page: Page, head: Head, said: tuple[str, ...]) -> tuple[str, ...]:
    """These names, or those shown as links to authors if these are among them: data often has only one."""
    if not page.notes(("rel", "author")):
        return said
    links = page.root.css('[rel="author"]')[:_MAX_PARTS]
    first = next((link for link in links if _link_text(link) in said), None)
    if first is None or len(links) <= len(said):
        return said
    around = _around(first)
    shown = unique(_link_text(link) for link in links if not around.isdisjoint(_around(link)))
    return shown if set(said) < set(shown) and _are_people(shown, head) else said


def _link_text(node: LexborNode) -> str:
    return _BY.sub("", clean(node.text() or ""))


def _around(node: LexborNode) -> set[int]:
    """The elements closely around a node."""
    found: set[int] = set()
    above = node.parent
    while above is not None and len(found) < _CLOSE:
        found.add(above.mem_id)
        above = above.parent
    return found


def _are_people(names: tuple[str, ...], head: Head) -> bool:
    return bool(names) and all(_is_name(name) and not _is_site(name, head) for name in names)


def _is_site(name: str, head: Head) -> bool:
    """Whether a name is the site's own."""
    return folded(name) in head.site_names


def _stated(head: Head) -> list[str]:
    """The names in the page's data, else in its metas; in metas first where the data has no person's name."""
    data = next((names for item in head.items if (names := _authors(item))), [])
    # Microdata marks displayed text, in whatever format it has: metas are more reliable.
    if data and "@origin" not in head.item and not all(_is_site(name, head) or _is_slug(name) for name in data):
        return data
    metas = [[name for name in head.every(key) if not _ADDRESS.match(name)] for key in _METAS if key in head.metas]
    people = ([name for name in names if not _is_site(name, head)] for names in metas)
    if not data or "@origin" in head.item:
        return next(filter(None, people), []) or data or next(filter(None, metas), [])
    return next((names for names in people if any(map(_is_name, names))), data)


def _authors(item: dict[str, Any]) -> list[str]:
    stated = item.get("author")
    people = (stated if isinstance(stated, list) else [stated])[:_MAX_AUTHORS]
    names = [person.get("name") if isinstance(person, dict) else person for person in people]
    return [clean(name) for name in names if isinstance(name, str) and name.strip() and not _ADDRESS.match(name)]


def _referred(head: Head) -> tuple[str, ...]:
    """Authors that the data refers to: often whoever entered the page into the publishing system."""
    stated = [person for item in head.items for person in _several(item.get("author")) if isinstance(person, dict)]
    names = (named(person, head) for person in stated)
    return unique(name for name in names if name and not _ADDRESS.match(name))


def _several(value: Any) -> list[Any]:
    return value[:_MAX_AUTHORS] if isinstance(value, list) else [value]


def _is_slug(name: str) -> bool:
    return name.islower() and " " not in name and name.isascii()


def _people(text: str, head: Head) -> Iterator[str]:
    """The names in a text that may join several, or add a job title or the name of the site."""
    text = _BY.sub("", clean(text)[:_MAX_STATED]).strip(" ,;|-")
    if not _JOINED.search(text):
        if 0 < len(text) <= _MAX_AUTHOR:
            yield text
        return
    parts = [] if _ROLE.search(text) else [part for part in _AND.split(text, _MAX_PARTS) if part]
    if not parts or not all(_is_name(_COMMA.split(part, 1)[0]) for part in parts):
        parts = [text]
    for part in parts:
        first, *rest = _COMMA.split(part, _MAX_PARTS)
        titled = all(len(name) <= _MAX_TITLE and " " not in name and not _is_site(name, head) for name in rest)
        if rest and _is_name(first) and not titled and written_date(part) is None:
            yield first
            yield from (
                name for name in rest if _is_name(name) and not _is_site(name, head) and not _shouted(name, first)
            )
        elif part and len(part) <= _MAX_AUTHOR:
            yield part


def _shouted(name: str, other: str) -> bool:
    """Whether a name is in capitals and the other is not: then it is that of a house, not of a person."""
    return name.isupper() and not other.isupper()


def _is_name(text: str) -> bool:
    """Whether a text looks like the name of a person: a few words that start with capitals, without digits."""
    words = text.split()
    if not _MIN_NAME <= len(words) <= _MAX_NAME or len(text) > _MAX_BYLINE or _ROLE.search(text):
        return False
    if not _NAME.fullmatch(text):
        return False
    return all(not word[0].islower() or word in _PARTICLE for word in words) and not words[0][0].islower()


def _byline(page: Page, head: Head) -> tuple[str, ...]:
    """The names in the first box of the body that is marked as the author's."""
    if page.article_type in _OF_MANY:
        return ()
    for selector, hints in _BYLINES:
        if not page.notes(*hints):
            continue
        for node in page.root.css(selector)[:_MAX_TRIED]:
            if _is_own(node) and (found := tuple(_names(node, head))):
                return found
    return ()


def _below(head: Head, lines: list[str]) -> Iterator[str]:
    """The names in the first line below the headline that is a byline: it says so, or has a date, too."""
    for line in lines:
        # Almost no line is a byline: the cheapest question comes first.
        if not _DIGIT.search(line) and not _BY.match(line):
            continue
        parts = _BESIDE.split(line, _MAX_PARTS)
        dated = written_date(line) is not None
        for part in parts:
            people = [name for name in unique(_people(part, head)) if not _is_site(name, head)]
            if (dated or _BY.match(part)) and people and all(map(_is_name, people)):
                yield from people
                return


def _is_own(node: LexborNode) -> bool:
    """Whether a byline is visible, and neither that of a comment nor of a quotation."""
    attributes = node.attributes
    above = node.parent
    beside = above.attributes.get("class") or "" if above is not None else ""
    return visible(attributes) and not _OTHERS.search(f"{attributes.get('class') or ''} {beside}")


def _names(node: LexborNode, head: Head) -> Iterator[str]:
    """The names in a box: those marked, its parts if these are names, else its text if that is short."""
    marked = unique(clean(part.text() or "") for part in node.css('[itemprop~="name"]')[:_MAX_PARTS])
    text = marked[0] if marked else clean(node.text() or "")
    if len(text) > _MAX_BOX:
        return
    texts = marked or unique(clean(part.text() or "") for part in node.css("a,span")[:_MAX_PARTS])
    people = _innermost(unique(name for one in texts for name in _people(one, head) if _is_name(name)))
    if len(people) == 1 or not people:
        first = _BESIDE.split(text, 1)[0]
        whole = tuple(_people(before_date(first) if _DIGIT.search(first) else first, head))
        people = whole if whole and all(map(_is_name, whole)) else people
    if people:
        yield from people
    elif 0 < len(text) <= _MAX_BYLINE and not _DIGIT.search(text):
        yield from _people(text, head)


def _innermost(names: tuple[str, ...]) -> tuple[str, ...]:
    """The names without those that are several of the others: elements are nested."""
    return tuple(name for name in names if not any(other != name and other in name for other in names))
