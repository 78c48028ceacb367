"""CSS selectors for the browser: whether one can be read."""

from __future__ import annotations


def is_css(selector: str) -> bool:
    """Whether this is a CSS selector; nothing is matched."""
    from selectolax.lexbor import LexborHTMLParser, SelectolaxError  # noqa: PLC0415 - few sources have steps

    try:
        LexborHTMLParser("").css(selector)
    except (SelectolaxError, ValueError):
        return False
    return True
