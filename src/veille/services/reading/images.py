"""The images of pages that were read, fetched for their readers: only those whose address we signed."""

from __future__ import annotations

import hmac
from typing import TYPE_CHECKING

from veille.core.show.images import image_type
from veille.core.show.reader import message_of
from veille.core.traffic import Failure, Order
from veille.errors import ConfigError, ForbiddenError, ReadError
from veille.services.reading.reader import signer
from veille.services.watching.probe import fetched

if TYPE_CHECKING:
    from veille.ports import Clock, Fetcher


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
            raise ReadError(f"The image could not be had: {message_of(answer)}.", code="no_image")
        media_type = image_type(answer.body)
        if media_type is None:
            raise ConfigError("There is no image at this address that can be shown.", code="not_an_image")
        return media_type, answer.body
