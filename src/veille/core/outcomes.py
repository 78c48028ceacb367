"""All outcomes of a fetch without content: a stable code, whether a retry may help, and what to do.

`docs/reference/outcomes.md` is generated from this table.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from veille.core.traffic import Failure


@dataclass(frozen=True, slots=True)
class Outcome:
    """One row: what happened, and what the reader of the report can do about it."""

    #: Whether the same request may soon succeed without any change.
    retryable: bool
    meaning: str
    advice: str


def _again(meaning: str, advice: str) -> Outcome:
    return Outcome(retryable=True, meaning=meaning, advice=advice)


def _no(meaning: str, advice: str) -> Outcome:
    return Outcome(retryable=False, meaning=meaning, advice=advice)


OUTCOMES: dict[str, Outcome] = {
    # The address
    "bad_url": _no("The address cannot be used", "Correct it in the source."),
    "bad_scheme": _no("Addresses of this kind are not fetched", "Use http, https, or an allowed file folder."),
    "bad_header": _no("A configured header cannot be sent", "Correct the headers of the source."),
    "refused_address": _no(
        "The address is not on the public internet, or the operator's validator refuses it",
        "The operator can allow it with fetch.allow_hosts or fetch.allow_networks; fetch.url_validator only refuses.",
    ),
    "refused_port": _no("No web server is expected on this port", "Use the port of the web server."),
    "secret": _no("A secret could not be used", "An owner of the dossier sets it, bound to the source's host."),
    "secret_host": _no(
        "A secret is not bound to this host, so nothing was sent",
        "An owner of the dossier sets the secret again, with this host among its hosts.",
    ),
    # The connection
    "dns": _again("The name has no address", "Check the spelling; it is tried again later."),
    "connect": _again("No connection could be made", "The server may be down; it is tried again later."),
    "tls": _no("The server's certificate or encryption is not right", "The site's owner must repair it."),
    "reset": _again("The server broke the connection", "It is tried again later."),
    "timeout": _again("The answer took too long", "It is tried again later; fetch.timeout_s sets the limit."),
    "too_slow": _again("The answer came too slowly", "It is tried again later; fetch.min_rate sets the limit."),
    # The answer
    "protocol": _again("The answer is not correct HTTP", "The last content stays; it is tried again later."),
    "headers_too_large": _no("The answer's headers are too large", "The site's owner must repair it."),
    "truncated": _again("The answer ended too early", "The last content stays; it is tried again later."),
    "bad_encoding": _no("The compression of the answer cannot be undone", "The last content stays."),
    "too_large": _no("The answer is larger than allowed", "fetch.max_bytes sets the limit; nothing was cut."),
    "bomb": _no("The answer unpacks to far more than it should", "It was dropped; the last content stays."),
    "redirect_loop": _no("The redirects do not end", "Open the address in a browser and use where it leads."),
    "bad_redirect": _no("The redirect leads nowhere", "The site's owner must repair it."),
    # The status
    "http.401": _no("The server wants a login", "Add the credentials as a secret in the headers of the source."),
    "http.403": _no("The server refuses us", "Check the user agent and whether the page is public."),
    "http.404": _no("There is nothing at this address", "Check the address; it may have moved."),
    "http.408": _again("The server gave up waiting", "It is tried again later."),
    "http.410": _no("The page was removed for good", "Delete the source or give it another address."),
    "http.425": _again("The server was not ready", "It is tried again later."),
    "http.429": _again("The server asks us to slow down", "The pause it asks for is kept."),
    "http.503": _again("The server is out of service", "It is tried again later."),
    "http.4xx": _no("The server rejects the request", "Check the address and the headers of the source."),
    "http.5xx": _again("The server failed", "It is tried again later."),
    # Politeness
    "robots": _no("The site's robots.txt does not want this page fetched", "Ask its owner, or see `robots`."),
    "robots_unreachable": _again("The site's robots.txt could not be read", "It is tried again later."),
    "host_paused": _again("The host is left alone for a while", "It failed or asked for a pause; it is tried later."),
    # The content
    "poison": _no(
        "Working on it ended the worker", "It is set aside, and tried once at each of its turns: please report it."
    ),
    # Other ways in
    "needs_rendering": _no("The page is empty without a browser", "Install the extra: pip install 'veille[browser]'."),
    "render": _again("The browser could not show the page", "It is tried again later."),
    "step_failed": _no(
        "A step on the page failed", "A picture of the page is kept with the source: correct the steps there."
    ),
    "file_refused": _no("The file may not be read", "The operator can allow its folder with fetch.file_roots."),
    "file_missing": _no("There is no such file", "Check the path."),
    "internal": _no("The fetcher failed on this address", "Please report it with the address."),
}

_SERVER_ERROR = 500
_CLIENT_ERROR = 400


def failure(
    code: str, detail: str = "", *, status: int = 0, retry_after: int | None = None, duration_ms: int = 0
) -> Failure:
    """Build the failure of a code; its message is the meaning, the detail and the advice."""
    outcome = outcome_of(code)
    what = f"{outcome.meaning}: {detail}." if detail else f"{outcome.meaning}."
    return Failure(
        code=code,
        message=f"{what} {outcome.advice}",
        retryable=outcome.retryable,
        status=status,
        retry_after=retry_after,
        duration_ms=duration_ms,
    )


def outcome_of(code: str) -> Outcome:
    """The row of a code; an HTTP status without its own row has that of its class."""
    if code in OUTCOMES:
        return OUTCOMES[code]
    return OUTCOMES["http.5xx" if int(code.removeprefix("http.")) >= _SERVER_ERROR else "http.4xx"]


def failed_temporarily(code: str) -> bool:
    """Whether the server, the network or DNS failed, and not the request: 5xx, timeout, DNS and the like."""
    is_slow_down = code == "http.429"
    is_ours = code in OUTCOMES or re.fullmatch(r"http\.\d{3}", code) is not None
    return is_ours and not is_slow_down and outcome_of(code).retryable


def status_code(status: int) -> str:
    """The code of an HTTP status that is not a success: `http.404`; `protocol` for statuses below 400."""
    return f"http.{status}" if status >= _CLIENT_ERROR else "protocol"
