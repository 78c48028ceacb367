"""Read lists in JSON: items and start addresses of Scrapy, one per line or in an array, and connectors of Onyx."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator
from typing import Any

from veille.core.discover.opml import FeedOutline
from veille.core.models import Json
from veille.core.schedule import MAX_INTERVAL, MIN_INTERVAL, SECOND
from veille.core.text import flat
from veille.errors import ReadError

_URLS = ("url", "link", "href", "address", "feed_url", "start_url")
_NAMES = ("name", "title", "label")
_TAGS = ("tags", "tag", "category", "categories", "labels")
#: The key of a connector's options in what Onyx's API answers, and where a list of states has the connector.
_OPTIONS, _CONNECTOR = "connector_specific_config", "connector"
_WEB = "web"
#: What a web connector of Onyx reads, as a kind of ours. Others read files that were uploaded to it.
_KINDS = {"recursive": "site", "sitemap": "site", "single": "page"}


def is_json_list(text: str) -> bool:
    """Whether it looks like JSON, whole or line by line."""
    return text.lstrip("\ufeff \t\r\n")[:1] in {"[", "{"}


def json_entries(text: str) -> Iterator[FeedOutline]:
    """The entries of a list; ReadError if nothing in it has an address."""
    values = _values(text.lstrip("\ufeff"))
    if not any(isinstance(one, str) or _url(one) or _is_connector(one) for one in values[:100]):
        raise ReadError(
            "Nothing in this JSON has an address: its items need a key `url`, or have to be addresses or connectors of "
            "Onyx.",
            code="list.unknown_format",
        )
    return (_entry(one) for one in values)


def _values(text: str) -> list[Any]:
    """The items of an array, the values of lines, or one value alone."""
    try:
        found = json.loads(text)
    except (ValueError, RecursionError):
        return [_of_line(number, line) for number, line in enumerate(text.splitlines(), start=1) if line.strip()]
    return found if isinstance(found, list) else [found]


def _of_line(number: int, line: str) -> Any:
    try:
        return json.loads(line)
    except (ValueError, RecursionError) as error:
        raise ReadError(f"Line {number} of the list is no JSON.", code="corrupt") from error


def _entry(one: Any) -> FeedOutline:
    if isinstance(one, str):
        return FeedOutline(url=flat(one), title="", kind="")
    if _is_connector(one):
        return _connector(one.get(_CONNECTOR) or one)
    return FeedOutline(url=_url(one), title=_first(one, _NAMES), categories=_tags(one), kind="")


def _url(one: Any) -> str:
    return _first(one, _URLS)


def _first(one: Any, keys: tuple[str, ...]) -> str:
    """The text of the first of these keys that has one; Scrapy's loaders make lists of single texts."""
    for value in (one.get(key) for key in keys) if isinstance(one, dict) else ():
        text = value[0] if isinstance(value, list) and value else value
        if isinstance(text, str) and text.strip():
            return flat(text)
    return ""


def _tags(one: Any) -> tuple[str, ...]:
    found: Any = next((one[key] for key in _TAGS if one.get(key)), []) if isinstance(one, dict) else []
    texts = found.split(",") if isinstance(found, str) else found if isinstance(found, list) else []
    return tuple(flat(text) for text in texts if isinstance(text, str) and text.strip())


def _is_connector(one: Any) -> bool:
    inner = one.get(_CONNECTOR, one) if isinstance(one, dict) else None
    return isinstance(inner, dict) and isinstance(inner.get(_OPTIONS), dict)


def _connector(one: Json) -> FeedOutline:
    options, source = one[_OPTIONS], str(one.get("source", ""))
    title = flat(str(one.get("name") or ""))
    base = options.get("base_url")
    how = str(options.get("web_connector_type", "recursive"))
    if source not in {"", _WEB} or not isinstance(base, str) or how not in _KINDS:
        # It stands in the report with its name, as what cannot be watched.
        what = source if source not in {"", _WEB} else f"{_WEB}, {how}"
        why = f"Only web connectors with an address can be watched, not one of the kind {what[:80]!r}."
        return FeedOutline(url="", title=f"{title} ({source or how})", kind="", obstacle=why)
    note = "Watched as a site from this address on, not by its sitemap alone." if how == "sitemap" else ""
    return FeedOutline(
        url=flat(base),
        title=title,
        kind=_KINDS[how],
        interval_ms=_interval(one.get("refresh_freq")),
        is_paused=str(one.get("status", "")).upper() == "PAUSED" or bool(one.get("disabled")),
        note=note,
    )


def _interval(seconds: object) -> int | None:
    if isinstance(seconds, bool) or not isinstance(seconds, int | float) or seconds <= 0:
        return None
    # Python's JSON has infinity and "not a number" too, and integers that no float holds.
    if isinstance(seconds, float) and not math.isfinite(seconds):
        return None
    return max(round(min(seconds, MAX_INTERVAL // SECOND) * SECOND), MIN_INTERVAL)
