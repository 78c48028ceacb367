"""A content node as text (paragraphs and code lines kept) and as HTML."""

from __future__ import annotations

from typing import TYPE_CHECKING

from selectolax.lexbor import LexborHTMLParser

from veille.core.text import clean, flat

if TYPE_CHECKING:
    from selectolax.lexbor import LexborNode

_SILENT = frozenset("script style noscript template svg iframe object head nav footer aside form button select".split())
_BLOCKS = frozenset(
    "address article blockquote dd details div dl dt fieldset figcaption figure h1 h2 h3 h4 h5 h6 header hr li main ol "
    "p pre section summary table tbody thead tr ul".split()
)


def fragment_text(html: str) -> str:
    """The text of a piece of HTML, such as a feed entry."""
    body = LexborHTMLParser(html).body
    return text_of(body) if body is not None else ""


def text_of(node: LexborNode) -> str:
    """The text a reader sees, one paragraph per block."""
    lines: list[str] = []
    _walk(node, lines, [])
    return clean("\n\n".join(lines))


def inner_html(node: LexborNode) -> str:
    """The markup of the node, itself included."""
    return node.html or ""


def _walk(node: LexborNode, lines: list[str], pending: list[str]) -> None:  # noqa: C901 - one case per kind of node
    for child in node.iter(include_text=True):
        tag = child.tag
        if tag == "-text":
            pending.append(child.text_content or "")
        elif tag == "br":
            _flush(lines, pending)
        elif tag == "pre":
            _flush(lines, pending)
            lines.append(child.text())
        elif tag not in _SILENT and not (tag or "").startswith(("-", "!")):
            is_block = tag in _BLOCKS
            if is_block:
                _flush(lines, pending)
            _walk(child, lines, pending)
            if is_block:
                _flush(lines, pending)
    if node.tag in _BLOCKS or node.tag == "body":
        _flush(lines, pending)


def _flush(lines: list[str], pending: list[str]) -> None:
    text = flat("".join(pending))
    pending.clear()
    if text:
        lines.append(text)
