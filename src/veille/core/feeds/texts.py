"""Titles, summaries and contents: texts that may be markup, and how several of them are told apart."""

from __future__ import annotations

from veille.core.feeds.handlers import Leaf, Pair
from veille.core.feeds.machine import HTML_TYPES, Attributes, Machine
from veille.core.feeds.markup import XHTML


def _start_title(machine: Machine, attributes: Attributes) -> None:
    machine.push_content("title", attributes, "text/plain", keep=machine.takes_text)


def _end_title(machine: Machine) -> None:
    if machine.pop_content("title"):
        machine.title_depth = machine.depth


def _end_media_title(machine: Machine) -> None:
    depth = machine.title_depth
    _end_title(machine)
    machine.title_depth = depth


def _start_description(machine: Machine, attributes: Attributes) -> None:
    if machine.context.summary is not None and not machine.has_content:
        machine.summary_key = "content"
        _start_content(machine, attributes)
    else:
        machine.push_content("description", attributes, "text/html", keep=machine.takes_text)


def _start_abstract(machine: Machine, attributes: Attributes) -> None:
    machine.push_content("description", attributes, "text/plain", keep=machine.takes_text)


def _end_description(machine: Machine) -> None:
    if machine.summary_key == "content":
        _end_content(machine)
    else:
        machine.pop_content("description")
    machine.summary_key = ""


def _start_summary(machine: Machine, attributes: Attributes) -> None:
    if machine.context.summary is not None and not machine.has_content:
        machine.summary_key = "content"
        _start_content(machine, attributes)
    else:
        machine.summary_key = "summary"
        machine.push_content("summary", attributes, "text/plain")


def _end_summary(machine: Machine) -> None:
    if machine.summary_key == "content":
        _end_content(machine)
    else:
        machine.pop_content("summary")
    machine.summary_key = ""


def _start_content(machine: Machine, attributes: Attributes) -> None:
    machine.has_content = True
    machine.push_content("content", attributes, "text/plain")
    # Twice, as in the reference parser, whose stack is never balanced again: it decides what a stray end tag ends.
    machine.push("content")


def _start_encoded(machine: Machine, attributes: Attributes) -> None:
    machine.has_content = True
    machine.push_content("content", attributes, "text/html")


def _start_body(machine: Machine, attributes: Attributes) -> None:
    machine.push_content("content", attributes, XHTML)


def _end_content(machine: Machine) -> None:
    also_summary = machine.content_type == "text/plain" or machine.content_type in HTML_TYPES
    value = machine.pop_content("content")
    if also_summary and machine.context.summary is None:
        machine.context.summary = value


def _markup(name: str) -> Pair:
    """A text that may be markup and is not kept; its tags are still not elements of the feed."""

    def start(machine: Machine, attributes: Attributes) -> None:
        machine.push_content(name, attributes, "text/plain")

    def end(machine: Machine) -> None:
        machine.pop_content(name)

    return start, end


def _title(machine: Machine, text: str, attributes: Attributes) -> None:
    value = machine.content("title", text, attributes, "text/plain") if machine.takes_text else text
    if value:
        machine.title_depth = machine.depth


def _description(machine: Machine, text: str, attributes: Attributes) -> None:
    if machine.context.summary is not None and not machine.has_content:
        _content(machine, text, attributes)
    elif machine.takes_text:
        machine.content("description", text, attributes, "text/html")


def _summary(machine: Machine, text: str, attributes: Attributes) -> None:
    if machine.context.summary is not None and not machine.has_content:
        _content(machine, text, attributes)
    else:
        machine.content("summary", text, attributes, "text/plain")


def _content(machine: Machine, text: str, attributes: Attributes) -> None:
    _whole_content(machine, text, attributes, "text/plain")
    machine.push("content")  # see _start_content


def _encoded(machine: Machine, text: str, attributes: Attributes) -> None:
    _whole_content(machine, text, attributes, "text/html")


def _whole_content(machine: Machine, text: str, attributes: Attributes, default: str) -> None:
    machine.has_content = True
    kind = machine.typed(attributes, default)
    value = machine.content("content", text, attributes, default)
    if (kind == "text/plain" or kind in HTML_TYPES) and machine.context.summary is None:
        machine.context.summary = value


_TITLE = (_start_title, _end_title)
_DESCRIPTION = (_start_description, _end_description)
_SUMMARY = (_start_summary, _end_summary)
_FULL = (_start_encoded, _end_content)
_BODY = (_start_body, _end_content)
_SUBTITLE, _RIGHTS, _INFO = _markup("subtitle"), _markup("rights"), _markup("info")

TEXTS: dict[str, Pair] = {
    "title": _TITLE,
    "dc_title": _TITLE,
    "media_title": (_start_title, _end_media_title),
    "description": _DESCRIPTION,
    "dc_description": _DESCRIPTION,
    "media_description": _DESCRIPTION,
    "abstract": (_start_abstract, _end_description),
    "summary": _SUMMARY,
    "itunes_summary": _SUMMARY,
    "content": (_start_content, _end_content),
    "content_encoded": _FULL,
    "fullitem": _FULL,
    "body": _BODY,
    "xhtml_body": _BODY,
    "subtitle": _SUBTITLE,
    "tagline": _SUBTITLE,
    "itunes_subtitle": _SUBTITLE,
    "rights": _RIGHTS,
    "copyright": _RIGHTS,
    "dc_rights": _RIGHTS,
    "info": _INFO,
    "feedburner_browserfriendly": _INFO,
}
TEXT_LEAVES: dict[str, Leaf] = {
    "title": _title,
    "description": _description,
    "summary": _summary,
    "content": _content,
    "content_encoded": _encoded,
}
