"""An item of a crawl in the crawler's terms: its type, its state and the standard message about it."""

from __future__ import annotations

from dataclasses import replace
from typing import Final, Literal, TypeVar

from veille.core.crawl.bounds import address_of
from veille.core.crawler.config import FILE_TYPES, HTML
from veille.core.crawler.runs import CrawlLine
from veille.core.kinds.site import ROBOTS, SITEMAP
from veille.core.models import Change, Item
from veille.core.outcomes import OUTCOMES, failure, status_code
from veille.core.traffic import is_redirect

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
Language = Literal["en", "es"]
#: The standard messages; their codes are the same in every language.
MESSAGES: dict[str, dict[Language, str]] = {
    "unreachable": {"en": "The resource could not be reached: {url}.", "es": "No se pudo acceder al recurso {url}."},
    "restricted": {"en": "Access to the resource is restricted: {url}.", "es": "Acceso restringido al recurso {url}."},
    "corrupt": {
        "en": "Corrupt document or unsupported format: {url}.",
        "es": "Documento corrupto o formato no soportado: {url}.",
    },
    "timeout": {"en": "Timed out fetching {url}.", "es": "Tiempo de espera excedido al obtener {url}."},
    "too_large": {
        "en": "The resource is larger than allowed and was given up: {url}.",
        "es": "El recurso supera el límite de tamaño y se abandonó: {url}.",
    },
    "redirect_loop": {
        "en": "The redirects do not end; the branch was given up: {url}.",
        "es": "Las redirecciones no terminan; se abandonó la rama: {url}.",
    },
    "left_out": {"en": "Left out: {url}.", "es": "Omitido: {url}."},
}
#: The message for a cause; for all others it is `unreachable`, or `left_out` if nothing failed.
_MESSAGE_OF: Final = {
    "too_large": "too_large",
    "redirect_loop": "redirect_loop",
    **dict.fromkeys("timeout too_slow http.408 http.504".split(), "timeout"),
    **dict.fromkeys("corrupt unsupported hostile bad_encoding bomb empty needs_ocr".split(), "corrupt"),
    **dict.fromkeys(
        "http.401 http.403 http.407 robots refused_address needs_password secret secret_host".split(), "restricted"
    ),
}


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


def standard_message(cause: str, language: Language, url: str, *, failed: bool) -> tuple[str, str]:
    """The code and the text of the standard message for a failure or omission; `cause` is the code of the engine."""
    code = _MESSAGE_OF.get(cause, "unreachable" if failed else "left_out")
    return code, MESSAGES[code][language].format(url=url)
