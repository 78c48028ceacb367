"""Decide many readings in one batch, with the same outcome as one after the other.

All readings are decided on the stored state before any of them is written. That is correct as long as no decision reads
what an earlier one writes. `independent` counts the leading decisions for which this holds; the others are decided
again after those are written.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from veille.core.change.decide import MIN_DUPLICATE_CHARS, decide
from veille.core.change.memory import Answer, Answers, Lookup, Recall, asks_known, asks_twin
from veille.core.change.moves_and_removals import further_names
from veille.core.change.next_check import is_backed_off
from veille.core.fingerprint import claim_of, url_identity
from veille.core.models import Known, Plan, Reading

#: Learned from a sample of pages and cached: a different value a moment later does not make a decision stale.
_APPROXIMATE = "boilerplate"

Attend = Callable[[Reading], None]


def _unattended(_: Reading) -> None:
    """The default: do nothing."""


@dataclass(frozen=True, slots=True)
class Decision:
    """A plan, with the lookups it was made from and their answers."""

    reading: Reading
    plan: Plan
    asked: Mapping[Lookup, Answer]


def decide_all(readings: Sequence[Reading], recall: Recall, now: int, attend: Attend = _unattended) -> list[Decision]:
    """The decisions for these readings, each made independently; `attend` is called before one with documents.

    A reading that needs a lookup without an answer yet is decided again in the next round. The number of rounds is the
    depth of dependent lookups (the document, then its text), not the number of readings. Those of new documents are
    foreseen, so that a first crawl decides every page once; of what was never fetched before, they are looked up at
    once.
    """
    memory = Answers()
    wanted = {asks_known(document, one.lease.request) for one in readings for document in one.documents}
    wanted |= {soon for one in readings if not one.lease.request.validators.raw_hash for soon in _asked_if_new(one)}
    done: dict[int, Decision] = {}
    waiting = dict(enumerate(readings))
    if wanted:
        memory.learn(recall(wanted))
    foreseen = {at: memory.lacks(_foreseen(reading, memory)) for at, reading in waiting.items()}
    while waiting:
        wanted = set()
        for at, reading in list(waiting.items()):
            if soon := foreseen.pop(at, None):
                wanted |= soon
                continue
            if reading.documents:
                attend(reading)
            memory.begin()
            plan = decide(reading, memory, now)
            wanted |= memory.missing
            if not memory.missing:
                done[at] = Decision(reading, plan, memory.asked)
                del waiting[at]
        if wanted:
            memory.learn(recall(wanted))
    return [done[at] for at in sorted(done)]


def _foreseen(reading: Reading, memory: Answers) -> set[Lookup]:
    """What the decision about new documents looks up next; empty if one of them is known, or has hardly any text."""
    if any(memory.known(document, reading.lease.request) is not None for document in reading.documents):
        return set()
    return _asked_if_new(reading)


def _asked_if_new(reading: Reading) -> set[Lookup]:
    if reading.failure is not None or any(len(one.text) < MIN_DUPLICATE_CHARS for one in reading.documents):
        return set()
    return {asks_twin(one) for one in reading.documents} | {
        Lookup("named", names) for one in reading.documents if (names := further_names(one))
    }


def decide_again(
    decisions: Sequence[Decision], recall: Recall, now: int, attend: Attend = _unattended
) -> list[Decision]:
    """The decisions for the state stored now: those whose lookups have different answers are made again."""
    asked = {question for one in decisions for question in one.asked if question.about != _APPROXIMATE}
    answers = recall(asked) if asked else {}
    stale = {
        at
        for at, one in enumerate(decisions)
        if any(answers[question] != answer for question, answer in one.asked.items() if question in answers)
    }
    again = iter(decide_all([decisions[at].reading for at in sorted(stale)], recall, now, attend))
    return [next(again) if at in stale else one for at, one in enumerate(decisions)]


def waves(
    decisions: Sequence[Decision], recall: Recall, now: int, attend: Attend = _unattended
) -> Iterator[Sequence[Decision]]:
    """The decisions in groups that can be written together; each group is decided after the one before is written.

    After a short group only twice its size is decided next, since the next group may be as short.
    """
    later: list[Reading] = []
    while decisions:
        size = independent(decisions)
        yield decisions[:size]
        later = [*(one.reading for one in decisions[size:]), *later]
        decisions, later = decide_all(later[: 2 * size], recall, now, attend), later[2 * size :]


def independent(decisions: Sequence[Decision]) -> int:
    """How many of the leading decisions can be written together: none of them reads what another one writes."""
    read: set[str] = set()
    written: set[str] = set()
    for at, decision in enumerate(decisions):
        reads, writes = set(_reads(decision)), set(_writes(decision))
        is_alone = _is_far_reaching(decision)
        if at and (is_alone or not reads.isdisjoint(written) or not writes.isdisjoint(read)):
            return at
        if is_alone:
            return 1
        read |= reads
        written |= writes
    return len(decisions)


def may_be_repaired(plan: Plan) -> bool:
    """Whether repair rules may apply to the source after this check."""
    source, request = plan.lease.source, plan.lease.request
    if request.purpose != "root" or request.url != source.url or plan.deferred:
        return False
    is_moving = bool(plan.moved_to) and plan.moved_to == source.moved_to
    return plan.failure is not None or is_backed_off(source) or is_moving


def _is_far_reaching(decision: Decision) -> bool:
    """Whether a plan writes beyond its own documents: a move joins two, a change makes duplicates due again."""
    repeated = {one.document_id for one in _found(decision) if one.repeated}
    return bool(decision.plan.moves) or any(
        item.brings_text and item.document_id in repeated for item in decision.plan.items
    )


def _reads(decision: Decision) -> Iterator[str]:
    """Ids, keys and hashes of everything that the answers depend on."""
    source_id, request = decision.reading.lease.source.id, decision.reading.lease.request
    yield from (request.id, f"repair {source_id}")
    for about, of in decision.asked:
        if about == "known":
            yield from of[0]
        elif about == "unlisted":
            yield from (f"documents {of[0]}", *of[1])
        elif about == "owned":
            yield url_identity(request.url)
        elif about in {"kept", "twin"}:
            yield of[0]
        elif about == "named":
            yield from of
    for known in _found(decision):
        yield known.document_id
        # The state of a source does not affect decisions about its own documents.
        yield from known.depends - {source_id}


def _writes(decision: Decision) -> Iterator[str]:
    plan = decision.plan
    source_id = plan.lease.source.id
    yield from (plan.lease.request.id, source_id, f"documents {source_id}")
    yield from (f"documents {known.source_id}" for known in _found(decision))
    # A stored request that is found again changes only if it has a new stamp.
    yield from (request.id for request in plan.requests if request.stamp)
    if may_be_repaired(plan):
        yield f"repair {source_id}"
    for item in plan.items:
        if item.document_id:
            yield item.document_id
        if item.document is not None:
            yield from (*item.document.keys, *map(claim_of, item.document.claims), item.document.content_hash)


def _found(decision: Decision) -> Iterator[Known]:
    for answer in decision.asked.values():
        if isinstance(answer, Known):
            yield answer
        elif isinstance(answer, tuple):
            yield from (one for one in answer if isinstance(one, Known))
