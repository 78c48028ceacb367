"""Lists of feeds that are taken in, in the background: how far each is, and what became of its entries."""

from __future__ import annotations

import secrets
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from veille.core.opml import outlines_in
from veille.errors import ConfigError, ReadError, VeilleError

if TYPE_CHECKING:
    from veille.interfaces.web._calls import Call
    from veille.interfaces.web._show import Show
    from veille.services.lists import Taken

#: So many are remembered; they are reports, and the sources themselves are safe.
_MOST = 50


class _LeftOffError(VeilleError):
    """The service ends; the list can be taken in again, and what is watched already stays as it is."""


@dataclass
class Import:
    """One list."""

    id: str
    user_id: str
    dossier_id: str
    total: int
    taken: list[Taken] = field(default_factory=list)
    is_done: bool = False
    #: Why it did not come to its end.
    problem: str = ""

    @property
    def added(self) -> int:
        return sum(not one.code for one in self.taken)

    @property
    def bad(self) -> int:
        return sum(one.is_bad for one in self.taken)


class Imports:
    """The lists that were taken in lately."""

    def __init__(self) -> None:
        self._known: dict[str, Import] = {}

    def find(self, import_id: str, user_id: str, dossier_id: str) -> Import | None:
        """A list that they took in there."""
        found = self._known.get(import_id)
        return found if found and (found.user_id, found.dossier_id) == (user_id, dossier_id) else None

    def begin(self, show: Show, dossier_id: str, data: bytes, interval_ms: int) -> Import:
        """Take a list in, in the background; ConfigError when it is none."""
        try:
            total = len(outlines_in(data))
        except ReadError as error:
            raise ConfigError(str(error), code=error.code) from error
        one = Import(id=secrets.token_urlsafe(12), user_id=show.user_id, dossier_id=dossier_id, total=total)
        errands = show.request.app.state.errands

        def note(taken: Taken) -> None:
            one.taken.append(taken)
            if errands.is_stopping():
                raise _LeftOffError("The service ended before the list did: take it in again.", code="interrupted")

        def work(call: Call) -> None:
            try:
                call.services.lists.take_in(data, dossier_id, interval_ms=interval_ms, progress=note)
            except VeilleError as error:
                one.problem = str(error)
            finally:
                one.is_done = True
            call.access.log("opml.import", dossier_id, feeds=len(one.taken))

        errands.send(show, work)
        self._known[one.id] = one
        while len(self._known) > _MOST:
            del self._known[next(iter(self._known))]
        return one
