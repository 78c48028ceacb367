"""Documents that are no longer at their address: removed, moved, or known under a further address."""

from __future__ import annotations

import re
from dataclasses import dataclass

from veille.core.change.memory import Memory
from veille.core.change.telling import tell_removed
from veille.core.fingerprint import claim_of, url_identity
from veille.core.models import Change, Document, Item, Known, Lease, Move, Reading, Request
from veille.core.traffic import Failure, Payload
from veille.core.urls import host_of, path_and_query

_GONE = frozenset({404, 410})
_GONE_FOR_GOOD = 410
_PERMANENT = frozenset({301, 308})
#: Paths of login and consent pages, and query parameters with the address to return to afterwards.
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
    """What an answer says about documents that it does not contain."""

    items: tuple[Item, ...] = ()
    moves: tuple[Move, ...] = ()


def departures(reading: Reading, memory: Memory) -> Departures:
    """Documents that are missing from a complete listing, and the move that a permanent redirect means."""
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
    """The failure for an empty listing of a source with documents, at first sight: a disk may not be mounted."""
    listing, lease = reading.listing, reading.lease
    if listing is None or listing.keys or lease.request.failed_with == _EMPTY_LISTING:
        return None
    if not memory.unlisted(lease.source.id, ()):
        return None
    return Failure(
        code="empty_listing",
        message="The listing is empty. If it is still empty at the next check, all its documents count as removed.",
        retryable=True,
    )


def gone(lease: Lease, failure: Failure, memory: Memory) -> Item | None:
    """The removal of the document whose address answers 404 or 410, if this source may remove it; else None."""
    if failure.status not in _GONE:
        return None
    owned = memory.owned(lease.request)
    if owned is None or not _is_ours(owned, lease):
        return None
    if owned.housed and url_identity(owned.url) != url_identity(lease.request.url):
        # Another request finds it at its main address.
        return None
    return _removed(owned, code=failure.code, message=failure.message, status=failure.status)


def moved_for_good(lease: Lease, payload: Payload) -> str:
    """The target of permanent redirects of the source's own address; empty if there is none, or it is implausible.

    Implausible are login pages and the front page of a host: many sites redirect removed pages there.
    """
    target = payload.final_url
    if lease.request.url != lease.source.url or payload.leads_on or not payload.redirects:
        return ""
    if any(status not in _PERMANENT for status, _ in payload.redirects) or is_gate(target):
        return ""
    is_front = path_and_query(target)[0] in {"", "/"} and path_and_query(lease.source.url)[0] not in {"", "/"}
    return "" if is_front or target == lease.source.url else target


def is_confirmed(request: Request, failure: Failure) -> bool:
    """Whether the address failed in the same way twice in a row, or the server says that it is gone for good."""
    return failure.status == _GONE_FOR_GOOD or request.failed_with == failure.code


def is_former_name(document: Document, request: Request, known: Known) -> bool:
    """Whether the page is at a former or alias address of a document that is alive at its main address."""
    if known.state != "current" or not known.housed or document.keys != (url_identity(request.url),):
        return False
    return url_identity(known.url) not in (*document.keys, *document.claims)


def is_only_named(document: Document, request: Request, known: Known) -> bool:
    """Whether a page is an alias of a document: it names the main address, or the document was here before."""
    return url_identity(known.url) in document.claims or is_former_name(document, request, known)


def further_names(document: Document) -> tuple[str, ...]:
    """The keys of a document that may be this one at another address: either names the other."""
    return (*document.claims, *map(claim_of, (*document.keys, *document.claims)))


def proven_name(item: Item, document: Document, source_id: str, memory: Memory) -> Move | None:
    """A further address of a known document: it has the same text, and one page names the other as its main address."""
    if item.change not in {Change.NEW, Change.DUPLICATE} or item.document_id:
        return None
    found = memory.named(*further_names(document))
    if found is None or found.state != "current" or found.source_id != source_id:
        return None
    if found.content_hash != document.content_hash:
        return None
    return Move(document_id=found.document_id, url=document.url, home=not document.claims)


def _redirected(lease: Lease, payload: Payload, memory: Memory) -> Departures:
    """A permanently redirected page stays the same document if it stays on its host or has the same text there."""
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
    """Whether this source may move or remove the document: it owns it, or the owner is paused or failing."""
    # A duplicate is not delivered, so there is nothing to move or remove.
    return owned.state == "current" and (owned.source_id == lease.source.id or owned.silent)


def _is_proven(lease: Lease, payload: Payload, owned: Known, there: Known | None) -> bool:
    if any(status not in _PERMANENT for status, _ in payload.redirects):
        return False
    stays = host_of(payload.final_url) == host_of(lease.request.url) and not is_gate(payload.final_url)
    return stays or (there is not None and there.content_hash == owned.content_hash)


def is_gate(url: str) -> bool:
    """Whether an address looks like a login or consent page: a redirect to it does not mean that the page moved."""
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
        told=tell_removed(code, status, message, known.seen_at),
    )
