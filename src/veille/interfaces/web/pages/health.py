"""For administrators: the state of all dossiers, and the requests to each host."""

from __future__ import annotations

from typing import Annotated, Literal
from urllib.parse import urlencode

from fastapi import Form, Query, Response

from veille.errors import ConfigError
from veille.interfaces.web._routes import Pages
from veille.interfaces.web.actions.show import Show, Showing
from veille.interfaces.web.requests.auth import ADMIN
from veille.interfaces.web.requests.calls import Call
from veille.services.watching.sweeping import Probe

routes = Pages("health")

_DOSSIERS = 50
#: Failing sources shown; nobody reads a longer list.
_FAILING = 200
_HOSTS = 100


@routes.get("/admin", auth=ADMIN)
def _admin(show: Showing, after: Annotated[str, Query(max_length=300)] = "") -> Response:
    return _page(show, after=after)


@routes.post("/admin/sweep", auth=ADMIN)
def _sweep(show: Showing) -> Response:
    """Start to probe every failing source of all dossiers; the list shows the result when it is done."""
    show.call.access.log("sweep")

    def sweep(later: Call) -> None:
        wanted = [one.dossier.id for one in later.app.overview.sizes(later.access) if one.sources is not None]
        with later.app.sweeper() as sweeper:
            sweeper.sweep(wanted)

    show.request.app.state.errands.send(show, sweep)
    return show.go("/admin", "The sources that fail are asked now; those that answer begin anew. Look again soon.")


@routes.post("/admin/probe", auth=ADMIN, asks_outside=True)
def _probe(show: Showing, url: Annotated[str, Form(max_length=4096)] = "") -> Response:
    """Probe an address, without reading its content."""
    try:
        with show.call.app.sweeper() as sweeper:
            return _page(show, url=url, probe=sweeper.probe(url.strip()))
    except ConfigError as error:
        return _page(show, url=url, problem=str(error))


def _page(show: Show, *, after: str = "", url: str = "", probe: Probe | None = None, problem: str = "") -> Response:
    overview, access = show.call.app.overview, show.call.access
    sizes, more = overview.sizes_page(access, after, _DOSSIERS)
    failing = overview.failing(access, _FAILING)
    return show(
        "admin.html",
        status=400 if problem else 200,
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
    app = show.call.app
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
