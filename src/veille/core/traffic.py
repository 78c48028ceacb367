"""What is asked of the outside and what comes back, as values: frozen, keyword-only.

Times are integers, milliseconds since 1970 in UTC.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True, slots=True, kw_only=True)
class Validators:
    """What the last good answer said about itself, so that the next request can ask for news only."""

    #: The address that gave them: to any other they mean nothing. Empty when that is not known.
    final_url: str = ""
    etag: str = ""
    last_modified: str = ""
    raw_hash: str = ""
    #: Bytes the last full answer took on the wire: what a "not modified" saves.
    size: int = 0
    #: When everything was last fetched in full, and how many conditional answers came since.
    full_at: int = 0
    polls: int = 0
    #: Answers in a row that had new validators and the same bytes.
    churn: int = 0


#: Of what was never answered.
NO_VALIDATORS: Final = Validators()


@dataclass(frozen=True, slots=True, kw_only=True)
class Order:
    """What the fetcher is asked for, detached from why."""

    #: Comes back with the answer; unique among the orders under way.
    key: str
    url: str
    validators: Validators = NO_VALIDATORS
    headers: tuple[tuple[str, str], ...] = ()
    #: Whether the host's robots.txt has a say (followed links) or the user asked for this very address.
    robots: bool = False
    #: Whether the page is to be shown in a browser first.
    render: bool = False
    method: str = "GET"
    body: bytes = b""
    #: Whether the operator named this very address: it may be private, and does not send us on.
    by_operator: bool = False
    #: Whether a redirect to another page is itself the answer, instead of being followed.
    stay: bool = False
    #: Whether this very address has to answer: no redirect is followed, nothing is rendered.
    direct: bool = False
    #: The shortest pause before the host is asked again; it may lengthen the host's own, never shorten it.
    delay_ms: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Payload:
    """What came back: bytes and facts."""

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
    #: Seconds the server asks caches to keep the answer; None when it does not say.
    max_age: int | None = None
    #: The addresses on the way, each with the status that sent us on.
    redirects: tuple[tuple[int, str], ...] = ()
    duration_ms: int = 0
    #: Bytes that went over the wire.
    wire_bytes: int = 0
    #: The Link headers (RFC 8288), as one.
    link: str = ""
    #: What the headers X-Robots-Tag say, one a line.
    robots: str = ""

    @property
    def leads_on(self) -> bool:
        """Whether this is a redirect that was not followed; `final_url` is where it leads."""
        return 300 <= self.status < 400 and not self.not_modified  # noqa: PLR2004 - a class of statuses

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


@dataclass(frozen=True, slots=True, kw_only=True)
class Failure:
    """Why nothing usable came back. The code is stable; the message says what to do."""

    code: str
    message: str
    retryable: bool
    status: int = 0
    #: Seconds the server asked us to wait.
    retry_after: int | None = None
    duration_ms: int = 0
    #: Bytes that came until it was given up.
    wire_bytes: int = 0
