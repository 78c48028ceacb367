"""A long page keeps all its sections, and none of what surrounds them."""

from __future__ import annotations

import numpy as np
import pytest

from veille.core.extract import Options, Page
from veille.core.extract.judge.features import features
from veille.core.extract.judge.sections import with_sections
from veille.extract import text

NAVIGATION = "".join(f'<li><a href="/p{n}.html">Chapter {n} of this manual</a></li>' for n in range(30))
WORDS = (
    "Returns the number of open connections of the pool named {n}, or zero if the pool was closed before. The value is "
    "read without a lock, so that it may be out of date when the caller looks at it; use it for statistics only."
)


def section(n: int) -> str:
    return (
        f'<div class="section" id="f{n}"><h3>pool_size_{n}(name)</h3><p>{WORDS.format(n=n)}</p>'
        f"<pre>&gt;&gt;&gt; pool_size_{n}('main')\n{n}</pre>"
        f'<div class="sidebar"><p>Note {n}: names of pools are compared without regard to case.</p></div></div>'
    )


def manual(sections: int, *, around: str = "") -> str:
    inside = "".join(map(section, range(sections)))
    return (
        "<!doctype html><title>Pools</title><body>"
        f'<div class="sphinxsidebar"><ul>{NAVIGATION}</ul></div>'
        f'<div class="body"><h1>Pools</h1><p>This page lists all functions for pools.</p>{inside}</div>'
        f'<div class="footer">Copyright of the makers. Made with a generator of manuals.</div>{around}</body>'
    )


@pytest.mark.parametrize("sections", [4, 40, 400])
def test_every_section_of_a_manual_is_kept(sections: int) -> None:
    found = text(manual(sections), "https://manual.example/pools.html")
    for n in range(sections):
        assert WORDS.format(n=n) in found
        assert f">>> pool_size_{n}('main')" in found
        assert f"Note {n}: names" in found
    assert "This page lists all functions" in found


def test_navigation_and_footers_of_a_manual_are_not() -> None:
    found = text(manual(40), "https://manual.example/pools.html")
    assert "Chapter 7 of this manual" not in found
    assert "generator of manuals" not in found


def test_anchors_that_nobody_closed_are_no_links() -> None:
    page = manual(40).replace("<h3>", '<a id="anchor"/><h3>')
    found = text(page, "https://manual.example/pools.html")
    assert all(WORDS.format(n=n) in found for n in range(40))


@pytest.mark.parametrize(("sections", "share"), [(80, 0.27), (120, 0.2), (400, 0.05)])
def test_a_long_reference_is_completed_however_small_a_share_the_model_has_kept(sections: int, share: float) -> None:
    assert kept_of(manual(sections), share) > 0.99


def test_a_page_of_which_few_words_and_a_small_share_were_kept_is_not_completed() -> None:
    assert kept_of(manual(40), 0.2) < 0.21
    prose = manual(200).replace("<pre>", "<p>").replace("</pre>", "</p>")
    assert kept_of(prose, 0.2) < 0.21


@pytest.mark.parametrize(
    ("box", "ends"), [("div class='admonition note'", "Old versions behave otherwise."), ("p", "")]
)
def test_a_note_that_ends_a_text_is_part_of_it(box: str, ends: str) -> None:
    """And the date of the last change is not."""
    last = f"<{box}>Old versions behave otherwise.</{box.split(maxsplit=1)[0]}>"
    page = Page(f"<div>{''.join(map(section, range(9)))}{last}</div>", "https://manual.example/pools.html", Options())
    columns = features(page.reading, page.facts, page.announced)
    keep = np.ones(page.reading.count, dtype=bool)
    keep[[5, -1]] = False
    kept = with_sections(page.reading, columns, keep, keep, 1.0)
    assert kept[5]
    assert (page.reading.blocks[-1][1] if kept[-1] else "") == ends


def kept_of(html: str, share: float) -> float:
    """The share of the words of the text that is kept where the model has kept a share of it: its beginning."""
    page = Page(html, "https://manual.example/pools.html", Options())
    columns = features(page.reading, page.facts, page.announced)
    words = columns.words
    first = next(number for number, block in enumerate(page.reading.blocks) if block[1] == "Pools")
    end = next(number for number, block in enumerate(page.reading.blocks) if block[1].startswith("Copyright of"))
    total = words[first:end].sum()
    running = np.cumsum(words) - words[:first].sum()
    keep = (running > 0) & (running <= share * total)
    return float(words @ with_sections(page.reading, columns, keep, keep, 1.0) / total)
