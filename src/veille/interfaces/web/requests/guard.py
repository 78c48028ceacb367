"""Checks that every request passes first, and headers that every response carries.

In this order: the Host header (against DNS rebinding), where a browser says the request comes from (against
cross-site request forgery), and the body (its size and content type).
"""

from __future__ import annotations

import re
import secrets
from dataclasses import dataclass
from functools import cached_property
from http import HTTPStatus
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from starlette.datastructures import Headers
from starlette.exceptions import HTTPException

from veille.interfaces.web.requests.errors import error_response, too_large

if TYPE_CHECKING:
    from starlette.responses import Response
    from starlette.types import ASGIApp, Message, Receive, Scope, Send

    from veille.settings import ServeSettings

#: Largest body that the protocol of connectivity services allows.
_MOST_OF_SERVICES = 16 * 1024 * 1024
LOOPBACK = frozenset({"localhost", "127.0.0.1", "::1"})
#: Content types that pages of other sites cannot send without a CORS preflight.
_TYPES = frozenset({"application/json", "application/xml", "text/xml", "text/x-opml", "application/octet-stream"})
#: Content types of the forms of our own pages; browsers say where a form comes from.
_FORMS = frozenset({"application/x-www-form-urlencoded", "multipart/form-data"})
_APPS = re.compile(r"/accounts/ClientLogin$|/reader/api/0/|/v1/|/fever/?$|/api/(?:greader|fever)\.php(?:/|$)")
_SAFE = frozenset({"GET", "HEAD", "OPTIONS"})
#: Our own files only, no inline script or style, and one module that puts HTML into a page.
PAGE_POLICY = (
    "default-src 'none'; img-src 'self' data:; style-src 'self'; script-src 'self'; connect-src 'self'; "
    "manifest-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'; "
    "require-trusted-types-for 'script'; trusted-types veille"
)
#: Headers of every response that has no others of these names.
_FOR_ALL = (
    (b"x-content-type-options", b"nosniff"),
    (b"x-frame-options", b"DENY"),
    (b"referrer-policy", b"no-referrer"),
    (b"cross-origin-opener-policy", b"same-origin"),
    (b"cross-origin-resource-policy", b"same-origin"),
    (b"permissions-policy", b"camera=(), microphone=(), geolocation=()"),
    (b"cache-control", b"no-store"),
    (b"content-security-policy", PAGE_POLICY.encode()),
)


@dataclass(frozen=True)
class Guard:
    """ASGI middleware: the outermost layer of the service."""

    inner: ASGIApp
    settings: ServeSettings

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self.inner(scope, receive, send)
            return
        headers = Headers(scope=scope)
        marked = _marking(send, is_https=self.is_https(scope))
        refused = self._refusal(scope, headers)
        if refused is not None:
            await refused(scope, receive, marked)
            return
        await self.inner(scope, _limited(receive, self._most(scope)), marked)

    def is_https(self, scope: Scope) -> bool:
        """Whether browsers reach us over https."""
        return scope["scheme"] == "https" or self.settings.public_url.startswith("https:")

    def _refusal(self, scope: Scope, headers: Headers) -> Response | None:
        if _hostname(headers.get("host", "")) not in self.hosts:
            text = "This service does not serve that host name: use its own, or set --public-url."
            return error_response(HTTPStatus.MISDIRECTED_REQUEST, text, code="wrong_host")
        # `/reader` is a GET that makes us fetch a page: it is not safe.
        if scope["method"] in _SAFE and not scope["path"].endswith("/reader"):
            return None
        # Mail programs send the form that ends a channel, from anywhere; its address is signed, and needs no session.
        # Reader apps send forms, too, and are known by what they send and never by a cookie.
        is_signed = scope["path"].startswith("/unsubscribe/") or _APPS.match(scope["path"]) is not None
        if not is_signed and not _is_own(headers):
            text = "Refused: another site caused this request."
            return error_response(HTTPStatus.FORBIDDEN, text, code="cross_site")
        length = headers.get("content-length", "0")
        if length.isdigit() and int(length) > self._most(scope):
            return too_large(self._most(scope))
        has_body = length != "0" or "transfer-encoding" in headers
        if has_body and not is_signed and not _is_taken(scope, headers):
            text = "Send JSON, with the header Content-Type: application/json."
            return error_response(HTTPStatus.UNSUPPORTED_MEDIA_TYPE, text, code="wrong_type")
        return None

    @cached_property
    def hosts(self) -> frozenset[str]:
        """The host names it answers to."""
        own = {self.settings.host.lower(), (urlsplit(self.settings.public_url).hostname or "").lower()}
        return LOOPBACK | own - {"", "0.0.0.0", "::"}  # noqa: S104 - wildcard addresses are no host names

    def _most(self, scope: Scope) -> int:
        path: str = scope["path"]
        if path.startswith("/connectivity/"):
            return _MOST_OF_SERVICES
        is_list = path.endswith(("/opml", "/subscription/import"))
        return self.settings.max_list_bytes if is_list else self.settings.max_body_bytes


def _hostname(host: str) -> str:
    try:
        return (urlsplit(f"//{host}").hostname or "").rstrip(".")
    except ValueError:
        return ""


def _is_own(headers: Headers) -> bool:
    """Whether no other site caused this request. Programs send none of these headers; browsers always do."""
    has_token = headers.get("authorization", "").lower().startswith("bearer ") and "cookie" not in headers
    if has_token:
        return True
    if "sec-fetch-site" in headers:
        return headers["sec-fetch-site"] in {"same-origin", "none"}
    if "origin" in headers:
        return headers["origin"].partition("://")[2] == headers.get("host", "")
    return True


def _is_taken(scope: Scope, headers: Headers) -> bool:
    """Whether the content type is one that other sites cannot send, or a form of one of our pages."""
    media_type = headers.get("content-type", "").partition(";")[0].strip().lower()
    if media_type in _FORMS:
        says_where = "sec-fetch-site" in headers or "origin" in headers
        # Our forms are UTF-8. The multipart parser honours another charset, and some charsets decode to lone
        # surrogates.
        is_other = media_type == "multipart/form-data" and "charset=" in headers["content-type"].lower()
        return says_where and not is_other and not scope["path"].startswith("/api/")
    return media_type in _TYPES


def _limited(receive: Receive, most: int) -> Receive:
    got = 0

    async def counted() -> Message:
        nonlocal got
        message = await receive()
        got += len(message.get("body", b""))
        if got > most:
            raise HTTPException(HTTPStatus.REQUEST_ENTITY_TOO_LARGE, str(most))
        return message

    return counted


def _marking(send: Send, *, is_https: bool) -> Send:
    async def marked(message: Message) -> None:
        if message["type"] == "http.response.start":
            own = list(message.get("headers", ()))
            named = {name.lower() for name, _ in own}
            own += [one for one in _FOR_ALL if one[0] not in named]
            if is_https:
                own.append((b"strict-transport-security", b"max-age=31536000"))
            own.append((b"x-trace-id", secrets.token_hex(4).encode()))
            message["headers"] = own
        await send(message)

    return marked
