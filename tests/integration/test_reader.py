from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

import veille
from samples import NOW
from veille.core.schedule import DAY, MINUTE
from veille.core.show.reader import ReaderOptions, ReaderResult
from veille.services.reading.reader import Reader
from watching import FAST
from world import Page, Site

SENTENCE = "The tide gauge at the old pier has been read by hand every morning for a hundred and forty years. "
ARTICLE = (
    "<html lang=en><head><title>Plain title</title><meta property='og:title' content='The tide gauge'>"
    "<meta name=description content='On patience.'><meta property='og:site_name' content='Gazette'></head><body>"
    "<nav><a href=/>Home</a></nav><article><h1>The tide gauge</h1>"
    + f"<p>{SENTENCE * 3}</p>" * 5
    + "<p><img src='/gauge.png' alt=gauge></p></article></body></html>"
)


class Clock:
    """Stands still until a test moves it."""

    def __init__(self) -> None:
        self.now = NOW

    def __call__(self) -> int:
        return self.now


class Shelf:
    """A reader, and the clock it looks at."""

    def __init__(self, reader: Reader, clock: Clock) -> None:
        self.reader = reader
        self.clock = clock


@pytest.fixture
def shelf(tmp_path: Path) -> Iterator[Shelf]:
    clock = Clock()
    settings = veille.load_settings(data=tmp_path / "data", fetch=FAST, reader_timeout_s=3)
    with veille.open_app(settings, clock=clock) as app, app.reader(app.create_dossier("desk").id) as reader:
        yield Shelf(reader, clock)


@pytest.mark.covers("R-146", "R-147", "R-148", "R-149", "R-106", "R-107", "R-113", "R-116")
def test_an_article_is_read_with_everything_the_result_promises(shelf: Shelf, site: Site) -> None:
    site["/a"] = ARTICLE
    result = shelf.reader.get_reader_content(f"{site.url}/a")
    assert (result.readable, result.strategy, result.error) == (True, "readability", None)
    assert result.content is not None
    assert result.metadata is not None
    assert (result.metadata.title, result.metadata.description) == ("The tide gauge", "On patience.")
    assert result.content.site_name == "Gazette"
    assert result.content.word_count == len(result.content.text_content.split())
    assert result.content.reading_time_minutes == -(-result.content.word_count // 200)
    assert "/api/proxy-image?url=http%3A%2F%2F127.0.0.1" in result.content.content
    assert "&amp;s=" in result.content.content, "image addresses are signed"
    assert set(result.as_json()["content"]) == {
        "title", "content", "textContent", "excerpt", "byline", "siteName", "wordCount", "readingTimeMinutes"
    }  # fmt: skip


def test_what_belongs_to_an_article_and_is_not_in_its_text_is_given_to_whoever_asks(shelf: Shelf, site: Site) -> None:
    comment = "<section class=comments><div class=comment><p>And who will read it when he is gone?</p></div></section>"
    article = ARTICLE.replace("</head>", '<meta property="og:type" content="article"></head>')
    site["/a"] = article.replace("</article>", f"</article>{comment}")
    plain = shelf.reader.get_reader_content(f"{site.url}/a")
    assert plain.parts is None
    assert "parts" not in plain.as_json()
    found = shelf.reader.get_reader_content(f"{site.url}/a", options=ReaderOptions(parts=True))
    assert found.as_json()["parts"] == {
        "headline": "The tide gauge",
        "comments": "And who will read it when he is gone?",
    }
    assert found.content is not None
    assert plain.content is not None
    assert found.content.text_content == plain.content.text_content
    assert shelf.reader.cached(f"{site.url}/a") == plain


@pytest.mark.covers("R-056")
def test_the_reader_introduces_itself_and_asks_for_pages(shelf: Shelf, site: Site) -> None:
    site["/a"] = ARTICLE
    shelf.reader.get_reader_content(f"{site.url}/a")
    (asked,) = site.seen
    assert asked.headers["User-Agent"] == "Mozilla/5.0 (compatible; KampusBot/1.0)"
    assert asked.headers["Accept"] == "text/html,application/xhtml+xml"


@pytest.mark.covers("R-108")
def test_a_page_without_long_paragraphs_is_read_by_selectors(shelf: Shelf, site: Site) -> None:
    pieces = "".join(f"<p>Piece number {number} of many." for number in range(60))
    site["/s"] = f"<title>Pieces</title><meta name=description content=Many><main>{pieces}</main>"
    result = shelf.reader.get_reader_content(f"{site.url}/s")
    assert (result.readable, result.strategy) == (True, "selector")
    assert result.content is not None
    assert "Piece number 59" in result.content.text_content


@pytest.mark.covers("R-148")
def test_a_page_without_content_keeps_its_metadata(shelf: Shelf, site: Site) -> None:
    site["/n"] = "<html><body><nav><a href=/>Home</a></nav><footer>Imprint</footer></body></html>"
    result = shelf.reader.get_reader_content(f"{site.url}/n")
    assert (result.readable, result.content, result.strategy) == (False, None, None)
    assert result.error == "No content could be extracted"
    assert result.metadata is not None
    assert (result.metadata.title, result.metadata.description) == ("Untitled", None)


def _hang(site: Site) -> str:
    site["/slow"] = Page(b"late", delay_s=5)
    return f"{site.url}/slow"


@pytest.mark.covers("R-150", "R-054", "R-055", "R-057", "R-232")
@pytest.mark.parametrize(
    ("address", "error"),
    [
        (lambda site: f"{site.url}/missing", "HTTP 404"),
        (_hang, "Request timed out"),
        (lambda _: "ftp://example.org/x", "Invalid protocol: ftp:"),
        (lambda _: "file:///etc/passwd", "Invalid protocol: file:"),
        (lambda _: "no address at all", "Invalid protocol: no address at all"),
        (lambda _: "http://127.0.0.1:1/", ""),
    ],
)
def test_whatever_goes_wrong_is_in_the_result(
    shelf: Shelf, site: Site, address: Callable[[Site], str], error: str
) -> None:
    url = address(site)
    result = shelf.reader.get_reader_content(url)
    assert (result.readable, result.metadata, result.content, result.strategy) == (False, None, None, None)
    assert result.error
    assert not error or result.error == error
    assert shelf.reader.get_metadata(url).title == ""


@pytest.mark.covers("R-147", "R-150", "R-153")
def test_results_are_kept_for_a_day_and_passing_troubles_for_minutes(shelf: Shelf, site: Site) -> None:
    site["/a"] = ARTICLE
    site["/down"] = Page(b"", status=503)
    first = shelf.reader.get_reader_content(f"{site.url}/a")
    asked = len(site.seen)
    assert shelf.reader.get_reader_content(f"{site.url}/a") == first
    assert shelf.reader.get_metadata(f"{site.url}/a") == first.metadata
    assert len(site.seen) == asked
    shelf.reader.get_reader_content(f"{site.url}/a", force=True)
    assert len(site.seen) == asked + 1
    shelf.clock.now += DAY
    shelf.reader.get_reader_content(f"{site.url}/a")
    assert len(site.seen) == asked + 2
    assert shelf.reader.get_reader_content(f"{site.url}/down").error == "HTTP 503"
    site["/down"] = ARTICLE
    assert shelf.reader.get_reader_content(f"{site.url}/down").error == "HTTP 503"
    shelf.clock.now += 6 * MINUTE + 24 * 60 * MINUTE
    assert shelf.reader.get_reader_content(f"{site.url}/down").readable


def test_the_module_and_the_command_read_a_page(tmp_path: Path, site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    site["/a"] = ARTICLE
    monkeypatch.setenv("VEILLE_DATA", str(tmp_path))
    monkeypatch.setenv("VEILLE_FETCH__ALLOW_NETWORKS", '["127.0.0.0/8"]')
    from veille import reader  # noqa: PLC0415 - reads the environment when used

    result = reader.get_reader_content(f"{site.url}/a")
    assert isinstance(result, ReaderResult)
    assert result.readable
    assert reader.get_metadata(f"{site.url}/a").title == "The tide gauge"
    command = [sys.executable, "-m", "veille", "read", f"{site.url}/a", "--markdown"]
    shown = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    assert "![gauge](http://127.0.0.1" in shown
