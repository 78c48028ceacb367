"""Type of an item of a crawl (page or document type), and its state in the crawler's terms."""

from __future__ import annotations

from dataclasses import replace
from typing import Final, TypeVar

from veille.core.crawl.bounds import address_of
from veille.core.crawler.config import FILE_TYPES, HTML
from veille.core.crawler.runs import CrawlLine
from veille.core.kinds.site import ROBOTS, SITEMAP
from veille.core.models import Change, Item
from veille.core.outcomes import OUTCOMES, failure, status_code

#: Types in the order of reports; all other types come last.
TYPES: Final = (*FILE_TYPES, "other")

#: The crawler's names for the result of an item. A duplicate is stored only once, so it counts as unchanged.
STATES: Final = {
    Change.NEW: "new",
    Change.CHANGED: "updated",
    Change.SAME: "unchanged",
    Change.DUPLICATE: "unchanged",
    Change.REMOVED: "removed",
    Change.SKIPPED: "warning",
    Change.ERROR: "failed",
}

#: Left out, which is a warning and not a failure.
_WARNINGS: Final = frozenset({"empty", "needs_ocr", "robots", "host_paused"})
_FAILURES: Final = OUTCOMES.keys() | {"corrupt", "unsupported", "hostile", "needs_password"} | _WARNINGS
_CLIENT_ERROR: Final = 400

Seen = TypeVar("Seen", Item, CrawlLine)


def type_of(url: str, strategy: str = "") -> str:
    """The type of an item: as it was read, else by the suffix of its address."""
    name = strategy.removeprefix("format:") if strategy.startswith("format:") else ""
    if not name and not strategy:
        address = address_of(url)
        name = address.suffix if address is not None and address.suffix in FILE_TYPES else ""
    if not name:
        return HTML
    return name if name in FILE_TYPES else "other"


def is_item(line: CrawlLine) -> bool:
    """Whether a line is about something that is or should be stored; robots.txt and sitemaps are not."""
    if line.change is not Change.SAME:
        return True
    # A redirect is not an item, but its target is; a page that is not stored is none, either.
    return line.purpose not in {ROBOTS, SITEMAP} and bool(line.document_id) and not is_redirect(line.status)


def is_redirect(status: int) -> bool:
    """Whether the status is a redirect."""
    return 300 <= status < 400 and status != 304  # noqa: PLR2004 - a class of statuses


def judged(item: Seen, purpose: str) -> Seen:
    """The item as the crawler reports it: an address that fails is a failure in every run, not only in the first.

    The engine reports a dead link as an error once, and as unchanged afterwards.
    """
    code = item.code
    if not code and item.status >= _CLIENT_ERROR and item.change is Change.SAME and purpose not in {ROBOTS, SITEMAP}:
        failed = failure(status_code(item.status), status=item.status)
        return replace(item, change=Change.ERROR, code=failed.code, message=failed.message)
    if item.change not in {Change.ERROR, Change.SKIPPED} or not (code in _FAILURES or code.startswith("http.")):
        return item
    return replace(item, change=Change.SKIPPED if code in _WARNINGS else Change.ERROR)
