"""The compiled code and the Python code it has to equal, side by side on one page."""

from __future__ import annotations

import numpy as np
from selectolax.lexbor import LexborHTMLParser

from veille.core.extract import Options, Page
from veille.core.extract.facts.outgoing import outgoing, plain_outgoing
from veille.core.extract.judge.announced import announced_of, headline, leads, plain_headline, plain_leads
from veille.core.extract.judge.features import Array, FeatureColumns, features, plain_features
from veille.core.extract.judge.furniture import judged, plain_judged
from veille.core.extract.judge.model import choose, likelihood, plain_choose, plain_likelihood
from veille.core.extract.judge.quality import in_container, plain_in_container
from veille.core.extract.judge.sections import core, link_lists, plain_core, plain_link_lists
from veille.core.extract.output.html import Base
from veille.core.extract.output.markup import markup, plain_markup
from veille.core.extract.output.render import plain_render, render
from veille.core.extract.tree.compiled import native
from veille.core.extract.tree.find import find, links, plain_find, plain_links
from veille.core.extract.tree.page_data import plain_properties, properties
from veille.core.extract.tree.prescan import FLAT, plain_long_tags, plain_overfull, plain_overloaded
from veille.core.extract.tree.walk import TAGS, FlatTree, plain_walk, walk

WANTED = (
    ("meta", "", "", True),
    ("script", "type", "application/ld+json", True),
    ("time", "datetime", "", True),
    ("a", "href", "", False),
)
NOTED = (("class", "line"), ("hidden", ""), ("id", "list"), ("href", "example"), ("colspan", "line"))
FACTS = (0.0,) * 9
SOME = frozenset(TAGS[name] for name in ("li", "pre", "td", "p"))


def assert_twins_agree(data: bytes, url: str = "https://example.org/a/b") -> None:
    """Everything that is compiled gives what the Python code gives, to the last bit."""
    _assert_bytes_agree(data)
    _assert_tree_agrees(LexborHTMLParser(data), url)
    _assert_outgoing_agree(Page(data, url, Options()))


def _assert_bytes_agree(data: bytes) -> None:
    for most, length in ((6000, 1000), (2, 5)):
        assert native.long_tags(data, most, length) == plain_long_tags(data, most, length)
    for at in native.long_tags(data, len(data), 0) or ():
        for most in (2, 500):
            assert native.overloaded(data, at, most) == plain_overloaded(data, at, most)
    for most, deepest in ((500, 2000), (500, 12), (2, 500)):
        assert native.overfull(data, most, deepest, FLAT) == plain_overfull(data, most, deepest, FLAT)


def _assert_tree_agrees(tree: LexborHTMLParser, url: str) -> None:
    root, whole = tree.body or tree.root, tree.root
    assert root is not None
    assert whole is not None
    assert find(root, WANTED, NOTED) == plain_find(root, WANTED, NOTED)
    assert properties(whole) == plain_properties(whole)
    for home, rooted in (("", False), (f"{Base(url).origin}/", True), ("https://", False)):
        assert links(root, home, rooted=rooted) == plain_links(root, home, rooted=rooted)
    for everything in (False, True):
        reading = walk(root, everything=everything)
        assert reading == plain_walk(root, everything=everything)
        _assert_columns_agree(reading)
        count = len(reading.blocks)
        for kept in ([True] * count, [number % 3 > 0 for number in range(count)], [False] * count):
            expected = plain_markup(root, kept, Base(url), everything=everything)
            for known in (None, reading):
                assert markup(root, kept, Base(url), everything=everything, reading=known) == expected
            _assert_blocks_agree(reading, kept)


def _assert_outgoing_agree(page: Page) -> None:
    for home in ("", f"{page.base.origin}/", "https://"):
        for leaves in (lambda _: True, lambda target: len(target) % 3 > 0):
            assert outgoing(page, home, leaves) == plain_outgoing(page, home, leaves)


def _assert_columns_agree(reading: FlatTree) -> None:
    if reading.blocks:
        texts = [block[1] for block in reading.blocks]
        said = announced_of((max(texts, key=len), texts[len(texts) // 2]), texts[::3])
        assert headline(said, reading) == plain_headline(said, reading)
        assert leads(said, reading) == plain_leads(said, reading)
        ours, theirs = features(reading, FACTS, said), plain_features(reading, FACTS, said)
        assert np.array_equal(ours.varying, theirs.varying)
        assert np.array_equal(ours.fixed, theirs.fixed)
        assert np.array_equal(ours.words, theirs.words)
        # The net of numpy adds in another order.
        share = likelihood(ours)
        assert np.allclose(share, plain_likelihood(ours), atol=1e-4)
        keep, score = choose(share, ours.words)
        plain_keep, plain_score = plain_choose(share, ours.words)
        assert np.array_equal(keep, plain_keep)
        assert abs(score - plain_score) < 1e-9
        _assert_furniture_agrees(reading, ours, keep)


def _assert_furniture_agrees(reading: FlatTree, columns: FeatureColumns, keep: Array) -> None:
    for kept in (keep, np.ones(len(keep), dtype=bool), np.arange(len(keep)) % 3 > 0):
        assert in_container(reading, columns, kept) == plain_in_container(reading, columns, kept)
        if kept.any():
            assert core(reading, columns.words, kept) == plain_core(reading, columns.words, kept)
            lists = link_lists(reading, columns, kept), plain_link_lists(reading, columns, kept)
            assert np.array_equal(*lists)
        for kind in ("", "documentation", "article", "product", "forum", "listing"):
            ours, theirs = judged(reading, columns, kept, kind), plain_judged(reading, columns, kept, kind)
            assert np.array_equal(ours[0], theirs[0])
            assert np.array_equal(ours[1], theirs[1])


def _assert_blocks_agree(reading: FlatTree, kept: list[bool]) -> None:
    assert reading.count == len(reading.blocks)
    assert reading.chars == sum(len(block[1]) for block in reading.blocks)
    listed = FlatTree(boxes=reading.boxes, ends=reading.ends, blocks=reading.blocks)
    assert reading.telling == listed.telling
    assert reading.sizes(SOME) == listed.sizes(SOME)
    for most, tag, key in ((5, 0, ""), (500, TAGS["h1"], "no such text"), (50, 0, "the"), (9, TAGS["li"], "a")):
        assert list(reading.lines(most, tag, key)) == list(listed.lines(most, tag, key))
    for plain, bullet, cell in ((False, "- ", " | "), (True, "", "\t")):
        assert render(reading, kept, plain=plain) == plain_render(reading, kept, bullet, cell)
