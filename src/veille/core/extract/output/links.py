"""Addresses in a page: made absolute, and restricted to safe schemes."""

from __future__ import annotations

import re
from typing import Final

from veille.core.extract.output.html import SCHEMES
from veille.core.urls import resolved

#: Browsers ignore these inside an address, so they could hide a scheme such as `javascript:`.
_DROPPED: Final = re.compile(r"[\t\n\r]")
_AROUND: Final = "".join(map(chr, range(33)))
_ABSOLUTE: Final = ("https://", "http://")
#: A candidate of a srcset: an address, which may contain commas, then its width or density unless a comma ends it.
_CANDIDATE: Final = re.compile(r"([^\s,]\S*+)(?:(?<=,)|([^,]*+))")
_SIZE: Final = re.compile(r"[\d.]+[wxh]")


class Base:
    """The base address of a page's links."""

    __slots__ = ("joined", "origin", "url")

    def __init__(self, url: str) -> None:
        self.url = resolved(None, url) if url.startswith(_ABSOLUTE) else None
        self.origin = str(self.url.origin) if self.url is not None else ""
        #: Cache of joined addresses: the links of a page repeat.
        self.joined: dict[str, str] = {}

    def absolute(self, href: str) -> str:
        """The absolute http or https address, or an empty string."""
        found = self.harmless(href)
        return found if found.startswith(_ABSOLUTE) else ""

    def harmless(self, href: str) -> str:
        """The address if it is http, https or mailto, else an empty string."""
        href = href.strip(_AROUND)
        if not href.isprintable():
            href = _DROPPED.sub("", href)
        if href.startswith(_ABSOLUTE):
            return href
        # Most links are root-relative: joining those by hand saves most of the time.
        if href[:1] == "/" and href[1:2] not in ("/", "\\"):
            return self.origin + href if self.origin else ""
        found = self.joined.get(href)
        if found is None:
            found = self.joined[href] = self._join(href)
        return found

    def _join(self, href: str) -> str:
        joined = resolved(self.url, href)
        if joined is None or joined.protocol.removesuffix(":") not in SCHEMES:
            return ""
        return str(joined.href).removesuffix("#")

    def candidates(self, srcset: str) -> str:
        """A srcset with absolute addresses."""
        found = []
        for match in _CANDIDATE.finditer(srcset):
            url, size = self.absolute(match[1].rstrip(",")), (match[2] or "").strip()
            if url:
                found.append(f"{url} {size}" if _SIZE.fullmatch(size) else url)
        return ", ".join(found)
