"""What page handlers use to respond: it renders a template with the values that every page has, or redirects.

For example:

    @routes.get("/d/{dossier_id}/runs", auth=within("read"))
    def _runs(show: Showing) -> Response:
        return show("runs.html", runs=show.reading.runs.recent(50))
"""

from __future__ import annotations

import logging
import re
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, fields
from functools import cached_property
from http import HTTPStatus
from typing import Annotated, Any, TypeVar
from urllib.parse import quote, unquote

from fastapi import Depends, Request, Response
from fastapi.responses import HTMLResponse, RedirectResponse, StreamingResponse

from veille.core.access.access import LEAST_ROLE, Role, ScopeName
from veille.core.models import Dossier
from veille.errors import NotFoundError, StoreError, VeilleError
from veille.interfaces.web.actions.icons import SiteIcons
from veille.interfaces.web.actions.live import PAGE_S, Counters, Counts, rail_tags
from veille.interfaces.web.requests.calls import Call, FromCall, Patience
from veille.interfaces.web.views.html import PAGE_HEADERS, in_two_parts, page
from veille.services.container import Services

log = logging.getLogger("veille.web")

#: Cookie with a message from the previous page, shown once on the next.
_SAID = "said"
_SAID_CHARS = 400
#: Cookie that offers to undo a deletion: its dossier and its time; and how long it is kept for the next page.
_UNDO, _UNDO_S = "undo", 60
_UNDOABLE = re.compile(r"([\w-]{1,100}):([0-9]{1,15})")
#: Cookie with the chosen theme.
THEME = "look"
THEMES = ("light", "dark")

_Found = TypeVar("_Found")


class Paces:
    """How long the slow part of each page took the last time."""

    _QUICK_S = 0.03
    _MOST = 5000

    def __init__(self) -> None:
        self._known: dict[tuple[str, str], float] = {}

    def is_quick(self, name: tuple[str, str]) -> bool:
        return self._known.get(name, self._QUICK_S) < self._QUICK_S

    @contextmanager
    def timed(self, name: tuple[str, str]) -> Iterator[None]:
        began = time.perf_counter()
        yield
        if len(self._known) >= self._MOST:
            self._known = {}
        self._known[name] = time.perf_counter() - began


@dataclass(frozen=True)
class Show(Call):
    """The call of a page; renders pages for the caller."""

    @property
    def user_id(self) -> str:
        return self.access.who.user_id

    @property
    def home(self) -> str:
        """The path of the dossier of the URL."""
        return f"/d/{self.dossier.id}"

    def __call__(self, template: str, **values: Any) -> Response:
        """Render a page; with a `problem`, the status says that what was sent is not right."""
        status = HTTPStatus.BAD_REQUEST if values.get("problem") else HTTPStatus.OK
        with self._icons():
            html = page(template, **self._common(), **values)
        return self._once(HTMLResponse(html, status, PAGE_HEADERS))

    def gradually(self, template: str, later: Callable[[Show], Mapping[str, Any]], **values: Any) -> Response:
        """Stream a page, its frame first: the browser can start on it while `later` gets the other values.

        For slow pages that never redirect or fail: the status is sent already. The handler's `App` is given back by
        then, so `later` gets its own `Show`. A page that was quick the last time is sent as a whole, which costs less.
        """
        paces: Paces = self.request.app.state.paces
        name = (template, self.found_dossier.id if self.found_dossier else self.user_id)

        def timed(show: Show) -> Mapping[str, Any]:
            with paces.timed(name):
                return later(show)

        if paces.is_quick(name):
            return self(template, **values, **timed(self))
        frame, rest = in_two_parts(template, **self._common(), **values)

        def found(call: Call) -> str:
            show = show_of(call)
            values = {"may": show.may, **timed(show)}
            with show._icons():  # noqa: SLF001 - of this class
                return rest(values)

        patience = Patience(self.request, self.auth)
        parts = _to_the_end(frame, lambda: patience.ask(found))
        return self._once(StreamingResponse(parts, headers=PAGE_HEADERS, media_type="text/html"))

    def _once(self, response: Response) -> Response:
        """Delete the message cookie: the message is shown once."""
        for name in (_SAID, _UNDO):
            if name in self.request.cookies:
                response.delete_cookie(name, path="/", httponly=True, samesite="lax")
        return response

    def part(self, template: str, **values: Any) -> Response:
        """Render a fragment of a page, for a script to insert."""
        with self._icons():
            return HTMLResponse(page(template, **values), headers=PAGE_HEADERS)

    def _icons(self) -> AbstractContextManager[None]:
        state = self.request.app.state
        icons: SiteIcons = state.site_icons
        return icons.shown(self.app.favicons, lambda fetch: state.errands.send(self, fetch))

    def go(self, path: str, said: str = "", *, undo: int | None = None) -> Response:
        """Redirect after an action, with a message; it offers to undo what was deleted here at the time `undo`."""
        here = self.found_dossier
        self.request.app.state.counters.forget(self.user_id, {here.id} if here else ())
        response = RedirectResponse(path, HTTPStatus.SEE_OTHER)
        if undo is not None:
            offer = f"{self.dossier.id}:{undo}"
            response.set_cookie(_UNDO, offer, _UNDO_S, path="/", httponly=True, samesite="lax")
        if said:
            response.set_cookie(_SAID, quote(said[:_SAID_CHARS]), 60, path="/", httponly=True, samesite="lax")
        return response

    def of_each(
        self, dossiers: Iterable[Dossier], read: Callable[[Dossier], _Found]
    ) -> tuple[list[_Found], list[Dossier]]:
        """Call `read` for each dossier; returns the results, and the dossiers that cannot be read now."""
        found: list[_Found] = []
        unreadable: list[Dossier] = []
        for dossier in dossiers:
            try:
                found.append(read(dossier))
            except NotFoundError:
                log.info("The dossier %s was deleted meanwhile.", dossier.id)
            except StoreError as error:
                log.error("%s [%s]", error, error.code)  # noqa: TRY400 - the message says all
                unreadable.append(dossier)
        return found, unreadable

    def may(self, scope: ScopeName) -> bool:
        """Whether the caller has this scope in the dossier of the URL, if any; pages hide what they may not do."""
        here = self.found_dossier
        role = self.access.role(here.id) if here else None
        return role is not None and role.covers(LEAST_ROLE[scope])

    def counts(self, dossiers: Sequence[Dossier]) -> dict[str, Counts]:
        """Counts of unread changes and failing sources, by dossier id."""
        counters: Counters = self.request.app.state.counters
        here = self.found_dossier
        return counters.of(self._everywhere, self.user_id, dossiers, here.id if here else "")

    @cached_property
    def _everywhere(self) -> Services:
        """The services for reading: the scope of the route may allow less than all dossiers that a page counts."""
        return self.app.on_behalf(self.access, "read")

    def _operates(self) -> bool:
        """Whether the caller runs something here: the dossier of the URL, any dossier, or the service."""
        here, access = self.found_dossier, self.access
        if here or access.who.is_admin:
            return access.who.is_admin or self.may("admin")
        return any(access.role(one.id) is Role.OWNER for one in access.dossiers())

    def _common(self) -> dict[str, Any]:
        access = self.access
        who, dossiers = access.who, access.dossiers()
        counts, state = self.counts(dossiers), self.request.app.state
        undo = _UNDOABLE.fullmatch(self.request.cookies.get(_UNDO, ""))
        return {
            "who": who,
            "said": unquote(self.request.cookies.get(_SAID, ""))[:_SAID_CHARS],
            "undo": undo.groups() if undo else None,
            "dossiers": dossiers,
            "counts": counts,
            "rail_tags": rail_tags(counts, dossiers, self.found_dossier),
            "live": state.live.of(self._everywhere, dossiers, PAGE_S),
            "ailing": sum(one.ailing for one in counts.values()),
            "theme": theme_of(self.request),
            "dossier": self.found_dossier,
            "path": self.request.url.path,
            "operates": self._operates(),
            "may": self.may,
        }


def refusal(error: VeilleError) -> str:
    """The problem to show beside a form that was refused; what does not exist is a 404 as everywhere."""
    if isinstance(error, NotFoundError):
        raise error
    return str(error)


async def _to_the_end(frame: str, rest: Callable[[], Awaitable[str]]) -> AsyncIterator[str]:
    """Both parts of a page; when the second fails, an error message instead."""
    yield frame
    try:
        yield await rest()
    except VeilleError as error:
        log.warning("%s [%s]", error, error.code)
        yield page("broken_off.html", text=str(error))
    except Exception:
        log.exception("A page broke off.")
        yield page("broken_off.html", text="Internal error: see the log of the service.")


def theme_of(request: Request) -> str:
    """The chosen theme; empty for that of the system."""
    theme = request.cookies.get(THEME, "")
    return theme if theme in THEMES else ""


def show_of(call: Call) -> Show:
    """What responds to this call with pages."""
    return Show(*(getattr(call, one.name) for one in fields(Call)))


async def _showing(request: Request) -> Show:
    return show_of(request.state.call)


Showing = Annotated[Show, Depends(_showing), FromCall(show_of)]
