"""Dates, addresses, ids, categories and attached files."""

from __future__ import annotations

from veille.core.feeds.handlers import Handlers, by_name, ignored, nothing, nothing_said, popping, pushing, used, whole
from veille.core.feeds.machine import Attributes, Machine
from veille.core.feeds.model import LinkElement
from veille.core.feeds.moments import moment


def _dated(name: str) -> Handlers:
    return used(name, lambda machine, text: setattr(machine.context, name, moment(text)))


def _keywords(machine: Machine, text: str) -> None:
    machine.context.tags.extend(word.strip() for word in text.split(",") if word.strip())


def _start_category(machine: Machine, attributes: Attributes) -> None:
    tags = machine.context.tags
    term = attributes.get("term")
    if term or attributes.get("scheme", attributes.get("domain")) or attributes.get("label"):
        tags.append(term)
    machine.push("category")


def _start_itunes_category(machine: Machine, attributes: Attributes) -> None:
    machine.context.tags.append(attributes.get("text"))
    machine.push("category")


def _end_category(machine: Machine) -> None:
    value = machine.pop("category")
    tags = machine.context.tags
    if value and tags and not tags[-1]:
        tags[-1] = value
    elif value:
        tags.append(value)


def _start_guid(machine: Machine, attributes: Attributes) -> None:
    machine.guid_is_link = attributes.get("ispermalink", "true") == "true"
    machine.push("id")


def _end_guid(machine: Machine) -> None:
    value = machine.pop("id")
    context = machine.context
    if machine.guid_is_link and context.link is None:
        context.link = value


def _start_enclosure(machine: Machine, attributes: Attributes) -> None:
    href = attributes.get("url", attributes.get("uri", attributes.get("href")))
    machine.context.links.append(LinkElement(rel="enclosure", href=href))


FACTS = by_name(
    {
        "published issued pubdate dcterms_issued": _dated("published"),
        "updated modified lastbuilddate dc_date dcterms_modified": _dated("updated"),
        "category keywords dc_subject media_category": whole(_start_category, _end_category),
        "itunes_category": Handlers(_start_itunes_category, _end_category),
        "itunes_keywords media_keywords tags": used("keywords", _keywords),
        "link": whole(Machine.add_link, popping("link")),
        "guid id": whole(_start_guid, _end_guid),
        "enclosure": Handlers(_start_enclosure, popping("enclosure")),
        "language dc_language": Handlers(pushing("language", keep=True), popping("language")),
        "cloud media_group": Handlers(nothing, popping("nothing")),
        "media_content": Handlers(nothing, popping("nothing"), nothing_said),
        "webmaster dc_publisher width height generator itunes_image itunes_link": ignored("ignored"),
        "media_rating media_credit media_restriction media_license media_player media_thumbnail": ignored("ignored"),
    }
)
