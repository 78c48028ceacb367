"""Read one page now, for a person: cached for a day, and never an exception for a bad page; and fetch its images."""

from __future__ import annotations

import hashlib
import hmac
import secrets
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING
from urllib.parse import quote

from veille.core.addresses import refuse_in_address
from veille.core.schedule import DAY, MINUTE
from veille.core.show.images import image_type, signed
from veille.core.show.reader import PageMetadata, ReaderResult, message_of, not_read
from veille.core.tasks import MakeReadable
from veille.core.traffic import Failure, Order, Payload
from veille.core.urls import scheme_of, url_key
from veille.errors import ConfigError, ForbiddenError, ReadError
from veille.services.watching.probe import fetched

if TYPE_CHECKING:
    from veille.core.show.images import Signer
    from veille.ports import Clock, Dossiers, Fetcher, Workshop


USER_AGENT = "Mozilla/5.0 (compatible; KampusBot/1.0)"
ACCEPT = "text/html,application/xhtml+xml"
#: Results and permanent failures are cached for a day, transient failures for less.
KEEP_MS = DAY
KEEP_TRANSIENT_MS = 5 * MINUTE


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

    def get_reader_content(self, url: str, *, force: bool = False) -> ReaderResult:
        """The page for reading, from the cache unless `force`; whatever goes wrong is in the result's `error`."""
        key, now = _key(url), self.clock()
        with self.dossiers.open(self.dossier_id) as store:
            if not force and (kept := store.readings.get(key, now)) is not None:
                return kept
            result, keep_ms = self._read(url)
            store.readings.put(key, url, result, now, now + keep_ms)
        return result

    def _read(self, url: str) -> tuple[ReaderResult, int]:
        scheme = scheme_of(url)
        if scheme not in {"http", "https"} or not _is_address(url):
            protocol = f"{scheme}:" if ":" in url and scheme not in {"http", "https"} else url
            return not_read(f"Invalid protocol: {protocol}"), KEEP_MS
        headers = (("User-Agent", USER_AGENT), ("Accept", ACCEPT))
        order = Order(key="reader", url=url, headers=headers)
        answer = fetched(self.fetcher, [order])[order.key]
        if isinstance(answer, Failure):
            return not_read(message_of(answer)), KEEP_TRANSIENT_MS if answer.retryable else KEEP_MS
        return self._made_readable(answer), KEEP_MS

    def _made_readable(self, page: Payload) -> ReaderResult:
        # A random placeholder stands for the signatures: their key stays in this process.
        mark = f"&mark={secrets.token_hex(8)}"
        task = MakeReadable(payload=replace(page, body=b""), mark=mark)
        result = self.workshop.run(task, page.body, group=self.dossier_id)
        if isinstance(result, Failure):
            return not_read(result.message)
        if result.content is None:
            return result
        content = replace(result.content, content=signed(result.content.content, mark, self.sign))
        return replace(result, content=content)


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
            raise ReadError(f"The image could not be fetched: {message_of(answer)}.", code="no_image")
        media_type = image_type(answer.body)
        if media_type is None:
            raise ConfigError("There is no image of a supported type at this address.", code="not_an_image")
        return media_type, answer.body
