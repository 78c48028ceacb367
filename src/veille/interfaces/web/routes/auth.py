"""Authentication: login, logout, one-time links, and the user's own password, sessions and tokens."""

from __future__ import annotations

from http import HTTPStatus
from typing import Annotated

from fastapi import Query, Response
from fastapi.responses import HTMLResponse, JSONResponse, RedirectResponse
from pydantic import Field

from veille.core.schedule import DAY
from veille.errors import LoginError
from veille.interfaces.web._routes import ANYBODY, KNOWN, PERSON, Caller, Routes
from veille.interfaces.web.views.html import PAGE_HEADERS, page
from veille.interfaces.web.views.shapes import ID, Body, Done, RestView, example

routes = Routes("auth")


class Me(RestView):
    """The authenticated user."""

    model_config = example(id=ID, name="Ada", role="admin")

    id: str
    name: str
    role: str


class Login(Body):
    """Credentials: e-mail address and password."""

    email: str = Field(max_length=500, examples=["ada@example.org"])
    password: str = Field(max_length=2000, examples=["correct horse lamp"])


class NewPassword(Body):
    """A new password; the old one is required if there is one."""

    old: str = Field("", max_length=2000)
    new: str = Field(max_length=2000, examples=["twelve green lamps"])


class SessionView(RestView):
    """A session: a browser that is logged in."""

    model_config = example(id="3f2a91c04be7d615", created_at=1, seen_at=2, address="127.0.0.1", agent="Firefox")

    id: str
    created_at: int
    seen_at: int
    address: str
    agent: str


class NewToken(Body):
    """A token for a program: what it may be used for, where, and for how long."""

    name: str = Field(examples=["backup"])
    scopes: list[str] = Field(examples=[["read"]])
    dossiers: list[str] | None = Field(None, description="Ids; without them, all of its user's.")
    days: Annotated[int, Field(ge=1, le=3650)] | None = Field(90, description="null: it does not expire.")
    networks: list[str] = Field(
        default_factory=list, description="The networks it may be used from, such as 10.1.0.0/16; none: from anywhere."
    )


class TokenView(RestView):
    """A token; its text, `token`, is only in the response that creates it."""

    model_config = example(id="abcdefghijklmnop", name="backup", scopes=["read"], dossiers=None, created_at=1)

    id: str
    name: str
    scopes: list[str]
    dossiers: list[str] | None
    created_at: int
    networks: list[str] = Field([])
    expires_at: int | None = None
    used_at: int | None = None
    revoked_at: int | None = None
    token: str | None = None


@routes.post("/api/auth/login", auth=ANYBODY, response_model=Me)
def _login(call: Caller, body: Login, response: Response) -> Me:
    """Log in with a password; sets the session cookie. After too many failures: 429."""
    entry = call.app.accounts.login(body.email, body.password, call.visit, call.cookie)
    call.hand_out(response, entry.cookie)
    return Me.showing(call.app.accounts.me(entry.access))


@routes.post("/api/auth/logout", auth=ANYBODY)
def _logout(call: Caller, response: Response) -> Done:
    """End the session of this browser, if it has one."""
    call.app.accounts.logout(call.cookie)
    call.take_back(response)
    return Done(status="ok")


@routes.get("/api/auth/me", auth=KNOWN)
def _me(call: Caller) -> Me:
    """The authenticated user."""
    return Me.showing(call.app.accounts.me(call.access))


@routes.post("/api/auth/password", auth=PERSON)
def _change_password(call: Caller, body: NewPassword, response: Response) -> Done:
    """Set your own password; all other sessions end."""
    entry = call.app.accounts.change_password(call.access, body.old, body.new)
    call.hand_out(response, entry.cookie)
    return Done(status="ok")


@routes.get("/setup", auth=ANYBODY, response_class=HTMLResponse)
def _setup_page(call: Caller) -> HTMLResponse:  # noqa: ARG001 - only the button uses the link
    """The page of a one-time link: a button, so that programs that prefetch links do not use it up."""
    return HTMLResponse(page("setup.html", problem=""), headers=PAGE_HEADERS)


@routes.post("/setup", auth=ANYBODY, response_model=Me)
def _use_setup_link(call: Caller, token: Annotated[str, Query(max_length=200)]) -> Response:
    """Sign in with a one-time link; sets the session cookie. Browsers are asked for a password if there is none yet."""
    is_browser = "text/html" in call.request.headers.get("accept", "")
    try:
        entry = call.app.accounts.redeem(token, call.visit)
    except LoginError as error:
        if not is_browser:
            raise
        return HTMLResponse(page("setup.html", problem=str(error)), HTTPStatus.UNAUTHORIZED, PAGE_HEADERS)
    me = call.app.accounts.me(entry.access)
    if is_browser:
        answer: Response = RedirectResponse("/" if me.has_password else "/welcome", HTTPStatus.SEE_OTHER)
    else:
        answer = JSONResponse(Me.showing(me).model_dump())
    call.hand_out(answer, entry.cookie)
    return answer


@routes.get("/api/auth/sessions", auth=PERSON)
def _list_sessions(call: Caller) -> list[SessionView]:
    """Your own sessions."""
    found = call.app.accounts.sessions(call.access)
    return [SessionView.showing(one, address=one.visit.address, agent=one.visit.agent) for one in found]


@routes.delete("/api/auth/sessions/{session_id}", auth=PERSON)
def _end_session(call: Caller, session_id: str) -> Done:
    """End one of your own sessions."""
    call.app.accounts.end_session(call.access, session_id)
    return Done(status="ended")


@routes.get("/api/auth/tokens", auth=PERSON)
def _list_tokens(call: Caller) -> list[TokenView]:
    """Your own tokens, including expired and revoked ones."""
    return list(map(TokenView.showing, call.app.accounts.tokens.all(call.access)))


@routes.post("/api/auth/tokens", auth=PERSON, status_code=201)
def _add_token(call: Caller, body: NewToken) -> TokenView:
    """Create a token; its text is in this response and nowhere else."""
    life = None if body.days is None else body.days * DAY
    token, text = call.app.accounts.tokens.add(
        call.access, body.name, body.scopes, body.dossiers, life, networks=body.networks
    )
    return TokenView.showing(token, token=text)


@routes.delete("/api/auth/tokens/{token_id}", auth=KNOWN)
def _revoke_token(call: Caller, token_id: str) -> Done:
    """Revoke one of your own tokens; a token may revoke itself."""
    call.app.accounts.tokens.revoke(call.access, token_id)
    return Done(status="revoked")
