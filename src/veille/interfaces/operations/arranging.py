"""Operations that arrange the sources of a dossier: tagged, muted, moved to another."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from veille.core.report.muting import FOR_GOOD
from veille.interfaces.operations._operation import InDossier, Place, operation
from veille.interfaces.operations.shapes import Shape
from veille.interfaces.operations.sources import OneSource
from veille.services.watching.bulk import MOST_CHOSEN


class TagSources(InDossier):
    """Sources, and the tag."""

    source_ids: list[str] = Field(min_length=1, max_length=MOST_CHOSEN, description="Ids of sources.")
    tag: str = Field(min_length=1, max_length=100, description="The tag.")
    is_on: bool = Field(default=True, description="Whether they have the tag from now on.")


class MuteSource(OneSource):
    """A source, and for how long nobody is told of its changes."""

    until: Literal["day", "week", "good", "off"] = Field(
        description="day, week, good (for good), or off: it is no longer muted."
    )


class MoveSources(InDossier):
    """Sources, and the dossier that gets them."""

    source_ids: list[str] = Field(min_length=1, max_length=MOST_CHOSEN, description="Ids of sources.")
    to: str = Field(min_length=1, max_length=200, description="The other dossier.")


class Muted(Shape):
    """Until when a source is muted."""

    source_id: str
    #: In milliseconds since 1970; None: for good.
    muted_until: int | None = None


class MovedSources(Shape):
    """How many sources were moved, and why others were not, by name."""

    moved: int
    problems: dict[str, str]


class Tagged(Shape):
    """How many sources were changed."""

    changed: int


@operation("write")
def _tag_sources(place: Place, given: TagSources) -> Tagged:
    """Give a tag to sources, or take it from them."""
    result = place.services.bulk.tag(place.dossier_id, given.source_ids, given.tag, is_on=given.is_on)
    return Tagged(changed=result.done)


@operation("write")
def _mute_source(place: Place, given: MuteSource) -> Muted:
    """Mute a source: it is checked as before, but its changes count as read, and no rule fires on them."""
    source, until = place.services.sources.mute(place.dossier_id, given.source_id, given.until)
    return Muted(source_id=source.id, muted_until=until if until < FOR_GOOD else None)


@operation("write")
def _move_sources(place: Place, given: MoveSources) -> MovedSources:
    """Move sources to another dossier, with all documents, revisions, values and pictures that they brought."""
    result = place.services.bulk.move(place.dossier_id, given.source_ids, given.to)
    return MovedSources(moved=result.done, problems=result.problems)
