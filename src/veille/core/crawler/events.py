"""Log events of a crawl, without secrets, personal data or content."""

from __future__ import annotations

import re
from collections.abc import Iterator
from enum import StrEnum
from typing import Any, Final
from urllib.parse import parse_qsl, urlencode

from pydantic import ConfigDict, Field

from veille.core.crawler.config import HTML
from veille.core.crawler.items import STATES, Language, judged, standard_message, type_of
from veille.core.dates import iso
from veille.core.http.credentials import HIDDEN
from veille.core.kinds.site import ROBOTS, SITEMAP
from veille.core.models import Change, Item, Plan, StrictModel
from veille.core.traffic import is_redirect


class Level(StrEnum):
    """Severity of an event."""

    INFO = "info"
    WARN = "warn"
    ERROR = "error"


#: From the least to the most severe.
LEVELS: Final = tuple(Level)


class LogEvent(StrictModel):
    """One line of the log; an event may have further figures."""

    model_config = ConfigDict(extra="allow")

    at: str = Field(description="ISO 8601, UTC.")
    level: Level
    event: str = Field(description="CRAWL_STARTED, PAGE_FETCHED, ITEM_NEW …")
    run_id: str = ""


_USERINFO = re.compile(r"(?<=//)[^/]*@")
_MAIL = re.compile(r"[\w.+-]+(?:@|%40)[\w-]+(?:\.[\w-]+)+")
_TELLING = re.compile(r"pass|secret|token|key|auth|sig|session|sid|code|user|mail|name|phone|login|jwt", re.IGNORECASE)
_MADE_UP = re.compile(r"(?=.*\d)[A-Za-z0-9_\-.~+/=]{20,}")


def event(at: int, level: Level, name: str, run_id: str = "", **more: Any) -> LogEvent:
    """An event of that name, with further fields."""
    return LogEvent(at=iso(at), level=level, event=name, run_id=run_id, **more)


def harmless(url: str) -> str:
    """An address without possible secrets and personal data."""
    head, _, query = url.partition("#")[0].partition("?")
    kept = [
        (name, HIDDEN if _TELLING.search(name) or _MADE_UP.fullmatch(value) else value)
        for name, value in parse_qsl(query, keep_blank_values=True)
    ]
    text = _USERINFO.sub("", head) + (f"?{urlencode(kept, safe='*/:,')}" if kept else "")
    return _MAIL.sub(HIDDEN, text)


def events_of(plan: Plan, run_id: str, at: int, language: Language) -> Iterator[LogEvent]:
    """The events of one answer: that it was fetched, and the result for each item in it."""
    purpose = plan.lease.request.purpose
    if purpose in {ROBOTS, SITEMAP} and plan.failure is None:
        return
    omitted = [Item(change=Change.SKIPPED, url=notice.url, code=notice.code) for notice in plan.notices]
    for item in (judged(one, purpose) for one in (*plan.items, *omitted)):
        strategy = item.document.strategy if item.document is not None else ""
        kind = type_of(item.url, strategy)
        about: dict[str, Any] = {"url": harmless(item.url), "type": kind}
        about |= {"status": item.status} if item.status else {}
        if item.change not in {Change.ERROR, Change.SKIPPED, Change.REMOVED}:
            name = "PAGE_FETCHED" if kind == HTML else "DOC_DOWNLOADED"
            yield event(at, Level.INFO, name, run_id, **about, duration_ms=plan.duration_ms, bytes=plan.wire_bytes)
        told_otherwise = item.change is Change.SAME and (omitted or is_redirect(item.status))
        if not told_otherwise:
            yield _of_item(item, about, run_id, at, language)


def _of_item(item: Item, about: dict[str, Any], run_id: str, at: int, language: Language) -> LogEvent:
    name = "ITEM_SKIPPED" if item.change is Change.SKIPPED else f"ITEM_{STATES[item.change].upper()}"
    if item.change not in {Change.ERROR, Change.SKIPPED}:
        return event(at, Level.INFO, name, run_id, **about)
    failed = item.change is Change.ERROR
    code, message = standard_message(item.code, language, about["url"], failed=failed)
    level = Level.ERROR if failed else Level.WARN
    words = {"code": code, "cause": item.code, "message": message}
    return event(at, level, name, run_id, **about, **words)
