"""Read a page now, cached for a day in the default dossier.

`get_reader_content(url)` and `get_metadata(url)` never raise for a bad page. `init(url)` returns the reader of one
page, whose `get_metadata` raises a PageError.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

from veille.bootstrap import open_app
from veille.core.show.page_errors import (
    FetchHttpError,
    FetchNetworkError,
    FetchTimeoutError,
    InvalidProtocolError,
    PageError,
    ParseError,
)
from veille.core.show.reader import USUAL, PageMetadata, ReaderContent, ReaderOptions, ReaderResult
from veille.services.reading.reader import Reader

__all__ = [
    "FetchHttpError",
    "FetchNetworkError",
    "FetchTimeoutError",
    "InvalidProtocolError",
    "PageError",
    "PageMetadata",
    "ParseError",
    "ReaderContent",
    "ReaderResult",
    "WebPageParser",
    "get_metadata",
    "get_reader_content",
    "init",
]

DOSSIER = "default"


@dataclass(frozen=True, slots=True)
class WebPageParser:
    """The reader of one page, by the id under which `init` stored its address."""

    id: str

    def get_metadata(self, *, force_fetch: bool = False) -> PageMetadata:
        """Title and description, from the cache unless forced. Raises a PageError if the page cannot be read."""
        with _reader() as reader:
            return reader.page(self.id).get_metadata(force_fetch=force_fetch)

    def get_reader_content(self, *, force_fetch: bool = False) -> ReaderResult:
        """The page for reading, from the cache unless forced; whatever goes wrong is in the result's `error`."""
        with _reader() as reader:
            return reader.page(self.id).get_reader_content(force_fetch=force_fetch)


def init(url: str) -> WebPageParser:
    """Store the address of a page, and return its reader."""
    with _reader() as reader:
        return WebPageParser(reader.init(url).id)


def get_metadata(url: str, force: bool = False) -> PageMetadata:  # noqa: FBT001, FBT002 - the contract's own signature
    """Title and description; an empty title if the page could not be fetched."""
    with _reader() as reader:
        return reader.get_metadata(url, force=force)


def get_reader_content(
    url: str,
    force: bool = False,  # noqa: FBT001, FBT002 - as above
    *,
    selectors: Sequence[str] = (),
    min_content_length: int = USUAL.min_content_length,
) -> ReaderResult:
    """The page for reading; whatever goes wrong is in the result's `error`.

    A page that is no article is read by well-known selectors and then by the given ones: the first element with
    `min_content_length` characters is its content.
    """
    options = ReaderOptions(selectors=tuple(selectors), min_content_length=min_content_length)
    with _reader() as reader:
        return reader.get_reader_content(url, force=force, options=options)


@contextmanager
def _reader() -> Iterator[Reader]:
    with open_app() as app:
        known = {dossier.name: dossier for dossier in app.dossiers.all()}
        dossier = known.get(DOSSIER) or app.create_dossier(DOSSIER)
        with app.reader(dossier.id) as reader:
            yield reader
