from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from samples import STORY, document, payload, request, source
from veille.core.fingerprint import guid_identity, url_identity
from veille.core.kinds import Finding, kind_names, kind_of
from veille.core.models import Document, Listing, Notice, Request
from veille.core.traffic import Payload
from veille.errors import ConfigError, NotFoundError, ReadError

PAGES = sorted((Path(__file__).parent.parent / "cases" / "pages").iterdir())
PAGE = source(kind="page")
FEED = source("https://news.example/feed", kind="feed")


def _page(answer: Payload) -> Document:
    (found,) = kind_of("page", {}).read(PAGE, request(PAGE), answer)
    assert isinstance(found, Document)
    return found


def _entries(body: str, **config: object) -> list[Finding]:
    answer = payload(f"<rss><channel>{body}</channel></rss>", FEED.url)
    return list(kind_of("feed", config).read(FEED, request(FEED), answer))


def _item(number: int, text: str = "", extra: str = "") -> str:
    link, markup = f"https://news.example/{number}?utm_source=rss", f"&lt;p&gt;{text or f'Text {number}'}&lt;/p&gt;"
    told = f"<title>Number {number}</title><description>{markup}</description>"
    return f"<item><guid>{number}</guid><link>{link}</link>{told}{extra}</item>"


@pytest.mark.covers("R-084")
@pytest.mark.parametrize("case", PAGES, ids=lambda case: case.name)
def test_a_page_is_read_as_expected(case: Path) -> None:
    expected = json.loads((case / "expected.json").read_text())
    found = _page(payload((case / "input.html").read_bytes(), PAGE.url))
    assert {key: getattr(found, key) for key in expected["fields"]} == expected["fields"]
    assert [piece for piece in expected["has"] if piece not in found.text] == []
    assert [piece for piece in expected["lacks"] if piece in found.text] == []


@given(st.binary())
def test_any_bytes_are_a_page_unless_they_are_binary(body: bytes) -> None:
    try:
        found = _page(payload(body))
    except ReadError as error:
        assert error.code in {"unsupported", "corrupt"}  # noqa: PT017 - most bytes are a page
    else:
        found.text.encode()
        found.title.encode()


@pytest.mark.parametrize("kind", ["page", "feed"])
@given(body=st.binary())
def test_any_bytes_are_read_or_refused_by_every_kind(kind: str, body: bytes) -> None:
    of = source(kind=kind)
    try:
        found = list(kind_of(kind, {}).read(of, request(of), payload(body)))
    except ReadError:
        return
    assert all(isinstance(item, Document | Request) for item in found)


@pytest.mark.parametrize("kind", ["page", "feed"])
def test_a_source_starts_with_its_own_address_and_the_same_request_each_time(kind: str) -> None:
    of = source(kind=kind)
    (first,), (again,) = (list(kind_of(kind, {}).start(of)) for _ in range(2))
    assert first == again
    assert (first.url, first.purpose, first.source_id) == (of.url, "root", of.id)


def test_reading_changes_nothing_and_repeats_exactly() -> None:
    answer = payload("<title>T</title><main><p>" + STORY + "</main>")
    assert _page(answer) == _page(answer)


def test_a_page_is_known_by_its_address() -> None:
    assert _page(payload(STORY, PAGE.url)).keys == (url_identity(PAGE.url),)


@pytest.mark.parametrize(
    ("statuses", "known_by_both"), [((301,), True), ((308, 301), True), ((302,), False), ((301, 307), False)]
)
def test_only_a_permanent_redirect_gives_a_page_a_second_name(
    statuses: tuple[int, ...], *, known_by_both: bool
) -> None:
    moved = "https://example.org/moved"
    hops = tuple((status, PAGE.url) for status in statuses)
    found = _page(replace(payload(STORY, PAGE.url), final_url=moved, redirects=hops))
    names = (url_identity(PAGE.url), url_identity(moved))
    assert found.keys == (names if known_by_both else names[:1])
    assert found.url == moved


@pytest.mark.covers("R-085")
def test_every_entry_of_a_feed_is_a_document_known_by_its_id_and_its_address() -> None:
    found = _entries(_item(1) + _item(2))
    assert [item.text for item in found if isinstance(item, Document)] == ["Text 1", "Text 2"]
    first = found[0]
    assert isinstance(first, Document)
    assert first.keys == (guid_identity(FEED.id, "1"), url_identity("https://news.example/1"))
    assert (first.title, first.strategy) == ("Number 1", "feed")


def test_an_entry_without_text_is_its_title() -> None:
    (found,) = _entries("<item><title>Only a title</title></item>")
    assert isinstance(found, Document)
    assert (found.text, found.url) == ("Only a title", FEED.url)


def test_two_entries_without_id_and_address_are_two() -> None:
    one, other = _entries("<item><title>One</title></item><item><title>Other</title></item>")
    assert isinstance(one, Document)
    assert isinstance(other, Document)
    assert one.keys != other.keys


def test_links_of_entries_are_made_whole_and_bad_ones_stay_with_the_feed() -> None:
    found = _entries(
        "<item><link>/a</link><title>A</title></item><item><link>javascript:x</link><title>B</title></item>"
    )
    assert [item.url for item in found if isinstance(item, Document)] == ["https://news.example/a", FEED.url]


def test_markup_in_an_entry_is_text_and_scripts_are_dropped() -> None:
    (found,) = _entries(_item(1, "One &amp;amp; two&lt;script&gt;alert(1)&lt;/script&gt;&lt;p&gt;Three"))
    assert isinstance(found, Document)
    assert found.text == "One & two\n\nThree"


def test_no_more_entries_are_taken_than_asked_for() -> None:
    body = "".join(map(_item, range(60)))
    assert len(_entries(body)) == 50
    assert len(_entries(body, max_entries=3)) == 3


def test_with_follow_links_every_entry_is_a_request_that_knows_the_entry() -> None:
    (found,) = _entries(_item(1), follow_links=True)
    assert isinstance(found, Request)
    assert (found.url, found.purpose) == ("https://news.example/1?utm_source=rss", "entry")
    assert found.context["title"] == "Number 1"
    json.dumps(found.context)


def test_the_stamp_of_an_entry_changes_with_the_entry_only() -> None:
    def stamp(text: str, extra: str = "") -> str:
        (found,) = _entries(_item(1, text, extra), follow_links=True)
        assert isinstance(found, Request)
        return found.stamp

    assert stamp("a") == stamp("a") != stamp("b")
    assert stamp("a") != stamp("a", "<pubDate>Tue, 24 Feb 2026 14:30:00 GMT</pubDate>")


def test_a_followed_entry_keeps_its_names_and_takes_its_text_from_the_page() -> None:
    (wanted,) = _entries(_item(1), follow_links=True)
    assert isinstance(wanted, Request)
    page = payload(f"<title>Site</title><main><p>{STORY}</p></main>", wanted.url)
    (found,) = kind_of("feed", {}).read(FEED, wanted, page)
    assert isinstance(found, Document)
    assert (found.title, found.text, found.keys) == ("Number 1", STORY.strip(), wanted.context["keys"])


def test_a_followed_entry_whose_page_is_empty_keeps_the_text_of_the_feed() -> None:
    (wanted,) = _entries(_item(1), follow_links=True)
    assert isinstance(wanted, Request)
    (found,) = kind_of("feed", {}).read(FEED, wanted, payload(b"", wanted.url))
    assert isinstance(found, Document)
    assert (found.text, found.strategy) == ("Text 1", "feed")


def test_an_unknown_kind_lists_the_known_ones() -> None:
    with pytest.raises(NotFoundError, match=r"no kind called 'telepathy'; known: .*feed.*page") as caught:
        kind_of("telepathy", {})
    assert caught.value.code == "unknown_extension"
    assert {"feed", "page"} <= set(kind_names())


def test_an_unknown_option_is_named_with_the_known_ones() -> None:
    with pytest.raises(ConfigError, match=r"max_entrees.*Options: .*max_entries, max_pages, follow_links") as caught:
        kind_of("feed", {"max_entrees": 3})
    assert caught.value.code == "bad_option"


@pytest.mark.parametrize(
    ("kind", "config", "said"),
    [
        ("feed", {"max_entries": 0}, "max_entries of a source of kind feed is not right: Input should be greater than"),
        ("feed", {"max_entries": "many"}, "max_entries of a source of kind feed is not right: Input should be a valid"),
        ("page", {"steps": "fly: away"}, "steps of a source of kind page is not right: line 1: there is no step 'fly'"),
    ],
)
def test_a_wrong_value_of_an_option_is_told_in_one_plain_sentence(
    kind: str, config: dict[str, object], said: str
) -> None:
    with pytest.raises(ConfigError) as caught:
        kind_of(kind, config)
    assert str(caught.value).startswith(f"Option {said}")
    assert "Value error" not in str(caught.value)
    assert "Options:" not in str(caught.value)
    assert caught.value.code == "bad_option"


def test_a_sample_document_is_what_a_page_would_give() -> None:
    assert document().keys == _page(payload(STORY)).keys


@pytest.mark.parametrize(("place", "code"), [("refused", "folder_unreadable"), ("deep", "folder_too_deep")])
def test_a_folder_that_was_not_looked_into_in_full_says_why_and_lists_nothing_as_complete(
    place: str, code: str
) -> None:
    folder = source("file:///srv/documents/", kind="folder")
    seen = {"files": [["a.txt", "1"]], "links": [], "refused": [], "deep": []} | {place: ["sub"]}
    found = list(kind_of("folder", {}).read(folder, request(folder), payload(json.dumps(seen), folder.url)))
    assert [item.code for item in found if isinstance(item, Notice)] == [code]
    assert not any(isinstance(item, Listing) for item in found)


def test_a_wrong_option_names_the_kind() -> None:
    with pytest.raises(ConfigError, match="of a source of kind api is not right"):
        kind_of("api", {"max_pages": 0})


@pytest.mark.covers("R-110")
@pytest.mark.parametrize(
    ("config", "length", "is_found"),
    [
        ({}, 120, False),
        ({"min_chars": 100}, 120, True),
        ({"selectors": [".mine"], "min_chars": 100}, 120, True),
        ({"selectors": [".mine"]}, 120, False),
        ({"selectors": [".mine"]}, 500, True),
    ],
)
def test_a_page_in_mode_reader_obeys_its_selectors_and_shortest_text(
    config: dict[str, object], length: int, *, is_found: bool
) -> None:
    box = "<div class=mine>" if "selectors" in config else "<main>"
    kind = kind_of("page", {"mode": "reader", **config})
    (found,) = kind.read(PAGE, request(PAGE), payload(f"<title>T</title>{box}{'x' * length}", PAGE.url))
    assert isinstance(found, Document)
    assert found.text == ("x" * length if is_found else "")
