"""Read backups of changedetection.io: a zip with `url-watches.json` or with a file for each watch, or that JSON."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

from veille.core.discover._left_out import left_out
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
        whole = _parsed(data)
        found = _listed(whole)
    else:
        files = members(data, lambda name: name in {_LIST, _SETTINGS} or name.endswith(_WATCH), _LIMITS)
        whole = _parsed(files.get(_LIST) or files.get(_SETTINGS, b"{}"))
        of_each = [_parsed(text) for name, text in files.items() if name.endswith(_WATCH)]
        found = _listed(whole) if _LIST in files else of_each
    if not found:
        raise ReadError(f"There are no watches in this file: no {_LIST} and no */watch.json.", code="list.no_watches")
    tags, interval = _tags(whole), _interval(_inside(whole, "settings", "requests", "time_between_check"))
    return (_watch(one, tags, interval) for one in found if one.get("url"))


def _parsed(text: bytes) -> Json:
    try:
        value = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise ReadError("A file of the backup is no JSON.", code="corrupt") from error
    return value if isinstance(value, dict) else {}


def _listed(value: Json) -> list[Json]:
    return [one for one in _inside(value, "watching").values() if isinstance(one, dict)]


def _inside(value: Any, *names: str) -> Json:
    """The object under these names; empty if there is none."""
    for name in names:
        value = value.get(name) if isinstance(value, dict) else None
    return value if isinstance(value, dict) else {}


def _tags(value: Json) -> dict[str, str]:
    """The names of tags by their id."""
    found = _inside(value, "settings", "application", "tags")
    return {uid: str(one.get("title", "")) for uid, one in found.items() if isinstance(one, dict)}


def _watch(one: Json, tags: Mapping[str, str], usual: int | None) -> FeedOutline:
    options, notes = _filters(one)
    notes += left_out(one)
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
        interval_ms=(None if one.get("time_between_check_use_default") else _interval(one.get("time_between_check")))
        or usual,
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
    given = [text.strip().removeprefix("css:") for text in texts if isinstance(text, str) and text.strip()]
    wanted = given[:_MOST_FILTERS]
    xpaths = [_path(text) for text in wanted if text.startswith(("/", *_XPATHS))]
    styles = [text for text in wanted if not text.startswith(("/", *_XPATHS, *_OTHER))]
    notes = [f"Of its filters the first {_MOST_FILTERS} were taken."] if len(given) > _MOST_FILTERS else []
    if any(text.startswith(_OTHER) for text in wanted):
        notes.append("Its JSON filters were left out: watch it as an API.")
    if xpaths and styles:
        notes.append("Its XPath filters were left out: a source has CSS selectors or XPath.")
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
