"""From an answer to a reading: the pure step between the fetch and the decision."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

from veille.core.browsing.pictures import Picture, picture_of
from veille.core.feed_hints import Rhythm
from veille.core.http.caching import is_redated
from veille.core.json.paging import is_further_page, is_walk
from veille.core.kinds import Finding, kind_of_source
from veille.core.markup_bounds import SIMPLIFIED
from veille.core.models import Budget, Document, Lease, Listing, Notice, Reading, Request, Source
from veille.core.schedule import MAX_ATTEMPTS
from veille.core.text import without_controls
from veille.core.traffic import Failure, Payload
from veille.core.values.near import value_near
from veille.core.values.wishes import ValueWish
from veille.errors import ReadError, VeilleError

#: The texts of a document.
_TEXTS = ("title", "text", "html", "summary", "lang")


@dataclass(frozen=True, slots=True, kw_only=True)
class Findings:
    """Everything a kind read from one payload; each field as in `Reading`."""

    documents: tuple[Document, ...] = ()
    requests: tuple[Request, ...] = ()
    listing: Listing | None = None
    notices: tuple[Notice, ...] = ()
    budget: Budget | None = None
    found: int | None = None
    rhythm: Rhythm | None = None


def is_unchanged(lease: Lease, answer: Payload) -> bool:
    """Whether the answer is the same as the last one, so that there is nothing to read."""
    # A second fetch is always read: if it is the same as the stored text, the first one differed by noise.
    # So is one with a picture: a page may look different with the same bytes.
    is_needed = is_walk(lease.request) or bool(lease.request.glimpse) or answer.shot is not None
    known = lease.request.validators
    if answer.not_modified or answer.raw_hash != known.raw_hash or is_needed:
        return answer.not_modified
    # A later date of the same bytes is metadata that may have to be stored.
    return not is_redated(known, answer)


def unread(lease: Lease, answer: Payload | Failure) -> Reading | None:
    """The reading of an answer that need not be parsed: a failure, or the same as the last one. None for others."""
    if isinstance(answer, Failure):
        return Reading(lease=lease, failure=answer, documents=_instead(lease, answer))
    if not is_unchanged(lease, answer):
        return None
    try:
        return Reading(lease=lease, payload=answer, budget=kind_of_source(lease.source).budget)
    except VeilleError as error:
        return reading_of(lease, answer, failure_of(error))


def findings(source: Source, request: Request, payload: Payload) -> Findings:
    """Read an answer with the source's kind; raises VeilleError. It may take long: only workshop tasks call it."""
    kind = kind_of_source(source)
    found = [*_pictured(list(kind.read(source, request, payload)), payload)]
    wishes = kind.config.values
    documents = tuple(_plain(with_near_values(item, wishes)) for item in found if isinstance(item, Document))
    requests = tuple(item for item in found if isinstance(item, Request))
    return Findings(
        documents=documents,
        requests=requests,
        listing=next((item for item in found if isinstance(item, Listing)), None),
        notices=(
            *(item for item in found if isinstance(item, Notice)),
            *_simplified(documents),
            *_missing(wishes, documents),
        ),
        budget=kind.budget,
        found=_count(request, documents, requests),
        rhythm=next((item for item in found if isinstance(item, Rhythm)), None),
    )


def _pictured(found: list[Finding], payload: Payload) -> Iterator[Finding]:
    """What was read, with the picture of the page at its document."""
    shot = payload.shot
    picture: Picture | Notice | None = None
    if shot is not None:
        try:
            picture = picture_of(shot.png, shot.kept, shot.first) if shot.png else _no_picture(payload.final_url)
        except ReadError as error:
            picture = Notice(code=error.code, url=payload.final_url, message=str(error))
    for one in found:
        yield replace(one, picture=picture) if isinstance(one, Document) and isinstance(picture, Picture) else one
    if isinstance(picture, Notice):
        yield picture


def _no_picture(url: str) -> Notice:
    message = "The part to picture is not on the page: correct picture_selector."
    return Notice(code="picture_missing", url=url, message=message)


def with_near_values(document: Document, wishes: Mapping[str, ValueWish]) -> Document:
    """The document, with the values that stand between words of its text."""
    near = {name: wish for name, wish in wishes.items() if wish.near}
    if not near:
        return document
    found = (value_near(name, document.text, one.near, one.type, lang=document.lang) for name, one in near.items())
    kept = (value for value in document.values if value.name not in near)
    return replace(document, values=(*kept, *filter(None, found)))


def failure_of(error: VeilleError) -> Failure:
    """The failure for an answer that cannot be read."""
    return Failure(code=error.code, message=str(error), retryable=False)


def reading_of(lease: Lease, payload: Payload, found: Findings | Failure) -> Reading:
    """The reading of an answer, from its findings or the failure to read it."""
    if isinstance(found, Failure):
        failure = replace(found, status=payload.status, duration_ms=payload.duration_ms)
        return Reading(lease=lease, failure=failure)
    return Reading(
        lease=lease,
        payload=replace(payload, shot=None) if payload.shot is not None else payload,
        documents=found.documents,
        requests=found.requests,
        listing=found.listing,
        notices=found.notices,
        budget=found.budget,
        found=found.found,
        rhythm=found.rhythm,
    )


def _plain(document: Document) -> Document:
    """The document without control characters, so that no escape sequences reach a page, file or terminal."""
    plain: dict[str, Any] = {name: without_controls(getattr(document, name)) for name in _TEXTS}
    plain["authors"] = tuple(map(without_controls, document.authors))
    plain["values"] = tuple(replace(one, text=without_controls(one.text)) for one in document.values)
    return replace(document, **plain) if any(plain[name] != getattr(document, name) for name in plain) else document


def _simplified(documents: tuple[Document, ...]) -> Iterator[Notice]:
    for document in documents:
        if document.meta.get(SIMPLIFIED):
            message = "Its markup is nested too deeply, or is too large: the text was kept without it."
            yield Notice(code="simplified", url=document.url, message=message)


def _missing(wishes: Mapping[str, ValueWish], documents: tuple[Document, ...]) -> Iterator[Notice]:
    """The values that no document of an answer has; the documents are kept without them."""
    found = {value.name for document in documents for value in document.values}
    for name, wish in wishes.items() if documents else ():
        if name not in found:
            wanted = f" that can be read as {wish.type}" if wish.type else ""
            message = f"The value {name!r} was not found: there is nothing at its {wish.shown}{wanted}."
            yield Notice(code="value_missing", url=documents[0].url, message=message, about=name)


def _count(request: Request, documents: tuple[Document, ...], requests: tuple[Request, ...]) -> int | None:
    """The number of items in a listing, or in one page of it; None for the items themselves."""
    if request.purpose != "root" and not is_further_page(request):
        return None
    return len(documents) + sum(not is_further_page(one) for one in requests)


def _instead(lease: Lease, failure: Failure) -> tuple[Document, ...]:
    """The kind's fallback documents, such as the snippet of a search result, once the request is not retried."""
    if failure.retryable and lease.request.attempts + 1 < MAX_ATTEMPTS:
        return ()
    try:
        return tuple(map(_plain, kind_of_source(lease.source).instead(lease.source, lease.request)))
    except VeilleError:
        # The source is misconfigured; the failure of the request already says so.
        return ()
