from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from veille.core.http.robots import MAX_BYTES, Robots, meaning, product, text_of

CASES = sorted((Path(__file__).parent.parent / "cases" / "robots").glob("*.json"))


@pytest.mark.covers("R-048")
@pytest.mark.parametrize("path", CASES, ids=lambda path: path.stem)
def test_robots_txt_is_read_as_rfc_9309_has_it(path: Path) -> None:
    case: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    for check in case["checks"]:
        robots = Robots(text_of(check["robots"].encode()), check["agent"])
        for url in check["allow"]:
            assert robots.allows(url), (check["robots"], check["agent"], url)
        for url in check["deny"]:
            assert not robots.allows(url), (check["robots"], check["agent"], url)


@pytest.mark.parametrize(
    ("status", "body", "rules"),
    [
        (200, b"Disallow: /", "Disallow: /"),
        (404, b"<html>", ""),
        (403, b"", ""),
        (401, b"", ""),
        (429, b"", None),
        (500, b"", None),
        (503, b"User-agent: *", None),
        (0, b"", None),
    ],
)
def test_an_unavailable_file_allows_and_an_unreachable_one_forbids(status: int, body: bytes, rules: str | None) -> None:
    assert meaning(status, body) == rules


def test_a_file_over_the_limit_is_read_up_to_its_last_whole_line() -> None:
    rule = b"User-agent: *\nDisallow: /start\n"
    body = rule + b"# padding\n" * (MAX_BYTES // 10) + b"Disallow: /end\n"
    robots = Robots(text_of(body), "veille")
    assert not robots.allows("http://a/start")
    assert robots.allows("http://a/end")
    assert len(text_of(body)) <= MAX_BYTES


def test_crawl_delay_and_sitemaps_are_read() -> None:
    text = "User-agent: veille\nCrawl-delay: 2.5\nUser-agent: *\nCrawl-delay: 9\nSitemap: http://a/s.xml\n"
    robots = Robots(text, "veille/0.1 (+https://example.org)")
    assert robots.delay_ms == 2500
    assert robots.sitemaps == ("http://a/s.xml",)
    assert Robots("User-agent: *\nCrawl-delay: soon\n", "veille").delay_ms == 0


def test_our_name_for_robots_is_the_product_of_the_user_agent() -> None:
    assert product("veille/0.1 (+https://example.org)") == "veille"
    assert product("Mozilla/5.0 (compatible; KampusBot/1.0)") == "Mozilla"
    assert product("/odd") == "*"


@given(st.binary(max_size=300), st.text(max_size=30))
def test_any_bytes_are_a_robots_txt(body: bytes, path: str) -> None:
    assert Robots(text_of(body), "veille").allows(f"http://a/{path}") in {True, False}
