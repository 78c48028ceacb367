"""Pagination of listings: where the next page is, when to stop, and how loops are detected.

A walk is one pass through all pages, from the first. Its state is stored in the request for the next page, so that a
killed program continues where it was. Every walk uses the same rows for its pages, even if their addresses change.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import Any, Literal
from urllib.parse import quote, unquote_plus

from pydantic import Field, model_validator

from veille.core.fingerprint import raw_hash, request_id
from veille.core.http.secrets import references_in
from veille.core.json.json_answers import MISSING, at, described
from veille.core.models import Json, Notice, Request, StrictModel
from veille.core.traffic import Payload
from veille.core.urls import join
from veille.errors import ReadError

#: The purpose of requests for further pages.
NEXT = "next"
_NO = (MISSING, None, False, "", "false", "0")
#: Empty pages in a row that are tolerated: servers that filter each page after cutting it leave such gaps.
_EMPTY_PAGES = 5

_LINK = re.compile(r"<([^<>]*)>([^<]*)")
_PARAMETER = re.compile(r""";\s*([^\s=;,"]+)\s*=\s*(?:"((?:\\.|[^"\\])*)"|([^\s;,"]*))""")


class Paging(StrictModel):
    """How to find the next page of a listing."""

    by: Literal["link", "next", "page", "offset", "cursor"] = Field(
        description="link: the Link header; next: an address in the answer; page, offset, cursor: a parameter."
    )
    path: str = Field("", description="Dot path of the next address, or of the next cursor, in the answer.")
    param: str = Field("", description="The parameter that asks for a page (default: page, offset or cursor).")
    in_body: bool = Field(default=False, description="Whether the parameter stands in the body; then a dot path.")
    start: int | None = Field(None, description="The first page's number or offset (default: 1 or 0).")
    size: int = Field(0, ge=0, description="Items on a full page: one with fewer is the last. Needed for offset.")
    more: str = Field("", description="Dot path of a yes or no in the answer that says whether there is more.")

    @model_validator(mode="after")
    def _whole(self) -> Paging:
        if self.by in {"next", "cursor"} and not self.path:
            raise ValueError(f"paging by {self.by} needs `path`, the place in the answer that names it")
        if self.by == "offset" and not self.size:
            raise ValueError("paging by offset needs `size`, the number of items on a page")
        if references_in(self.param):
            raise ValueError("`${…}` is not expanded in `param`; use it in `headers` or `body`")
        return self


@dataclass(frozen=True, slots=True)
class ListPage:
    """One page that was read: request, answer, JSON value, number of items, and a fingerprint of the items."""

    request: Request
    payload: Payload
    value: Any
    count: int
    mark: str

    @property
    def number(self) -> int:
        return int(self.request.context.get("page", 1))


@dataclass(frozen=True, slots=True)
class NextPage:
    """Where the next page is: an address, and the value of the paging parameter."""

    url: str
    value: str | int | None = None


def next_target(paging: Paging, page: ListPage) -> NextPage | Notice | None:
    """The page after this one; None if this was the last; a notice if its address is unusable."""
    # With numbered pages or offsets an empty page is the end; otherwise the answer names the next page.
    is_counted = paging.by in {"page", "offset"}
    if (is_counted and not page.count) or (paging.size and page.count < paging.size):
        return None
    if paging.more and at(page.value, paging.more) in _NO:
        return None
    if paging.by not in {"link", "next"}:
        return _parameter(paging, page)
    link = next_link(page.payload.link) if paging.by == "link" else _named(paging, page)
    if not link:
        return None
    url = join(page.payload.final_url, str(link))
    return NextPage(url) if url else _unusable(page, str(link))


def next_link(header: str) -> str:
    """The address of rel=next in a Link header (RFC 8288); empty if there is none.

    >>> next_link('<https://example.org/?page=1>; rel="prev", </?page=3>; title="a, b"; rel="next last"')
    '/?page=3'
    """
    for match in _LINK.finditer(header):
        # All parameters are parsed, in order: the title of a link may contain "rel=next", too.
        rels = (quoted or bare for name, quoted, bare in _PARAMETER.findall(match[2]) if name.lower() == "rel")
        if "next" in next(rels, "").lower().split():
            return match[1].strip()
    return ""


def follow(page: ListPage, target: NextPage | Notice | None, max_pages: int, row: str = "") -> Request | Notice | None:
    """The request for the next page; a notice if the walk stops early; None if this was the last page.

    `row` distinguishes the walks of one source.
    """
    if not isinstance(target, NextPage):
        return target
    context = page.request.context
    here = _mark(page.request.url, context.get("value"))
    # All empty pages have the same fingerprint, which is no loop.
    seen = [*context.get("seen", ()), here, *([page.mark] if page.count else [])]
    there = _mark(target.url, target.value)
    if not page.count and there in seen:
        # Some servers signal the end with an empty page and an unchanged cursor.
        return None
    if page.mark in seen[:-1] or there in seen:
        return _loop(page, target)
    empty = 0 if page.count else int(context.get("empty", 0)) + 1
    if page.number >= max_pages or empty > _EMPTY_PAGES:
        return _limit(page, target, max_pages, empty)
    found: Json = {"page": page.number + 1, "walk": True, "seen": seen} | ({"empty": empty} if empty else {})
    found["turn"] = context.get("turn") or str(page.payload.fetched_at)
    if target.value is not None:
        found["value"] = target.value
    carried = {key: context[key] for key in ("channel", "taken", "listed") if context.get(key) is not None}
    return Request(
        # By page number, not by address: cursors are new at every check, and each would leave a row behind.
        id=request_id(page.request.source_id, NEXT, f"{row}#{page.number + 1}"),
        source_id=page.request.source_id,
        url=target.url,
        purpose=NEXT,
        stamp=found["turn"],
        context=carried | found,
    )


def is_further_page(request: Request) -> bool:
    """Whether it is for a further page of a listing and not for an item of the listing."""
    return "page" in request.context


def is_walk(request: Request) -> bool:
    """Whether its answer may have next pages, which are fetched even if this page did not change."""
    return bool(request.context.get("walk"))


def first_page(request: Request) -> Request:
    """The request as the start of a walk: its answer is read even if it did not change."""
    return replace(request, context=request.context | {"walk": True})


def with_parameter(url: str, name: str, value: str) -> str:
    """The address with the parameter set, and the others verbatim.

    >>> with_parameter("https://example.org/a?q=x&page=1", "page", "2")
    'https://example.org/a?q=x&page=2'
    """
    base, _, query = url.partition("?")
    kept = [part for part in query.split("&") if part and unquote_plus(part.partition("=")[0]) != name]
    return f"{base}?{'&'.join([*kept, f'{quote(name)}={quote(value)}'])}"


def _named(paging: Paging, page: ListPage) -> str | int | None:
    """The address or cursor at the path in the answer; None if there is no next page."""
    found = at(page.value, paging.path)
    if found is MISSING or found is None or found is False or found == "":
        return None
    if isinstance(found, str | int):
        return found
    raise ReadError(
        f"At paging.path {paging.path!r} there is no {'address' if paging.by == 'next' else 'cursor'} but "
        f"{described(found)}.",
        code="api.path",
    )


def _parameter(paging: Paging, page: ListPage) -> NextPage | None:
    value: str | int | None
    if paging.by == "cursor":
        value = _named(paging, page)
    else:
        first = paging.start if paging.start is not None else int(paging.by == "page")
        value = int(page.request.context.get("value", first)) + (1 if paging.by == "page" else paging.size)
    if value is None:
        return None
    if paging.in_body:
        return NextPage(page.request.url, value)
    return NextPage(with_parameter(page.request.url, paging.param or paging.by, str(value)), value)


def _mark(url: str, value: object) -> str:
    return raw_hash(f"{url}\n{value}".encode())[:12]


def _limit(page: ListPage, target: NextPage, max_pages: int, empty: int) -> Notice:
    if empty > _EMPTY_PAGES:
        message = f"There is said to be more after page {page.number}, but the last {empty} were empty; check `paging`."
        return Notice(code="page_empty", message=message, url=target.url)
    message = f"There is more after page {page.number}; raise max_pages ({max_pages}) to read it."
    return Notice(code="page_limit", message=message, url=target.url)


def _unusable(page: ListPage, link: str) -> Notice:
    return Notice(
        code="page_link",
        message=f"The page after page {page.number} is said to be at {link[:120]!r}, which is no web address, so what "
        "comes after is not read. Check `paging`.",
        url=page.payload.final_url,
    )


def _loop(page: ListPage, target: NextPage) -> Notice:
    return Notice(
        code="page_loop",
        message=f"The pages go in circles after page {page.number}: the same page or the same link came again. What "
        "was read is kept; correct `paging`, or set paging.size so that the last page is known by its length.",
        url=target.url,
    )
