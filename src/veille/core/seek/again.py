"""Look once more for what a source used to find, in an answer that it can no longer read."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from typing import Any

from veille.core.json.mapping import mapping_of
from veille.core.models import Json, Source
from veille.core.seek.candidates import ProvenChange, Remembered, Sought
from veille.core.seek.outlined_json import outlined_json
from veille.core.seek.page import content_changes, item_changes, linked, links_of, outlined
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


def outline(what: Sought, kind: str, payload: Payload) -> str:
    """What there is to choose from in an answer, for a model: links, elements, or values of JSON."""
    if kind == "api":
        return outlined_json(_json(payload))
    page = flat_page(payload.body, payload.charset)
    return links_of(page, payload.final_url) if what is Sought.LINKS else outlined(page)


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
    found = mapping_of(_json(payload))
    if found is not None:
        yield {"config": {"result_path": found.result_path or None, "fields": found.fields or None}}


def _json(payload: Payload) -> Any:
    """The value of an answer; None if it is none."""
    try:
        return json.loads(payload.body)
    except (ValueError, RecursionError):
        return None
