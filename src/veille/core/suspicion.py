"""Answers that came in good order and yet are not the page: a login, a question for consent, an error page, a shell.

They never take the place of what a document said before. The source counts as suspect until it answers as before, or
its owner says with `guard=false` that this is the page now.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from veille.core.models import Document, Failure, Payload, Reading
from veille.core.whereabouts import Memory, is_gate

if TYPE_CHECKING:
    from collections.abc import Iterator

#: Failures of answers that are suspect, not wrong.
SUSPECT = frozenset({"login_wall", "consent_wall", "soft_404", "empty_shell"})

#: Longer texts are pages, whatever else is on them.
_SHORT = 1500
#: A wall says less than this share of what stood there before.
_SHRUNK = 0.5
#: Where an error page says what it is.
_BEGINNING = 160
_PASSWORD = re.compile(rb"""<input\b[^>]*\btype\s*=\s*["']?password""", re.IGNORECASE)
_CONSENT = re.compile(
    r"\bcookies?\b|\bconsent\b|\bprivacy\b|\baccept all\b|\bagree\b|\bpartners\b|\bmanage (?:choices|options)\b"
    r"|\beinwilligung\b|\balle akzeptieren\b|\bzustimmen\b|\btout accepter\b|\bconsentement\b|\baceptar todo\b",
    re.IGNORECASE,
)
#: So many different words of that kind make a question for consent.
_CONSENT_WORDS = 3
_NOT_FOUND = re.compile(
    r"\b(?:page|article|document|file|content|site) (?:was |is |could |can)?\s?(?:not|no longer) (?:be )?"
    r"(?:found|available|exists?)\b|\bnot found\b|\b(?:error|http)\W{0,3}404\b|\b404\b|\bdoes(?: not|n.t) exist\b"
    r"|\bno longer (?:available|exists)\b|\bseite (?:wurde )?nicht gefunden\b|\bintrouvable\b"
    r"|\bp[aá]gina no (?:encontrada|existe)\b|\bpagina non trovata\b",
    re.IGNORECASE,
)


def suspicion(reading: Reading, memory: Memory) -> Failure | None:
    """Why the answer is not believed to be the page that was there; None when nothing speaks against it."""
    payload = reading.payload
    if payload is None or len(reading.documents) != 1 or not reading.lease.source.config.get("guard", True):
        return None
    document = reading.documents[0]
    if not document.shown or len(document.text) > _SHORT:
        return None
    for code, reason in _looks(document, reading, payload):
        known = memory.known(document, reading.lease.request)
        kept = memory.kept(known.document_id) if known is not None and known.state == "current" else None
        if known is None or kept is None or known.content_hash == document.content_hash:
            return None
        if code == "soft_404" and _says_not_found(kept.title, kept.text):
            continue
        if code == "soft_404" or len(document.text) < len(kept.text) * _SHRUNK:
            return _failure(code, reason, payload)
    return None


def _looks(document: Document, reading: Reading, payload: Payload) -> Iterator[tuple[str, str]]:
    if not document.text:
        if b"<script" in payload.body.lower():
            yield "empty_shell", "It has scripts and no text of its own any more."
        return
    if is_gate(payload.final_url) and payload.redirects and not is_gate(reading.lease.request.url):
        yield "login_wall", f"It leads to {payload.final_url}."
    if _PASSWORD.search(payload.body):
        yield "login_wall", "It asks for a password."
    if len({found.lower() for found in _CONSENT.findall(document.text)}) >= _CONSENT_WORDS:
        yield "consent_wall", "It asks for consent."
    if _says_not_found(document.title, document.text):
        yield "soft_404", "It says that there is nothing, with the status of a page."


def _says_not_found(title: str, text: str) -> bool:
    return bool(_NOT_FOUND.search(title) or _NOT_FOUND.search(text[:_BEGINNING]))


def _failure(code: str, reason: str, payload: Payload) -> Failure:
    message = f"{reason} What was there before stays; if this is the page now, set guard=false."
    return Failure(code=code, message=message, retryable=False, status=payload.status, duration_ms=payload.duration_ms)
