"""When the crawler runs automatically: a cron expression in a time zone."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Schedule:
    """When the crawler of a dossier runs automatically."""

    dossier_id: str
    cron: str
    zone: str
    set_by: str
    set_at: int
    next_run_at: int
