"""The redirect chain of one order: where it has been, where it goes, and what it may send there."""

from __future__ import annotations

import base64
import re
from typing import TYPE_CHECKING
from urllib.parse import unquote

from veille.core.addresses import AddressError, Url, follow
from veille.core.outcomes import failure

if TYPE_CHECKING:
    import aiohttp

    from veille.core.traffic import Failure

REDIRECTS = frozenset({301, 302, 303, 307, 308})
MAX_REDIRECTS = 5
#: Methods without a request body.
SAFE = frozenset({"GET", "HEAD"})
#: Redirects that keep the method and the body.
_REPEAT = frozenset({307, 308})
#: Some sites set a cookie and redirect to the same page; within one chain we return it, then forget it.
MAX_COOKIES = 20
MAX_COOKIE_BYTES = 4096
#: What a byte that is no UTF-8 became in a header.
_BYTE = re.compile("[\udc80-\udcff]")


class Chain:
    """One order and its redirects."""

    def __init__(self, url: Url, method: str = "GET", *, moves: bool = True) -> None:
        self.url = url
        self._moves = moves
        #: A redirected POST becomes GET, as in browsers, unless the redirect says to repeat it.
        self.method = method
        #: The addresses that redirected us, each with its status.
        self.passed: list[tuple[int, str]] = []
        self._origin = url.origin
        self._seen = {(str(url), "")}
        self._jar: dict[str, dict[str, str]] = {}
        #: Once the origin changed, configured headers are no longer sent, even if the chain returns.
        self.same_origin = True

    def step(self, response: aiohttp.ClientResponse) -> Failure | None:
        """Follow the redirect, or return why that is not possible."""
        status = response.status
        location = response.headers.get("Location")
        if not self._moves:
            return failure("bad_redirect", f"{self.url.origin} must answer itself", status=status)
        if location is None:
            return failure("bad_redirect", f"status {status} names no target", status=status)
        try:
            # As in browsers, bytes that are no UTF-8 stay what they are.
            target = follow(self.url, _BYTE.sub(lambda byte: f"%{ord(byte[0]) - 0xDC00:02X}", location))
        except AddressError as error:
            return failure("bad_scheme" if error.reason == "scheme" else "bad_redirect", str(error), status=status)
        self._keep_cookies(response)
        self.passed.append((status, str(self.url)))
        self.url = target
        self.same_origin = self.same_origin and target.origin == self._origin
        if status not in _REPEAT and self.method not in SAFE:
            self.method = "GET"
        return self._objection(status)

    def _objection(self, status: int) -> Failure | None:
        target = self.url
        if self.method not in SAFE and not self.same_origin:
            return failure("bad_redirect", f"what is sent to {self._origin} is for no other site", status=status)
        if len(self.passed) > MAX_REDIRECTS:
            return failure("redirect_loop", f"more than {MAX_REDIRECTS} redirects", status=status)
        mark = (str(target), self.cookies())
        if mark in self._seen:
            return failure("redirect_loop", f"{target.origin} redirects in a circle", status=status)
        self._seen.add(mark)
        return None

    def cookies(self) -> str:
        """The Cookie header for the current host, from the cookies set in this chain."""
        jar = self._jar.get(self.url.host)
        return "; ".join(f"{name}={value}" for name, value in sorted(jar.items())) if jar else ""

    def basic_auth(self) -> str:
        """The Authorization header for the `user:password@` of the address."""
        return "Basic " + base64.b64encode(unquote(self.url.userinfo).encode()).decode("ascii")

    def _keep_cookies(self, response: aiohttp.ClientResponse) -> None:
        jar = self._jar.setdefault(self.url.host, {})
        for line in response.headers.getall("Set-Cookie", ())[:MAX_COOKIES]:
            name, equals, value = line.partition(";")[0].partition("=")
            if equals and len(jar) < MAX_COOKIES and len(line) <= MAX_COOKIE_BYTES:
                jar[name.strip()] = value.strip()
