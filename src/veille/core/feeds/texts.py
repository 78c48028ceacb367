"""Titles, summaries and contents: texts that may be markup, and how several of them are told apart."""

from __future__ import annotations

from veille.core.feeds.handlers import Handlers, by_name, whole
from veille.core.feeds.machine import HTML_TYPES, Attributes, Machine
from veille.core.feeds.markup import XHTML


def _text(name: str, default: str) -> Handlers:
    """A text that may be markup; its tags are not elements of the feed."""

    def start(machine: Machine, attributes: Attributes) -> None:
        machine.push_content(name, attributes, default, keep=machine.takes_text)

    def end(machine: Machine) -> None:
        machine.pop_content(name)

    return Handlers(start, end)


def _end_title(machine: Machine) -> None:
    if machine.pop_content("title"):
        machine.title_depth = machine.depth


def _summary(name: str, default: str) -> Handlers:
    """A summary; a second one of the same entry is its content."""
    first = _text(name, default)

    def start(machine: Machine, attributes: Attributes) -> None:
        machine.summary_is_content = machine.context.summary is not None and not machine.has_content
        begin = _start_content if machine.summary_is_content else first.start
        begin(machine, attributes)

    def end(machine: Machine) -> None:
        finish = _end_content if machine.summary_is_content else first.end
        finish(machine)
        machine.summary_is_content = False

    return whole(start, end)


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


_TITLE, _DESCRIPTION = _text("title", "text/plain"), _summary("description", "text/html")

TEXTS = by_name(
    {
        "title dc_title": whole(_TITLE.start, _end_title),
        # It does not count as the title of the entry: a later one replaces it.
        "media_title": _TITLE,
        "description dc_description media_description": _DESCRIPTION,
        "abstract": Handlers(_text("description", "text/plain").start, _DESCRIPTION.end),
        "summary itunes_summary": _summary("summary", "text/plain"),
        "content": whole(_start_content, _end_content),
        "content_encoded fullitem": whole(_start_encoded, _end_content),
        "body xhtml_body": Handlers(_start_body, _end_content),
        "subtitle tagline itunes_subtitle": _text("subtitle", "text/plain"),
        "rights copyright dc_rights": _text("rights", "text/plain"),
        "info feedburner_browserfriendly": _text("info", "text/plain"),
    }
)
