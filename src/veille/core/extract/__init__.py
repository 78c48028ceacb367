"""Read a page: metadata and main content, from one parse. Pure: bytes in, values out.

A strategy is a file of this package with one subclass of `Strategy`. Mode `auto` asks them in their order and keeps the
first that is sure; every result names its strategy, a quality from 0 to 1 and its reasons.
"""

from __future__ import annotations

from functools import cache
from math import ceil
from typing import Final

from veille.core.extract._metadata import read_metadata
from veille.core.extract._prescan import bare_text, hostile
from veille.core.extract._types import Candidate, Content, Extracted, Feed, Link, Metadata, Options, Parsed, Strategy
from veille.errors import ReadError
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
    "extract_page",
    "extract_text",
]

_DEFAULT: Final = Options()
#: Modes that name a chain of strategies or another way to ask one.
_CHAINS: Final = {"css": ("selectors",), "xpath": ("selectors",), "reader": ("readability", "landmarks")}
#: In mode auto, a candidate at least this sure ends the search; below, the next strategy is asked too.
_SURE: Final = 0.3
#: A page whose blocks hold less text than this is asked for its data too: scripts may show more than the page does.
_THIN_CHARS: Final = 600
_WORDS_PER_MINUTE: Final = 200
_EXCERPT_CHARS: Final = 200
_MAX_DEPTH: Final = 2000


def extract_page(html: bytes | str, base_url: str, options: Options = _DEFAULT) -> Extracted:
    """Everything a page says: about itself, and its main content with the strategy that found it.

    Raises ReadError when selectors were asked for and cannot be read or match nothing, and for an unknown mode.
    """
    parsed = Parsed(html, base_url, options)
    danger = _danger(parsed)
    if danger:
        text = bare_text(parsed.data[: options.max_bytes])
        content = _content(Candidate(text=text, quality=0.1, make_html=str)) if text else None
        return Extracted(
            metadata=Metadata(), content=content, strategy="everything" if text else None, quality=0.1 if text else 0.0,
            reasons=(danger, "text only"),
        )  # fmt: skip
    name, found = _find(parsed)
    metadata = read_metadata(parsed, found.text if found else "")
    if found is None:
        return Extracted(metadata=metadata, content=None, strategy=None, quality=0.0, reasons=("no content found",))
    return Extracted(
        metadata=metadata,
        content=_content(found),
        strategy=name,
        quality=round(found.quality, 3),
        reasons=found.reasons,
    )


def extract_text(html: bytes | str, url: str = "", options: Options = _DEFAULT) -> str:
    """The text of the main content alone; metadata, HTML and Markdown are not made."""
    parsed = Parsed(html, url, options)
    if _danger(parsed):
        return bare_text(parsed.data[: options.max_bytes])
    found = _find(parsed)[1]
    return found.text if found else ""


def _danger(parsed: Parsed) -> str:
    if len(parsed.data) > parsed.options.max_bytes:
        return "too_large"
    return "hostile" if hostile(parsed.data) else ""


@cache
def _in_order() -> list[tuple[str, Strategy]]:
    found = load_all(__name__, Strategy)
    ordered = sorted((kind.order, name) for name, kind in found.items() if kind.order is not None)
    return [(name, found[name]()) for _order, name in ordered]


def _find(parsed: Parsed) -> tuple[str, Candidate | None]:
    mode = parsed.options.mode
    if mode == "auto":
        return _best(parsed)
    for name in _CHAINS.get(mode, (mode,)):
        candidate = load(__name__, name, Strategy)().find(parsed)
        if candidate is not None and (len(candidate.text) >= parsed.options.min_chars or mode == "readability"):
            return name, candidate
    if mode in ("css", "xpath"):
        raise ReadError("No selector matched enough text; check the selectors of the source.", code="no_match")
    return "", None


def _best(parsed: Parsed) -> tuple[str, Candidate | None]:
    """The first sure candidate with enough text, or the best of all."""
    found: list[tuple[float, str, Candidate]] = []
    for name, strategy in _in_order():
        if name == "everything" and found:
            break
        candidate = strategy.find(parsed)
        if candidate is None or len(candidate.text) < parsed.options.min_chars:
            continue
        if candidate.quality >= _SURE and (len(candidate.text) >= _THIN_CHARS or name != "density"):
            if not found or len(candidate.text) > 2 * len(found[0][2].text):
                return name, candidate
            continue
        found.append((candidate.quality, name, candidate))
    if not found:
        return "", None
    _quality, name, candidate = max(found, key=lambda entry: entry[0])
    return name, candidate


def _content(found: Candidate) -> Content:
    words = len(found.text.split())
    return Content(
        text=found.text,
        word_count=words,
        reading_minutes=ceil(words / _WORDS_PER_MINUTE),
        excerpt=" ".join(found.text[: _EXCERPT_CHARS * 2].split())[:_EXCERPT_CHARS],
        comments=found.comments,
        make_html=found.make_html,
    )
