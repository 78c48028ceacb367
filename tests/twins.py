"""The compiled code and the Python code it has to equal, side by side on one page."""

from __future__ import annotations

import numpy as np
from selectolax.lexbor import LexborHTMLParser

from veille.core.extract.judge.announced import announced_of
from veille.core.extract.judge.features import features, plain_features
from veille.core.extract.output.html import Base
from veille.core.extract.output.markup import markup, plain_markup
from veille.core.extract.tree.compiled import native
from veille.core.extract.tree.find import find, links, plain_find, plain_links
from veille.core.extract.tree.prescan import FLAT, plain_long_tags, plain_overfull, plain_overloaded
from veille.core.extract.tree.walk import FlatTree, plain_walk, walk

WANTED = (
    ("meta", "", "", True),
    ("script", "type", "application/ld+json", True),
    ("time", "datetime", "", True),
    ("a", "href", "", False),
)
NOTED = (("class", "line"), ("hidden", ""), ("id", "list"), ("href", "example"), ("colspan", "line"))
FACTS = (0.0,) * 9


def assert_twins_agree(data: bytes, url: str = "https://example.org/a/b") -> None:
    """Everything that is compiled gives what the Python code gives, to the last bit."""
    for most, length in ((6000, 1000), (2, 5)):
        assert native.long_tags(data, most, length) == plain_long_tags(data, most, length)
    for at in native.long_tags(data, len(data), 0) or ():
        for most in (2, 500):
            assert native.overloaded(data, at, most) == plain_overloaded(data, at, most)
    for most, deepest in ((500, 2000), (500, 12), (2, 500)):
        assert native.overfull(data, most, deepest, FLAT) == plain_overfull(data, most, deepest, FLAT)
    tree = LexborHTMLParser(data)
    root = tree.body or tree.root
    assert root is not None
    assert find(root, WANTED, NOTED) == plain_find(root, WANTED, NOTED)
    for home, rooted in (("", False), (f"{Base(url).origin}/", True), ("https://", False)):
        assert links(root, home, rooted=rooted) == plain_links(root, home, rooted=rooted)
    for everything in (False, True):
        reading = walk(root, everything=everything)
        assert reading == plain_walk(root, everything=everything)
        _assert_columns_agree(reading)
        count = len(reading.blocks)
        for kept in ([True] * count, [number % 3 > 0 for number in range(count)], [False] * count):
            written = markup(root, kept, Base(url), everything=everything)
            assert written == plain_markup(root, kept, Base(url), everything=everything)


def _assert_columns_agree(reading: FlatTree) -> None:
    if reading.blocks:
        texts = [block[1] for block in reading.blocks]
        said = announced_of((max(texts, key=len), texts[len(texts) // 2]), texts[::3])
        ours, theirs = features(reading, FACTS, said), plain_features(reading, FACTS, said)
        assert np.array_equal(ours.varying, theirs.varying)
        assert np.array_equal(ours.fixed, theirs.fixed)
        assert np.array_equal(ours.words, theirs.words)
