"""Authors: a line, an element with parts, a Dublin Core creator, the owner of a podcast."""

from __future__ import annotations

from veille.core.feeds.handlers import by_name, flagged, ignored, used, whole
from veille.core.feeds.machine import Attributes, Machine


def _start_author(machine: Machine, _: Attributes) -> None:
    machine.in_author = True
    machine.push("author")
    machine.context.people.append({})


def _end_author(machine: Machine) -> None:
    machine.pop("author")
    machine.in_author = False
    machine.context.sync_author()


def _name(machine: Machine, text: str) -> None:
    if machine.in_publisher or machine.in_author:
        machine.context.name_person("name", text)


def _email(machine: Machine, text: str) -> None:
    if machine.in_publisher or machine.in_author:
        machine.context.name_person("email", text)


def _url(machine: Machine, text: str) -> None:
    if machine.in_author:
        machine.context.name_person("href", text)


PEOPLE = by_name(
    {
        "author managingeditor dc_author dc_creator itunes_author": whole(_start_author, _end_author),
        "contributor": ignored("contributor"),
        "itunes_owner": flagged("publisher", "in_publisher"),
        "name itunes_name dc_contributor": used("name", _name),
        "email itunes_email": used("email", _email),
        "url homepage uri": used("href", _url),
    }
)
