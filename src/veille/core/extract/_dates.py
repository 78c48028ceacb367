"""When a page was published or changed, and how we know."""

from __future__ import annotations

import re
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import TYPE_CHECKING, Any, Final

import ciso8601

if TYPE_CHECKING:
    from collections.abc import Callable

    from veille.core.extract._types import Parsed

_METAS: Final = {
    "published": (
        "article:published_time", "og:published_time", "datepublished", "date", "dc.date", "dc.date.issued", "dcterms.created",
        "pubdate", "publishdate", "parsely-pub-date", "sailthru.date", "citation_publication_date",
    ),
    "modified": ("article:modified_time", "og:updated_time", "datemodified", "last-modified", "dcterms.modified", "revised"),
}  # fmt: skip
_IN_URL: Final = re.compile(r"/((?:19|20)\d\d)[/-](\d\d?)(?:[/-](\d\d?))?(?=[/-])")
_FIRST_YEAR: Final = 1990


def first_date(
    parsed: Parsed, stated: Any, meta: Callable[..., str | None], kind: str
) -> tuple[int | None, str | None]:
    """The date in milliseconds and where it was found: json-ld, meta, time or url."""
    for origin, value in (("json-ld", stated), ("meta", meta(*_METAS[kind]))):
        at = parse_date(value)
        if at is not None:
            return at, origin
    if kind == "modified":
        return None, None
    node = parsed.tree.css_first("article time[datetime], main time[datetime], time[pubdate], time[datetime]")
    at = parse_date(node.attributes.get("datetime")) if node is not None else None
    if at is not None:
        return at, "time"
    match = _IN_URL.search(parsed.url)
    at = parse_date(f"{match[1]}-{int(match[2]):02}-{int(match[3] or 1):02}") if match else None
    return at, "url" if at is not None else None


def parse_date(value: Any) -> int | None:
    """Milliseconds since 1970 of an ISO or mail date; without a zone it is UTC. None for anything before 1990."""
    if not isinstance(value, str) or not value.strip():
        return None
    moment = _moment(value.strip())
    if moment is None or moment.year < _FIRST_YEAR:
        return None
    if moment.tzinfo is None:
        moment = moment.replace(tzinfo=UTC)
    return int(moment.timestamp() * 1000)


def _moment(value: str) -> datetime | None:
    try:
        return ciso8601.parse_datetime(value)
    except ValueError:
        pass
    try:
        return parsedate_to_datetime(value)
    except (ValueError, TypeError, IndexError):
        return None
