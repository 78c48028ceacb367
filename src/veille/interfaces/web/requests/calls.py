"""An authorized request, with what its handler needs: the caller, the dossier of the URL, and an `App`."""

from __future__ import annotations

import asyncio
import base64
from collections.abc import AsyncIterator, Callable
from contextlib import ExitStack, asynccontextmanager, nullcontext
from dataclasses import dataclass
from functools import cached_property
from typing import Annotated, TypeVar

from fastapi import Depends, Request, Response
from starlette.concurrency import run_in_threadpool

from veille.bootstrap import App, open_app
from veille.core.access.accounts import Visit
from veille.core.access.logins import SESSION_LIFE
from veille.core.access.tokens import parse_token
from veille.core.models import Dossier
from veille.errors import LoginError
from veille.interfaces.web.requests.auth import Permission
from veille.ports import DossierReader
from veille.services.container import Services
from veille.services.people.access import Access
from veille.settings import Settings

_COOKIE = "sid"
#: The `__Host-` prefix binds the cookie to our host name and to https.
_SAFE_COOKIE = "__Host-sid"
#: Methods that change nothing.
_READING = frozenset({"GET", "HEAD"})

_Answer = TypeVar("_Answer")


class Apps:
    """Lends out `App` objects. Waiting for one takes no thread, so requests that have one can always continue."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._turns = asyncio.Semaphore(settings.serve.requests)
        self._quick = _Quick()
        #: Requests that wait for other servers get at most a quarter of the pool.
        self._outside_turns = asyncio.Semaphore(max(1, settings.serve.requests // 4))
        self._idle: list[App] = []
        #: Set when the service is about to stop: long waits end early.
        self.is_stopping = False
        #: Ends waits for a database that does not answer.
        self.part: Callable[[], None] = lambda: None

    @asynccontextmanager
    async def running(self) -> AsyncIterator[App]:
        """Open the `App` on whose store all others are."""
        with await run_in_threadpool(open_app, self._settings) as self._first:
            self.part = self._first.dossiers.part
            try:
                yield self._first
            finally:
                while self._idle:
                    self._idle.pop().close()

    @asynccontextmanager
    async def one(self, *, asks_outside: bool = False) -> AsyncIterator[App]:
        """Borrow an `App`; `asks_outside`: for a request that waits for other servers."""
        first = self._outside_turns if asks_outside else nullcontext()
        async with first, self._turns, nullcontext() if asks_outside else self._quick.turn():
            app = self._idle.pop() if self._idle else await run_in_threadpool(self._first.beside)
            try:
                yield app
            finally:
                self._idle.append(app)


class _Quick:
    """Lets two requests run at a time, but waits for none that takes long.

    Threads of Python run one at a time: with many at once, each page costs twice the time in fighting for the turn.
    """

    _AT_ONCE = 2
    _LONG_S = 0.03

    def __init__(self) -> None:
        self._free = asyncio.Semaphore(self._AT_ONCE)

    @asynccontextmanager
    async def turn(self) -> AsyncIterator[None]:
        await self._free.acquire()
        is_over = False

        def end() -> None:
            nonlocal is_over
            if not is_over:
                is_over = True
                self._free.release()

        timer = asyncio.get_running_loop().call_later(self._LONG_S, end)
        try:
            yield
        finally:
            timer.cancel()
            end()


@dataclass(frozen=True)
class Call:
    """An authorized request."""

    app: App
    request: Request
    visit: Visit
    cookie: str
    #: Base URL of the service, as clients reach it.
    url: str
    auth: Permission
    _access: Access | None
    #: The dossier of the URL, if it names one.
    found_dossier: Dossier | None
    #: Closed when the request is handled.
    _opened: ExitStack

    @property
    def access(self) -> Access:
        if self._access is None:
            raise LoginError("Log in first.", code="login")
        return self._access

    @property
    def dossier(self) -> Dossier:
        """The dossier of the URL; access to it was checked."""
        if self.found_dossier is None:
            raise LoginError("Log in first.", code="login")
        return self.found_dossier

    @cached_property
    def services(self) -> Services:
        """The services, limited to the scope of the route."""
        return self.app.on_behalf(self.access, self.auth.scope or "read")

    @cached_property
    def reading(self) -> DossierReader:
        """The dossier of the URL, for reading; it stays open until the request is handled."""
        return self._opened.enter_context(self.services.reading(self.dossier.id))

    def hand_out(self, response: Response, cookie: str) -> None:
        """Set the session cookie."""
        name = _cookie_name(self.request)
        life, is_safe = SESSION_LIFE // 1000, name == _SAFE_COOKIE
        response.set_cookie(name, cookie, life, path="/", secure=is_safe, httponly=True, samesite="lax")

    def take_back(self, response: Response) -> None:
        """Delete the session cookie."""
        name = _cookie_name(self.request)
        response.delete_cookie(name, path="/", secure=name == _SAFE_COOKIE, httponly=True, samesite="lax")


@dataclass(frozen=True)
class FromCall:
    """Marks a parameter of a handler: how it is made of the call."""

    make: Callable[[Call], object]


@asynccontextmanager
async def calling(request: Request, auth: Permission, *, asks_outside: bool = False) -> AsyncIterator[Call]:
    """Authorize the request; the call has an `App` while the context is open."""
    apps: Apps = request.app.state.apps
    async with apps.one(asks_outside=asks_outside) as app:
        with ExitStack() as opened:
            yield await run_in_threadpool(_let_in, app, request, auth, opened)


async def answered(
    request: Request, auth: Permission, answer: Callable[[Call], _Answer], *, asks_outside: bool = False
) -> _Answer:
    """Authorize the request and answer it, in one turn of a thread: waiting for a second takes as long as a query."""
    apps: Apps = request.app.state.apps

    def let_in() -> _Answer:
        with ExitStack() as opened:
            return answer(_let_in(app, request, auth, opened))

    async with apps.one(asks_outside=asks_outside) as app:
        return await run_in_threadpool(let_in)


def _let_in(app: App, request: Request, auth: Permission, opened: ExitStack) -> Call:
    visit = Visit(address=request.client.host if request.client else "", agent=request.headers.get("user-agent", ""))
    cookie = request.cookies.get(_cookie_name(request), "")
    url = app.settings.serve.public_url.rstrip("/") or str(request.base_url).rstrip("/")
    if auth.who == "anybody":
        return Call(app, request, visit, cookie, url, auth, None, None, opened)
    access = _of_app(app, request, visit) if auth.who == "app" else _known(app, request, cookie, visit)
    if request.method in _READING:
        access.briefly()
    if auth.who == "person":
        access.require_person()
    if auth.who == "admin":
        access.require_admin()
    elif auth.scope:
        access.require(auth.scope)
    dossier = access.dossier(request.path_params["dossier_id"], scope=auth.scope or "read") if auth.in_dossier else None
    return Call(app, request, visit, cookie, url, auth, access, dossier, opened)


def _cookie_name(request: Request) -> str:
    """The name of the session cookie; over https only `__Host-sid`, which no sibling domain can set."""
    return _SAFE_COOKIE if request.app.state.guard.is_https(request.scope) else _COOKIE


def _of_app(app: App, request: Request, visit: Visit) -> Access:
    """The access of a reader app: it sends what it got when it signed in, or name and password; or of a token."""
    header = request.headers.get("authorization", "")
    if header.lower().startswith("googlelogin "):
        return by_app_secret(app, header[12:].strip().partition("=")[2], visit)
    if header.lower().startswith("basic "):
        login, password = _name_and_password(header)
        return by_app_secret(app, password, visit, login)
    if given := request.headers.get("x-auth-token", "").strip():
        return by_app_secret(app, given, visit)
    if not header:
        raise LoginError("Log in first: an app signs in at /accounts/ClientLogin.", code="login")
    return _known(app, request, "", visit)


def by_app_secret(app: App, given: str, visit: Visit, login: str | None = None) -> Access:
    """The access of a token, or of a password of an app, to which the name has to belong if one is given."""
    if parse_token(given):
        return app.accounts.by_token(given, visit)
    return app.accounts.by_app_password(given, visit, login)


def _known(app: App, request: Request, cookie: str, visit: Visit) -> Access:
    header = request.headers.get("authorization", "")
    if header.lower().startswith("basic "):
        # Feed readers only know a name and a password; the password is the token.
        return app.accounts.by_token(_name_and_password(header)[1], visit)
    if header:
        return app.accounts.by_token(header, visit)
    if not cookie and app.settings.serve.insecure_local and _is_at_home(request):
        return app.accounts.at_home(visit)
    return app.accounts.by_session(cookie, visit)


def _is_at_home(request: Request) -> bool:
    """Whether the request comes from a browser, on our own page or typed by the user, and through no proxy."""
    is_forwarded = any(name in request.headers for name in ("forwarded", "x-forwarded-for", "x-real-ip", "via"))
    return not is_forwarded and request.headers.get("sec-fetch-site") in {"same-origin", "none"}


def _name_and_password(header: str) -> tuple[str, str]:
    """What HTTP Basic has."""
    try:
        name, _, password = base64.b64decode(header[6:].strip(), validate=True).decode().partition(":")
    except ValueError:
        return "", ""
    return name, password


async def _current(request: Request) -> Call:
    call: Call = request.state.call
    return call


Caller = Annotated[Call, Depends(_current), FromCall(lambda call: call)]


class Patience:
    """For a route that waits: it polls, and holds an `App` only during each poll."""

    def __init__(self, request: Request, auth: Permission) -> None:
        self._request = request
        self._auth = auth

    async def ask(self, question: Callable[[Call], _Answer], *, asks_outside: bool = False) -> _Answer:
        return await answered(self._request, self._auth, question, asks_outside=asks_outside)

    async def is_over(self) -> bool:
        """Whether the client has disconnected or the service is stopping."""
        apps: Apps = self._request.app.state.apps
        return apps.is_stopping or await self._request.is_disconnected()


async def _patience(request: Request) -> Patience:
    patience: Patience = request.state.patience
    return patience


Waiting = Annotated[Patience, Depends(_patience)]
