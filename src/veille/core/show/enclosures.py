"""The sound and pictures that feeds attach to their entries, as they can be played."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

#: Attachments that are shown of a document.
MOST_ENCLOSURES = 20
_ENDINGS = {
    "audio": ("mp3", "m4a", "ogg", "oga", "opus", "aac", "flac", "wav"),
    "video": ("mp4", "m4v", "webm", "ogv", "mov"),
}
_ADDRESS = re.compile(r"https?://[^\s/?#]+([^\s?#]*)[^\s]*", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Enclosure:
    """A file that an entry of a feed has with it."""

    url: str
    kind: Literal["audio", "video", "file"]
    #: The last part of its address.
    name: str

    @property
    def is_playable(self) -> bool:
        return self.kind != "file"


def enclosures_of(meta: object) -> list[Enclosure]:
    """The attachments in the metadata of a revision; what is no address on the web is left out."""
    listed = meta.get("enclosures") if isinstance(meta, dict) else None
    urls = [url for url in listed if isinstance(url, str)] if isinstance(listed, Sequence) else []
    found = [(url, _ADDRESS.fullmatch(url)) for url in dict.fromkeys(urls)]
    return [_enclosure(url, address[1]) for url, address in found if address][:MOST_ENCLOSURES]


def _enclosure(url: str, path: str) -> Enclosure:
    name = path.rpartition("/")[2]
    ending = name.rpartition(".")[2].lower()
    for kind in ("audio", "video"):
        if ending in _ENDINGS[kind]:
            return Enclosure(url, "audio" if kind == "audio" else "video", name)
    return Enclosure(url, "file", name or url)


def media_policy(policy: str, url: str) -> str:
    """A Content-Security-Policy that also lets this be played; podcasts redirect from host to host, so any https."""
    sources = "https:" if url.lower().startswith("https:") else "https: http:"
    return f"{policy}; media-src {sources}"
