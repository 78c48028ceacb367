"""Elements that hold others: feed, entry, image, source. They decide what their children describe."""

from __future__ import annotations

from veille.core.feeds.handlers import Handlers, by_name, flagged, popping
from veille.core.feeds.machine import Attributes, Machine
from veille.core.feeds.model import Record
from veille.core.feeds.moments import moment


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


_IMAGE, _TEXT_INPUT = flagged("image", "in_image"), flagged("textinput", "in_text_input")


def _start_image(machine: Machine, attributes: Attributes) -> None:
    if not machine.in_entry and machine.image is None:
        machine.image = Record()
    machine.title_depth = -1
    _IMAGE.start(machine, attributes)


def _start_text_input(machine: Machine, attributes: Attributes) -> None:
    machine.title_depth = -1
    _TEXT_INPUT.start(machine, attributes)


def _start_source(machine: Machine, _: Attributes) -> None:
    machine.push("source")
    machine.in_source = True
    machine.title_depth = -1


def _end_source(machine: Machine) -> None:
    machine.in_source = False
    machine.pop("source")
    machine.source = Record()


STRUCTURE = by_name(
    {
        "rss": Handlers(_start_rss, popping("rss")),
        "channel": Handlers(_start_channel, _end_channel),
        "feed": Handlers(_start_feed, _end_channel),
        "item entry": Handlers(_start_item, _end_item),
        "image": Handlers(_start_image, _IMAGE.end),
        "textinput": Handlers(_start_text_input, _TEXT_INPUT.end),
        "source": Handlers(_start_source, _end_source),
    }
)
