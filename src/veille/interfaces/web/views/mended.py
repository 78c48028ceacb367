"""Repairs for display: each option with its value before and after."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from veille.core.http.credentials import shown_options
from veille.interfaces.web.views.options import option_title
from veille.interfaces.web.views.words import span
from veille.services.repairing.repairs import is_stale

if TYPE_CHECKING:
    from veille.core.models import Json, Source
    from veille.core.records import RepairRecord


@dataclass(frozen=True, slots=True)
class Mended:
    """A repair for display, with the current state of its source."""

    record: RepairRecord
    source: Source | None

    @property
    def obstacle(self) -> str:
        """Why it cannot be undone; empty when it can."""
        if self.record.status == "applied" and self.source is not None and is_stale(self.source, self.record):
            return "The source is no longer as this left it, so it cannot be undone."
        return ""

    @property
    def differences(self) -> list[tuple[str, str, str]]:
        """What changed as (title, before, after); credentials are hidden."""
        before, after = _flat(self.record.before), _flat(self.record.after)
        names = dict.fromkeys((*after, *before))
        rows = [(name, _worth(name, before.get(name)), _worth(name, after.get(name))) for name in names]
        kind = self.source.kind if self.source else ""
        return [
            (option_title(kind, name.removesuffix("_ms")), was, becomes)
            for name, was, becomes in rows
            if was != becomes
        ]


def _flat(change: Json) -> Json:
    flat: Json = {name: value for name, value in change.items() if name != "config"} | change.get("config", {})
    return shown_options(flat)


#: States in the words of somebody who reads a repair.
_STATES = {
    "ok": "checked as usual",
    "unchanged": "checked as usual",
    "error": "failing, tried again",
    "suspect": "odd answers",
    "broken": "given up, probed now and then",
    "pending": "to be checked anew",
}


def _worth(name: str, value: Any) -> str:
    if name == "state":
        return _STATES.get(str(value), str(value))
    if value is None:
        return "not set"
    if name.endswith("interval_ms"):
        return span(value)
    if isinstance(value, bool):
        return "yes" if value else "no"
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
