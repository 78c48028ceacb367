"""Authors: a line, an element with parts, a Dublin Core creator, the owner of a podcast."""

from __future__ import annotations

from veille.core.feeds.handlers import Handlers, by_name, flagged, ignored, used, whole
from veille.core.feeds.machine import Attributes, Machine


def _start_author(machine: Machine, _: Attributes) -> None:
    machine.in_author = True
    machine.push("author")
    machine.context.people.append({})


def _end_author(machine: Machine) -> None:
    machine.pop("author")
    machine.in_author = False
    machine.context.sync_author()


def _part(key: str, *, of_owner: bool = True) -> Handlers:
    """A part of an author, or of the owner of a podcast."""

    def use(machine: Machine, text: str) -> None:
        if machine.in_author or (of_owner and machine.in_publisher):
            machine.context.name_person(key, text)

    return used(key, use)


PEOPLE = by_name(
    {
        "author managingeditor dc_author dc_creator itunes_author": whole(_start_author, _end_author),
        "contributor": ignored("contributor"),
        "itunes_owner": flagged("publisher", "in_publisher"),
        "name itunes_name dc_contributor": _part("name"),
        "email itunes_email": _part("email"),
        "url homepage uri": _part("href", of_owner=False),
    }
)
