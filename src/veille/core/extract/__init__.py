"""Read a page: metadata and main content, from one parse. Pure: bytes in, values out.

A strategy is a module of this package with one subclass of `Strategy`. Mode `auto` tries them in order and keeps the
one with the best score; every result names its strategy, its score, its reasons, and its quality: the share of the main
container that it has.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from math import ceil
from typing import Final

from veille.core.extract._head import stated
from veille.core.extract._metadata import read_metadata
from veille.core.extract._page import Page
from veille.core.extract._page_values import page_values, refuse_unreadable_values
from veille.core.extract._strategy import Candidate, Strategy
from veille.core.extract._types import UNTITLED, ArticleHead, Content, Extracted, Metadata, Options
from veille.core.extract.judge.announced import Apart
from veille.core.extract.output.markup import markup_of_node
from veille.core.extract.output.render import render, signs
from veille.core.extract.tree.prescan import bare_text, hostile
from veille.core.extract.tree.walk import walk
from veille.core.markup_bounds import SIMPLIFIED
from veille.core.text import word_count
from veille.errors import ConfigError, ReadError
from veille.registry import load, load_all, names

__all__ = [
    "AUTO",
    "UNTITLED",
    "Apart",
    "ArticleHead",
    "Candidate",
    "Content",
    "Extracted",
    "Metadata",
    "Options",
    "Page",
    "Strategy",
    "extract_page",
    "extract_text",
    "modes",
    "refuse_useless",
]

AUTO: Final = "auto"
#: Modes that stand for a chain of strategies, or for one strategy with another syntax.
_CHAINS: Final = {"css": ("selectors",), "xpath": ("selectors",), "reader": ("readability", "landmarks")}

_DEFAULT: Final = Options()
#: Strategies from this order on are fallbacks, tried only while no score reaches _SURE.
_FALLBACKS, _SURE = 30, 0.3
#: From this order on they are last resorts, tried only if nothing was found: a short text is better than all menus.
_LAST: Final = 90
#: Text shorter than this weighs the density score by _THIN, so that the page's embedded data is tried too.
_THIN_CHARS, _THIN = 400, 0.33
_WORDS_PER_MINUTE: Final = 200
_EXCERPT_CHARS: Final = 200
#: Strategies that take what the user selected, or everything: there is no text beside their content.
_CHOSEN: Final = frozenset({"selectors", "parts", "everything"})


def extract_page(html: bytes | str, base_url: str, options: Options = _DEFAULT) -> Extracted:
    """All facts of a page: its metadata, and its main content with the strategy that found it.

    Raises ReadError if selectors were requested and are invalid or match nothing, and for an unknown mode.
    """
    page = _chosen(Page(html, base_url, options))
    if danger := _danger(page):
        text = bare_text(page.data[: options.max_bytes])
        name, metadata = "everything", Metadata()
        found = Candidate(text=text, score=0.1 if text else 0.0, reasons=(danger, SIMPLIFIED))
    else:
        name, best = _find(page)
        metadata = read_metadata(page, best.text if best else "")
        if options.mode == "reader":
            metadata = stated(page, metadata)
        found = best or Candidate(score=0.0, reasons=("no content found",))
    content = _content(name, found, page) if found.text else None
    return Extracted(
        metadata=metadata,
        content=content,
        strategy=name if content else None,
        score=found.score,
        quality=_quality(name, found, page) if content and not danger else None,
        reasons=found.reasons,
        values=() if danger else page_values(page, metadata, found.text),
    )


def _chosen(page: Page) -> Page:
    """The page without what its owner ignores; ReadError if parts are to be found on one that is not safe to read."""
    options = page.options
    if not options.parts and not options.without:
        return page
    from veille.core.extract.parts import lost, without_ignored  # noqa: PLC0415 - it needs this module

    if danger := _danger(page):
        if options.parts:
            raise lost(options.parts[0].text, f"the page is {danger.replace('_', ' ')}")
        return page
    return without_ignored(page) if options.without else page


def extract_text(html: bytes | str, url: str = "") -> str:
    """The text of the main content only; metadata, HTML and Markdown are not built."""
    page = Page(html, url, _DEFAULT)
    if _danger(page):
        return bare_text(page.data[: _DEFAULT.max_bytes])
    found = _find(page)[1]
    return found.text if found else ""


def modes() -> list[str]:
    """All modes, with the strategies of third-party packages."""
    return [AUTO, *_CHAINS, *names(__name__, Strategy)]


def refuse_useless(options: Options) -> None:
    """Raise ConfigError if these options cannot find content on any page."""
    mode = options.mode
    if mode not in modes():
        raise ConfigError(
            f"There is no mode {mode[:100]!r}; there are: {', '.join(modes())}.", code="unknown_extension"
        )
    refuse_unreadable_values(options.values)
    asks_selectors = "selectors" in _CHAINS.get(mode, (mode,))
    if asks_selectors and not options.selectors:
        raise ConfigError(f"Mode {mode} needs selectors: say which part of the page it is.", code="bad_selector")
    if asks_selectors or mode in (AUTO, "reader"):
        from veille.core.extract.selectors import refuse_unreadable  # noqa: PLC0415 - lxml is slow to import

        try:
            refuse_unreadable(options)
        except ReadError as error:
            raise ConfigError(str(error), code=error.code) from error


def _danger(page: Page) -> str:
    if len(page.data) > page.options.max_bytes:
        return "too_large"
    return "hostile" if hostile(page.data) else ""


def _find(page: Page) -> tuple[str, Candidate | None]:
    mode = page.options.mode
    if mode == AUTO:
        return _best(page)
    for name in _CHAINS.get(mode, (mode,)):
        candidate = _whole(load(__name__, name, Strategy)().candidate(page), page)
        if candidate is not None:
            return name, candidate
    if mode in ("css", "xpath"):
        raise ReadError("No selector matched enough text; check the selectors of the source.", code="no_match")
    return "", None


def _best(page: Page) -> tuple[str, Candidate | None]:
    """The best score wins; the fallbacks are tried only while there is no good score."""
    best: tuple[str, Candidate | None] = "", None
    score = -1.0
    for name, strategy in sorted(load_all(__name__, Strategy).items(), key=lambda pair: pair[1].order):
        if strategy.order >= _FALLBACKS and (score >= _SURE or (strategy.order >= _LAST and best[1] is not None)):
            break
        candidate = _whole(strategy().candidate(page), page)
        if candidate is None:
            continue
        # A page with little visible text may carry more of it as data for a script.
        thin = name == "density" and len(candidate.text) < _THIN_CHARS
        worth = candidate.score * _THIN if thin else candidate.score
        if worth > score:
            best, score = (name, candidate), worth
    return best


def _whole(candidate: Candidate | None, page: Page) -> Candidate | None:
    """The candidate with its text; None if it has no text."""
    if candidate is None or candidate.text:
        return candidate
    readings = [walk(node) for node in candidate.nodes]
    text = "\n\n".join(filter(None, (render(reading, [True] * reading.count) for reading in readings)))
    if not text:
        return None
    nodes = candidate.nodes
    return replace(
        candidate, text=text, make_markup=lambda: "\n".join(markup_of_node(node, page.base) for node in nodes)
    )


def _content(name: str, found: Candidate, page: Page) -> Content:
    head = found.head
    # In mode `reader` the text is plain.
    words = word_count(found.text) - (0 if head else signs(found.text))
    return Content(
        url=page.url,
        text=found.text,
        word_count=words,
        reading_minutes=ceil(words / _WORDS_PER_MINUTE),
        excerpt=head.excerpt if head else " ".join(found.text[: _EXCERPT_CHARS * 2].split())[:_EXCERPT_CHARS],
        head=head,
        make_markup=found.make_markup,
        make_parts=found.make_parts,
        find_beside=list if name in _CHOSEN else lambda: _beside(page, found.text, plain=head is not None),
    )


def _quality(name: str, found: Candidate, page: Page) -> float | None:
    """The share of the main container's words in the text; None if the user has selected the part."""
    if name in {"selectors", "parts"}:
        return None
    if found.find_share is not None:
        return found.find_share()
    from veille.core.extract.judge.quality import text_share  # noqa: PLC0415 - numpy takes its time to load

    return text_share(page.reading, word_count(found.text))


def _beside(page: Page, text: str, *, plain: bool) -> list[str]:
    everything = render(page.reading, [True] * page.reading.count, plain=plain)
    return list((Counter(everything.split("\n")) - Counter(text.split("\n"))).keys())
