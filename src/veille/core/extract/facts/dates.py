"""Publication and modification dates of a page, and where they were found."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final

from veille.core.dates import parse_date

if TYPE_CHECKING:
    from collections.abc import Callable

    from veille.core.extract._types import Page

_PROPERTIES: Final = {"published": "datePublished", "modified": "dateModified"}
_METAS: Final = {
    "published": (
        "article:published_time", "og:published_time", "datepublished", "date", "dc.date", "dc.date.issued",
        "dcterms.created", "pubdate", "publishdate", "parsely-pub-date", "sailthru.date", "citation_publication_date",
    ),
    "modified": (
        "article:modified_time", "og:updated_time", "datemodified", "last-modified", "dcterms.modified", "revised",
    ),
}  # fmt: skip
_IN_URL: Final = re.compile(r"/((?:19|20)\d\d)[/-](\d\d?)(?:[/-](\d\d?))?(?=[/-])")


def first_date(page: Page, item: dict[str, Any], meta: Callable[..., str | None], kind: str) -> tuple[int | None, str]:
    """The date in milliseconds and where it was found: json-ld, microdata, meta, time or url."""
    stated, said_in = item.get(_PROPERTIES[kind]), item.get("@origin", "json-ld")
    for origin, value in ((said_in, stated), ("meta", meta(*_METAS[kind]))):
        at = parse_date(value) if isinstance(value, str) else None
        if at is not None:
            return at, origin
    if kind == "modified":
        return None, ""
    stated = next((attributes.get("datetime") for attributes, _ in page.marked["time"]), None)
    at = parse_date(stated) if stated else None
    if at is not None:
        return at, "time"
    match = _IN_URL.search(page.url)
    at = parse_date(f"{match[1]}-{int(match[2]):02}-{int(match[3] or 1):02}") if match else None
    return at, "url" if at is not None else ""
