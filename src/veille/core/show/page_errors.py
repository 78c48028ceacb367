"""Why a page could not be read for a person: the errors of the reader, with the names and fields that programs know.

PageError                  has the address (`url`); its text is the `error` of a `ReaderResult`
├── InvalidProtocolError   not http or https (`protocol`), or not an address
├── FetchTimeoutError      no answer in time
├── FetchHttpError         the answer is no success (`status`)
├── FetchNetworkError      no answer, or its body could not be read (`message`)
└── ParseError             the page could not be read (`message`)
"""

from __future__ import annotations

from typing import Final

from veille.core.traffic import Failure
from veille.errors import VeilleError

UNREADABLE_BODY: Final = "Failed to read body"
_TIMEOUTS: Final = frozenset({"timeout", "too_slow"})
#: Failures after a good status: what was sent is broken.
_BROKEN_BODIES: Final = frozenset({"truncated", "bad_encoding", "protocol"})
#: Redirects that lead nowhere: their status says nothing about the page.
_LOST: Final = frozenset({"redirect_loop", "bad_scheme"})
_OK: Final = range(200, 300)


class PageError(VeilleError):
    """A page could not be fetched or read."""

    code = "page"

    def __init__(self, url: str, text: str) -> None:
        super().__init__(text)
        self.url = url
        #: Whether the same page may be readable in some minutes.
        self.is_transient = False


class InvalidProtocolError(PageError):
    """The address is not one of http or https."""

    code = "invalid_protocol"

    def __init__(self, url: str, protocol: str) -> None:
        super().__init__(url, f"Invalid protocol: {protocol}")
        self.protocol = protocol


class FetchTimeoutError(PageError):
    """The page did not come in time."""

    code = "fetch_timeout"

    def __init__(self, url: str) -> None:
        super().__init__(url, "Request timed out")


class FetchHttpError(PageError):
    """The server answered with something else than a page."""

    code = "fetch_http"

    def __init__(self, url: str, status: int) -> None:
        super().__init__(url, f"HTTP {status}")
        self.status = status


class FetchNetworkError(PageError):
    """There was no answer, or its body could not be read."""

    code = "fetch_network"

    def __init__(self, url: str, message: str) -> None:
        super().__init__(url, message)
        self.message = message


class ParseError(PageError):
    """The page came, and could not be read."""

    code = "unreadable_page"

    def __init__(self, url: str, message: str) -> None:
        super().__init__(url, message)
        self.message = message


def fetch_error(url: str, failure: Failure) -> PageError:
    """The error of a fetch that failed."""
    error = _fetch_error(url, failure)
    error.is_transient = failure.retryable
    return error


def _fetch_error(url: str, failure: Failure) -> PageError:
    if failure.code in _TIMEOUTS:
        return FetchTimeoutError(url)
    if failure.status and failure.status not in _OK and failure.code not in _LOST:
        return FetchHttpError(url, failure.status)
    # A connection that broke before the first byte of the body is not told apart from one without an answer.
    in_body = failure.status in _OK or failure.wire_bytes > 0
    if failure.code == "truncated" or (in_body and failure.code in _BROKEN_BODIES | {"reset"}):
        return FetchNetworkError(url, UNREADABLE_BODY)
    return FetchNetworkError(url, failure.message)
