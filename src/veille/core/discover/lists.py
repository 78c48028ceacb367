"""Read lists of sources, whatever program wrote them; the format is told by the content. Bytes and values only.

OPML (feed readers), bookmarks of a browser, a backup of changedetection.io, items of Scrapy, connectors of Onyx, a
table (CSV), or one address per line.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Iterable, Iterator, Mapping
from html import unescape
from itertools import islice

from veille.core.discover.json_lists import is_json_list, json_entries
from veille.core.discover.opml import FeedList, FeedOutline, first_outlines
from veille.core.discover.watch_lists import is_watch_list, watches
from veille.core.feeds.source_text import decoded
from veille.core.schedule import MAX_INTERVAL, MIN_INTERVAL, duration_ms
from veille.core.text import flat
from veille.errors import ConfigError, ReadError

#: The first bytes of a list, by which its format is told.
_HEAD = 4000
_OPML = re.compile(r"<(?:\w+:)?(?:opml|outline|body)[\s>]", re.IGNORECASE)
_BOOKMARKS = re.compile(r"<!DOCTYPE NETSCAPE-Bookmark-file|<DL>\s*<p>", re.IGNORECASE)
# Possessive, and no part may cross a `<`: the time grows with the length of the file only.
_MARK = re.compile(r"<(/?)(DL|H3|A)\b([^<>]*+)>([^<]*+)", re.IGNORECASE)
_ATTRIBUTE = re.compile(r"""([A-Z_]+)\s*=\s*(?:"([^"]*)"|'([^']*)')""", re.IGNORECASE)
_DEPTH = 100
_FOLDER = 200
#: The names of columns, as tables have them.
_COLUMNS = {
    "url": ("url", "address", "link", "href", "xmlurl", "feed", "feed url", "feed_url", "uri"),
    "name": ("name", "title", "label"),
    "tags": ("tags", "tag", "category", "categories", "folder", "group", "groups", "labels"),
    "interval": ("interval", "every", "check every", "frequency"),
}
_ADDRESS = re.compile(r"(?:https?://)?[\w-]+(?:\.[\w-]+)+(?::\d+)?(?:[/?#]\S*)?", re.IGNORECASE)
_UNKNOWN = (
    "This is no list that can be imported: it is neither OPML, nor bookmarks, nor a backup of changedetection.io, "
    "nor JSON with addresses, nor a table with a column `url`, nor one address per line."
)


def first_entries(data: bytes, most: int) -> FeedList:
    """At most `most` entries of a list; ReadError if it is none."""
    if is_watch_list(data):
        return _cut(watches(data), most)
    text = decoded(data)
    head = text[:_HEAD].lstrip("\ufeff \t\r\n")
    if is_json_list(head):
        return _cut(json_entries(text), most)
    if _BOOKMARKS.search(head):
        return _cut(_bookmarks(text), most)
    if head.startswith("<") or _OPML.search(head):
        return first_outlines(data, most)
    rows = _rows(text)
    if (columns := _columns(next(iter(rows), []))) is not None:
        return _cut(_of_table(rows, columns), most)
    lines = [line.strip() for line in text.splitlines()]
    wanted = [line for line in lines if line and not line.startswith(("#", ";", "//"))]
    if not any(_ADDRESS.fullmatch(line.split()[0]) for line in wanted[:100]):
        raise ReadError(_UNKNOWN, code="list.unknown_format")
    return _cut(map(_of_line, wanted), most)


def _cut(entries: Iterable[FeedOutline], most: int) -> FeedList:
    rest = iter(entries)
    found = tuple(islice(rest, most))
    return FeedList(outlines=found, total=len(found) + sum(1 for _ in rest))


def _of_line(line: str) -> FeedOutline:
    """`https://example.org/ Name of it`; what has no scheme is meant to have one."""
    url, _, name = line.partition(" ")
    return FeedOutline(url=_whole(url), title=flat(name), kind="")


def _whole(url: str) -> str:
    return f"https://{url}" if "://" not in url and _ADDRESS.fullmatch(url) else url


def _rows(text: str) -> list[list[str]]:
    first = text.lstrip("\ufeff").split("\n", 1)[0]
    delimiter = max((",", ";", "\t"), key=first.count)
    try:
        return list(csv.reader(text.lstrip("\ufeff").splitlines(), delimiter=delimiter))
    except csv.Error:
        return []


def _columns(header: list[str]) -> dict[str, int] | None:
    """Which column has what; None if the first row is no header."""
    known = {name: what for what, names in _COLUMNS.items() for name in names}
    found: dict[str, int] = {}
    for at, cell in enumerate(header):
        what = known.get(cell.strip().lower())
        if what is not None:
            found.setdefault(what, at)
    return found if "url" in found else None


def _of_table(rows: list[list[str]], columns: Mapping[str, int]) -> Iterator[FeedOutline]:
    for row in rows[1:]:
        cells = {what: flat(row[at]) if at < len(row) else "" for what, at in columns.items()}
        if not any(cells.values()):
            continue
        interval, note = _interval(cells.get("interval", ""))
        tags = re.split(r"[,;|]", cells.get("tags", ""))
        yield FeedOutline(
            url=_whole(cells["url"]),
            title=cells.get("name", ""),
            categories=tuple(tag.strip() for tag in tags if tag.strip()),
            kind="",
            interval_ms=interval,
            note=note,
        )


def _interval(text: str) -> tuple[int | None, str]:
    if not text:
        return None, ""
    try:
        return min(max(duration_ms(text), MIN_INTERVAL), MAX_INTERVAL), ""
    except ConfigError:
        return None, f"Its interval {text[:40]!r} is not understood: it has that of the list."


def _bookmarks(text: str) -> Iterator[FeedOutline]:
    """The bookmarks in a file as all browsers export it; a folder is the heading before its list."""
    folders: list[str] = []
    heading = ""
    for mark in _MARK.finditer(text):
        name = mark[2].upper()
        if mark[1]:
            if name == "DL" and folders:
                folders.pop()
        elif name == "H3":
            heading = flat(unescape(mark[4]))[:_FOLDER]
        elif name == "DL":
            folders.append(heading)
            heading = ""
        else:
            yield _bookmark(mark[3], mark[4], folders)


def _bookmark(attributes: str, text: str, folders: list[str]) -> FeedOutline:
    found = {one[1].lower(): unescape(one[2] or one[3] or "") for one in _ATTRIBUTE.finditer(attributes)}
    feed = found.get("feedurl", "")
    return FeedOutline(
        url=flat(feed or found.get("href", "")),
        title=flat(unescape(text)),
        folders=tuple(folder for folder in folders[:_DEPTH] if folder),
        categories=tuple(tag.strip() for tag in found.get("tags", "").split(",") if tag.strip()),
        kind="feed" if feed else "",
    )
