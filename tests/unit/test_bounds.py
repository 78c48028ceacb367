from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from veille.core.crawl.bounds import PLAIN, Bounds, address_of, pattern_of, shape
from veille.core.urls import without_session


def _admits(url: str, **given: object) -> bool:
    found = address_of(url)
    assert found is not None
    defaults: dict[str, object] = {"hosts": ("example.org",), "readable": frozenset({"pdf", "txt"})}
    return Bounds(**(defaults | given)).admit(found)  # type: ignore[arg-type] # filled in by each test


@pytest.mark.parametrize(
    ("url", "inside"),
    [
        ("https://example.org/a", True),
        ("http://www.example.org/a", True),
        ("https://example.org.evil.net/a", False),
        ("https://evil.net/example.org/", False),
        ("https://news.example.org/a", False),
        ("https://example.org:8443/a", False),
        ("https://example.org@evil.net/", False),
    ],
)
def test_a_host_is_the_whole_host(url: str, *, inside: bool) -> None:
    found = address_of(url)
    assert (found is not None and Bounds(hosts=("example.org",)).admit(found)) is inside


def test_a_star_stands_for_all_hosts_below_and_not_for_the_name_itself() -> None:
    bounds = Bounds(hosts=("*.example.org",))
    assert bounds.has_host("a.example.org")
    assert bounds.has_host("a.b.example.org")
    assert not bounds.has_host("example.org")
    assert not bounds.has_host("notexample.org")


@pytest.mark.parametrize(
    ("pattern", "text", "matches"),
    [
        ("*/news/*", "https://example.org/news/1", True),
        ("*/news/*", "https://example.org/newsletter/1", False),
        ("*/news", "https://example.org/news/1", False),
        ("re:/news/\\d+$", "https://example.org/news/12", True),
        ("re:^/news", "https://example.org/news", False),
        ("reports/*.pdf", "old/reports/a.pdf", False),
        ("reports/*.pdf", "reports/a.pdf", True),
    ],
)
def test_patterns_match_the_whole_address_and_regular_expressions_a_part_of_it(
    pattern: str, text: str, *, matches: bool
) -> None:
    assert bool(pattern_of(pattern).search(text)) is matches


@pytest.mark.parametrize("pattern", ["", "re:(", "re:[", "re:*", "re:(?P<a>x)(?P<a>y)", "x" * 501])
def test_a_pattern_that_cannot_be_read_says_so(pattern: str) -> None:
    with pytest.raises(ValueError, match=r"pattern|expression"):
        pattern_of(pattern)


def test_exclusion_wins_over_inclusion() -> None:
    patterns = {"include": (re.compile("/a"),), "exclude": (re.compile("/a/b"),)}
    assert _admits("https://example.org/a", **patterns)
    assert not _admits("https://example.org/a/b", **patterns)
    assert not _admits("https://example.org/c", **patterns)


def test_documents_are_admitted_by_their_ending_and_media_never() -> None:
    assert _admits("https://example.org/a.pdf", attachments=frozenset({"pdf"}))
    assert not _admits("https://example.org/a.txt", attachments=frozenset({"pdf"}))
    assert not _admits("https://example.org/a.JPG?size=2")
    assert _admits("https://example.org/v1.2")
    assert _admits("https://example.org/a.php")


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("example.org/calendar/2026/5", "example.org/calendar/2031/12"),
        ("example.org/calendar/2026/5", "example.org/calendar/2031/12/24"),
        ("example.org/a?day=1&month=2", "example.org/a?day=28&month=x"),
        ("example.org/s/9f8e7d6c5b4a39281706", "example.org/s/0a1b2c3d4e5f60718293"),
        ("example.org/p-12.html", "example.org/p-7.html"),
    ],
)
def test_addresses_of_an_endless_series_have_the_same_pattern(one: str, other: str) -> None:
    assert shape(one) == shape(other) != PLAIN


def test_addresses_with_different_names_have_different_patterns() -> None:
    assert shape("example.org/news/harbour-bridge") == PLAIN
    assert shape("example.org/a?id=1") != shape("example.org/b?id=1")
    assert shape("example.org/a?id=1") != shape("example.org/a?page=1")


@pytest.mark.parametrize(
    ("path", "winds"),
    [
        ("/a/b/c", False),
        ("/a/a/b", False),
        ("/a/a/a", True),
        ("/x/a/b/a/b/a/b", True),
        ("/a/b/a/c/a/d", False),
        ("/" + "/".join(f"s{number}" for number in range(25)), True),
        ("/2011/11/11", False),
    ],
)
def test_a_path_that_goes_in_circles_is_noticed(path: str, *, winds: bool) -> None:
    found = address_of(f"https://example.org{path}")
    assert found is not None
    assert found.winds is winds


@pytest.mark.parametrize(
    ("url", "plain"),
    [
        ("https://e.org/a?sid=9f8e7d6c5b4a&id=1", "https://e.org/a?id=1"),
        ("https://e.org/a?PHPSESSID=abc123def456", "https://e.org/a"),
        ("https://e.org/a;jsessionid=1A2B3C?x=1", "https://e.org/a?x=1"),
        ("https://e.org/a?session_id=0123456789&utm_source=b", "https://e.org/a"),
        ("https://e.org/a?sid=7", "https://e.org/a?sid=7"),
        ("https://e.org/a?session=morning", "https://e.org/a?session=morning"),
        ("https://e.org/a?b=%20x&a", "https://e.org/a?b=%20x&a"),
        ("https://e.org/a?#top", "https://e.org/a"),
    ],
)
def test_sessions_are_dropped_and_real_parameters_kept(url: str, plain: str) -> None:
    assert without_session(url) == plain


@given(st.text(max_size=80))
def test_any_link_is_an_address_or_nothing(link: str) -> None:
    found = address_of(link)
    assert found is None or (found.url.startswith(("http://", "https://")) and "#" not in found.url)
