"""What became of a document that is not where it was: removed, moved, or known by one name more."""

from __future__ import annotations

import re
from dataclasses import dataclass

from veille.core.change.memory import Memory
from veille.core.findings import Move
from veille.core.fingerprint import claim_of, url_identity
from veille.core.models import Change, Document, Item, Known, Lease, Reading, Request
from veille.core.traffic import Failure, Payload
from veille.core.urls import host_of, path_and_query

_GONE = frozenset({404, 410})
_GONE_FOR_GOOD = 410
_PERMANENT = frozenset({301, 308})
#: Paths of pages that stand before other pages, and what tells them where to lead afterwards.
_GATE = re.compile(
    r"(?:^|[/._-])(?:log-?[io]n|sign-?(?:in|up)|sso|saml|oauth2?|auth|consent|captcha|paywall)(?:[/._-]|$)",
    re.IGNORECASE,
)
_WAY_BACK = re.compile(
    r"(?:^|&)(?:next|back|return|redirect|continue|dest|destination|goto|target|came_?from)"
    r"(?:_?(?:to|url|uri|path))?=(?:/|%2f|https?[:%])",
    re.IGNORECASE,
)
_EMPTY_LISTING = "empty_listing"


@dataclass(frozen=True, slots=True)
class Departures:
    """What an answer says about documents that it does not hold."""

    items: tuple[Item, ...] = ()
    moves: tuple[Move, ...] = ()


def departures(reading: Reading, memory: Memory) -> Departures:
    """What is gone from a complete listing, and where a permanent redirect leads."""
    payload = reading.payload
    if payload is not None and payload.leads_on:
        return _redirected(reading.lease, payload, memory)
    if reading.listing is None:
        return Departures()
    stamps = {request.stamp: request.url for request in reading.requests if request.stamp}
    items: list[Item] = []
    moves: list[Move] = []
    for known in memory.unlisted(reading.lease.source.id, reading.listing.keys, reading.listing.since):
        url = stamps.get(known.stamp)
        if url is not None and memory.named(url_identity(url)) is None:
            moves.append(Move(document_id=known.document_id, url=url))
        else:
            items.append(_removed(known, code="unlisted", message="It is no longer among what the source lists."))
    return Departures(tuple(items), tuple(moves))


def doubted(reading: Reading, memory: Memory) -> Failure | None:
    """An empty listing of a source that had something is not believed at once: a disk may not be mounted."""
    listing, lease = reading.listing, reading.lease
    if listing is None or listing.keys or lease.request.failed_with == _EMPTY_LISTING:
        return None
    if not memory.unlisted(lease.source.id, ()):
        return None
    return Failure(
        code="empty_listing",
        message="There is nothing left in it. Should it be so at the next look, all its documents count as removed.",
        retryable=True,
    )


def gone(lease: Lease, failure: Failure, memory: Memory) -> Item | None:
    """The document that was at an address that has nothing any more, if it is this source's to remove."""
    if failure.status not in _GONE:
        return None
    owned = memory.owned(lease.request)
    if owned is None or not _is_ours(owned, lease):
        return None
    if owned.housed and url_identity(owned.url) != url_identity(lease.request.url):
        # It came back elsewhere.
        return None
    return _removed(owned, code=failure.code, message=failure.message, status=failure.status)


def moved_for_good(lease: Lease, payload: Payload) -> str:
    """Where a source's own address leads by permanent redirects alone; empty when it stays, or that is no place for it.

    A login is none; nor is the front page of a host, where many send all that they no longer have.
    """
    target = payload.final_url
    if lease.request.url != lease.source.url or payload.leads_on or not payload.redirects:
        return ""
    if any(status not in _PERMANENT for status, _ in payload.redirects) or is_gate(target):
        return ""
    is_front = path_and_query(target)[0] in {"", "/"} and path_and_query(lease.source.url)[0] not in {"", "/"}
    return "" if is_front or target == lease.source.url else target


def is_confirmed(request: Request, failure: Failure) -> bool:
    """Whether the address was empty twice in a row, or is said to stay so."""
    return failure.status == _GONE_FOR_GOOD or request.failed_with == failure.code


def is_former_name(document: Document, request: Request, known: Known) -> bool:
    """Whether a page was read where a document only was before, or was named, while that is alive at home."""
    if known.state != "current" or not known.housed or document.keys != (url_identity(request.url),):
        return False
    return url_identity(known.url) not in (*document.keys, *document.claims)


def is_only_named(document: Document, request: Request, known: Known) -> bool:
    """Whether a page is another name of a document: it says so, or the document was there before."""
    return url_identity(known.url) in document.claims or is_former_name(document, request, known)


def proven_name(item: Item, document: Document, source_id: str, memory: Memory) -> Move | None:
    """A document we have under another address, if either page names the other as its home and both say the same."""
    if item.change not in {Change.NEW, Change.DUPLICATE} or item.document_id:
        return None
    found = memory.named(*document.claims, *map(claim_of, (*document.keys, *document.claims)))
    if found is None or found.state != "current" or found.source_id != source_id:
        return None
    if found.content_hash != document.content_hash:
        return None
    return Move(document_id=found.document_id, url=document.url, home=not document.claims)


def _redirected(lease: Lease, payload: Payload, memory: Memory) -> Departures:
    """A page that moved for good keeps its identity, if it stays within its host or says the same elsewhere."""
    owned = memory.owned(lease.request)
    if owned is None or not _is_ours(owned, lease):
        return Departures()
    there = memory.named(url_identity(payload.final_url))
    if not _is_proven(lease, payload, owned, there) or url_identity(owned.url) == url_identity(payload.final_url):
        return Departures()
    if there is None or there.state == "duplicate" or there.document_id == owned.document_id:
        return Departures(moves=(Move(document_id=owned.document_id, url=payload.final_url),))
    message = f"It moved to {payload.final_url}, which is known."
    return Departures(items=(_removed(owned, code="moved", message=message, status=payload.status),))


def _is_ours(owned: Known, lease: Lease) -> bool:
    """Whether its whereabouts are this source's to tell: another's word stands, unless that has fallen silent."""
    # A duplicate has nothing of its own that could be told.
    return owned.state == "current" and (owned.source_id == lease.source.id or owned.silent)


def _is_proven(lease: Lease, payload: Payload, owned: Known, there: Known | None) -> bool:
    if any(status not in _PERMANENT for status, _ in payload.redirects):
        return False
    stays = host_of(payload.final_url) == host_of(lease.request.url) and not is_gate(payload.final_url)
    return stays or (there is not None and there.content_hash == owned.content_hash)


def is_gate(url: str) -> bool:
    """Whether an address looks like a login or a question for consent: that stands before a page, not for it."""
    path, query = path_and_query(url)
    return bool(_GATE.search(path) or _WAY_BACK.search(query))


def _removed(known: Known, *, code: str, message: str, status: int = 0) -> Item:
    return Item(
        change=Change.REMOVED,
        url=known.url,
        title=known.title,
        document_id=known.document_id,
        rev_n=known.rev_n,
        code=code,
        message=message,
        status=status,
    )
