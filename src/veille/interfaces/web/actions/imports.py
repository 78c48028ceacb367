"""Imports of feed lists in the background: the progress of each, and the result of each entry."""

from __future__ import annotations

import secrets
import time
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from veille.core.report.imports import ImportReport, Taken
from veille.errors import ConfigError, ReadError, VeilleError

if TYPE_CHECKING:
    from veille.interfaces.web.actions.errands import Errands
    from veille.interfaces.web.actions.show import Show
    from veille.interfaces.web.requests.calls import Call

#: How often the progress is stored, for the pages of other machines.
_STORE_EVERY_S = 2.0
_LEFT_OFF = "The service stopped before the end of the list: import it again. What is watched already stays as it is."


class _LeftOffError(VeilleError):
    """The service is stopping."""


@dataclass
class _UnderWay:
    """A running import."""

    report: ImportReport
    dossier_id: str
    taken: list[Taken] = field(default_factory=list)

    def now(self) -> ImportReport:
        return self.report.with_entries(self.taken[:])


class RunningImports:
    """The running imports; reports of earlier ones are stored in the dossier."""

    def __init__(self) -> None:
        self._under_way: dict[str, _UnderWay] = {}

    def find(self, show: Show, import_id: str) -> ImportReport | None:
        """The report of one of the caller's imports into the dossier of the URL."""
        one = self._under_way.get(import_id)
        if one is not None and one.dossier_id == show.dossier.id:
            found: ImportReport | None = one.now()
        else:
            found = show.reading.imports.find(import_id)
            if found is not None and found.ended_at is None and not show.app.store.presence.is_there(_held(import_id)):
                # The process that ran it is gone.
                found = replace(found, ended_at=found.begun_at, problem=_LEFT_OFF)
        return found if found is not None and found.user_id == show.user_id else None

    def begin(self, show: Show, dossier_id: str, data: bytes, interval_ms: int) -> ImportReport:
        """Start to import a list in the background; ConfigError when it is not a list."""
        try:
            total = show.app.outlines(data).total
        except ReadError as error:
            raise ConfigError(str(error), code=error.code) from error
        begun_at = show.app.clock()
        report = ImportReport(id=secrets.token_urlsafe(12), user_id=show.user_id, begun_at=begun_at, total=total)
        one = self._under_way[report.id] = _UnderWay(report, dossier_id)
        errands: Errands = show.request.app.state.errands

        # Other machines see by it that it is not left off, from the beginning: it may wait for its turn.
        held = ExitStack()

        def work(call: Call) -> None:
            with held:
                _take_in(call, one, data, interval_ms, errands)

        def end() -> None:
            self._under_way.pop(report.id, None)
            held.close()

        try:
            held.enter_context(show.app.store.presence.hold(_held(report.id)))
            show.services.lists.keep_report(dossier_id, report)
            errands.send(show, work, end)
        except VeilleError:
            end()
            raise
        return report


def _take_in(call: Call, one: _UnderWay, data: bytes, interval_ms: int, errands: Errands) -> None:
    stored_at = time.monotonic()

    def note(taken: Taken) -> None:
        nonlocal stored_at
        one.taken.append(taken)
        if time.monotonic() - stored_at > _STORE_EVERY_S:
            call.services.lists.keep_report(one.dossier_id, one.now())
            stored_at = time.monotonic()
        if errands.is_stopping():
            raise _LeftOffError(_LEFT_OFF, code="interrupted")

    problem = ""
    try:
        call.services.lists.take_in(data, one.dossier_id, interval_ms=interval_ms, progress=note)
    except VeilleError as error:
        problem = str(error)
    done = replace(one.now(), ended_at=call.app.clock(), problem=problem)
    call.services.lists.keep_report(one.dossier_id, done)
    call.access.log("opml.import", one.dossier_id, feeds=len(one.taken))


def _held(import_id: str) -> str:
    """The name under which the process of an import is there."""
    return f"import-{import_id}"
