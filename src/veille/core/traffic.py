"""HTTP requests and answers as values: frozen, keyword-only.

Times are integers, milliseconds since 1970 in UTC.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Final

from veille.core.browsing.logins import KeptLogin
from veille.core.browsing.visit import PageVisit, Shot


@dataclass(frozen=True, slots=True, kw_only=True)
class Validators:
    """Cache validators of the last good answer, for conditional requests."""

    #: The address that sent them: they are valid for no other. Empty if unknown.
    final_url: str = ""
    etag: str = ""
    last_modified: str = ""
    raw_hash: str = ""
    #: Bytes of the last full answer on the wire: what a "not modified" saves.
    size: int = 0
    #: Time of the last full fetch, and the number of "not modified" answers since.
    full_at: int = 0
    polls: int = 0
    #: Answers in a row that had new validators and the same bytes.
    churn: int = 0


#: For requests that never had an answer.
NO_VALIDATORS: Final = Validators()


@dataclass(frozen=True, slots=True, kw_only=True)
class Order:
    """One fetch for the fetcher, independent of its purpose."""

    #: Returned with the answer; unique among the orders in progress.
    key: str
    url: str
    validators: Validators = NO_VALIDATORS
    headers: tuple[tuple[str, str], ...] = ()
    #: Whether robots.txt applies (followed links); not if a user named this address.
    robots: bool = False
    #: Whether to render the page in a browser.
    render: bool = False
    #: What the browser does there, and what it keeps; a visit is always rendered.
    visit: PageVisit | None = None
    #: Whether a page that is empty without a browser is an answer where no browser can render it.
    bare: bool = False
    method: str = "GET"
    body: bytes = b""
    #: Whether the operator configured this address: it may be private, and its redirects are not followed.
    by_operator: bool = False
    #: Whether a redirect to another page is returned as the answer instead of being followed.
    stay: bool = False
    #: Whether this address itself must answer: no redirect is followed, nothing is rendered.
    direct: bool = False
    #: Minimum pause before the next request to the host; it may lengthen the host's own pause, never shorten it.
    delay_ms: int = 0
    #: Whether its host is leased to the worker that gives the order.
    leased: bool = False
    #: Called with each part of the body of a good answer as it arrives, unpacked and within the limit of bytes; only
    #: the limit of time holds for its pace. Whoever gives the order says in which thread.
    heard: Callable[[bytes], object] | None = field(default=None, repr=False, compare=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class Payload:
    """An HTTP answer: bytes and facts."""

    url: str
    status: int
    body: bytes
    fetched_at: int
    final_url: str
    media_type: str = ""
    charset: str = ""
    etag: str = ""
    last_modified: str = ""
    raw_hash: str = ""
    #: Cache lifetime of the answer in seconds; None if the server gives none.
    max_age: int | None = None
    #: The redirects that were followed: status and address.
    redirects: tuple[tuple[int, str], ...] = ()
    duration_ms: int = 0
    #: Bytes that went over the wire.
    wire_bytes: int = 0
    #: The Link headers (RFC 8288), joined.
    link: str = ""
    #: The X-Robots-Tag headers, one per line.
    robots: str = ""
    #: A picture of the page, if one was wanted; it goes no further than the reading.
    shot: Shot | None = field(default=None, repr=False)
    #: The login that the visit made or used, to be kept; it goes no further than the vault.
    login: KeptLogin | None = field(default=None, repr=False)

    @property
    def leads_on(self) -> bool:
        """Whether this is a redirect that was not followed; `final_url` is where it leads."""
        return is_redirect(self.status)

    @property
    def not_modified(self) -> bool:
        return self.status == 304  # noqa: PLR2004 - the status is its own name

    @property
    def validators(self) -> Validators:
        return Validators(
            final_url=self.final_url,
            etag=self.etag,
            last_modified=self.last_modified,
            raw_hash=self.raw_hash,
            size=self.wire_bytes,
        )


def is_redirect(status: int) -> bool:
    """Whether the status is a redirect."""
    return 300 <= status < 400 and status != 304  # noqa: PLR2004 - a class of statuses


@dataclass(frozen=True, slots=True, kw_only=True)
class Failure:
    """Why there is no usable answer. The code is stable; the message says what to do."""

    code: str
    message: str
    retryable: bool
    status: int = 0
    #: Seconds the server asked us to wait.
    retry_after: int | None = None
    duration_ms: int = 0
    #: Bytes received before it failed.
    wire_bytes: int = 0
    #: A picture of the page at which a step failed, as PNG.
    picture: bytes = field(default=b"", repr=False)
