"""Texts that make a pattern try the same letters again and again: each took minutes once, or hours."""

from __future__ import annotations

import time
from collections.abc import Callable
from zlib import crc32

import pytest

from samples import payload, request, source
from veille.core.chunk.chunks import chunks_of
from veille.core.extract.output.html import Base
from veille.core.extract.output.markdown import to_markdown
from veille.core.http.robots import Robots
from veille.core.http.shell import is_empty_shell
from veille.core.kinds import kind_of

SITE = source("https://example.org/", kind="site")


def _page(head: str) -> object:
    body = f"<html><head>{head}</head><body><main><p>{'Some words of a page. ' * 20}</p></main>"
    return list(kind_of("site", {}).read(SITE, request(SITE), payload(body, SITE.url)))


def _ordered(number: int) -> str:
    """Paragraphs in the order of what places to cut are chosen by."""
    return "\n\n".join(sorted((f"w{n}" for n in range(number)), key=lambda word: crc32(word.encode())))


HARD: dict[str, Callable[[], object]] = {
    "blanks in a line of robots.txt": lambda: Robots(f"user-agent: *\nallow: a{' ' * 400_000}b", "veille"),
    "words to robots": lambda: _page(f'<meta name="robots" content="{"max-" * 200_000}">'),
    "blanks in a srcset": lambda: Base("https://example.org/").candidates(" \n" * 300_000),
    "commas in a srcset": lambda: Base("https://example.org/").candidates("a," * 300_000 + " " * 300_000),
    "empty lines": lambda: to_markdown("<pre>" + "\n" * 300_000 + "</pre><p>" + "<br>" * 30_000 + "</p>"),
    "dots": lambda: chunks_of("." * 500_000),
    "dots and quotes": lambda: chunks_of(".'" * 300_000),
    "words in the order of their hashes": lambda: chunks_of(_ordered(60_000)),
    "elements that nothing closes": lambda: is_empty_shell(b"<script><body id=root>" + b"<template " * 6_000),
    "questions for scripts": lambda: is_empty_shell(b"<script>" + b"<noscript>" * 6_000),
}


@pytest.mark.parametrize("case", HARD)
def test_patterns_take_linear_time(case: str) -> None:
    began = time.process_time()
    HARD[case]()
    assert time.process_time() - began < 6


def test_a_srcset_is_read_as_browsers_read_it() -> None:
    base = Base("https://example.org/a/")
    assert base.candidates("one.png, two.png 2x ,, /three,3.png 300w,four.png\n4x") == (
        "https://example.org/a/one.png, https://example.org/a/two.png 2x, https://example.org/three,3.png 300w, "
        "https://example.org/a/four.png 4x"
    )
    assert base.candidates(" , ,") == ""
    assert base.candidates("x.png nonsense") == "https://example.org/a/x.png"


@pytest.mark.parametrize("line", ["Disallow: /a", "disallow /a", " disallow :/a  # no", "disallow\t:\t/a"])
def test_a_line_of_robots_txt_may_lack_its_colon(line: str) -> None:
    rules = Robots(f"user-agent: *\n{line}\n", "veille")
    assert not rules.allows("https://example.org/a")
    assert rules.allows("https://example.org/b")
