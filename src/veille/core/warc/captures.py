"""What a WARC file holds, as values: pages that somebody fetched at a time, and what could not be read of the file."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Final
from zlib import crc32

from veille.core.fingerprint import raw_hash, request_id, url_identity
from veille.core.formats import name_of
from veille.core.http.charset import from_header
from veille.core.models import KeepRaw, Lease, Request, Source
from veille.core.traffic import Payload
from veille.core.urls import canonical
from veille.core.warc.revisions import RevisionFacts
from veille.errors import ConfigError

#: The kind of sources that stand for a WARC file.
WARC_KIND: Final = "warc"
#: How its requests are read: none is a check of its source.
CAPTURE: Final = "capture"
#: Pages; documents of other formats are known by `core.formats`.
_PAGES: Final = frozenset({"text/html", "application/xhtml+xml"})


@dataclass(frozen=True, slots=True, kw_only=True)
class WarcCapture:
    """A page as it was at a time."""

    url: str
    #: When it was fetched.
    at: int
    status: int
    #: Names in lower case.
    headers: dict[str, str] = field(default_factory=dict)
    #: Without transfer and content codings.
    body: bytes = field(default=b"", repr=False)

    @property
    def media_type(self) -> str:
        return self.headers.get("content-type", "").partition(";")[0].strip().lower()

    @property
    def is_page(self) -> bool:
        """Whether it may have a text to store: no stylesheet, no redirect, no error page."""
        kind = self.media_type
        is_read = not kind or kind in _PAGES or (name_of(kind) is not None and not kind.startswith("image/"))
        return is_read and 200 <= self.status < 300  # noqa: PLR2004 - a class of statuses

    def payload(self) -> Payload:
        """The answer as the fetcher would have brought it."""
        told = self.headers
        return Payload(
            url=self.url,
            status=self.status,
            body=self.body,
            fetched_at=self.at,
            final_url=self.url,
            media_type=self.media_type,
            charset=from_header(told.get("content-type", "")),
            etag=told.get("etag", ""),
            last_modified=told.get("last-modified", ""),
            raw_hash=raw_hash(self.body),
            link=told.get("link", ""),
            robots=told.get("x-robots-tag", ""),
        )


@dataclass(frozen=True, slots=True)
class WarcPart:
    """One of so many parts of what files hold. All that there is of a document is in one, so it keeps its order."""

    number: int = 0
    of: int = 1

    def has(self, name: str) -> bool:
        """Whether what has this name is in it."""
        return crc32(name.encode(errors="replace")) % self.of == self.number

    def has_page(self, url: str) -> bool:
        """The same for captures of a page, however its address is written."""
        if self.of == 1:
            return True
        try:
            return self.has(url_identity(canonical(url)))
        except (ValueError, ConfigError):
            return self.has(url)


@dataclass(frozen=True, slots=True, kw_only=True)
class WarcRevision:
    """A revision of a document that veille wrote, or that the document was removed then."""

    url: str
    at: int
    facts: RevisionFacts
    text: str = field(default="", repr=False)
    #: The answer that it was read from, if it was kept.
    answer: WarcCapture | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class WarcProblem:
    """Something in a file that could not be read, and where it is."""

    file: str
    offset: int
    code: str
    message: str
    #: Whether nothing after it could be read.
    is_end: bool = False


#: What a file holds.
WarcItem = WarcCapture | WarcRevision | WarcProblem


def capture_lease(dossier_id: str, source: Source, url: str, keep_raw: KeepRaw) -> Lease:
    """A lease for what is read from a file: nobody can claim its request, so nobody else can commit it.

    All that is found is marked as seen before anybody watched: it is no news.
    """
    request = Request(id=request_id(source.id, CAPTURE, url), source_id=source.id, url=url, purpose=CAPTURE)
    return Lease(
        dossier_id=dossier_id,
        source=source,
        request=request,
        worker=WARC_KIND,
        epoch=0,
        until=0,
        wakes=0,
        keep_raw=keep_raw,
        is_first=True,
    )


def warc_date(at: int) -> str:
    """A time as WARC 1.1 writes it, to the millisecond.

    >>> warc_date(1_771_943_400_123)
    '2026-02-24T14:30:00.123Z'
    """
    whole = datetime.fromtimestamp(at // 1000, UTC).strftime("%Y-%m-%dT%H:%M:%S")
    return f"{whole}.{at % 1000:03}Z"
