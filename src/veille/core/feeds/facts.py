"""Dates, addresses, ids, categories and attached files."""

from __future__ import annotations

from veille.core.feeds.handlers import End, Leaf, Pair, ignored, nothing, nothing_said, popping, pushing
from veille.core.feeds.machine import Attributes, Machine
from veille.core.feeds.moments import moment
from veille.core.feeds.records import Link


def _end_published(machine: Machine) -> None:
    machine.context.published = moment(machine.pop("published"))


def _end_updated(machine: Machine) -> None:
    machine.context.updated = moment(machine.pop("updated"))


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


def _keywords(name: str) -> End:
    def end(machine: Machine) -> None:
        machine.context.tags.extend(word.strip() for word in machine.pop(name).split(",") if word.strip())

    return end


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
    machine.context.links.append(Link(rel="enclosure", href=href))


def _add_link(machine: Machine, attributes: Attributes) -> None:
    machine.add_link(attributes)


def _published(machine: Machine, text: str, attributes: Attributes) -> None:
    del attributes
    machine.context.published = moment(text)


def _updated(machine: Machine, text: str, attributes: Attributes) -> None:
    del attributes
    machine.context.updated = moment(text)


def _guid(machine: Machine, text: str, attributes: Attributes) -> None:
    machine.guid_is_link = attributes.get("ispermalink", "true") == "true"
    value = machine.plain(machine.identity(text))
    machine.store("id", value)
    context = machine.context
    if machine.guid_is_link and context.link is None:
        context.link = value


def _link(machine: Machine, text: str, attributes: Attributes) -> None:
    if attributes or not machine.takes_text:
        machine.add_link(attributes)
        machine.data(text)
        machine.pop("link")
    else:
        machine.context.links.append(Link(rel="alternate", type="text/html"))
        machine.store("link", machine.address(text))


def _category(machine: Machine, text: str, attributes: Attributes) -> None:
    if text or not attributes:
        _start_category(machine, attributes)
        machine.data(text)
        _end_category(machine)
    elif term := attributes.get("term"):
        machine.context.tags.append(term)


_PUBLISHED = (pushing("published"), _end_published)
_UPDATED = (pushing("updated"), _end_updated)
_CATEGORY = (_start_category, _end_category)
_LANGUAGE = (pushing("language", keep=True), popping("language"))
_PUBLISHER = ignored("publisher")
_GUID = (_start_guid, _end_guid)

FACTS: dict[str, Pair] = {
    "published": _PUBLISHED,
    "issued": _PUBLISHED,
    "pubdate": _PUBLISHED,
    "dcterms_issued": _PUBLISHED,
    "updated": _UPDATED,
    "modified": _UPDATED,
    "lastbuilddate": _UPDATED,
    "dc_date": _UPDATED,
    "dcterms_modified": _UPDATED,
    "category": _CATEGORY,
    "keywords": _CATEGORY,
    "dc_subject": _CATEGORY,
    "media_category": _CATEGORY,
    "itunes_category": (_start_itunes_category, _end_category),
    "itunes_keywords": (pushing("itunes_keywords"), _keywords("itunes_keywords")),
    "media_keywords": (pushing("media_keywords"), _keywords("media_keywords")),
    "tags": (pushing("tags"), _keywords("tags")),
    "link": (_add_link, popping("link")),
    "guid": _GUID,
    "id": _GUID,
    "enclosure": (_start_enclosure, popping("enclosure")),
    "language": _LANGUAGE,
    "dc_language": _LANGUAGE,
    "webmaster": _PUBLISHER,
    "dc_publisher": _PUBLISHER,
    "width": ignored("width"),
    "height": ignored("height"),
    "generator": ignored("generator"),
    "cloud": (nothing, popping("cloud")),
    "media_group": (nothing, popping("media_group")),
    "media_content": (nothing, popping("media_content")),
    "media_rating": ignored("rating"),
    "media_credit": ignored("credit"),
    "media_restriction": ignored("restriction"),
    "media_license": ignored("license"),
    "media_thumbnail": ignored("thumbnail"),
    "media_player": ignored("media_player"),
    "itunes_image": ignored("itunes_image"),
    "itunes_link": ignored("itunes_link"),
}
FACT_LEAVES: dict[str, Leaf] = {
    "link": _link,
    "guid": _guid,
    "id": _guid,
    "pubdate": _published,
    "published": _published,
    "updated": _updated,
    "dc_date": _updated,
    "category": _category,
    "media_content": nothing_said,
    "media_thumbnail": nothing_said,
}
