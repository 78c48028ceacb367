"""Titles, summaries and contents: texts that may be markup, and how several of them are told apart."""

from __future__ import annotations

from veille.core.feeds.handlers import Handlers, by_name, whole
from veille.core.feeds.machine import HTML_TYPES, Attributes, Machine
from veille.core.feeds.markup import XHTML


def _start_title(machine: Machine, attributes: Attributes) -> None:
    machine.push_content("title", attributes, "text/plain", keep=machine.takes_text)


def _end_title(machine: Machine) -> None:
    if machine.pop_content("title"):
        machine.title_depth = machine.depth


def _end_media_title(machine: Machine) -> None:
    # It does not count as the title of the entry: a later one replaces it.
    machine.pop_content("title")


def _summary(name: str, default: str) -> Handlers:
    """A summary; a second one of the same entry is its content."""

    def start(machine: Machine, attributes: Attributes) -> None:
        machine.summary_is_content = _is_second(machine)
        if machine.summary_is_content:
            _start_content(machine, attributes)
        else:
            machine.push_content(name, attributes, default, keep=machine.takes_text)

    def end(machine: Machine) -> None:
        if machine.summary_is_content:
            _end_content(machine)
        else:
            machine.pop_content(name)
        machine.summary_is_content = False

    return whole(start, end)


def _is_second(machine: Machine) -> bool:
    return machine.context.summary is not None and not machine.has_content


def _start_content(machine: Machine, attributes: Attributes) -> None:
    _start_encoded(machine, attributes, "text/plain")
    # Twice, as in the reference parser, whose stack is never balanced again: it decides what a stray end tag ends.
    machine.push("content")


def _start_encoded(machine: Machine, attributes: Attributes, default: str = "text/html") -> None:
    machine.has_content = True
    machine.push_content("content", attributes, default)


def _start_body(machine: Machine, attributes: Attributes) -> None:
    machine.push_content("content", attributes, XHTML)


def _end_content(machine: Machine) -> None:
    kind = machine.content_type
    value = machine.pop_content("content")
    if (kind == "text/plain" or kind in HTML_TYPES) and machine.context.summary is None:
        machine.context.summary = value


def _markup(name: str) -> Handlers:
    """A text that may be markup and is not kept; its tags are still not elements of the feed."""

    def start(machine: Machine, attributes: Attributes) -> None:
        machine.push_content(name, attributes, "text/plain")

    def end(machine: Machine) -> None:
        machine.pop_content(name)

    return Handlers(start, end)


def _start_abstract(machine: Machine, attributes: Attributes) -> None:
    machine.push_content("description", attributes, "text/plain", keep=machine.takes_text)


_DESCRIPTION = _summary("description", "text/html")

TEXTS = by_name(
    {
        "title dc_title": whole(_start_title, _end_title),
        "media_title": Handlers(_start_title, _end_media_title),
        "description dc_description media_description": _DESCRIPTION,
        "abstract": Handlers(_start_abstract, _DESCRIPTION.end),
        "summary itunes_summary": _summary("summary", "text/plain"),
        "content": whole(_start_content, _end_content),
        "content_encoded fullitem": whole(_start_encoded, _end_content),
        "body xhtml_body": Handlers(_start_body, _end_content),
        "subtitle tagline itunes_subtitle": _markup("subtitle"),
        "rights copyright dc_rights": _markup("rights"),
        "info feedburner_browserfriendly": _markup("info"),
    }
)
