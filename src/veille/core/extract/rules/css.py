"""CSS selectors of users, which may be wrong."""

from __future__ import annotations

from selectolax.lexbor import LexborHTMLParser, LexborNode, SelectolaxError

from veille.errors import ReadError


def matches(tree: LexborHTMLParser, selector: str) -> list[LexborNode]:
    """Every match, in document order; raises ReadError for an invalid selector, which is its owner's mistake."""
    try:
        return tree.css(selector)
    except (SelectolaxError, ValueError) as error:
        raise ReadError(f"The CSS selector {selector!r} cannot be read.", code="bad_selector") from error
