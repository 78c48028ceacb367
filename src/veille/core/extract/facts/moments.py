"""When a page was published and changed, as it says in its data, its metas, its text or its address."""

from __future__ import annotations

import re
from typing import Final

from veille.core.dates import iso, parse_date, written_date
from veille.core.extract._page import Page
from veille.core.extract.facts.head import Head
from veille.core.extract.facts.nearby import Below

_PROPERTIES: Final = {"published": "datePublished", "modified": "dateModified"}
_METAS: Final = {
    "published": (
        "article:published_time", "og:published_time", "og:article:published_time", "article:published",
        "datepublished", "date", "dc.date", "dc.date.issued", "dc.date.created", "dcterms.created", "dcterms.issued",
        "dcterms.date", "pubdate", "publishdate", "publish-date", "publish_date", "published_at", "published_time",
        "publication_date", "parsely-pub-date", "sailthru.date", "citation_publication_date", "cxenseparse:publishtime",
        "cxenseparse:recs:publishtime",
    ),
    "modified": (
        "article:modified_time", "og:updated_time", "og:article:modified_time", "article:modified", "datemodified",
        "last-modified", "dcterms.modified", "dc.date.modified", "modified_time", "updated_at", "revised",
    ),
}  # fmt: skip
_IN_URL: Final = re.compile(r"/((?:19|20)\d\d)[/-](\d\d?)(?:[/-](\d\d?))?(?=[/-])")
_DIGITS: Final = re.compile(r"\d")
#: A date after one of these is not that of publication.
_UPDATED: Final = re.compile(
    r"updated|modified|revised|reviewed|aktualisiert|mis à jour|actualizad|aggiornat|atualizad|bijgewerkt|uppdaterad|"
    r"opdateret|oppdatert|güncelle|copyright|©",
    re.IGNORECASE,
)


def date_of(page: Page, head: Head, kind: str, below: Below) -> tuple[int | None, str]:
    """The date in milliseconds and where it was found: json-ld, microdata, meta, time, text or url."""
    items = head.items
    if len(items) > 1:
        # A date with a time of day says more than the same one without.
        items = sorted(items, key=lambda item: not _has_time(item.get(_PROPERTIES[kind])))
    for item in items:
        value = item.get(_PROPERTIES[kind])
        at = parse_date(value) if isinstance(value, str) else None
        if at is not None:
            return at, item.get("@origin", "json-ld")
    for value in head.every(*_METAS[kind]):
        at = parse_date(value)
        if at is not None:
            return at, "meta"
    return (None, "") if kind == "modified" else _shown(page, below)


def _has_time(value: object) -> bool:
    return isinstance(value, str) and ":" in value


def _shown(page: Page, below: Below) -> tuple[int | None, str]:
    stated = next((attributes.get("datetime") for attributes, _ in page.marked["time"]), None)
    at = parse_date(stated) if stated else None
    if at is not None:
        return at, "time"
    match = _IN_URL.search(page.url)
    in_url = parse_date(f"{match[1]}-{int(match[2]):02}-{int(match[3] or 1):02}") if match else None
    if match and match[3] and in_url is not None:
        return in_url, "url"
    at = _near_headline(below, f"{match[1]}-{int(match[2]):02}" if in_url is not None and match else "")
    if at is not None:
        return at, "text"
    return in_url, "url" if in_url is not None else ""


def _near_headline(below: Below, start: str) -> int | None:
    """The first date in the short lines below the headline; of those, one in the year and month of the address."""
    found = (written_date(_UPDATED.split(line, 1)[0]) for line in below.lines if _DIGITS.search(line))
    return next((at for at in found if at is not None and iso(at).startswith(start)), None)
