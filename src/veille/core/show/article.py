"""The HTML of a revision as our own pages show it: sanitised, with nothing that looks like a part of our page.

Input from a source is never shown verbatim. The sanitiser runs last: its output is inserted into pages unchanged.
Beside the HTML: the words for reading time, quality and direction.
"""

from __future__ import annotations

import re
from html import escape, unescape
from math import ceil
from typing import Final

import nh3

from veille.core.extract.output.html import ANYWHERE, ATTRIBUTES, TAGS
from veille.core.extract.output.markdown import to_markdown
from veille.core.markup_bounds import bounded
from veille.core.show.images import Signer, proxied
from veille.core.text import flat
from veille.core.urls import join

#: Edits marked by a source would look like changes that we found.
_EDITS: Final = frozenset({"ins", "del"})
_SCHEMES: Final = frozenset({"http", "https", "mailto", "data"})
_ATTRIBUTES: Final = {
    "*": set(ANYWHERE),
    **{tag: set(names) for tag, names in ATTRIBUTES.items()},
    # Classes are ours; an image is requested at one address, through the proxy.
    "code": set(),
    "pre": set(),
    "img": {"src", "alt", "width", "height"},
}
_LAZY: Final = {"img": {"loading": "lazy", "decoding": "async"}}
_HEADING: Final = re.compile(r"<(/?)h([1-6])(?=[ >])")
#: Only opening tags before it.
_FIRST_HEADING: Final = re.compile(
    r"((?:\s|<(?:div|article|section)(?: [^>]*)?>)*)<(h[1-6])(?: [^>]*)?>(.*?)</\2>", re.DOTALL
)
_TAG: Final = re.compile(r"<[^>]*>")
_WORDS_PER_MINUTE: Final = 200
#: Minimum quality for each word.
_QUALITIES: Final = ((0.75, "good"), (0.5, "fair"), (0.25, "poor"), (0.0, "doubtful"))
#: Languages that are written from right to left.
_RTL: Final = frozenset("ar arc ckb dv fa ha he khw ks ku ps sd ur uz-arab yi".split())
_PARAGRAPHS: Final = re.compile(r"\n[^\S\n]*\n\s*")


def article_html(html: str, url: str, sign: Signer | None = None, *, title: str = "", keep_edits: bool = True) -> str:
    """Sanitised HTML; images go through the proxy, or, without a signer, to their own address.

    A heading at the beginning that only repeats the title is left out.
    """

    def resolved(tag: str, name: str, value: str) -> str | None:
        if (tag, name) == ("img", "src"):
            return _image(url, value, sign)
        return _link(url, value) if name == "href" else value

    clean = nh3.clean(
        bounded(html),
        tags=set(TAGS) if keep_edits else set(TAGS - _EDITS),
        attributes=_ATTRIBUTES,
        attribute_filter=resolved,
        url_schemes=set(_SCHEMES),
        url_relative="pass_through",
        set_tag_attribute_values=_LAZY,
    )
    return _lowered(_without(clean, title) if title else clean).strip()


def article_markdown(html: str, url: str) -> str:
    """The same as Markdown."""
    return to_markdown(article_html(html, url))


def text_html(text: str) -> str:
    """A text without its own HTML: paragraphs, with their line breaks kept."""
    return "".join(f'<p class="plain">{escape(part)}</p>' for part in _PARAGRAPHS.split(text.strip()) if part)


def reading_minutes(words: int) -> int:
    """How long it takes to read this many words."""
    return max(1, ceil(words / _WORDS_PER_MINUTE))


def quality_word(quality: float | None) -> str:
    """A quality from 0 to 1 as a word; empty if it is not known."""
    return "" if quality is None else next(word for least, word in _QUALITIES if quality >= least or least == 0)


def is_rtl(lang: str) -> bool:
    """Whether a language is written from right to left."""
    return lang.lower() in _RTL or lang.lower().partition("-")[0] in _RTL


def _image(url: str, value: str, sign: Signer | None) -> str | None:
    if value.startswith("data:image/"):
        return value
    target = None if value.startswith("data:") else join(url, value)
    if target is None or sign is None:
        return target
    return proxied(target, sign)


def _link(url: str, value: str) -> str | None:
    if value.lower().startswith("mailto:"):
        return value
    # Links within the page have no target: ids are not kept.
    target = None if value.startswith("#") else join(url, value)
    fragment = value.partition("#")[2]
    return f"{target}#{fragment}" if target and fragment else target


def _lowered(html: str) -> str:
    """Headings below the page's own, which has the first level."""
    if "<h1" not in html:
        return html
    return _HEADING.sub(lambda found: f"<{found[1]}h{min(int(found[2]) + 1, 6)}", html)


def _without(html: str, title: str) -> str:
    found = _FIRST_HEADING.match(html)
    if found is None or flat(unescape(_TAG.sub("", found[3]))) != flat(title):
        return html
    return found[1] + html[found.end() :]
