"""Look once more for what a source used to find, in an answer that it can no longer read."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence

from veille.core.json.mapping import mapping_of
from veille.core.models import Json, Source
from veille.core.seek.candidates import ProvenChange, Remembered, Sought
from veille.core.seek.page import content_changes, item_changes, linked, outlined
from veille.core.seek.proof import proven
from veille.core.show.pointing import flat_page
from veille.core.traffic import Payload


def sought(
    what: Sought, source: Source, payload: Payload, before: Sequence[Remembered], ideas: Sequence[Json] = ()
) -> list[ProvenChange]:
    """The changes of a source, or those of `ideas`, that give what it gave before, the most like first."""
    if what is Sought.LINKS:
        return linked(flat_page(payload.body, payload.charset), payload.final_url, before, source.url)
    tried = ideas or list(_changes(what, source, payload, before))
    found = [one for change in tried if (one := proven(source, payload, change, before)) is not None]
    return sorted(found, key=lambda one: -one.likeness)


def outline(payload: Payload) -> str:
    """The structure of a page, for a model that is asked where its content is."""
    return outlined(flat_page(payload.body, payload.charset))


def _changes(what: Sought, source: Source, payload: Payload, before: Sequence[Remembered]) -> Iterator[Json]:
    if what is Sought.MOVED:
        yield {"url": payload.final_url}
    elif source.kind == "api":
        yield from _paths(payload)
    elif source.kind == "items":
        yield from item_changes(flat_page(payload.body, payload.charset), before)
    else:
        yield from content_changes(flat_page(payload.body, payload.charset), source, before)


def _paths(payload: Payload) -> Iterator[Json]:
    try:
        found = mapping_of(json.loads(payload.body))
    except (ValueError, RecursionError):
        return
    if found is not None:
        yield {"config": {"result_path": found.result_path or None, "fields": found.fields or None}}
