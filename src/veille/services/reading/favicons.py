"""The icons of sites: fetched once through the door like every image, kept for a month, never while a page waits."""

from __future__ import annotations

import hashlib
from functools import lru_cache
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from veille.core.show.images import image_type
from veille.errors import VeilleError

if TYPE_CHECKING:
    from veille.ports.outside import IconShelf
    from veille.services.reading.reader import ImageService

#: Larger ones are no icons.
_MAX_BYTES = 64 * 1024
#: An icon, or that there is none, is believed for so long.
_KEEP_S = 30 * 86_400.0


class FaviconService:
    """The icons of the sites that dossiers watch. Each dossier has its own: nobody learns what others watch."""

    def __init__(self, images: ImageService, shelf: IconShelf) -> None:
        self._images = images
        self._shelf = shelf

    def name(self, dossier_id: str, url: str) -> str:
        """What the icon of this address is kept as; empty for what has none, such as a folder."""
        site = _site(url)
        return _name(dossier_id, site) if site else ""

    def is_due(self, name: str) -> bool:
        """Whether nothing is known of it, or it is old."""
        age = self._shelf.age_s(name)
        return age is None or age > _KEEP_S

    def read(self, name: str) -> tuple[str, bytes] | None:
        """The media type and the bytes of an icon, if there is one."""
        body = self._shelf.read(name)
        media_type = image_type(body) if body else None
        return (media_type, body) if body and media_type else None

    def fetch(self, dossier_id: str, url: str) -> None:
        """Fetch and keep the icon of an address; that there is none is kept as well."""
        name, site = self.name(dossier_id, url), _site(url)
        if not name or not self.is_due(name):
            return
        try:
            _, body = self._images.fetch(f"{site}/favicon.ico")
        except VeilleError:
            body = b""
        self._shelf.write(name, body if len(body) <= _MAX_BYTES else b"")


@lru_cache(maxsize=4096)
def _name(dossier_id: str, site: str) -> str:
    return hashlib.sha256(f"{dossier_id} {site}".encode()).hexdigest()[:32]


def _site(url: str) -> str:
    try:
        parts = urlsplit(url)
    except ValueError:
        return ""
    host = parts.netloc.rpartition("@")[2]
    return f"{parts.scheme}://{host}" if parts.scheme in {"http", "https"} and host else ""
