"""Detect what a user's text means, and which kind of source suits an answer. Values in, values out."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Final, Literal
from urllib.parse import quote

from veille.core.crawl.roots import root_name
from veille.core.crawl.sitemaps import is_sitemap, parse_sitemap
from veille.core.discover.opml import read_opml
from veille.core.feeds import Feed, parse_feed
from veille.core.formats import detect as format_of
from veille.core.formats import is_binary
from veille.core.json.json_answers import at, parsed
from veille.core.json.mapping import goes_on_at, mapping_of
from veille.core.json.paging import next_link
from veille.core.models import Json
from veille.core.text import printed
from veille.core.traffic import Payload
from veille.errors import ReadError

#: A list of feeds: not watched itself, but its feeds are.
LIST: Final = "opml"

_SCHEME: Final = re.compile(r"[a-z][a-z0-9+.-]*:", re.IGNORECASE)
_HOST: Final = re.compile(r"(?:(?:[\w-]+\.)+[\w-]{2,}|localhost|(?:\d{1,3}\.){3}\d{1,3})(?::\d{1,5})?(?:[/?#]\S*)?")
_FEED_ROOTS: Final = frozenset({"rss", "feed"})
#: Only feeds if they have entries.
_DOUBTFUL_ROOTS: Final = frozenset({"rdf", "channel"})
_PAGE_ROOTS: Final = frozenset({"html", "head", "body", "svg"})


@dataclass(frozen=True, slots=True, kw_only=True)
class InputMeaning:
    """What a text means: addresses to try in order, or words to search for."""

    shape: Literal["address", "host", "path", "words"]
    urls: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Alternative:
    """Another way to watch the same thing."""

    kind: str
    url: str
    reason: str
    config: Json = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Advice:
    """The recommended kind of source, and why."""

    kind: str
    url: str
    reason: str
    name: str = ""
    config: Json | None = None
    alternatives: tuple[Alternative, ...] = ()
    #: Requests per check.
    per_turn: int = 1
    #: Whether it is a web page, which may have a feed.
    is_page: bool = False


def target_of(text: str) -> InputMeaning:
    """What a text that a user typed means."""
    text = text.strip()
    if text.startswith("/") or text.lower().startswith("file:"):
        url = (f"file://{quote(text, errors='surrogateescape')}" if text.startswith("/") else text).rstrip("/")
        return InputMeaning(shape="path", urls=(url, f"{url}/"))
    if _HOST.fullmatch(text):
        return InputMeaning(shape="host", urls=(f"https://{text}", f"http://{text}"))
    if not _SCHEME.match(text) and (" " in text or text.endswith("?")):
        return InputMeaning(shape="words")
    return InputMeaning(shape="address", urls=(text,))


def judge(payload: Payload) -> Advice:
    """The recommended kind for an answer, from its bytes alone; for a page, `feed_instead` continues."""
    root = root_name(payload.body, payload.charset)
    if root == "opml":
        return judge_list(len(read_opml(payload.body)), _home(payload))
    listing = _sitemap(payload) or _feed(payload, root) or _json(payload, root)
    if listing is not None:
        return listing
    url = _home(payload)
    name = format_of(payload.body, payload.media_type, payload.final_url)
    if name is not None:
        return Advice(kind="page", url=url, reason=f"It is a document ({name}), watched for changes of its text.")
    if is_binary(payload.body):
        what = payload.media_type or "binary data"
        return Advice(kind="page", url=url, reason=f"It is {what}, of which no text can be read.")
    site = Alternative(kind="site", url=url, reason="watches every page that can be reached from it")
    return Advice(kind="page", url=url, reason="It is a web page.", alternatives=(site,), is_page=True)


def judge_list(count: int, url: str) -> Advice:
    """The judgement for a list of so many feeds."""
    reason = f"It is a list of {counted(count, 'feed', 'feeds')} (OPML): each of them is watched."
    return Advice(kind=LIST, url=url, reason=reason, per_turn=count)


def counted(count: int, one: str, several: str) -> str:
    """A number with its noun in singular or plural."""
    return f"{count} {one if count == 1 else several}"


def _home(payload: Payload) -> str:
    """The address to watch: the requested one, or the target if all redirects were permanent."""
    moved = payload.redirects and all(status in {301, 308} for status, _ in payload.redirects)
    return payload.final_url if moved else payload.url


def _sitemap(payload: Payload) -> Advice | None:
    if not is_sitemap(payload.body):
        return None
    try:
        found = parse_sitemap(payload.body)
    except ReadError as error:
        return Advice(kind="site", url=_home(payload), reason=f"It is a sitemap, though a faulty one: {error}")
    pages = counted(len(found.pages), "page", "pages")
    what = pages if found.pages else counted(len(found.sitemaps), "further sitemap", "further sitemaps")
    # Besides the pages: the sitemap itself, robots.txt and the usual place of a sitemap.
    per_turn = len(found.pages) + len(found.sitemaps) + 3
    reason = f"It is a sitemap that names {what}: the whole site is watched."
    return Advice(kind="site", url=_home(payload), reason=reason, per_turn=per_turn)


def _feed(payload: Payload, root: str) -> Advice | None:
    if root in _FEED_ROOTS:
        return _as_feed(payload)
    is_other_xml = root and root not in _PAGE_ROOTS and "xml" in payload.media_type
    return _as_feed(payload, is_doubtful=True) if is_other_xml or root in _DOUBTFUL_ROOTS else None


def _as_feed(payload: Payload, *, is_doubtful: bool = False) -> Advice | None:
    try:
        feed = parse_feed(payload.body, payload.final_url, payload.charset)
    except ReadError:
        feed = Feed()
    if is_doubtful and not feed.entries:
        return None
    reason = f"It is a feed with {counted(len(feed.entries), 'entry', 'entries')}."
    return Advice(kind="feed", url=_home(payload), reason=reason, name=printed(feed.title))


def _json(payload: Payload, root: str) -> Advice | None:
    start = payload.body.lstrip(b"\xef\xbb\xbf \t\r\n")[:1]
    if root or start not in {b"{", b"["}:
        return None
    url = _home(payload)
    try:
        value = parsed(payload).value
    except ReadError as error:
        is_said = "json" in payload.media_type
        return Advice(kind="page", url=url, reason=f"It says it is JSON, but: {error}") if is_said else None
    if isinstance(version := at(value, "version"), str) and "jsonfeed.org" in version:
        return _as_feed(payload)
    mapping = mapping_of(value)
    if mapping is None:
        return Advice(kind="page", url=url, reason="It is JSON without a list of items: it is watched as a text.")
    where = f"at {mapping.result_path}" if mapping.result_path else "as a whole"
    reason = f"It is JSON with a list of {counted(mapping.count, 'item', 'items')} {where}."
    alternatives = (
        *_further_pages(payload, value, mapping.config),
        Alternative(kind="page", url=url, reason="watches the whole answer as one text"),
    )
    return Advice(kind="api", url=url, reason=reason, config=mapping.config, alternatives=alternatives)


def _further_pages(payload: Payload, value: object, config: Json) -> Iterator[Alternative]:
    """How to read further pages of a list, if there are any: that costs more requests, so a person decides."""
    path = goes_on_at(value)
    paging = {"by": "link"} if next_link(payload.link) else {"by": "next", "path": path} if path else None
    if paging is not None:
        reason = "reads on to the end of the list, at more requests a turn"
        yield Alternative(kind="api", url=_home(payload), reason=reason, config=config | {"paging": paging})
