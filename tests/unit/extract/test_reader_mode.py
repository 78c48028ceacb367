"""The mode `reader`: Readability where it is worth it, then well-known selectors."""

from __future__ import annotations

import pytest

from veille.core.extract import Extracted, Options, Page, extract_page
from veille.core.extract.landmarks import MIN_CHARS, SELECTORS
from veille.core.extract.readability import Readability

URL = "https://example.org/a"
SENTENCE = "The harbour bridge, closed since the flood in spring, opens again, and the ferries go back to their piers. "
LONG = "".join(f"<p class=lead>Part {number}. {SENTENCE * 2}</p>" for number in range(5))
#: Enough text for a selector, too little for Readability.
PIECES = "<p>Short piece.</p>" * 42
#: An element that each of the selectors matches, in their order.
MARKS = ("<article>", "<main>", "<div role=main>", "<div class=post-content>", "<div class=entry-content>",
         "<div class=article-content>", "<div id=content>")  # fmt: skip


def _read(html: str, mode: str = "reader", *selectors: str) -> Extracted:
    return extract_page(html, URL, Options(mode=mode, selectors=selectors))


def _length(found: Extracted) -> int:
    return len(found.content.text) if found.content else 0


@pytest.mark.covers("R-109")
def test_readability_is_tried_only_on_a_page_that_is_probably_readerable() -> None:
    assert _read(f"<article>{LONG}</article>").strategy == "readability"
    assert _read(f"<div>{PIECES}</div>").strategy is None
    assert _read(f"<div>{PIECES}</div>", "readability").strategy == "readability", "unless it is asked for alone"


@pytest.mark.covers("R-109")
def test_a_text_of_a_hundred_characters_is_enough_for_readability() -> None:
    short = "The bridge opens again, and the ferries go back, at last, to the piers they had left in spring, too soon."
    links = f"<div><p><a href=/x>{'word ' * 140}</a></p></div>"
    page = f"<div id=content><p>{{}}</p></div>{links}<div class=sidebar>{LONG}</div>"
    assert _length(_read(page.format(short))) == len(short) >= 100
    assert _length(_read(page.format(short[40:]))) > 500, "with less, the boxes that look unlikely are read, too"


@pytest.mark.covers("R-109")
def test_readability_works_on_a_copy_of_the_page() -> None:
    page = Page(f"<title>T</title><article>{LONG}</article>", URL, Options(mode="reader"))
    before = page.tree.html
    assert Readability().candidate(page) is not None
    assert page.tree.html == before


def test_a_readable_page_without_a_title_is_untitled() -> None:
    found = _read(f"<article>{LONG}</article>")
    assert (found.strategy, found.metadata.title) == ("readability", "Untitled")


@pytest.mark.covers("R-110")
@pytest.mark.parametrize("first", range(len(MARKS)))
def test_the_first_of_the_selectors_in_their_order_has_the_content(first: int) -> None:
    boxes = [f"{mark}<p>{mark[1:-1]}</p>{PIECES}</{mark[1:-1].split()[0]}>" for mark in MARKS]
    # Later ones stand before it on the page, and earlier ones have too little text.
    page = "".join(reversed(boxes[first:])) + "".join(f"{mark}Too little" for mark in MARKS[:first])
    found = _read(page)
    assert (found.strategy, found.reasons) == ("landmarks", (f"matched {SELECTORS[first]}",))


@pytest.mark.covers("R-110")
def test_a_selector_needs_five_hundred_characters() -> None:
    assert MIN_CHARS == 500
    for length, strategy in ((499, None), (500, "landmarks")):
        assert _read(f"<main> <i>{'x' * length}</i> </main>").strategy == strategy


def test_selectors_of_the_caller_are_tried_first_in_mode_auto() -> None:
    found = _read(f"<article>{LONG}</article><div class=mine>{SENTENCE}</div>", "auto", ".mine")
    assert (found.strategy, found.content and found.content.text) == ("selectors", SENTENCE.strip())


@pytest.mark.covers("R-114")
@pytest.mark.parametrize("code", ["<pre><code>{}</code></pre>", "<pre>{}</pre>"])
def test_the_children_of_a_code_block_are_lines_without_spaces_at_their_ends(code: str) -> None:
    lines = "<div>one  </div><div>  two </div><div>three</div>"
    for mode in ("reader", "auto"):
        found = _read(f"<article>{LONG}{code.format(lines)}{LONG}</article>", mode)
        assert found.content is not None
        assert "one\n  two\nthree" in found.content.text
