"""For administrators: the state of all dossiers, the requests to each host, users, and the audit log."""

from __future__ import annotations

from typing import Annotated, Any, Literal
from urllib.parse import urlencode

from fastapi import Form, Path, Query, Response

from veille.errors import ConfigError
from veille.interfaces.web._routes import ADMIN, Pages, within
from veille.interfaces.web.actions.show import Show, Showing, refusal
from veille.interfaces.web.requests.calls import Call
from veille.services.repairing.sweeping import Probe

routes = Pages("admin")

_DOSSIERS = 50
#: Failing sources shown; nobody reads a longer list.
_FAILING = 200
#: Hosts, and lines of the audit log, on a page.
_HOSTS, _LINES = 100, 100

UserId = Annotated[str, Path(max_length=200)]
Text = Annotated[str, Form(max_length=1000)]


@routes.get("/admin", auth=ADMIN)
def _admin(show: Showing, after: Annotated[str, Query(max_length=300)] = "") -> Response:
    return _admin_page(show, after=after)


@routes.post("/admin/sweep", auth=ADMIN)
def _sweep(show: Showing) -> Response:
    """Start to probe every failing source of all dossiers; the list shows the result when it is done."""
    show.access.log("sweep")

    def sweep(later: Call) -> None:
        wanted = [one.dossier.id for one in later.app.overview.sizes(later.access) if one.sources is not None]
        with later.app.sweeper() as sweeper:
            sweeper.sweep(wanted)

    show.request.app.state.errands.send(show, sweep)
    return show.go("/admin", "The failing sources are probed now; those that answer are reset. Reload this page soon.")


@routes.post("/admin/probe", auth=ADMIN, asks_outside=True)
def _probe(show: Showing, url: Annotated[str, Form(max_length=4096)] = "") -> Response:
    """Probe an address, without reading its content."""
    try:
        with show.app.sweeper() as sweeper:
            return _admin_page(show, url=url, probe=sweeper.probe(url.strip()))
    except ConfigError as error:
        return _admin_page(show, url=url, problem=str(error))


def _admin_page(
    show: Show, *, after: str = "", url: str = "", probe: Probe | None = None, problem: str = ""
) -> Response:
    overview, access = show.app.overview, show.access
    sizes, more = overview.sizes_page(access, after, _DOSSIERS)
    failing = overview.failing(access, _FAILING)
    return show(
        "admin.html",
        sizes=sizes,
        more=f"?{urlencode({'after': more})}" if more else "",
        is_first=not after,
        failing=failing,
        swept=overview.last_sweep(access),
        most=_FAILING,
        mine={one.id for one in access.dossiers()},
        url=url,
        probe=probe,
        problem=problem,
    )


@routes.get("/hosts", auth=ADMIN)
def _hosts(
    show: Showing,
    which: Literal["all", "failing", "paused"] = "all",
    requests: Annotated[int, Query(ge=0, le=2**53)] = 0,
    after: Annotated[str, Query(max_length=300)] = "",
) -> Response:
    """The politeness ledger, the busiest hosts first."""
    app = show.app
    now = app.clock()
    found = app.hosts.page(which, now, (requests, after) if after else None, _HOSTS)
    total, numbers = app.hosts.totals(now)
    more = ""
    if len(found) == _HOSTS:
        state, tally = found[-1]
        more = f"?{urlencode({'which': which, 'requests': tally.requests, 'after': state.key})}"
    base = app.settings.fetch.host_delay_ms
    return show(
        "hosts.html", hosts=found, total=total, numbers=numbers, which=which, more=more, is_first=not after, base=base
    )


@routes.get("/users", auth=ADMIN)
def _users(show: Showing) -> Response:
    return _users_page(show)


@routes.post("/users", auth=ADMIN)
def _add(show: Showing, email: Text = "", name: Text = "", *, is_admin: Annotated[bool, Form()] = False) -> Response:
    """Invite a user; the invitation link is in this response and nowhere else."""
    try:
        user, link = show.app.accounts.users.invite(show.access, email, name, is_admin=is_admin)
    except ConfigError as error:
        return _users_page(show, problem=str(error), email=email, name=name, is_admin=is_admin)
    return _users_page(show, made=user, link=f"{show.url}/setup?token={link}")


@routes.post("/users/{user_id}/remove", auth=ADMIN)
def _remove(show: Showing, user_id: UserId) -> Response:
    try:
        user = show.app.accounts.users.remove(show.access, user_id)
    except ConfigError as error:
        return _users_page(show, problem=refusal(error))
    return show.go("/users", f"{user.email} can no longer sign in; what they did stays in the audit log.")


@routes.post("/users/{user_id}/admin", auth=ADMIN)
def _set_admin(show: Showing, user_id: UserId, *, value: Annotated[bool, Form()] = False) -> Response:
    try:
        user = show.app.accounts.users.set_admin(show.access, user_id, is_admin=value)
    except ConfigError as error:
        return _users_page(show, problem=refusal(error))
    said = "manages this service now" if value else "does not manage this service any more"
    return show.go("/users", f"{user.email} {said}, and has to log in again.")


@routes.get("/audit", auth=ADMIN)
@routes.get("/d/{dossier_id}/audit", auth=within("admin"))
def _log(show: Showing, before: Annotated[int | None, Query(ge=1, le=2**53)] = None) -> Response:
    """The audit log of the whole service, or of a dossier for its owners."""
    here = show.found_dossier
    lines = show.app.accounts.audit(show.access, here.id if here else None, _LINES, before)
    older = f"{show.request.url.path}?before={lines[-1].seq}" if len(lines) == _LINES else ""
    names = {dossier.id: dossier.name for dossier in show.access.dossiers()}
    return show("audit.html", lines=lines, older=older, names=names)


def _users_page(show: Show, *, problem: str = "", made: object = None, link: str = "", **typed: Any) -> Response:
    values = {"email": "", "name": "", "is_admin": False} | typed
    return show(
        "users.html",
        users=show.app.accounts.users.all(show.access),
        problem=problem,
        made=made,
        link=link,
        user_id=show.user_id,
        **values,
    )
