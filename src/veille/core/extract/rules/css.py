"""CSS selectors of users, which may be wrong."""

from __future__ import annotations

import re
from typing import Final

from selectolax.lexbor import LexborHTMLParser, LexborNode, SelectolaxError

from veille.errors import ReadError

_EMPTY: Final = LexborHTMLParser("")
#: A comment, an escaped character, a text in quotes, or one of the brackets, and a quote that is not closed.
_TOKEN: Final = re.compile(r"""/\*.*?\*/|\\.|"(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*'|[][()"']""", re.DOTALL)
_CLOSES: Final = {"[": "]", "(": ")"}


def refuse_unreadable_css(selector: str) -> None:
    """Raise ReadError for a selector that cannot be read, or whose last brackets or quotes are not closed.

    Browsers close them at the end, so that it would mostly match nothing.
    """
    matches(_EMPTY, selector)
    expected: list[str] = []
    for token in _TOKEN.findall(selector):
        if token in {'"', "'"}:
            expected.append(token)
            break
        if token in _CLOSES:
            expected.append(_CLOSES[token])
        elif expected and token == expected[-1]:
            expected.pop()
    if expected:
        raise ReadError(
            f"The CSS selector {selector!r} cannot be read: a {expected[-1]} is missing.", code="bad_selector"
        )


def matches(tree: LexborHTMLParser, selector: str) -> list[LexborNode]:
    """Every match, in document order; raises ReadError for an invalid selector, which is its owner's mistake."""
    try:
        return tree.css(selector)
    except (SelectolaxError, ValueError) as error:
        raise ReadError(f"The CSS selector {selector!r} cannot be read.", code="bad_selector") from error
