"""What an item of a crawl is: a page, or a document of which type; and which of the crawler's states it is in."""

from __future__ import annotations

from dataclasses import replace
from typing import Final, TypeVar

from veille.core.crawl.bounds import address_of
from veille.core.crawler.config import FILE_TYPES, HTML
from veille.core.crawler.runs import CrawlLine
from veille.core.kinds.site import ROBOTS, SITEMAP
from veille.core.models import Change, Item
from veille.core.outcomes import OUTCOMES, failure, status_code

#: Types in the order reports show them; whatever else is read comes last.
TYPES: Final = (*FILE_TYPES, "other")

#: The crawler's words for what became of an item. A duplicate is kept once, so nothing of it is new.
STATES: Final = {
    Change.NEW: "new",
    Change.CHANGED: "updated",
    Change.SAME: "unchanged",
    Change.DUPLICATE: "unchanged",
    Change.REMOVED: "removed",
    Change.SKIPPED: "warning",
    Change.ERROR: "failed",
}

#: Left out, which is nobody's failure.
_WARNINGS: Final = frozenset({"empty", "needs_ocr", "robots", "host_paused"})
_FAILURES: Final = OUTCOMES.keys() | {"corrupt", "unsupported", "hostile", "needs_password"} | _WARNINGS
_CLIENT_ERROR: Final = 400

Seen = TypeVar("Seen", Item, CrawlLine)


def type_of(url: str, strategy: str = "") -> str:
    """The type of an item: as it was read, or else as its address looks."""
    name = strategy.removeprefix("format:") if strategy.startswith("format:") else ""
    if not name and not strategy:
        address = address_of(url)
        name = address.suffix if address is not None and address.suffix in FILE_TYPES else ""
    if not name:
        return HTML
    return name if name in FILE_TYPES else "other"


def is_item(line: CrawlLine) -> bool:
    """Whether a line is about something that is kept, or should have been; robots.txt and sitemaps only help."""
    if line.change is not Change.SAME:
        return True
    # A redirect is not an item, where it leads to is; nor is a page that is not kept.
    return line.purpose not in {ROBOTS, SITEMAP} and bool(line.document_id) and not is_redirect(line.status)


def is_redirect(status: int) -> bool:
    """Whether the answer was that something is elsewhere."""
    return 300 <= status < 400 and status != 304  # noqa: PLR2004 - a class of statuses


def judged(item: Seen, purpose: str) -> Seen:
    """An item as those who run a crawler judge it: what cannot be had is a failure in every run, not in the first only.

    The engine calls a dead link behind a page an error once, and says afterwards that all is as before.
    """
    code = item.code
    if not code and item.status >= _CLIENT_ERROR and item.change is Change.SAME and purpose not in {ROBOTS, SITEMAP}:
        failed = failure(status_code(item.status), status=item.status)
        return replace(item, change=Change.ERROR, code=failed.code, message=failed.message)
    if item.change not in {Change.ERROR, Change.SKIPPED} or not (code in _FAILURES or code.startswith("http.")):
        return item
    return replace(item, change=Change.SKIPPED if code in _WARNINGS else Change.ERROR)
