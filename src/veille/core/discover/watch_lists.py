"""Read backups of changedetection.io: a zip with `url-watches.json` or with a file for each watch, or that JSON."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

from veille.core.discover.opml import FeedOutline
from veille.core.formats.office.zip import Limits, members
from veille.core.http.credentials import HIDDEN, hidden
from veille.core.models import Json
from veille.core.schedule import DAY, HOUR, MAX_INTERVAL, MIN_INTERVAL, MINUTE, SECOND
from veille.core.text import flat
from veille.errors import ReadError

_ZIP = b"PK\x03\x04"
_LIST = "url-watches.json"
_SETTINGS = "changedetection.json"
_WATCH = "/watch.json"
#: A backup has the history of every watch, too: very many members, of which few are read.
_LIMITS = Limits(member_bytes=32 * 1024 * 1024, total_bytes=64 * 1024 * 1024, members=200_000)
_SPANS = {"weeks": 7 * DAY, "days": DAY, "hours": HOUR, "minutes": MINUTE, "seconds": SECOND}
_XPATHS = ("xpath:", "xpath1:")
#: Filters that are neither CSS nor XPath.
_OTHER = ("json:", "jq:", "jqraw:")
_MOST_FILTERS = 20


def is_watch_list(data: bytes) -> bool:
    """Whether it looks like a backup of changedetection.io."""
    return data.startswith(_ZIP) or (data.lstrip()[:1] == b"{" and b'"watching"' in data)


def watches(data: bytes) -> Iterator[FeedOutline]:
    """The watches of a backup; ReadError if it is none."""
    if not data.startswith(_ZIP):
        found, tags = _of_list(_parsed(data))
    else:
        files = members(data, lambda name: name in {_LIST, _SETTINGS} or name.endswith(_WATCH), _LIMITS)
        if _LIST in files:
            found, tags = _of_list(_parsed(files[_LIST]))
        else:
            found = [_parsed(text) for name, text in files.items() if name.endswith(_WATCH)]
            tags = _tags(_parsed(files.get(_SETTINGS, b"{}")))
    if not found:
        raise ReadError(f"There are no watches in this file: no {_LIST} and no */watch.json.", code="list.no_watches")
    return (_watch(one, tags) for one in found if one.get("url"))


def _parsed(text: bytes) -> Json:
    try:
        value = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise ReadError("A file of the backup is no JSON.", code="corrupt") from error
    return value if isinstance(value, dict) else {}


def _of_list(value: Json) -> tuple[list[Json], dict[str, str]]:
    watching = value.get("watching")
    found = [one for one in watching.values() if isinstance(one, dict)] if isinstance(watching, dict) else []
    return found, _tags(value)


def _tags(value: Any) -> dict[str, str]:
    """The names of tags by their id."""
    for key in ("settings", "application", "tags"):
        value = value.get(key) if isinstance(value, dict) else None
    if not isinstance(value, dict):
        return {}
    return {uid: str(one.get("title", "")) for uid, one in value.items() if isinstance(one, dict)}


def _watch(one: Json, tags: Mapping[str, str]) -> FeedOutline:
    options, notes = _filters(one)
    headers, has_secrets = _headers(one.get("headers"))
    if headers:
        options["headers"] = headers
    if has_secrets:
        notes.append("Its secret headers were left out: set them as secrets of the dossier.")
    return FeedOutline(
        url=flat(str(one["url"])),
        title=flat(str(one.get("title") or "")),
        categories=tuple(_named(one, tags)),
        kind="page",
        interval_ms=_interval(one.get("time_between_check")),
        options=options,
        is_paused=bool(one.get("paused")),
        note=" ".join(notes),
    )


def _named(one: Json, tags: Mapping[str, str]) -> Iterator[str]:
    """The tags of a watch: ids in new backups, names in old ones."""
    listed = one.get("tags")
    if isinstance(listed, list):
        yield from (flat(name) for uid in listed if isinstance(uid, str) and (name := tags.get(uid, "")))
    old = one.get("tag")
    if isinstance(old, str):
        yield from (flat(part) for part in old.split(",") if part.strip() and part.strip() not in tags)


def _filters(one: Json) -> tuple[Json, list[str]]:
    """What of the page is watched, as options."""
    listed = one.get("include_filters") or one.get("css_filter") or []
    texts = [listed] if isinstance(listed, str) else listed if isinstance(listed, list) else []
    wanted = [text.strip() for text in texts[:_MOST_FILTERS] if isinstance(text, str) and text.strip()]
    xpaths = [_path(text) for text in wanted if text.startswith(("/", *_XPATHS))]
    styles = [text for text in wanted if not text.startswith(("/", *_XPATHS, *_OTHER))]
    notes = []
    if any(text.startswith(_OTHER) for text in wanted):
        notes.append("Its JSON filters were left out: watch it as an API.")
    if xpaths and styles:
        notes.append("Its XPath filters were left out: a source has CSS selectors or XPath.")
    if one.get("subtractive_selectors"):
        notes.append("What it ignores on the page was left out.")
    if styles:
        return {"mode": "css", "selectors": styles}, notes
    return ({"mode": "xpath", "selectors": xpaths} if xpaths else {}), notes


def _path(text: str) -> str:
    return next((text[len(prefix) :] for prefix in _XPATHS if text.startswith(prefix)), text)


def _headers(value: object) -> tuple[dict[str, str], bool]:
    """The harmless headers, and whether there were others."""
    given = {str(name): str(text) for name, text in value.items()} if isinstance(value, dict) else {}
    shown = hidden(given)
    return {name: text for name, text in shown.items() if text != HIDDEN}, HIDDEN in shown.values()


def _interval(value: object) -> int | None:
    given = value if isinstance(value, dict) else {}
    counts = {name: given.get(name) for name in _SPANS}
    span = sum(_SPANS[name] * int(count) for name, count in counts.items() if isinstance(count, int | float) and count)
    return min(max(span, MIN_INTERVAL), MAX_INTERVAL) if span > 0 else None
