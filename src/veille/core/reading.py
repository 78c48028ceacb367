"""From an answer to a reading: the pure step between the fetch and the decision."""

from __future__ import annotations

from veille.core.findings import Listing, Notice
from veille.core.formats import is_risky
from veille.core.kinds import kind_of
from veille.core.models import Document, Failure, Lease, Payload, Reading, Request, Source
from veille.errors import VeilleError


def needs_sandbox(source: Source, payload: Payload) -> bool:
    """Whether the bytes could crash or stall the one who reads them. Takes time that grows with their number only.

    Hostile HTML is told by the extraction, which then reads it as bare text. A user's XPath can take any time at all:
    `//*[count(//*[count(//*)>0])>0]` needs more than 15 seconds for 6,000 elements. So can a regular expression.
    """
    config = source.config
    patterns = (*config.get("include", ()), *config.get("exclude", ()))
    is_slow_query = config.get("mode") == "xpath" or any(str(pattern).startswith("re:") for pattern in patterns)
    return is_slow_query or is_risky(payload.body, payload.media_type, payload.final_url)


def is_unchanged(lease: Lease, answer: Payload) -> bool:
    """Whether the answer is the last one again, so that there is nothing to read."""
    return answer.not_modified or answer.raw_hash == lease.request.validators.raw_hash


def read(lease: Lease, answer: Payload | Failure) -> Reading:
    """What the source's kind makes of an answer. An answer that cannot be read is a failure like any other."""
    if isinstance(answer, Failure):
        return Reading(lease=lease, failure=answer)
    try:
        kind = kind_of(lease.source.kind, lease.source.config)
        if is_unchanged(lease, answer):
            return Reading(lease=lease, payload=answer, budget=kind.budget)
        found = list(kind.read(lease.source, lease.request, answer))
    except VeilleError as error:
        failure = Failure(
            code=error.code,
            message=str(error),
            retryable=False,
            status=answer.status,
            duration_ms=answer.duration_ms,
        )
        return Reading(lease=lease, failure=failure)
    return Reading(
        lease=lease,
        payload=answer,
        documents=tuple(item for item in found if isinstance(item, Document)),
        requests=tuple(item for item in found if isinstance(item, Request)),
        listing=next((item for item in found if isinstance(item, Listing)), None),
        notices=tuple(item for item in found if isinstance(item, Notice)),
        budget=kind.budget,
    )
