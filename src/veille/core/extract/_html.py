"""Content as HTML: what was kept, in the elements it stood in, sanitised and with absolute links."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING, Final
from urllib.parse import urlsplit

import nh3

from veille.core.extract._codelines import keep_lines
from veille.core.extract._dom import copy
from veille.core.extract._walk import INLINE, SKIPPED, walk

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
_ANYWHERE: Final = {"dir", "lang", "title"}
_LEAVES: Final = frozenset({"img", "pre", "br", "hr"})
_ATTRIBUTES: Final = {
    "*": _ANYWHERE,
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
    """The sanitised HTML of what one element of the page holds, without what is hidden in it."""
    seen: list[tuple[int, int]] = []
    found = walk(node, seen=seen)
    return clean_html(_Writer(_kept(seen, [True] * len(found.blocks))).write(node), url)


def html_of_blocks(page: Page, kept: list[bool]) -> str:
    """The kept blocks in the elements they stood in, with the images beside them."""
    return clean_html(_Writer(_kept(page.seen, kept)).write(page.root), page.url)


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


class _Open:
    """An element on the way down to the current node; written only when something kept is found in it."""

    __slots__ = ("blanks", "following", "node", "tag", "written")

    def __init__(self, node: LexborNode, tag: str) -> None:
        self.node = node
        # The sanitiser reads the inside of some elements it would drop, `noscript` for one, as text.
        self.tag = tag if tag in _TAGS else "span" if tag in INLINE else "div"
        self.following = node.next
        self.written = False
        #: Empty cells of a table row that came before its first text.
        self.blanks = 0


class _Writer:
    """One pass over the tree that writes the kept texts and images, and around them the elements they stand in."""

    def __init__(self, kept: set[int]) -> None:
        self.kept = kept
        self.out: list[str] = []
        self.stack: list[_Open] = []

    def write(self, root: LexborNode) -> str:
        stack, kept = self.stack, self.kept
        node = root.first_child
        while node is not None or stack:
            if node is None:
                node = self.leave()
                continue
            tag = node.tag or ""
            if tag == "-text":
                if node.mem_id in kept:
                    self.add(escape(node.text_content or "", quote=False))
            elif tag in _LEAVES:
                self.leaf(node, tag)
            elif tag not in SKIPPED:
                stack.append(_Open(node, tag))
                node = node.first_child
                continue
            node = node.next
        return "".join(self.out)

    def add(self, piece: str) -> None:
        first = len(self.stack)
        while first and not self.stack[first - 1].written:
            first -= 1
        for entry in self.stack[first:]:
            entry.written = True
            self.out.append(_start(entry.tag, entry.node.attributes))
            self.out.append("<td></td>" * entry.blanks)
        self.out.append(piece)

    def leave(self) -> LexborNode | None:
        entry = self.stack.pop()
        if entry.written:
            self.out.append(f"</{entry.tag}>")
        elif entry.tag in ("td", "th") and self.stack:
            # Without its empty cells a table would lose its columns.
            if self.stack[-1].written:
                self.out.append("<td></td>")
            else:
                self.stack[-1].blanks += 1
        return entry.following

    def leaf(self, node: LexborNode, tag: str) -> None:
        if tag == "img":
            if node.mem_id in self.kept:
                self.add(_start("img", _image(node)))
        elif tag == "pre":
            if any(inner.mem_id in self.kept for inner in node.traverse(include_text=True)):
                code = copy(node)
                keep_lines(code)
                self.add(code.html())
        elif self.stack and self.stack[-1].written:
            self.out.append(f"<{tag}>")


def _start(tag: str, attributes: dict[str, str | None] | dict[str, str]) -> str:
    allowed = _ATTRIBUTES.get(tag, _ANYWHERE)
    pairs = (
        f' {key}="{escape(value)}"'
        for key, value in attributes.items()
        if value and (key in allowed or key in _ANYWHERE)
    )
    return f"<{tag}{''.join(pairs)}>"


def _image(node: LexborNode) -> dict[str, str]:
    """The attributes of an image, with the address a script would have put in."""
    attributes = {key: value or "" for key, value in node.attributes.items()}
    source = attributes.get("src", "")
    if not source or source.startswith("data:"):
        attributes["src"] = next((attributes[key] for key in _LAZY if attributes.get(key)), source)
    if not attributes.get("srcset") and attributes.get("data-srcset"):
        attributes["srcset"] = attributes["data-srcset"]
    return attributes
