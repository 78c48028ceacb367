"""Successful answers that are not the page: a login, a consent dialog, an error page, a page of scripts without text.

They never replace the stored text of a document. The source is suspect until the page is back, or until its owner
accepts the answer with `guard=false`.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from veille.core.change.memory import Memory
from veille.core.change.moves_and_removals import is_gate
from veille.core.models import Document, Reading
from veille.core.traffic import Failure, Payload

if TYPE_CHECKING:
    from collections.abc import Iterator

#: Failure codes that make a source suspect instead of failed.
SUSPECT = frozenset({"login_wall", "consent_wall", "soft_404", "empty_shell", "text_lost", "part_lost"})

#: Longer texts are never suspect, whatever else is on the page.
_SHORT = 1500
#: A login or consent wall has less than this share of the length of the stored text.
_SHRUNK = 0.5
#: An error page says so within this many characters.
_BEGINNING = 160
_PASSWORD = re.compile(rb"""<input\b[^>]*\btype\s*=\s*["']?password""", re.IGNORECASE)
_CONSENT = re.compile(
    r"\bcookies?\b|\bconsent\b|\bprivacy\b|\baccept all\b|\bagree\b|\bpartners\b|\bmanage (?:choices|options)\b"
    r"|\beinwilligung\b|\balle akzeptieren\b|\bzustimmen\b|\btout accepter\b|\bconsentement\b|\baceptar todo\b",
    re.IGNORECASE,
)
#: A text with at least this many different words of `_CONSENT` is a consent dialog.
_CONSENT_WORDS = 3
#: The text must say that the page is missing: "No longer available" may be about a product, and 404 may be a price.
_NOUN = r"\b(?:page|article|document|file|content|seite|artikel|pagina|p[aá]gina|contenu|url)\b"
_GONE = (
    r"\b(?:not found|(?:can|could)(?:not|n.t| not) be found|does(?: not|n.t) exist|no longer (?:exists?|available)"
    r"|nicht gefunden|existiert nicht|introuvable|n.existe (?:pas|plus)|no (?:encontrada|existe)"
    r"|non (?:trovata|esiste))\b"
)
_NOT_FOUND = re.compile(
    rf"{_NOUN}[^.!?]{{0,60}}{_GONE}|\b404\W{{0,3}}(?:error|not found)|\berror\W{{0,3}}404\b", re.IGNORECASE
)
_TITLED = re.compile(rf"^\W*404\b|\b404\W*$|^\W*{_GONE}|{_NOT_FOUND.pattern}", re.IGNORECASE)


class _Doubt(NamedTuple):
    code: str
    reason: str


def suspicion(reading: Reading, memory: Memory) -> Failure | None:
    """The failure for an answer that is probably not the page; None if nothing is suspect."""
    payload = reading.payload
    if payload is None or len(reading.documents) != 1 or not reading.lease.source.config.get("guard", True):
        return None
    document = reading.documents[0]
    if not document.shown or len(document.text) > _SHORT:
        return None
    for doubt in _doubts(document, reading, payload):
        known = memory.known(document, reading.lease.request)
        if known is None or known.state != "current" or known.content_hash == document.content_hash:
            return None
        kept = memory.kept(known.document_id, reading.lease.source.id)
        if kept is None:
            return None
        is_error_page = doubt.code == "soft_404"
        if is_error_page and _says_not_found(kept.title, kept.text):
            continue
        if is_error_page or len(document.text) < len(kept.text) * _SHRUNK:
            return _failure(doubt, payload)
    return None


def _doubts(document: Document, reading: Reading, payload: Payload) -> Iterator[_Doubt]:
    if not document.text:
        if b"<script" in payload.body.lower():
            yield _Doubt(code="empty_shell", reason="It has scripts and no text of its own any more.")
        return
    if is_gate(payload.final_url) and payload.redirects and not is_gate(reading.lease.request.url):
        yield _Doubt(code="login_wall", reason=f"It leads to {payload.final_url}.")
    if _PASSWORD.search(payload.body):
        yield _Doubt(code="login_wall", reason="It asks for a password.")
    if len({found.lower() for found in _CONSENT.findall(document.text)}) >= _CONSENT_WORDS:
        yield _Doubt(code="consent_wall", reason="It asks for consent.")
    if _says_not_found(document.title, document.text):
        yield _Doubt(code="soft_404", reason="It says that there is no page, with the status of one.")


def _says_not_found(title: str, text: str) -> bool:
    return bool(_TITLED.search(title) or _NOT_FOUND.search(text[:_BEGINNING]))


def _failure(doubt: _Doubt, payload: Payload) -> Failure:
    message = f"{doubt.reason} What was there before stays; if this is the page now, set guard=false."
    return Failure(
        code=doubt.code, message=message, retryable=False, status=payload.status, duration_ms=payload.duration_ms
    )
