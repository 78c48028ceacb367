from __future__ import annotations

import random
from collections.abc import Iterator
from contextlib import suppress

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from veille.core.crawl.bounds import address_of
from veille.core.urls import (
    Tracking,
    canonical,
    host_of,
    join,
    scheme_of,
    tracking_in_use,
    url_key,
    use_tracking,
    without_session,
)
from veille.errors import ConfigError

CANONICAL = {
    "HTTPS://Example.COM/Path": "https://example.com/Path",
    "https://example.com/": "https://example.com",
    "https://example.com": "https://example.com",
    "https://example.com/a/": "https://example.com/a/",
    "http://example.com:80/a": "http://example.com/a",
    "https://example.com:443/a": "https://example.com/a",
    "https://example.com:8443/a": "https://example.com:8443/a",
    "https://example.com/a#part": "https://example.com/a",
    "https://example.com/?b=2&a=1": "https://example.com/?a=1&b=2",
    "https://example.com/?b=2&&a=1&": "https://example.com/?a=1&b=2",
    "https://example.com/?&": "https://example.com",
    "https://example.com/?utm_source=x": "https://example.com/?utm_source=x",
    "https://example.com/a?q=x%20y+z": "https://example.com/a?q=x%20y+z",
    "https://example.com/a/../b/./c": "https://example.com/b/c",
    "http://example.com/a": "http://example.com/a",
    "https://www.example.com/a": "https://www.example.com/a",
    "  https://example.com/a  ": "https://example.com/a",
    "https://Bücher.example/ä": "https://xn--bcher-kva.example/%C3%A4",
    "http://[2001:DB8::1]/a": "http://[2001:db8::1]/a",
    "question:what is new": None,
    "file:///reports/q1.pdf": "file:///reports/q1.pdf",
    "ftp://Example.com/A": "ftp://Example.com/A",
}

SAME_PAGE = (
    ("https://example.com/a", "http://example.com/a"),
    ("https://example.com/a", "https://www.example.com/a"),
    ("https://example.com/a", "https://example.com/a/"),
    ("https://example.com/a", "https://example.com/a#top"),
    ("https://example.com/a", "https://example.com/a?utm_source=x&utm_medium=y"),
    ("https://example.com/a", "https://example.com/a?fbclid=1&gclid=2&mc_cid=3&_ga=4"),
    ("https://example.com/a", "https://example.com/a?UTM_Source=x"),
    ("https://example.com/a", "https://example.com/a;jsessionid=0F3"),
    ("https://example.com/a", "https://example.com/a/amp"),
    ("https://example.com/a", "https://example.com/a?amp=1"),
    ("https://example.com/a~b", "https://example.com/a%7Eb"),
    ("https://example.com/%c3%a4", "https://example.com/ä"),
    ("https://example.com/?b=2&a=1", "https://example.com/?a=1&b=2"),
    ("https://example.com/?q=a%20b", "https://example.com/?q=a+b"),
    ("https://example.com", "https://EXAMPLE.com:443/"),
    ("https://example.com./a", "https://example.com/a"),
)

OTHER_PAGE = (
    ("https://example.com/a", "https://example.com/A"),
    ("https://example.com/a", "https://example.org/a"),
    ("https://example.com/a", "https://m.example.com/a"),
    ("https://example.com/a", "https://example.com:8080/a"),
    ("https://example.com/a", "https://example.com/a?id=1"),
    ("https://example.com/a?id=1", "https://example.com/a?id=2"),
    ("https://example.com/a", "https://example.com/a?print="),
    ("https://example.com/a", "https://example.com/a?ref=home"),
    ("https://example.com/a%2Fb", "https://example.com/a/b"),
    ("https://example.com/camp", "https://example.com/c"),
    ("https://example.com/a", "https://example.com/a/index.html"),
    ("https://example.com/a", "https://example.com/a/default.html"),
)

NO_ADDRESS = ("", "   ", "://missing-scheme", "not a url at all", "example", "http://", "https://exa mple.com",
              "http://example.com/a b", "http://example.com/\x00", "http://[::1", "http://a.example:99999/",
              "https://example.com/" + "a" * 4096, "http://\ud800.example/")  # fmt: skip

paths = st.lists(st.text("abcXYZ019-._~%/;= äß\u4e2d", max_size=8), max_size=4).map("/".join)
fields = st.text("abz09_%+äß\u4e2d=", min_size=0, max_size=6)
queries = st.lists(fields, max_size=6)
hosts = st.sampled_from(["example.com", "WWW.Example.com", "a.b.example", "münchen.example", "127.0.0.1", "[::1]"])
schemes = st.sampled_from(["http", "https", "HTTP", "Https"])
ports = st.sampled_from(["", ":80", ":443", ":8080"])


@st.composite
def addresses(draw: st.DrawFn) -> str:
    query = "&".join(draw(queries))
    mark = draw(st.sampled_from(["", "?", "??"]))
    fragment = draw(st.sampled_from(["", "#", "#top"]))
    start = f"{draw(schemes)}://{draw(hosts)}{draw(ports)}/{draw(paths)}"
    return start + (f"{mark}{query}" if mark else "") + fragment


@pytest.mark.parametrize(("given_url", "expected"), CANONICAL.items())
def test_the_canonical_address(given_url: str, expected: str | None) -> None:
    if expected is None:
        with pytest.raises(ConfigError):
            canonical(given_url)
    else:
        assert canonical(given_url) == expected


@pytest.mark.covers("R-020")
@pytest.mark.parametrize(("one", "other"), SAME_PAGE)
def test_two_spellings_of_one_page_have_one_key(one: str, other: str) -> None:
    assert url_key(one) == url_key(other)


@pytest.mark.parametrize(("one", "other"), OTHER_PAGE)
def test_two_pages_have_two_keys(one: str, other: str) -> None:
    assert url_key(one) != url_key(other)


@pytest.mark.parametrize("text", NO_ADDRESS)
def test_what_is_no_address_is_refused_with_a_way_out(text: str) -> None:
    with pytest.raises(ConfigError) as caught:
        canonical(text)
    assert caught.value.code == "bad_url"
    assert len(str(caught.value)) < 300


@given(addresses())
def test_canonical_is_idempotent(url: str) -> None:
    with suppress(ConfigError):
        once = canonical(url)
        assert canonical(once) == once


@given(addresses())
def test_the_key_of_an_address_is_the_key_of_its_canonical_form(url: str) -> None:
    with suppress(ConfigError):
        assert url_key(canonical(url)) == url_key(url)


@given(queries, st.randoms(use_true_random=False))
def test_the_order_of_the_query_does_not_matter(parts: list[str], shuffle: random.Random) -> None:
    shuffled = list(parts)
    shuffle.shuffle(shuffled)
    one, other = (f"https://example.com/a?{'&'.join(order)}" for order in (parts, shuffled))
    assume("?" not in "".join(parts))
    assert canonical(one) == canonical(other)
    assert url_key(one) == url_key(other)


@given(st.text(max_size=200) | addresses())
def test_any_text_is_an_address_or_a_config_error(text: str) -> None:
    for function in (canonical, url_key, host_of):
        with suppress(ConfigError):
            assert isinstance(function(text), str)


@given(st.text(max_size=100) | addresses(), st.text(max_size=100) | addresses())
def test_joining_any_two_texts_gives_a_web_address_or_nothing(base: str, reference: str) -> None:
    joined = join(base, reference)
    assert joined is None or (scheme_of(joined) in {"http", "https"} and "#" not in joined)


def test_an_address_with_thousands_of_parameters_has_a_key() -> None:
    assert url_key("https://example.com/?" + "&" * 2000) == "example.com"
    assert url_key("https://example.com/?" + "&".join(f"a={n}" for n in range(1500))).startswith("example.com?a=0&")


@pytest.mark.parametrize(
    ("reference", "expected"),
    [
        ("b", "https://example.com/x/b"),
        ("/b", "https://example.com/b"),
        ("//other.example/b", "https://other.example/b"),
        ("?page=2", "https://example.com/x/a?page=2"),
        (" b#c ", "https://example.com/x/b"),
        ("mailto:someone@example.com", None),
        ("javascript:alert(1)", None),
        ("data:text/plain,x", None),
        ("http://[", None),
    ],
)
def test_links_are_made_whole(reference: str, expected: str | None) -> None:
    assert join("https://example.com/x/a", reference) == expected


def test_politeness_is_owed_to_host_and_port() -> None:
    assert host_of("https://Example.com:8443/a") == "example.com:8443"
    assert host_of("https://example.com/a") == host_of("http://example.com:80/b") == "example.com"
    assert host_of("file:///a") == "file"


@pytest.fixture
def table() -> Iterator[None]:
    """A table of the operator's own, for this test alone."""
    before = tracking_in_use()
    use_tracking(Tracking(add=("Ref", "cmp_*"), keep=("spm", "utm_content", "pk_*", "amp")))
    yield
    use_tracking(before)


@pytest.mark.covers("R-081")
@pytest.mark.usefixtures("table")
def test_the_operator_says_which_parameters_do_not_count() -> None:
    assert url_key("https://example.org/a?ref=1&REF=2&cmp_x=3&cmp=4") == "example.org/a?cmp=4"
    kept = "https://example.org/a?PK_x=2&amp=1&spm=3&utm_content=5"
    assert url_key(f"{kept}&utm_source=4&fbclid=6") == url_key(kept) == kept.removeprefix("https://")
    assert without_session(f"{kept}&ref=7&utm_medium=8") == kept
    assert address_of("https://example.org/a?ref=1") == address_of("https://example.org/a")


def test_without_a_table_of_ones_own_links_are_read_by_the_built_in_one(table: None) -> None:
    del table
    assert address_of("https://example.org/b?ref=1") == address_of("https://example.org/b")
    use_tracking(Tracking())
    assert address_of("https://example.org/b?ref=1") != address_of("https://example.org/b")
    assert url_key("https://example.org/a?ref=1&spm=2&utm_x=3") == "example.org/a?ref=1"
