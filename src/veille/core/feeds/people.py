"""Authors: a line, an element with parts, a Dublin Core creator, the owner of a podcast."""

from __future__ import annotations

from veille.core.feeds.handlers import Leaf, Pair, pushing
from veille.core.feeds.machine import Attributes, Machine


def _start_author(machine: Machine, attributes: Attributes) -> None:
    del attributes
    machine.in_author = True
    machine.push("author")
    machine.context.people.append({})


def _end_author(machine: Machine) -> None:
    machine.pop("author")
    machine.in_author = False
    machine.context.sync_author()


def _start_contributor(machine: Machine, attributes: Attributes) -> None:
    del attributes
    machine.push("contributor", keep=False)


def _end_contributor(machine: Machine) -> None:
    machine.pop("contributor")


def _start_dc_contributor(machine: Machine, attributes: Attributes) -> None:
    del attributes
    machine.push("name", keep=False)


def _end_dc_contributor(machine: Machine) -> None:
    _end_name(machine)


def _start_owner(machine: Machine, attributes: Attributes) -> None:
    del attributes
    machine.in_publisher = True
    machine.push("publisher", keep=False)


def _end_owner(machine: Machine) -> None:
    machine.pop("publisher")
    machine.in_publisher = False


def _end_name(machine: Machine) -> None:
    value = machine.pop("name")
    if machine.in_publisher or machine.in_author:
        machine.context.name_person("name", value)


def _end_email(machine: Machine) -> None:
    value = machine.pop("email")
    if machine.in_publisher or machine.in_author:
        machine.context.name_person("email", value)


def _end_url(machine: Machine) -> None:
    value = machine.pop("href")
    if machine.in_author:
        machine.context.name_person("href", value)


def _author(machine: Machine, text: str, attributes: Attributes) -> None:
    del attributes
    context = machine.context
    context.people.append({})
    machine.store("author", machine.plain(text))
    machine.in_author = False
    context.sync_author()


def _name(machine: Machine, text: str, attributes: Attributes) -> None:
    del attributes
    if machine.in_publisher or machine.in_author:
        machine.context.name_person("name", text)


def _email(machine: Machine, text: str, attributes: Attributes) -> None:
    del attributes
    if machine.in_publisher or machine.in_author:
        machine.context.name_person("email", text)


def _url(machine: Machine, text: str, attributes: Attributes) -> None:
    del attributes
    if machine.in_author:
        machine.context.name_person("href", text)


_AUTHOR = (_start_author, _end_author)
_NAME = (pushing("name"), _end_name)
_EMAIL = (pushing("email"), _end_email)
_URL = (pushing("href"), _end_url)

PEOPLE: dict[str, Pair] = {
    "author": _AUTHOR,
    "managingeditor": _AUTHOR,
    "dc_author": _AUTHOR,
    "dc_creator": _AUTHOR,
    "itunes_author": _AUTHOR,
    "contributor": (_start_contributor, _end_contributor),
    "dc_contributor": (_start_dc_contributor, _end_dc_contributor),
    "itunes_owner": (_start_owner, _end_owner),
    "name": _NAME,
    "itunes_name": _NAME,
    "email": _EMAIL,
    "itunes_email": _EMAIL,
    "url": _URL,
    "homepage": _URL,
    "uri": _URL,
}
PEOPLE_LEAVES: dict[str, Leaf] = {
    "author": _author,
    "dc_creator": _author,
    "name": _name,
    "email": _email,
    "uri": _url,
}
