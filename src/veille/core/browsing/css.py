"""CSS selectors for the browser: whether one can be read."""

from __future__ import annotations

from selectolax.lexbor import LexborHTMLParser, SelectolaxError


def is_css(selector: str) -> bool:
    """Whether this is a CSS selector; nothing is matched."""
    try:
        LexborHTMLParser("").css(selector)
    except (SelectolaxError, ValueError):
        return False
    return True
