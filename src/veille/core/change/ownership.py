"""The source that owns a document, and decides its content: whether it still fetches it, or others do."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from veille.core.fingerprint import url_identity
from veille.core.models import Change, Plan, State
from veille.core.schedule import MAX_ATTEMPTS

_GONE = frozenset({"http.404", "http.410"})


class Owner(NamedTuple):
    """The source that owns a document."""

    source_id: str
    enabled: bool
    state: str
    failures: int


class Fetch(NamedTuple):
    """A request whose answer is the document."""

    request_id: str
    source_id: str
    every: int
    parked: bool
    attempts: int
    failed_with: str


def is_watched(owner: Owner, fetches: Iterable[Fetch]) -> bool:
    """Whether the source checks the document's own address regularly."""
    return any(one.every > 0 for one in fetches if one.source_id == owner.source_id)


def is_silent(owner: Owner, fetches: Iterable[Fetch]) -> bool:
    """Whether the source is paused or has failed for long, so that another source may take over."""
    if not owner.enabled or owner.state == State.BROKEN or owner.failures >= MAX_ATTEMPTS:
        return True
    return any(one.attempts >= MAX_ATTEMPTS for one in fetches if one.source_id == owner.source_id)


def is_housed(request_id: str, fetches: Iterable[Fetch]) -> bool:
    """Whether a request other than this one finds the document at its own address."""
    return any(
        one.every > 0 and not one.parked and one.failed_with not in _GONE
        for one in fetches
        if one.request_id != request_id
    )


def own_document(plan: Plan) -> str | None:
    """The document at the request's own address: if the address is gone, so is the document."""
    identity = ""
    for item in plan.items:
        if item.document is None or not item.document_id:
            continue
        identity = identity or url_identity(plan.lease.request.url)
        # A page that only names another address as its home is an alias of the document there.
        is_alias = item.change is Change.SAME and item.document.claims
        if identity in item.document.keys and not is_alias:
            return item.document_id
    return None
