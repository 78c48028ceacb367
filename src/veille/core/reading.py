"""From an answer to a reading: the pure step between the fetch and the decision."""

from __future__ import annotations

from collections.abc import Iterator

from veille.core.findings import Listing, Notice
from veille.core.formats import is_risky
from veille.core.kinds import kind_of_source
from veille.core.markup_bounds import SIMPLIFIED
from veille.core.models import Document, Lease, Reading, Request, Source
from veille.core.paging import is_further_page, is_walk
from veille.core.rhythm import Rhythm
from veille.core.schedule import MAX_ATTEMPTS
from veille.core.traffic import Failure, Payload
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
    # Of two looks the second is read in any case: that it is as before tells something about the first.
    is_needed = is_walk(lease.request) or bool(lease.request.glimpse)
    return answer.not_modified or (answer.raw_hash == lease.request.validators.raw_hash and not is_needed)


def read(lease: Lease, answer: Payload | Failure) -> Reading:
    """What the source's kind makes of an answer. An answer that cannot be read is a failure like any other."""
    if isinstance(answer, Failure):
        return Reading(lease=lease, failure=answer, documents=_instead(lease, answer))
    try:
        kind = kind_of_source(lease.source)
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
    documents = tuple(item for item in found if isinstance(item, Document))
    requests = tuple(item for item in found if isinstance(item, Request))
    return Reading(
        lease=lease,
        payload=answer,
        documents=documents,
        requests=requests,
        listing=next((item for item in found if isinstance(item, Listing)), None),
        notices=(*(item for item in found if isinstance(item, Notice)), *_simplified(documents)),
        budget=kind.budget,
        found=_count(lease, documents, requests),
        rhythm=next((item for item in found if isinstance(item, Rhythm)), None),
    )


def _simplified(documents: tuple[Document, ...]) -> Iterator[Notice]:
    for document in documents:
        if document.meta.get(SIMPLIFIED):
            message = "Its markup is nested too deeply, or is too large: the text was kept without it."
            yield Notice(code="simplified", url=document.url, message=message)


def _count(lease: Lease, documents: tuple[Document, ...], requests: tuple[Request, ...]) -> int | None:
    """How much a listing, or one page of it, named; what it named is not counted again when it is read."""
    if lease.request.purpose != "root" and not is_further_page(lease.request):
        return None
    return len(documents) + sum(not is_further_page(request) for request in requests)


def _instead(lease: Lease, failure: Failure) -> tuple[Document, ...]:
    """What there is without the answer, once it is no longer tried."""
    if failure.retryable and lease.request.attempts + 1 < MAX_ATTEMPTS:
        return ()
    try:
        return tuple(kind_of_source(lease.source).instead(lease.source, lease.request))
    except VeilleError:
        # The failure says it all: what is wrong with the source is why there is no answer.
        return ()
