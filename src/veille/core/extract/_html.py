"""Content as HTML: what was kept, in the elements it stood in, sanitised and with absolute links."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final
from urllib.parse import urlsplit

import nh3

from veille.core.extract._codelines import keep_lines
from veille.core.extract._dom import Element
from veille.core.extract._walk import SKIPPED, walk

if TYPE_CHECKING:
    from selectolax.lexbor import LexborNode

    from veille.core.extract import Page

_TAGS: Final = set(
    (
        "p h1 h2 h3 h4 h5 h6 ul ol li dl dt dd blockquote q cite pre code kbd samp var em strong b i u s del ins sub "
        "sup small mark abbr a img figure figcaption picture table caption thead tbody tfoot tr th td col colgroup br "
        "hr div span section article details summary time bdi bdo ruby rt rp math mi mo mn mrow msup msub mfrac msqrt"
    ).split()
)
_ATTRIBUTES: Final = {
    "*": {"dir", "lang", "title"},
    "a": {"href"},
    "img": {"src", "srcset", "alt", "width", "height"},
    "td": {"colspan", "rowspan"},
    "th": {"colspan", "rowspan", "scope"},
    "ol": {"start", "reversed"},
    "code": {"class"},
    "pre": {"class"},
    "time": {"datetime"},
}
_LAZY: Final = ("data-src", "data-lazy-src", "data-original", "data-hi-res-src", "data-image-src")


def clean_html(html: str, url: str) -> str:
    """Only harmless elements and attributes, every address absolute, http, https or mailto."""
    parts = urlsplit(url) if url.startswith(("http://", "https://")) else None
    relative = ("rewrite_with_base", url) if parts and parts.netloc else "deny"
    return nh3.clean(
        html,
        tags=_TAGS,
        attributes=_ATTRIBUTES,
        url_schemes={"http", "https", "mailto"},
        url_relative=relative,  # type: ignore[arg-type]
        strip_comments=True,
    ).strip()


def html_of_node(node: LexborNode, url: str) -> str:
    """The sanitised HTML of one element of the page, without what is hidden in it."""
    seen: list[tuple[int, int]] = []
    found = walk(node, seen=seen)
    return clean_html(_build(node, _kept(seen, [True] * len(found.blocks))).html(), url)


def html_of_blocks(page: Page, kept: list[bool]) -> str:
    """The kept blocks in the elements they stood in, with the images between them."""
    seen: list[tuple[int, int]] = []
    found = walk(page.root, seen=seen)
    if len(found.blocks) != len(kept):
        seen = []
        walk(page.root, everything=True, seen=seen)
    return clean_html(_build(page.root, _kept(seen, kept)).html(), page.url)


def _kept(seen: list[tuple[int, int]], kept: list[bool]) -> set[int]:
    """The texts of kept blocks, and the images that stand next to one."""
    found = set()
    around = [*kept, False]
    for number, memory in seen:
        if number >= 0:
            if around[number]:
                found.add(memory)
        elif around[-1 - number] or (number < -1 and around[-2 - number]):
            found.add(memory)
    return found


def _build(root: LexborNode, kept: set[int]) -> Element:
    """Our own tree of the kept texts and images; elements left empty are not in it."""
    top = Element("div", {})
    stack: list[tuple[LexborNode | None, Element]] = [(root.first_child, top)]
    made: list[Element] = []
    while stack:
        node, parent = stack.pop()
        while node is not None:
            tag = node.tag or ""
            if tag == "-text":
                if node.mem_id in kept:
                    parent.children.append(node.text_content or "")
            elif tag in ("br", "hr") or (tag == "img" and node.mem_id in kept):
                parent.children.append(Element(tag, _image(node) if tag == "img" else {}, parent))
            elif tag not in SKIPPED and tag != "img":
                element = Element(tag, {key: value or "" for key, value in node.attributes.items()}, parent)
                parent.children.append(element)
                made.append(element)
                stack.append((node.next, parent))
                parent, node = element, node.first_child
                continue
            node = node.next
    _prune(made)
    keep_lines(top)
    return top


def _prune(made: list[Element]) -> None:
    """Drop elements without text or image; children come after their parents, so the last go first."""
    for element in reversed(made):
        full = any(
            child.strip() if isinstance(child, str) else child.tag not in ("br", "hr") and child.parent is not None
            for child in element.children
        )
        element.children = [child for child in element.children if isinstance(child, str) or child.parent is not None]
        if not full and element.tag not in ("td", "th"):
            element.parent = None
        elif element.tag in ("td", "th") or full:
            continue
    for element in made:
        element.children = [child for child in element.children if isinstance(child, str) or child.parent is not None]


def _image(node: LexborNode) -> dict[str, str]:
    """The attributes of an image, with the address a script would have put in."""
    attributes = {key: value or "" for key, value in node.attributes.items()}
    source = attributes.get("src", "")
    if not source or source.startswith("data:"):
        attributes["src"] = next((attributes[key] for key in _LAZY if attributes.get(key)), source)
    if not attributes.get("srcset") and attributes.get("data-srcset"):
        attributes["srcset"] = attributes["data-srcset"]
    return attributes
