"""http and https: one exchange after another until there is an answer, all within the same limits."""

from __future__ import annotations

import asyncio
import hashlib
from dataclasses import replace
from typing import TYPE_CHECKING

import aiohttp
from multidict import CIMultiDict
from yarl import URL

from veille.adapters.fetch._body import ACCEPT_ENCODING, BodyError, Pace, read_body
from veille.adapters.fetch._connect import CheckedConnector, dialled_host, held_turn, operators_host, tls_context
from veille.adapters.fetch._policy import policy_of
from veille.adapters.fetch._redirects import REDIRECTS, SAFE, Chain
from veille.adapters.fetch._retriever import Retriever, Surroundings, Turn
from veille.adapters.fetch._translate import TRANSLATED, translated
from veille.core.addresses import AddressError, Url, parse
from veille.core.http import caching, charset
from veille.core.http.credentials import header_problem
from veille.core.http.shell import is_empty_shell
from veille.core.outcomes import failure, status_code
from veille.core.traffic import Failure, Order, Payload
from veille.core.urls import url_key

if TYPE_CHECKING:
    from collections.abc import Mapping

    from veille.adapters.fetch._browser_thread import BrowserThread
    from veille.core.http.egress import Policy, Verdict
    from veille.settings import FetchSettings

_ACCEPT = "text/html,application/xhtml+xml,application/xml;q=0.9,application/json;q=0.9,*/*;q=0.8"
_NOT_MODIFIED = 304
_OK = range(200, 300)
_PARTIAL = 206
#: Real Content-Security-Policy headers pass 8 KB; 32 KB and 256 headers are more than any honest site sends.
_MAX_FIELD = 32768
_MAX_LINE = 8190
_MAX_HEADERS = 256
#: Failures behind which a visit with steps may find a form to log in.
_LOGINS = frozenset({"http.401", "http.403"})
#: The failure code for each refusal by the policy.
_REFUSALS = {"port": "refused_port"} | dict.fromkeys(("address", "own", "name", "validator"), "refused_address")


class Http(Retriever):
    """Fetches over the network, within limits, from checked addresses only."""

    def __init__(self, surroundings: Surroundings) -> None:
        super().__init__(surroundings)
        #: One session for addresses of sources and one for addresses of the operator. Connections are reused without
        #: another check of their address, and one opened for the operator must never serve a source.
        self._opened: dict[bool, aiohttp.ClientSession] = {}
        self._browser: BrowserThread | None = None
        settings = surroundings.settings
        self._base_headers = {
            "User-Agent": settings.user_agent,
            "Accept": _ACCEPT,
            "Accept-Encoding": ACCEPT_ENCODING,
        }

    @classmethod
    def judge(cls, settings: FetchSettings, url: str) -> Verdict:
        return policy_of(settings).judge(url)

    async def retrieve(self, order: Order, turn: Turn, seconds: float) -> Payload | Failure:
        loop = asyncio.get_running_loop()
        started = loop.time()
        settings = self.around.settings
        deadline = started + seconds
        pace = None
        try:
            held_turn.set(turn)
            async with asyncio.timeout_at(deadline) as limit:
                # What is written while it is sent comes as slowly as it is written.
                rate = 0 if order.heard else settings.min_rate
                pace = Pace(limit, deadline, rate, settings.min_rate_grace_s)
                answer = await self._exchanges(order, turn, pace)
                if isinstance(answer, Failure) and order.visit and order.visit.steps and answer.code in _LOGINS:
                    answer = self._login_page(order)
                if isinstance(answer, Payload) and self._wants_browser(order, answer):
                    # The browser has the rest of the time, whatever the rate at which the first answer came.
                    pace.go_on(0)
                    shown = await self._rendered(answer, pace.deadline - loop.time(), order)
                    answer = answer if order.bare and isinstance(shown, Failure) else shown
        except TimeoutError:
            slow = pace is not None and loop.time() < pace.deadline
            answer = failure("too_slow" if slow else "timeout", f"{loop.time() - started:.0f} s")
        except TRANSLATED as error:
            answer = translated(error)
        return _measured(answer, round((loop.time() - started) * 1000), pace.wire_bytes if pace is not None else 0)

    async def close(self) -> None:
        if self._browser is not None:
            await self._browser.close()
        for session in self._opened.values():
            connector = session.connector
            await session.close()
            if isinstance(connector, CheckedConnector):
                await connector.hang_up()

    @staticmethod
    def _wants_browser(order: Order, answer: Payload) -> bool:
        if answer.not_modified or order.direct or "html" not in answer.media_type:
            return False
        return order.render or order.visit is not None or is_empty_shell(answer.body)

    def _login_page(self, order: Order) -> Payload:
        """The page to begin with where the server wants a login, which the steps of the visit may do."""
        now = self.around.clock()
        return Payload(url=order.url, status=200, body=b"", fetched_at=now, final_url=order.url, media_type="text/html")

    async def _rendered(self, answer: Payload, seconds: float, order: Order) -> Payload | Failure:
        """The page as a browser renders it. The facts of the exchange stay; only the content is replaced."""
        from veille.adapters.fetch._browser import available  # noqa: PLC0415 - few pages need it
        from veille.adapters.fetch._browser_thread import BrowserThread  # noqa: PLC0415

        if not available(self.around.settings.browser_path):
            return failure("needs_rendering", status=answer.status)
        if self._browser is None:
            self._browser = BrowserThread(self.around)
        # The redirects to a login are part of a visit with steps: they may set cookies.
        start = order.url if order.visit is not None and order.visit.steps else answer.final_url
        shown = await self._browser.render(start, seconds, order.visit)
        if isinstance(shown, Failure):
            return shown
        # The validators describe the empty page; what scripts load may change without them.
        return replace(
            answer,
            body=shown.body,
            final_url=shown.final_url,
            charset="utf-8",
            raw_hash=hashlib.sha256(shown.body).hexdigest(),
            etag="",
            last_modified="",
            # Where steps led is no other name of the page that they began on.
            redirects=() if order.visit is not None and order.visit.steps else answer.redirects,
            shot=shown.shot,
            login=shown.login,
        )

    async def _exchanges(self, order: Order, turn: Turn, pace: Pace) -> Payload | Failure:
        """Follow redirects until there is an answer."""
        chain = self._chain(order)
        if isinstance(chain, Failure):
            return chain
        while True:
            async with self._request(order, chain) as response:
                if response.status not in REDIRECTS:
                    return await self._answer(order, chain, response, pace)
                # The body of a redirect is never read: it has cost others a gigabyte.
                response.close()
            end = self._onward(order, chain, response)
            if end is not None:
                return end
            pace.stop()
            pace.go_on(await turn.move(chain.url))

    def _chain(self, order: Order) -> Chain | Failure:
        """The chain of an order at its start; or the reason why it is not sent."""
        problem = header_problem(order.headers)
        if problem:
            return failure("bad_header", problem)
        try:
            chain = Chain(parse(order.url), order.method, moves=not (order.by_operator or order.direct))
        except AddressError as error:
            return _refused(error.reason, str(error))
        if order.by_operator:
            operators_host.set(chain.url.host)
        return self._judge(chain.url) or chain

    def _policy(self) -> Policy:
        """The policy for connections; for an address of the operator it also allows that host."""
        host = operators_host.get()
        return self.around.policy().allowing(host) if host else self.around.policy()

    def _onward(self, order: Order, chain: Chain, response: aiohttp.ClientResponse) -> Payload | Failure | None:
        """Follow a redirect; returns an answer or failure if it must not be followed."""
        problem = chain.step(response)
        if problem is None and order.stay and url_key(str(chain.url)) != url_key(order.url):
            return self._led_on(order, chain, response.status)
        return problem or self._judge(chain.url)

    def _judge(self, url: Url) -> Failure | None:
        verdict = self._policy().judge_url(url)
        return None if verdict.allowed else _refused(verdict.reason, verdict.detail)

    def _request(self, order: Order, chain: Chain) -> aiohttp.client._RequestContextManager:
        url = chain.url
        # Each order is a task with its own context, so these are not shared.
        dialled_host.set(url.host)
        headers = CIMultiDict(self._base_headers)
        if chain.same_origin:
            headers.update(order.headers)
            if url.userinfo:
                headers.setdefault("Authorization", chain.basic_auth())
        headers.update(_conditions(order, chain))
        cookies = chain.cookies()
        if cookies:
            headers.setdefault("Cookie", cookies)
        body = order.body if chain.method not in SAFE else None
        if body is not None:
            headers.setdefault("Content-Type", "application/json")
        target = URL(str(url), encoded=True)
        session = self._session(by_operator=order.by_operator)
        return session.request(chain.method, target, data=body, headers=headers, allow_redirects=False)

    async def _answer(
        self, order: Order, chain: Chain, response: aiohttp.ClientResponse, pace: Pace
    ) -> Payload | Failure:
        status = response.status
        if status == _NOT_MODIFIED:
            return self._not_modified(order, chain, response)
        if status not in _OK or status == _PARTIAL:
            return self._bad_status(response)
        try:
            body = await read_body(response, self.around.settings.max_bytes, pace, order.heard)
        except BodyError as error:
            response.close()
            return failure(error.code, str(error), status=status)
        return self._payload(order, chain, response, body)

    def _payload(self, order: Order, chain: Chain, response: aiohttp.ClientResponse, body: bytes) -> Payload:
        headers: Mapping[str, str] = response.headers
        now = self.around.clock()
        content_type = charset.header_text(headers.get("Content-Type", ""))
        not_modified = response.status == _NOT_MODIFIED
        return Payload(
            url=order.url,
            status=response.status,
            body=body,
            fetched_at=now,
            final_url=str(chain.url),
            media_type=content_type.partition(";")[0].strip().lower()[:100],
            charset=charset.from_header(content_type),
            etag=caching.validator(headers.get("ETag")),
            last_modified=caching.validator(headers.get("Last-Modified")),
            raw_hash=order.validators.raw_hash if not_modified else hashlib.sha256(body).hexdigest(),
            max_age=caching.max_age(headers, now),
            redirects=tuple(chain.passed),
            link=charset.header_text(", ".join(response.headers.getall("Link", ())))[:_MAX_LINE],
            robots=charset.header_text("\n".join(response.headers.getall("X-Robots-Tag", ())))[:500],
        )

    def _led_on(self, order: Order, chain: Chain, status: int) -> Payload:
        """A redirect as the answer; its target is its only content."""
        target = str(chain.url)
        return Payload(
            url=order.url,
            status=status,
            body=b"",
            fetched_at=self.around.clock(),
            final_url=target,
            raw_hash=hashlib.sha256(f"{status} {target}".encode()).hexdigest(),
            redirects=tuple(chain.passed),
        )

    def _not_modified(self, order: Order, chain: Chain, response: aiohttp.ClientResponse) -> Payload | Failure:
        if not _conditions(order, chain):
            return failure("protocol", "it says nothing changed, but that was not the question", status=_NOT_MODIFIED)
        return self._payload(order, chain, response, b"")

    def _bad_status(self, response: aiohttp.ClientResponse) -> Failure:
        now = self.around.clock()
        return failure(
            status_code(response.status),
            f"status {response.status}",
            status=response.status,
            retry_after=caching.retry_after(response.headers.get("Retry-After"), now),
        )

    def _session(self, *, by_operator: bool) -> aiohttp.ClientSession:
        if by_operator not in self._opened:
            around = self.around
            self._opened[by_operator] = aiohttp.ClientSession(
                connector=CheckedConnector(self._policy, around.resolve, tls_context(around.settings.ca_file)),
                cookie_jar=aiohttp.DummyCookieJar(),
                # We apply the time limits; aiohttp's would only cost timers.
                timeout=aiohttp.ClientTimeout(total=None, sock_connect=None),
                auto_decompress=False,
                trust_env=False,
                max_line_size=_MAX_LINE,
                max_field_size=_MAX_FIELD,
                max_headers=_MAX_HEADERS,
            )
            # A retry by aiohttp would be a request that the host's lane does not know of.
            self._opened[by_operator]._retry_connection = False  # noqa: SLF001 - there is no public switch
        return self._opened[by_operator]


def _conditions(order: Order, chain: Chain) -> dict[str, str]:
    """The headers of a conditional request. Validators are sent only to the address that issued them."""
    known = order.validators
    asked = str(chain.url) == known.final_url if known.final_url else not chain.passed
    named = {"If-None-Match": known.etag, "If-Modified-Since": known.last_modified} if asked else {}
    return {name: value for name, value in named.items() if value}


def _refused(reason: str, detail: str) -> Failure:
    if reason == "scheme":
        return failure("bad_scheme", detail)
    return failure(_REFUSALS.get(reason, "bad_url"), detail)


def _measured(answer: Payload | Failure, duration_ms: int, wire_bytes: int) -> Payload | Failure:
    # The answer was just created and is not shared: setting two fields costs less than copying all.
    object.__setattr__(answer, "duration_ms", duration_ms)
    object.__setattr__(answer, "wire_bytes", wire_bytes)
    return answer
