"""The reader of one page, and what it raises; by the words of the seed document K, whose lines the numbers are."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

import veille
from faults.server import Faults
from samples import NOW
from veille import reader
from veille.core.schedule import DAY
from veille.core.show.reader import ReaderOptions, not_read
from veille.errors import ConfigError
from veille.services.reading.reader import Reader
from veille.settings import load_settings
from watching import FAST
from world import Page, Site

PIECES = "<p>Short piece.</p>" * 60
STATED = "<title>Plain</title><meta property=og:title content=Pieces><meta name=description content='Many of them.'>"


#: Without a browser.
_PLAIN = FAST.model_copy(update={"browser_path": Path("/nowhere")})


class Shelf:
    """A reader whose clock stands still until a test moves it."""

    def __init__(self, folder: Path) -> None:
        self.now = NOW
        settings = load_settings(data=folder / "data", fetch=_PLAIN, reader_timeout_s=2)
        self._app = veille.open_app(settings, clock=lambda: self.now)

    def __enter__(self) -> Reader:
        self._reader = self._app.reader(self._app.create_dossier("desk").id)
        self.reader = self._reader.__enter__()
        return self.reader

    def __exit__(self, *_: object) -> None:
        self._reader.__exit__(None, None, None)
        self._app.close()


@pytest.fixture
def shelf(tmp_path: Path) -> Iterator[Shelf]:
    shelf = Shelf(tmp_path)
    with shelf:
        yield shelf


@pytest.fixture(scope="module")
def faults() -> Iterator[Faults]:
    with Faults() as running:
        yield running


@pytest.mark.covers("R-145", "R-146", "R-147")
def test_the_reader_of_a_page_knows_its_address_and_caches_what_it_read(shelf: Shelf, site: Site) -> None:
    """K318-340: `init({url})`, `getMetadata({forceFetch})`; K342-367: `getReaderContent({forceFetch})`."""
    site["/a"] = f"{STATED}<main>{PIECES}</main>"
    page = shelf.reader.init(f"{site.url}/a")
    assert site.seen == [], "init only stores"
    metadata = page.get_metadata()
    assert (metadata.title, metadata.description) == ("Pieces", "Many of them.")
    result = shelf.reader.page(page.id).get_reader_content()
    assert len(site.seen) == 1, "one fetch fills both caches (K337: cacheExtracted)"
    assert (result.readable, result.strategy, result.metadata) == (True, "selector", metadata)
    site["/a"] = "<title>New</title>"
    assert page.get_metadata() == metadata
    assert page.get_reader_content() == result
    assert page.get_metadata(force_fetch=True).title == "New"
    assert page.get_reader_content().error == "No content could be extracted"
    assert len(site.seen) == 2
    site["/a"] = f"{STATED}<main>{PIECES}</main>"
    assert page.get_reader_content(force_fetch=True) == result
    shelf.now += DAY
    page.get_metadata()
    assert len(site.seen) == 4


@pytest.mark.covers("R-145")
def test_a_page_has_one_reader_in_any_spelling_and_none_before_init(shelf: Shelf) -> None:
    ids = {shelf.reader.init(url).id for url in ("https://example.org/a", "https://EXAMPLE.org:443/a#part")}
    assert len(ids) == 1
    assert shelf.reader.init("https://example.org/b").id not in ids
    with pytest.raises(ConfigError, match="WebPageParser not initialized, call init first"):
        shelf.reader.page("wbp_nothing")


def _slow(site: Site) -> str:
    site["/slow"] = Page(b"late", delay_s=4)
    return f"{site.url}/slow"


@pytest.mark.covers("R-055", "R-057", "R-151")
@pytest.mark.parametrize(
    ("address", "kind", "fields"),
    [
        (_slow, reader.FetchTimeoutError, {}),
        (lambda site: f"{site.url}/missing", reader.FetchHttpError, {"status": 404}),
        (lambda _: "http://127.0.0.1:1/", reader.FetchNetworkError, {"message": None}),
        (lambda _: "ftp://example.org/x", reader.InvalidProtocolError, {"protocol": "ftp:"}),
        (lambda _: "no address", reader.InvalidProtocolError, {"protocol": "no address"}),
    ],
)
def test_a_page_that_cannot_be_fetched_raises_what_the_seed_raises(
    shelf: Shelf,
    site: Site,
    address: Callable[[Site], str],
    kind: type[reader.PageError],
    fields: dict[str, object],
) -> None:
    """K56, K73-75: InvalidProtocolError, FetchTimeoutError, FetchNetworkError, FetchHttpError, with their fields."""
    url = address(site)
    page = shelf.reader.init(url)
    with pytest.raises(kind) as raised:
        page.get_metadata()
    error = raised.value
    assert error.url == url
    assert all(getattr(error, name) == value for name, value in fields.items() if value is not None)
    assert page.get_reader_content() == not_read(str(error)), "K463-469: the same words in a result"
    with pytest.raises(kind):
        page.get_metadata()
    assert shelf.reader.get_metadata(url).title == "", "as consumers of before know it"


@pytest.mark.covers("R-057")
@pytest.mark.parametrize("status", [300, 304, 400, 403, 410, 418, 500, 503])
def test_whatever_is_no_success_is_an_error(shelf: Shelf, site: Site, status: int) -> None:
    """K63: `filterStatusOk`; K75: `FetchHttpError({url, status})`."""
    site["/x"] = Page(f"{STATED}<main>{PIECES}</main>".encode() if status != 304 else b"", status=status)
    with pytest.raises(reader.FetchHttpError, match=f"^HTTP {status}$") as raised:
        shelf.reader.fetch(f"{site.url}/x")
    assert raised.value.status == status


@pytest.mark.covers("R-057")
@pytest.mark.parametrize(
    "fault",
    ["rst-body", "cl-long", "chunk-trunc", "chunk-noend", "gz-trunc", "br-trunc", "gz-lie", "gz-crc", "ce-unknown"],
)
def test_a_body_that_cannot_be_read_is_a_network_error(shelf: Shelf, faults: Faults, fault: str) -> None:
    """K78-81: `new FetchNetworkError({url, message: "Failed to read body"})`."""
    url = faults.url(fault)
    with pytest.raises(reader.FetchNetworkError) as raised:
        shelf.reader.fetch(url)
    assert (raised.value.url, raised.value.message) == (url, "Failed to read body")
    assert shelf.reader.get_reader_content(url).error == "Failed to read body"


@pytest.mark.covers("R-057")
def test_the_reader_waits_for_fifteen_seconds() -> None:
    """K72: `Effect.timeout(Duration.seconds(15))`."""
    assert load_settings().reader_timeout_s == 15


@pytest.mark.covers("R-105")
def test_a_page_that_cannot_be_parsed_raises_a_parse_error(shelf: Shelf, site: Site) -> None:
    """K311-314: `catch: (e) => new ParseError({url, message: String(e)})`."""
    site["/a"] = "<p>Text"
    options = ReaderOptions(selectors=("p[",))
    with pytest.raises(reader.ParseError) as raised:
        shelf.reader.read(f"{site.url}/a", options)
    assert (raised.value.url, raised.value.message) == (f"{site.url}/a", "The CSS selector 'p[' cannot be read.")
    assert shelf.reader.get_reader_content(f"{site.url}/a", options=options).error == raised.value.message


@pytest.mark.covers("R-110", "R-147")
def test_what_is_read_with_other_selectors_is_cached_on_its_own(shelf: Shelf, site: Site) -> None:
    """K130-133, K213-214: `selectors` and `minContentLength` of the caller."""
    site["/a"] = f"{STATED}<div class=mine>{'Mine. ' * 20}</div>"
    url = f"{site.url}/a"
    mine = ReaderOptions(selectors=(".mine",), min_content_length=100)
    assert shelf.reader.get_reader_content(url).readable is False
    result = shelf.reader.get_reader_content(url, options=mine)
    assert (result.strategy, result.content and result.content.word_count) == ("selector", 20)
    assert shelf.reader.get_reader_content(url, options=mine) == result
    assert shelf.reader.get_reader_content(url).readable is False
    assert len(site.seen) == 2


@pytest.mark.covers("R-148")
def test_a_page_that_a_script_would_fill_has_its_metadata(shelf: Shelf, site: Site) -> None:
    """K352-357: what was fetched and parsed has its metadata, and "No content could be extracted"."""
    site["/app"] = f"{STATED}<div id=root></div><script src=/app.js></script>"
    result = shelf.reader.get_reader_content(f"{site.url}/app")
    assert result.error == "No content could be extracted"
    assert result.metadata is not None
    assert result.metadata.title == "Pieces"


@pytest.mark.covers("R-145", "R-146", "R-216")
def test_the_module_has_the_reader_of_a_page(tmp_path: Path, site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    """K318-367, in Python; K511: the functions that were there before stay."""
    site["/a"] = f"{STATED}<div class=mine>{'Mine. ' * 20}</div>"
    monkeypatch.setenv("VEILLE_DATA", str(tmp_path))
    monkeypatch.setenv("VEILLE_FETCH__ALLOW_NETWORKS", '["127.0.0.0/8"]')
    page = reader.init(f"{site.url}/a")
    assert page.get_metadata() == reader.PageMetadata(title="Pieces", description="Many of them.")
    assert page.get_reader_content(force_fetch=True).error == "No content could be extracted"
    assert reader.get_metadata(f"{site.url}/a", force=False) == page.get_metadata()
    mine = reader.get_reader_content(f"{site.url}/a", selectors=[".mine"], min_content_length=50)
    assert mine.strategy == "selector"
    with pytest.raises(reader.FetchHttpError):
        reader.init(f"{site.url}/missing").get_metadata()
    with pytest.raises(ConfigError):
        reader.WebPageParser("wbp_nothing").get_reader_content()
