"""Changes that people see, of a text or of metadata, each with what it says at first sight."""

from __future__ import annotations

from dataclasses import replace

from veille.core.change.memory import Memory
from veille.core.change.metadata_changes import METADATA, describes, metadata_change
from veille.core.change.second_look import LOOKS, SecondLook
from veille.core.change.telling import tell_change, tell_metadata, tell_new
from veille.core.compare.diff import differs
from veille.core.models import Change, Document, Item, Reading

#: The options that choose a part of what an address gives.
_CHOOSES = ("selectors", "parts", "without")


def if_visible(item: Item, document: Document, reading: Reading, memory: Memory) -> Item:
    """The item with what it tells, and CHANGED replaced by SAME if a diff would show nothing."""
    if item.code == LOOKS:
        return item
    if item.change is Change.NEW:
        return replace(item, told=tell_new(document))
    followed = memory.kept(item.document_id, "") if item.change is Change.CHANGED else None
    if followed is None:
        return item
    if differs(followed.title, document.title) or differs(followed.text, document.text):
        known = memory.known(document, reading.lease.request)
        described = known if describes(known, item, reading.lease.source.id) else None
        return replace(item, told=tell_change(followed.title, followed.text, document, described))
    return replace(item, change=Change.SAME, rev_n=followed.rev_n)


def restated(verdict: SecondLook, document: Document, reading: Reading, memory: Memory) -> Item:
    """The item of the verdict, with SAME replaced by CHANGED if the metadata of this source's own document differs."""
    item = verdict.item
    if item.change is not Change.SAME or item.document is None or document.once or reading.payload is None:
        return item
    known = memory.known(document, reading.lease.request)
    if not describes(known, item, reading.lease.source.id):
        return item
    is_same_text = known.content_hash == document.content_hash
    change = metadata_change(
        known.facts,
        document,
        reading.payload.fetched_at,
        is_same_text=is_same_text,
        is_of_part=any(map(reading.lease.source.config.get, _CHOOSES)),
        noise=verdict.noise,
    )
    if change is None:
        return item
    kept = memory.kept(item.document_id, "") if "summary" in change.names else None
    told = tell_metadata(change.names, known, document, kept.summary if kept is not None else "")
    return replace(item, change=Change.CHANGED, code=METADATA, message=change.message, restated=change.names, told=told)
