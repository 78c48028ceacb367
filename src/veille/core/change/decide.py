"""Decide on a reading, given what is stored: the one place that decides changes, duplicates and retries.

Removed and moved documents are handled in `core.change.moves_and_removals`.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace

from veille.core.change.failure_lines import SETTLED, error_line, failure_line, nothing_there
from veille.core.change.memory import Memory
from veille.core.change.metadata_changes import describes, value_texts, values_in
from veille.core.change.moves_and_removals import (
    departures,
    doubted,
    gone,
    is_confirmed,
    is_former_name,
    is_only_named,
    moved_for_good,
    proven_name,
)
from veille.core.change.next_check import MOST_DOUBLINGS, learned_pace, next_check
from veille.core.change.second_look import SecondLook, first_picture, reconsider, second_picture
from veille.core.change.suspicion import SUSPECT, suspicion
from veille.core.change.visible_changes import if_visible, restated
from veille.core.compare.boilerplate import NO_BOILERPLATE
from veille.core.crawl.index_files import is_index_of
from veille.core.fingerprint import url_identity, uuid7
from veille.core.http.caching import learned
from veille.core.models import (
    TOLD,
    Change,
    Document,
    Item,
    KeepRaw,
    Known,
    Lease,
    Move,
    Plan,
    Quirk,
    Reading,
    State,
)
from veille.core.schedule import CONFIRM_AFTER, MAX_ATTEMPTS, retry_at
from veille.core.traffic import Failure, Validators

#: The failure of a request that was not sent because requests to its host are paused.
NOT_ASKED = "host_paused"
#: Shorter texts ("Loading…", "Access denied") are often equal by accident, so they never make a duplicate.
MIN_DUPLICATE_CHARS = 140
#: A stored text is an excerpt of a page if the page is at least this many times as long.
EXCERPT = 2


def decide(reading: Reading, memory: Memory, now: int) -> Plan:
    """The plan for one reading. Nothing is written here, and the same reading and memory always give the same plan."""
    if reading.failure is not None:
        plan = _failed(reading, reading.failure, memory, now)
        return replace(plan, items=(*_judged(reading, memory, now).items, *plan.items)) if reading.documents else plan
    payload = reading.payload
    assert payload is not None, "a reading has a payload or a failure"  # noqa: S101 - the type cannot say it
    if (doubt := doubted(reading, memory)) is not None:
        return replace(_failed(reading, doubt, memory, now), next_due=now + CONFIRM_AFTER)
    if (doubt := suspicion(reading, memory)) is not None:
        return _failed(reading, doubt, memory, now)
    judged = _judged(reading, memory, now)
    if judged.failure is not None:
        plan = _failed(reading, judged.failure, memory, now)
        return replace(plan, items=(*judged.items, *plan.items))
    left = departures(reading, memory)
    items = (*judged.items, *left.items)
    pace = learned_pace(reading.lease.source, told=any(item.brings_text for item in items))
    return Plan(
        lease=reading.lease,
        # While a second fetch is pending there is nothing to report.
        items=items or (() if judged.glimpse else (_nothing_new(reading),)),
        requests=reading.requests,
        moves=(*judged.moves, *left.moves),
        quirks=tuple(judged.quirks),
        glimpse=judged.glimpse,
        notices=reading.notices,
        budget=reading.budget,
        takes_place=not payload.leads_on,
        # The second fetch is due at once. No new validators are stored before it, nor if only dates and times differ:
        # then the same bytes may count as a change later.
        next_due=now if judged.glimpse else _ordinary_turn(reading, now, _rarely(reading, judged, memory), pace),
        validators=None if judged.glimpse or judged.is_passing else learned(reading.lease.request.validators, payload),
        state=State.OK if any(item.change is not Change.SAME for item in items) else State.UNCHANGED,
        moved_to=None if judged.glimpse else moved_for_good(reading.lease, payload),
        pace_ms=None if judged.glimpse else pace,
        rhythm=reading.rhythm,
        found=reading.found,
        first_picture=first_picture(reading, judged.glimpse),
        kept=payload if reading.documents and reading.lease.keep_raw is not KeepRaw.NONE else None,
        duration_ms=payload.duration_ms,
        wire_bytes=payload.wire_bytes,
    )


@dataclass(slots=True)
class _Judged:
    """The decisions on the documents of a reading."""

    items: list[Item] = field(default_factory=list)
    moves: list[Move] = field(default_factory=list)
    quirks: list[tuple[str, tuple[Quirk, ...]]] = field(default_factory=list)
    glimpse: str = ""
    is_passing: bool = False
    #: Why one of them keeps its last content.
    failure: Failure | None = None


def _judged(reading: Reading, memory: Memory, now: int) -> _Judged:
    told: set[str] = set()
    texts: dict[str, str] = {}
    judged = _Judged()
    for key, document in _by_key(reading.documents).items():
        item = _judge(document, reading, memory, texts)
        if item.change in TOLD and item.document_id in told:
            # Two addresses of one document in one answer: the first counts.
            continue
        move = proven_name(item, document, reading.lease.source.id, memory)
        if move is not None:
            judged.moves.append(move)
            item = replace(item, change=Change.SAME, document_id=move.document_id, duplicate_of="")
        if item.change in {Change.NEW, Change.DUPLICATE} and not item.document_id:
            item = replace(item, document_id=uuid7(now, reading.lease.dossier_id, key))
        known = memory.known(document, reading.lease.request) if document.picture is not None else None
        verdict = second_picture(_verdict(item, document, reading, memory), known, reading)
        if verdict.glimpse or verdict.failure is not None:
            judged.glimpse, judged.failure = verdict.glimpse or judged.glimpse, verdict.failure or judged.failure
            continue
        verdict = replace(verdict, item=if_visible(verdict.item, document, reading, memory))
        item = restated(verdict, document, reading, memory)
        judged.items.append(item)
        judged.is_passing = judged.is_passing or verdict.is_passing
        if verdict.quirks is not None:
            judged.quirks.append((item.document_id, verdict.quirks))
        if item.change in {Change.NEW, Change.CHANGED}:
            texts.setdefault(document.content_hash, item.document_id)
            told.add(item.document_id)
    return judged


def _by_key(documents: Iterable[Document]) -> dict[str, Document]:
    """The documents by their first key; the first document wins if several have the same key."""
    found: dict[str, Document] = {}
    for document in documents:
        found.setdefault(document.keys[0], document)
    return found


def _rarely(reading: Reading, judged: _Judged, memory: Memory) -> int:
    """How many times to double the interval: 0, except for an index file that is known to be its folder's page.

    When the folder's page changes, its duplicates are due at once anyway.
    """
    request = reading.lease.request
    if request.purpose == "root" or max(len(judged.items), len(reading.documents)) > 1:
        return 0
    home = ""
    if judged.items and reading.documents:
        (item,), (document,) = judged.items, reading.documents
        known = memory.twin(document) if item.duplicate_of else memory.named(*document.claims)
        home = known.url if known and known.document_id in {item.duplicate_of, item.document_id} else ""
    elif not reading.documents and (there := memory.named(url_identity(request.url))):
        home = there.home
    return MOST_DOUBLINGS if home and is_index_of(request.url, home) else 0


def _verdict(item: Item, document: Document, reading: Reading, memory: Memory) -> SecondLook:
    """Whether a document that seems changed is: some pages differ at every fetch."""
    # A second fetch that is the same as the stored text is evidence, too: the first one differed by noise.
    is_second = item.change is Change.SAME and bool(reading.lease.request.glimpse)
    is_open = item.change is Change.CHANGED and (document.shown or bool(reading.lease.source.config.get("ignore")))
    known = memory.known(document, reading.lease.request) if document.shown else None
    values = values_in(known.facts) if describes(known, item, reading.lease.source.id) else value_texts(document)
    is_restated = values != value_texts(document) and not document.once
    if not is_open and not is_second and not is_restated:
        return SecondLook(item=item)
    # Both lookups come before either is used, so that a batch needs one round for them.
    site = memory.boilerplate(reading.lease.source.id) if document.shown else NO_BOILERPLATE
    kept = memory.kept(item.document_id, reading.lease.source.id)
    if kept is None:
        return SecondLook(item=item)
    return reconsider(item, document, reading, kept, site, values)


def _nothing_new(reading: Reading) -> Item:
    # Nothing to decide (not modified, same bytes, an empty feed): only the check itself is reported.
    return Item(change=Change.SAME, url=reading.lease.request.url, status=_status(reading))


def _status(reading: Reading) -> int:
    return reading.payload.status if reading.payload else 0


def _judge(document: Document, reading: Reading, memory: Memory, texts: dict[str, str]) -> Item:
    lease = reading.lease
    known = _recalled(document, lease, memory)
    line = Item(change=Change.SAME, url=document.url, title=document.title, status=_status(reading), document=document)
    if known is not None:
        line = replace(line, document_id=known.document_id, rev_n=known.rev_n)
    if not document.text:
        return _without_text(line, document)
    if known is not None and is_only_named(document, lease.request, known):
        # Its text is read from its main address; if this address disappears, the document stays.
        return replace(line, document=None)
    if known is not None and known.source_id != lease.source.id and known.state == "current":
        return _of_another(line, document, known, lease, memory)
    if known is not None and known.state != "duplicate":
        return line if _is_as_seen(document, known) else _against(line, document, known)
    twin_id = _twin(document, memory, texts)
    if twin_id:
        change = Change.SAME if known is not None else Change.DUPLICATE
        return replace(line, change=change, duplicate_of=twin_id)
    return replace(line, change=Change.NEW, rev_n=1)


def _recalled(document: Document, lease: Lease, memory: Memory) -> Known | None:
    """The stored document; None if it is alive at another address with another text: these are two documents."""
    known = memory.known(document, lease.request)
    if known is None or not is_former_name(document, lease.request, known):
        return known
    return known if known.content_hash == document.content_hash else None


def _of_another(line: Item, document: Document, known: Known, lease: Lease, memory: Memory) -> Item:
    """A document that another source owns. The owner's text is kept, or both sources would change it in turns forever.

    Exceptions: a source that checks the page itself takes over from a feed that only lists it; and a source that is at
    least as good takes over from an owner that is paused or failing. Both wait for a change, because two sources may
    extract the same page differently; a full page replaces an excerpt at once.
    """
    is_the_page = lease.request.every and url_identity(known.url) == url_identity(lease.request.url)
    is_better = is_the_page and not known.watched
    takes_over = is_better or (known.silent and (is_the_page or not known.watched))
    # Two sources that check the page itself extract it alike, so even the first check can detect a change.
    is_comparable = known.sighted or known.watched or (is_better and _is_excerpt(known, document, memory))
    if takes_over and is_comparable and not _is_as_seen(document, known):
        judged = _against(line, document, known)
        if judged.change is Change.CHANGED:
            return judged
    return line if known.sighted else replace(line, change=Change.DUPLICATE, duplicate_of=known.document_id)


def _is_excerpt(known: Known, document: Document, memory: Memory) -> bool:
    """Whether the stored text is so much shorter that a different extraction does not explain it."""
    kept = memory.kept(known.document_id, known.source_id)
    return kept is not None and len(document.text) >= EXCERPT * len(kept.text)


def _is_as_seen(document: Document, known: Known) -> bool:
    """Whether the source sees the same as before, although the document has the text of another source."""
    return known.state == "current" and known.seen == (document.content_hash, document.title)


def _without_text(line: Item, document: Document) -> Item:
    line = replace(line, change=Change.SKIPPED)
    if document.meta.get("needs_ocr"):
        tried = "ocr" in document.meta
        advice = "no text was recognised in them" if tried else "the option `ocr` recognises it"
        message = f"It has pictures of text only ({advice}); the last content stays."
        return replace(line, code="needs_ocr", message=message)
    return replace(line, code="empty", message="No text was found; the last content stays.")


def _against(line: Item, document: Document, known: Known) -> Item:
    if known.state == "removed":
        # It came back. Sinks have removed it, so it is new to them even with the same text.
        return replace(line, change=Change.NEW, rev_n=known.rev_n + 1)
    same = document.once or (known.content_hash == document.content_hash and known.title == document.title)
    return line if same else replace(line, change=Change.CHANGED, rev_n=known.rev_n + 1)


def _twin(document: Document, memory: Memory, texts: dict[str, str]) -> str:
    if len(document.text) < MIN_DUPLICATE_CHARS:
        return ""
    if document.content_hash in texts:
        return texts[document.content_hash]
    twin = memory.twin(document)
    return twin.document_id if twin is not None else ""


def _ordinary_turn(reading: Reading, now: int, failures: int = 0, pace_ms: int | None = None) -> int | None:
    source, request = reading.lease.source, reading.lease.request
    if not request.every:
        return None
    max_age = reading.payload.max_age if reading.payload is not None else None
    # Back off: every failure doubles the interval of a dead link.
    every = request.every << (0 if request.purpose == "root" else min(failures, MOST_DOUBLINGS))
    if pace_ms is not None:
        source = replace(source, pace_ms=pace_ms, rhythm=reading.rhythm or source.rhythm)
    return next_check(source, now, request.id, every=every, max_age=max_age)


def _failed(reading: Reading, failure: Failure, memory: Memory, now: int) -> Plan:
    request = reading.lease.request
    if request.optional and not failure.retryable:
        return Plan(
            lease=reading.lease,
            items=(nothing_there(request, failure),),
            next_due=_ordinary_turn(reading, now),
            wire_bytes=failure.wire_bytes,
        )
    if failure.code == NOT_ASKED:
        return _deferred(reading, failure, now)
    attempts = request.attempts + 1
    plan = Plan(
        lease=reading.lease,
        items=(failure_line(request, failure, memory),),
        attempts=attempts,
        next_due=_next_try(reading, failure, attempts, now),
        glimpse=request.glimpse,
        takes_place=False if failure.code in SETTLED else None,
        state=State.SUSPECT if failure.code in SUSPECT else State.ERROR,
        failure=failure,
        duration_ms=failure.duration_ms,
        wire_bytes=failure.wire_bytes,
    )
    removed = gone(reading.lease, failure, memory)
    if removed is None:
        return plan
    if not is_confirmed(request, failure):
        return replace(plan, next_due=now + CONFIRM_AFTER)
    # Clear the validators, so that the page is read again if it comes back with the same bytes.
    return replace(plan, items=(removed,), next_due=_ordinary_turn(reading, now), validators=Validators())


def _deferred(reading: Reading, failure: Failure, now: int) -> Plan:
    """The request was not sent: its state stays as it is, only its due time changes."""
    request = reading.lease.request
    line = replace(error_line(request, failure), change=Change.SKIPPED)
    return Plan(
        lease=reading.lease,
        items=(line,),
        attempts=request.attempts,
        next_due=retry_at(1, now, request.id, failure.retry_after),
        glimpse=request.glimpse,
        deferred=True,
    )


def _next_try(reading: Reading, failure: Failure, attempts: int, now: int) -> int | None:
    if failure.retryable and attempts < MAX_ATTEMPTS:
        return retry_at(attempts, now, reading.lease.request.id, failure.retry_after)
    return _ordinary_turn(reading, now, attempts - 1)
