"""The state of a source after a check."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import replace

from veille.core.models import Plan, Source, State


def is_about_source(plan: Plan) -> bool:
    """Whether the plan changes its source: it is a check of its root, or has changes to deliver."""
    return _is_check(plan) or _tells(plan)


def after_checks(
    plans: Iterable[Plan], sources: Iterable[Source], roots: Iterable[tuple[str, str, int]], now: int
) -> list[Source]:
    """The stored sources after these plans; `roots` are their root requests, and when each was last checked."""
    after = {source.id: source for source in sources}
    done: dict[str, dict[str, int]] = defaultdict(dict)
    for source_id, request_id, done_at in roots:
        done[source_id][request_id] = done_at
    for plan in plans:
        request, checked = plan.lease.request, done[plan.lease.source.id]
        before = checked.get(request.id, 0)
        began = min((at for one, at in checked.items() if one != request.id and at > before), default=None)
        after[plan.lease.source.id] = after_check(after[plan.lease.source.id], plan, now, began)
        if request.purpose == "root":
            checked[request.id] = now
    return list(after.values())


def after_check(source: Source, plan: Plan, now: int, began: int | None = None) -> Source:
    """The source after the plan is applied.

    `source` is the stored one, which may differ from the one in the lease. `began` is when the first of its other roots
    was checked since the last check of this root; None if none was.
    """
    if _tells(plan):
        # Pages that a listing links to are part of the check of that listing.
        state = State.OK if source.state is State.UNCHANGED else source.state
        source = replace(source, changed_at=now, state=state)
    if not _is_check(plan):
        return source
    failure = plan.failure
    return replace(
        source,
        state=_state(source, plan, began),
        failures=source.failures + 1 if failure else 0,
        error_code=failure.code if failure else "",
        error=failure.message if failure else "",
        checked_at=now,
        moved_to=source.moved_to if plan.moved_to is None else plan.moved_to,
        moved_seen=_moved_seen(source, plan.moved_to),
        pace_ms=plan.pace_ms if source.pace_ms is not None and plan.pace_ms is not None else source.pace_ms,
        rhythm=source.rhythm if plan.rhythm is None else plan.rhythm,
    )


def _is_check(plan: Plan) -> bool:
    return plan.lease.request.purpose == "root" and not plan.deferred


def _tells(plan: Plan) -> bool:
    return any(item.brings_text for item in plan.items)


def _state(source: Source, plan: Plan, began: int | None) -> State:
    if plan.failure and source.state is State.BROKEN:
        # Further failures do not change `broken`: only a good answer or a person does.
        return State.BROKEN
    has_changed = began is not None and source.changed_at is not None and source.changed_at >= began
    return State.OK if plan.state is State.UNCHANGED and has_changed else plan.state


def _moved_seen(source: Source, moved_to: str | None) -> int:
    """At how many checks in a row the address redirected to this target."""
    if moved_to is None:
        return source.moved_seen
    if not moved_to:
        return 0
    return source.moved_seen + 1 if moved_to == source.moved_to else 1
