"""Read one page now, for a person, cached for a day; and fetch its images."""

from __future__ import annotations

import hashlib
import hmac
import json
import secrets
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING
from urllib.parse import quote

from veille.core.addresses import refuse_in_address
from veille.core.schedule import DAY, MINUTE
from veille.core.show.images import image_type, signed
from veille.core.show.page_errors import InvalidProtocolError, PageError, ParseError, fetch_error
from veille.core.show.reader import USUAL, PageMetadata, ReaderOptions, ReaderResult, not_read
from veille.core.tasks.showing import MakeReadable
from veille.core.traffic import Failure, Order, Payload
from veille.core.urls import scheme_of, url_key
from veille.errors import ConfigError, ForbiddenError, ReadError
from veille.services.repairing.probe import fetched

if TYPE_CHECKING:
    from veille.core.show.images import Signer
    from veille.ports import Clock, Dossiers, Fetcher, Workshop


USER_AGENT = "Mozilla/5.0 (compatible; KampusBot/1.0)"
ACCEPT = "text/html,application/xhtml+xml"
#: Results and permanent failures are cached for a day, transient failures for less.
KEEP_MS = DAY
KEEP_TRANSIENT_MS = 5 * MINUTE
#: How many addresses `init` stores in a dossier: those given last.
_MOST_PAGES = 10_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Reader:
    """The reader of one dossier. It has its own fetcher, so that it never gets answers meant for other work."""

    dossier_id: str
    dossiers: Dossiers
    fetcher: Fetcher
    workshop: Workshop
    clock: Clock
    #: Signs the addresses of images.
    sign: Signer

    def get_metadata(self, url: str, *, force: bool = False) -> PageMetadata:
        """Title and description; an empty title if the page could not be fetched."""
        return self.get_reader_content(url, force=force).metadata or PageMetadata(title="")

    def get_reader_content(self, url: str, *, force: bool = False, options: ReaderOptions = USUAL) -> ReaderResult:
        """The page for reading, from the cache unless `force`; whatever goes wrong is in the result's `error`."""
        if not (force or options.parts) and (kept := self.cached(url, options)) is not None:
            return kept
        try:
            return self.read(url, options)
        except PageError as error:
            result = not_read(str(error))
            self._keep(url, options, result, KEEP_TRANSIENT_MS if error.is_transient else KEEP_MS)
            return result

    def init(self, url: str) -> PageReader:
        """Store the address, and return the reader of this page. The same page has the same id in any spelling."""
        page_id = f"wbp_{hashlib.sha256(_key(url).encode()).hexdigest()[:24]}"
        with self.dossiers.open(self.dossier_id) as store:
            store.readings.remember(page_id, url, self.clock(), _MOST_PAGES)
        return PageReader(id=page_id, url=url, reader=self)

    def page(self, page_id: str) -> PageReader:
        """The reader of a page that was given to `init`; ConfigError if it was not."""
        with self.dossiers.open(self.dossier_id) as store:
            url = store.readings.address(page_id)
        if url is None:
            raise ConfigError("WebPageParser not initialized, call init first", code="not_initialized")
        return PageReader(id=page_id, url=url, reader=self)

    def cached(self, url: str, options: ReaderOptions = USUAL) -> ReaderResult | None:
        """The result in the cache, if there is one."""
        with self.dossiers.open(self.dossier_id) as store:
            return store.readings.get(_cache_key(url, options), self.clock())

    def read(self, url: str, options: ReaderOptions = USUAL) -> ReaderResult:
        """Fetch a page, extract its content and cache the result. Raises a PageError if that is not possible."""
        result = self._extract(self.fetch(url), url, options)
        self._keep(url, options, result, KEEP_MS)
        return result

    def fetch(self, url: str) -> Payload:
        """The page as it comes, and nothing else. Raises a PageError if it does not."""
        scheme = scheme_of(url)
        if scheme not in {"http", "https"} or not _is_address(url):
            protocol = f"{scheme}:" if ":" in url and scheme not in {"http", "https"} else url
            raise InvalidProtocolError(url, protocol)
        headers = (("User-Agent", USER_AGENT), ("Accept", ACCEPT))
        order = Order(key="reader", url=url, headers=headers, bare=True)
        answer = fetched(self.fetcher, [order])[order.key]
        if isinstance(answer, Failure):
            raise fetch_error(url, answer)
        return answer

    def _extract(self, page: Payload, url: str, options: ReaderOptions) -> ReaderResult:
        # A random placeholder stands for the signatures: their key stays in this process.
        mark = f"&mark={secrets.token_hex(8)}"
        task = MakeReadable(payload=replace(page, body=b""), mark=mark, options=options)
        result = self.workshop.run(task, page.body, group=self.dossier_id)
        if isinstance(result, Failure):
            error = ParseError(url, result.message)
            error.is_transient = result.retryable
            raise error
        if result.content is None:
            return result
        content = replace(result.content, content=signed(result.content.content, mark, self.sign))
        return replace(result, content=content)

    def _keep(self, url: str, options: ReaderOptions, result: ReaderResult, keep_ms: int) -> None:
        if options.parts:
            return
        now = self.clock()
        with self.dossiers.open(self.dossier_id) as store:
            store.readings.put(_cache_key(url, options), url, result, now, now + keep_ms)


@dataclass(frozen=True, slots=True, kw_only=True)
class PageReader:
    """The reader of one page."""

    id: str
    url: str
    reader: Reader

    def get_metadata(self, *, force_fetch: bool = False) -> PageMetadata:
        """Title and description, from the cache unless forced. Raises a PageError if the page cannot be read."""
        kept = None if force_fetch else self.reader.cached(self.url)
        if kept is None or kept.metadata is None:
            kept = self.reader.read(self.url)
        assert kept.metadata is not None  # noqa: S101 - missing only in what failed
        return kept.metadata

    def get_reader_content(self, *, force_fetch: bool = False) -> ReaderResult:
        """The page for reading, from the cache unless forced; whatever goes wrong is in the result's `error`."""
        return self.reader.get_reader_content(self.url, force=force_fetch)


def signer(key: bytes, dossier_id: str, expires_at: int) -> Signer:
    """A function that signs image addresses for the proxy, for this dossier and until a time."""

    def sign(url: str) -> str:
        text = f"{dossier_id}\n{expires_at}\n{url}".encode()
        return f"&d={quote(dossier_id)}&e={expires_at}&s={hmac.new(key, text, hashlib.sha256).hexdigest()}"

    return sign


def _is_address(url: str) -> bool:
    try:
        refuse_in_address(url)
        return bool(url_key(url))
    except ConfigError:
        return False


def _key(url: str) -> str:
    try:
        return url_key(url)
    except ConfigError:
        return url


def _cache_key(url: str, options: ReaderOptions) -> str:
    if options == USUAL:
        return _key(url)
    how = json.dumps([options.selectors, options.min_content_length])
    return f"{_key(url)} {hashlib.sha256(how.encode()).hexdigest()[:24]}"


class ImageService:
    """Fetches images. Nothing else uses the fetcher meanwhile."""

    def __init__(self, fetcher: Fetcher, key: bytes, clock: Clock) -> None:
        self._fetcher = fetcher
        self._key = key
        self._clock = clock

    def check(self, url: str, dossier_id: str, expires_at: int, signature: str) -> None:
        """ForbiddenError unless the signature is for this address and dossier and has not expired."""
        expected = signer(self._key, dossier_id, expires_at)(url).rpartition("&s=")[2]
        if not hmac.compare_digest(expected.encode(), signature.encode()) or self._clock() >= expires_at:
            raise ForbiddenError("This address was not signed here, or its time is over.", code="bad_signature")

    def fetch(self, url: str) -> tuple[str, bytes]:
        """The media type and the bytes of an image."""
        order = Order(key="image", url=url, headers=(("Accept", "image/*"),))
        answer = fetched(self._fetcher, [order])[order.key]
        if isinstance(answer, Failure):
            raise ReadError(f"The image could not be fetched: {fetch_error(url, answer)}.", code="no_image")
        media_type = image_type(answer.body)
        if media_type is None:
            raise ConfigError("There is no image of a supported type at this address.", code="not_an_image")
        return media_type, answer.body
