"""The user's own account: logging in and out, name, theme, password, sessions, and tokens for programs."""

from __future__ import annotations

from http import HTTPStatus
from typing import Annotated, Any

from fastapi import Form, Path, Query, Response
from fastapi.responses import HTMLResponse, RedirectResponse

from veille.core.access.access import SCOPES
from veille.core.access.passwords import MIN_LENGTH
from veille.core.schedule import DAY
from veille.errors import AccessError, ConfigError
from veille.interfaces.web._routes import ANYBODY, KNOWN, PERSON, Caller, Pages
from veille.interfaces.web.actions.show import THEME, THEMES, Show, Showing, theme_of
from veille.interfaces.web.views.html import PAGE_HEADERS, page

routes = Pages("account")

_YEAR_S = 365 * 86_400
#: Lifetimes of a token to choose from, in days; 0: it does not expire.
_DAYS = (7, 30, 90, 365, 0)

Next = Annotated[str, Query(alias="next", max_length=2000)]
Name = Annotated[str, Form(max_length=1000)]
Password = Annotated[str, Form(max_length=2000)]


@routes.get("/login", auth=ANYBODY)
def _ask_who(call: Caller, after: Next = "/") -> Response:  # noqa: ARG001 - no authentication needed
    return _form(after)


@routes.post("/login", auth=ANYBODY)
def _login(
    call: Caller,
    email: Annotated[str, Form(max_length=500)] = "",
    password: Annotated[str, Form(max_length=2000)] = "",
    after: Annotated[str, Form(alias="next", max_length=2000)] = "/",
) -> Response:
    try:
        entry = call.app.accounts.login(email, password, call.visit, call.cookie)
    except AccessError as error:
        return _form(after, email, str(error))
    response = RedirectResponse(_local(after), HTTPStatus.SEE_OTHER)
    call.hand_out(response, entry.cookie)
    return response


@routes.post("/logout", auth=ANYBODY)
def _logout(call: Caller) -> Response:
    call.app.accounts.logout(call.cookie)
    response = RedirectResponse("/login", HTTPStatus.SEE_OTHER)
    # Also the worker, what it keeps, and with it messages of a push service.
    response.headers["Clear-Site-Data"] = '"cache", "storage"'
    call.take_back(response)
    return response


def _form(after: str, email: str = "", problem: str = "") -> Response:
    status = HTTPStatus.UNAUTHORIZED if problem else HTTPStatus.OK
    return HTMLResponse(page("login.html", after=after, email=email, problem=problem), status, PAGE_HEADERS)


def _local(path: str) -> str:
    """The path if it is on this site, else `/`: the login must not be an open redirect."""
    is_ours = path.startswith("/") and not path.startswith(("//", "/\\")) and path.isprintable()
    return path if is_ours else "/"


@routes.get("/welcome", auth=PERSON)
def _welcome(show: Showing) -> Response:
    """Who came with a link and has no password yet is asked for one at once."""
    return _first_password(show) if not show.app.accounts.me(show.access).has_password else show.go("/")


@routes.post("/welcome", auth=PERSON)
def _set_first_password(show: Showing, new: Password = "", again: Password = "") -> Response:
    if new != again:
        return _first_password(show, "The two passwords differ: type it twice.")
    # Built before the change, which ends this session.
    response = show.go("/", "Your password is set: log in with it from now on.")
    try:
        entry = show.app.accounts.change_password(show.access, "", new)
    except (ConfigError, AccessError) as error:
        return _first_password(show, str(error))
    show.hand_out(response, entry.cookie)
    return response


def _first_password(show: Show, problem: str = "") -> Response:
    email = show.app.accounts.me(show.access).email
    shown = page("welcome.html", email=email, shortest=MIN_LENGTH, problem=problem, theme=theme_of(show.request))
    return HTMLResponse(shown, HTTPStatus.BAD_REQUEST if problem else HTTPStatus.OK, PAGE_HEADERS)


@routes.get("/settings", auth=PERSON)
def _settings(show: Showing) -> Response:
    return _page(show)


@routes.get("/keys", auth=KNOWN)
def _keys(show: Showing) -> Response:
    """Keyboard shortcuts, for a dialog on any page."""
    return show.part("keys.html")


@routes.post("/settings/name", auth=PERSON)
def _set_name(show: Showing, name: Name = "") -> Response:
    try:
        show.app.accounts.users.set_name(show.access, name)
    except ConfigError as error:
        return _page(show, at="you", problem=str(error), name=name)
    return show.go("/settings", "Your name is changed.")


@routes.post("/settings/look", auth=PERSON)
def _set_look(show: Showing, look: Annotated[str, Form(max_length=20)] = "") -> Response:
    response = show.go("/settings#look", "The theme is set for this browser.")
    if look in THEMES:
        response.set_cookie(THEME, look, _YEAR_S, path="/", httponly=True, samesite="lax")
    else:
        response.delete_cookie(THEME, path="/", httponly=True, samesite="lax")
    return response


@routes.post("/settings/password", auth=PERSON)
def _set_password(show: Showing, old: Password = "", new: Password = "", again: Password = "") -> Response:
    if new != again:
        return _page(show, at="password", problem="The two new passwords differ: type it twice.")
    # Built before the change, which ends this session.
    response = show.go("/settings", "Your password is set; all other browsers are logged out.")
    try:
        entry = show.app.accounts.change_password(show.access, old, new)
    except (ConfigError, AccessError) as error:
        return _page(show, at="password", problem=str(error))
    show.hand_out(response, entry.cookie)
    return response


@routes.post("/settings/sessions/{session_id}/end", auth=PERSON)
def _end_session(show: Showing, session_id: Annotated[str, Path(max_length=100)]) -> Response:
    show.app.accounts.end_session(show.access, session_id)
    return show.go("/settings#sessions", "That browser is logged out.")


@routes.post("/settings/tokens", auth=PERSON)
def _make_token(
    show: Showing,
    name: Name = "",
    scopes: Annotated[list[str] | None, Form()] = None,
    dossiers: Annotated[list[str] | None, Form()] = None,
    days: Annotated[int, Form(ge=0, le=3650)] = 90,
) -> Response:
    """Create a token; its text is in this response and nowhere else."""
    typed: dict[str, Any] = {"token_name": name, "scopes": scopes or [], "chosen": dossiers or [], "days": days}
    life = days * DAY if days else None
    try:
        _, text = show.app.accounts.tokens.add(show.access, name.strip(), scopes or [], dossiers, life)
    except ConfigError as error:
        return _page(show, at="tokens", problem=str(error), **typed)
    return _page(show, at="tokens", made=text)


@routes.post("/settings/app-passwords", auth=PERSON)
def _make_app_password(
    show: Showing,
    name: Name = "",
    writes: Annotated[bool, Form()] = False,  # noqa: FBT002 - a box of a form
) -> Response:
    """Create a password for a reader app; it is in this response and nowhere else."""
    scopes = ("read", "write") if writes else ("read",)
    try:
        _, password = show.app.accounts.tokens.add_app_password(show.access, name.strip(), scopes)
    except ConfigError as error:
        return _page(show, at="apps", problem=str(error), app_name=name, writes=writes)
    return _page(show, at="apps", app_password=password)


@routes.post("/settings/tokens/{token_id}/revoke", auth=PERSON)
def _revoke_token(show: Showing, token_id: Annotated[str, Path(max_length=100)]) -> Response:
    show.app.accounts.tokens.revoke(show.access, token_id)
    return show.go("/settings#tokens", "The token is revoked.")


def _page(show: Show, *, at: str = "", problem: str = "", made: str = "", **typed: Any) -> Response:
    """The page; after an error with the typed values, and the problem beside its form."""
    accounts, access = show.app.accounts, show.access
    me = accounts.me(access)
    now = show.app.clock()
    values = {"name": me.name, "token_name": "", "scopes": ["read"], "chosen": [], "days": 90}
    values |= {"app_name": "", "writes": False, "app_password": ""} | typed
    return show(
        "settings.html",
        me=me,
        at=at,
        problem=problem,
        made=made,
        sessions=accounts.sessions(access),
        this_session=access.who.way_id,
        tokens=[token for token in accounts.tokens.all(access) if token.lives(now)],
        all_scopes=SCOPES,
        shortest=MIN_LENGTH,
        all_days=_DAYS,
        chosen_look=theme_of(show.request),
        url=show.url,
        **values,
    )
