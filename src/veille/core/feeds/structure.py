"""Elements that hold others: feed, entry, image, source. They decide what their children describe."""

from __future__ import annotations

from veille.core.feeds.handlers import Pair, popping
from veille.core.feeds.machine import Attributes, Machine
from veille.core.feeds.moments import moment
from veille.core.feeds.records import Record


def _language(attributes: Attributes) -> str:
    return (attributes.get("xml:lang") or attributes.get("lang") or "").replace("_", "-")


def _start_rss(machine: Machine, attributes: Attributes) -> None:
    machine.feed.language = _language(attributes)
    if not machine.version.startswith("rss"):
        machine.version = "rss"


def _start_channel(machine: Machine, attributes: Attributes) -> None:
    machine.in_feed = True
    _channel_definition(machine, attributes)


def _channel_definition(machine: Machine, attributes: Attributes) -> None:
    """Microsoft's Channel Definition Format: attributes where other formats have elements."""
    if "lastmod" in attributes:
        machine.context.updated = moment(attributes["lastmod"])
    if "href" in attributes:
        machine.add_link({})
        machine.data(attributes["href"])
        machine.pop("link")


def _start_feed(machine: Machine, attributes: Attributes) -> None:
    machine.in_feed = True
    machine.feed.language = _language(attributes)
    if not machine.version:
        version = attributes.get("version", "")
        machine.version = {"0.1": "atom01", "0.2": "atom02", "0.3": "atom03"}.get(version, "atom")


def _end_channel(machine: Machine) -> None:
    machine.in_feed = False


def _start_item(machine: Machine, attributes: Attributes) -> None:
    record = Record(language=_language(attributes))
    machine.entries.append(record)
    machine.push("item", keep=False)
    machine.in_entry = True
    machine.guid_is_link = False
    machine.title_depth = -1
    if about := attributes.get("rdf:about"):
        machine.context.id = about
    _channel_definition(machine, attributes)


def _end_item(machine: Machine) -> None:
    machine.pop("item")
    machine.in_entry = machine.has_content = False


def _start_image(machine: Machine, attributes: Attributes) -> None:
    del attributes
    if not machine.in_entry and machine.image is None:
        machine.image = Record()
    machine.in_image = True
    machine.title_depth = -1
    machine.push("image", keep=False)


def _end_image(machine: Machine) -> None:
    machine.pop("image")
    machine.in_image = False


def _start_text_input(machine: Machine, attributes: Attributes) -> None:
    del attributes
    machine.in_text_input = True
    machine.title_depth = -1
    machine.push("textinput", keep=False)


def _end_text_input(machine: Machine) -> None:
    machine.pop("textinput")
    machine.in_text_input = False


def _start_source(machine: Machine, attributes: Attributes) -> None:
    del attributes
    machine.push("source")
    machine.in_source = True
    machine.title_depth = -1


def _end_source(machine: Machine) -> None:
    machine.in_source = False
    machine.pop("source")
    machine.source = Record()


STRUCTURE: dict[str, Pair] = {
    "rss": (_start_rss, popping("rss")),
    "channel": (_start_channel, _end_channel),
    "feed": (_start_feed, _end_channel),
    "item": (_start_item, _end_item),
    "entry": (_start_item, _end_item),
    "image": (_start_image, _end_image),
    "textinput": (_start_text_input, _end_text_input),
    "source": (_start_source, _end_source),
}
