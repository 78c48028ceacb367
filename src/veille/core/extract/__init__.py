"""Read a page: metadata and main content, from one parse. Pure: bytes in, values out.

A strategy is a file of this package with one subclass of `Strategy`. Mode `auto` asks them in their order and keeps the
first that is sure; every result names its strategy, a quality from 0 to 1 (the F1 it expects) and its reasons.
"""

from __future__ import annotations

from functools import cache

from veille.core.extract._prescan import bare_text, hostile
from veille.core.extract._types import Candidate, Content, Extracted, Feed, Link, Metadata, Options, Parsed, Strategy
from veille.registry import load, load_all

__all__ = [
    "Candidate",
    "Content",
    "Extracted",
    "Feed",
    "Link",
    "Metadata",
    "Options",
    "Parsed",
    "Strategy",
    "best_candidate",
    "extract_page",
]


@cache
def _strategies():
    return load_all(__name__, Strategy)


def best_candidate(html, url, options=Options()):
    parsed = Parsed(html, url, options)
    data = parsed.data
    if hostile(data):
        return bare_text(data)
    c = _strategies()["density"]().find(parsed)
    return c.text if c else ""
