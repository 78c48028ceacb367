"""What the pages of a manual have around their text is not kept, however short the text is."""

from __future__ import annotations

import numpy as np
import pytest

from veille.core.extract import Options, Page
from veille.core.extract.judge.features import features
from veille.core.extract.judge.furniture import without_furniture
from veille.extract import text

TITLE = "<h1>Pools</h1>"
TEXT = "<p>A pool keeps some connections open, so that a query need not wait for a new one.</p>"


def remains(body: str) -> list[str]:
    """The blocks of a manual that are left when the model would keep all of them, without those of title and text."""
    page = Page(f"<html><body>{body}</body></html>", "https://example.org/", Options())
    columns = features(page.reading, page.facts)
    kept = without_furniture(page.reading, columns, np.ones(len(columns.words), dtype=bool), "", is_manual=True)
    texts = [block[1] for block, taken in zip(page.reading.blocks, kept, strict=True) if taken]
    return [one for one in texts if one != "Pools" and not one.startswith("A pool")]


def links(*names: str, between: str = " | ") -> str:
    return between.join(f"<a href=/{name}>{name}</a>" for name in names)


@pytest.mark.parametrize(
    "above",
    [
        f"<div>{links('Home', 'Table of contents', 'Index')}</div>",
        f"<div>« {links('previous', 'up', 'next')} »</div>",
        "<h1><a href=/>The manual of pools, 3.2</a></h1>",
        "<ul><li><a href=/a>Prev</a></li><li>The manual of pools</li><li><a href=/b>Next</a></li></ul>",
        f"<div class=tabs><ul><li>{links('Home', 'About', 'License', 'Support', between='<li>')}</ul></div>",
    ],
    ids=["bar", "pager", "name", "list", "menu"],
)
def test_what_is_above_the_text_goes(above: str) -> None:
    assert remains(f"{above}<div>{TITLE}{TEXT}</div>") == []


@pytest.mark.parametrize(
    "footer",
    [
        "<div class=footer>© Copyright 2001-2026, the makers. Created with a generator of manuals.</div>",
        "<div id=footer><p>Last updated 2024-05-31 00:35:55 UTC</p></div>",
        "<p>Available Languages: <a href=/en>en</a> | <a href=/fr>fr</a></p>",
    ],
)
def test_what_is_below_it_goes(footer: str) -> None:
    assert remains(f"<div>{TITLE}{TEXT}</div>{footer}") == []


@pytest.mark.parametrize(
    "part",
    [
        "<div class=footer><h2>Footer</h2><p>The footer of a pool is written when it is closed.</p></div>",
        "<div class=url>→ <a href=https://example.org/pools>https://example.org/pools</a></div>",
        f"<p>{links('open', 'close', 'size')}</p><p>These are the functions of pools.</p>",
        "<ul><li><a href=/a>Opening a pool</a><li><a href=/b>Closing a pool</a><li><a href=/c>Its size</a></ul>",
    ],
    ids=["a section of that name", "an address", "links within the text", "what an index lists"],
)
def test_what_is_part_of_the_text_stays(part: str) -> None:
    assert remains(f"<div>{TITLE}{TEXT}{part}</div>") != []


def test_a_short_text_is_better_than_everything() -> None:
    menu = "".join(f"<li><a href=/{n}>Menu {n}</a>" for n in range(30))
    page = f"<title>f</title><div class=tabs><ul>{menu}</ul></div><h1>pool_size</h1>"
    assert "Menu 7" not in text(f"{page}<div>References: pool_open, pool_close; see pools.</div>")
