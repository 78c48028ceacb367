"""Selectors: what the owner of a source says the content is, as CSS or XPath 1.0."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

import lxml.html
from lxml import etree

from veille.core.extract import Candidate, Strategy
from veille.core.extract._html import clean_html, text_of_html
from veille.errors import ReadError

if TYPE_CHECKING:
    from veille.core.extract import Parsed


class Selectors(Strategy):
    """Every match of every selector with enough text, in order, joined by a blank line."""

    order: ClassVar[int | None] = 10

    def find(self, parsed: Parsed) -> Candidate | None:
        options = parsed.options
        if not options.selectors:
            return None
        found = by_xpath(parsed) if options.mode == "xpath" else by_css(parsed)
        pieces = []
        for html in found:
            clean = clean_html(html, parsed.url)
            text = text_of_html(clean)
            if len(text) >= options.min_chars:
                pieces.append((text, clean))
        if not pieces:
            return None
        joined = "\n".join(html for _text, html in pieces)
        return Candidate(
            text="\n\n".join(text for text, _html in pieces),
            quality=1.0,
            make_html=lambda: joined,
            reasons=(f"{len(pieces)} matches",),
        )


def by_css(parsed: Parsed) -> list[str]:
    """The HTML of every match; a selector that cannot be read is the owner's mistake, and said so."""
    found = []
    for selector in parsed.options.selectors:
        try:
            found.extend(node.html or "" for node in parsed.tree.css(selector))
        except (ValueError, RuntimeError) as error:
            # The library names no error type of its own for this; its SelectolaxError is a ValueError.
            raise ReadError(f"The CSS selector {selector!r} cannot be read.", code="bad_selector") from error
    return found


def by_xpath(parsed: Parsed) -> list[str]:
    """The HTML of every match. EXSLT regular expressions are off: they can be made to run for ever."""
    parser = lxml.html.HTMLParser(encoding="utf-8", huge_tree=False)
    tree = lxml.html.document_fromstring(parsed.data or b"<html></html>", parser=parser)
    found = []
    for expression in parsed.options.selectors:
        try:
            matches = etree.XPath(expression, regexp=False, smart_strings=False)(tree)
        except etree.XPathError as error:
            raise ReadError(f"The XPath {expression!r} cannot be read: {error}.", code="bad_selector") from error
        for match in matches if isinstance(matches, list) else [matches]:
            found.append(
                match if isinstance(match, str) else lxml.html.tostring(match, encoding="unicode", with_tail=False)
            )
    return found
