"""Selectors: the content as the owner of a source defined it, in CSS or XPath 1.0."""

from __future__ import annotations

from typing import Any, ClassVar

import lxml.html
from lxml import etree

from veille.core.extract import Candidate, Options, Page, Strategy
from veille.core.extract.rules.css import matches, refuse_unreadable_css
from veille.errors import ReadError


class BySelectors(Strategy):
    """Every match of every selector with enough text, in order, joined by a blank line."""

    order: ClassVar[int] = 10

    def candidate(self, page: Page) -> Candidate | None:
        options = page.options
        if not options.selectors:
            return None
        found = by_xpath(page) if options.mode == "xpath" else by_css(page)
        made = filter(None, (Candidate.of_html(html, page, 1.0) for html in found))
        pieces = [piece for piece in made if len(piece.text) >= options.min_chars]
        if not pieces:
            return None
        return Candidate(
            text="\n\n".join(piece.text for piece in pieces),
            score=1.0,
            make_markup=lambda: "\n".join(piece.make_markup() for piece in pieces),
            reasons=(f"{len(pieces)} matches",),
        )


def by_css(page: Page) -> list[str]:
    """The HTML of every match; raises ReadError for an invalid selector."""
    return [node.html or "" for selector in page.options.selectors for node in matches(page.tree, selector)]


def by_xpath(page: Page) -> list[str]:
    """The HTML of every match. EXSLT regular expressions are off: they can be made to run forever."""
    tree = _tree(page)
    found: list[str] = []
    for expression in page.options.selectors:
        found += [match if isinstance(match, str) else _outer(match) for match in _results(expression, tree)]
    return found


def xpath_texts(expression: str, page: Page) -> list[str]:
    """The text of every match, and of a number or a text that the expression gives."""
    results = _results(expression, _tree(page))
    return [" ".join(one.itertext()) if hasattr(one, "itertext") else str(one) for one in results]


def _tree(page: Page) -> Any:
    parser = lxml.html.HTMLParser(encoding="utf-8", huge_tree=False)
    return lxml.html.document_fromstring(page.source or b"<html></html>", parser=parser)


def _results(expression: str, tree: Any) -> list[Any]:
    try:
        result = compiled_xpath(expression)(tree)
    except etree.XPathError as error:
        raise _unreadable(expression, error) from error
    return result if isinstance(result, list) else [result]


def refuse_unreadable(options: Options) -> None:
    """Raise ReadError for an invalid selector. XPath is only compiled, not evaluated: some would not terminate."""
    if options.mode == "xpath":
        for expression in options.selectors:
            compiled_xpath(expression)
    else:
        for selector in options.selectors:
            refuse_unreadable_css(selector)


def compiled_xpath(expression: str) -> etree.XPath:
    """The expression; ReadError if it cannot be read."""
    try:
        return etree.XPath(expression, regexp=False, smart_strings=False)
    except (etree.XPathError, ValueError) as error:
        raise _unreadable(expression, error) from error


def _unreadable(expression: str, error: Exception) -> ReadError:
    return ReadError(f"The XPath {expression!r} cannot be read: {error}.", code="bad_selector")


def _outer(match: Any) -> str:
    return lxml.html.tostring(match, encoding="unicode", with_tail=False) if hasattr(match, "tag") else str(match)
