"""Whole messages in words: their subject, their text for mail, and their text for chat."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from veille.core.alerts.grouping import ToldEntry, counted, told_groups, told_rules, told_sources
from veille.core.alerts.models import Alert, Message, MessageKind
from veille.core.alerts.phrases import (
    alert_url,
    alerts_url,
    because,
    excerpt,
    headline,
    moment,
    one_line,
    page_url,
    value_line,
    what_was_found,
)
from veille.core.text import clean

#: The length of an excerpt in a list and in chat.
BRIEF: Final = 200
_INDENT: Final = "    "


def subject(message: Message) -> str:
    """The message in one line."""
    count = len(message.alerts) + message.left_out
    dossier = one_line(message.dossier, 40)
    match message.kind:
        case MessageKind.ALERT if message.alerts:
            return headline(message.alerts[0])
        case MessageKind.NOTICE:
            return one_line(f"veille: {message.notice.partition('. ')[0].rstrip('.')}")
        case MessageKind.TEST:
            return f"Test: “{one_line(message.channel, 60)}” works"
        case MessageKind.DIGEST:
            day = moment(message).rpartition(",")[0].rsplit(" ", 1)[0]
            return f"{dossier}, {day}: {counted(count, 'alert')}"
        case MessageKind.STORM:
            return f"{dossier}: {counted(count, 'alert')} in a short time"
        case _:
            lead = f": {headline(message.alerts[0], 80)}" if message.alerts else ""
            return f"{dossier}: {counted(count, 'alert')}{lead}"


def introduction(message: Message) -> str:
    """The first sentence of a message that is more or less than one alert."""
    count = len(message.alerts) + message.left_out
    sources = counted(len(told_sources(message.alerts)), "source")
    match message.kind:
        case MessageKind.TEST:
            return (
                f"This is the test that somebody asked for. Alerts of the dossier “{one_line(message.dossier)}” "
                "will come this way."
            )
        case MessageKind.NOTICE:
            return clean(message.notice[:20_000])[:2000]
        case MessageKind.DIGEST:
            return f"{counted(count, 'alert')} from {sources}, the most important first."
        case MessageKind.STORM:
            return (
                f"{counted(count, 'alert')} from {sources} came in a short time. So that they do not bury everything "
                "else, they are told together; none is lost."
            )
        case _:
            return f"{counted(count, 'alert')} since the last message, the most important first."


def plain_text(message: Message) -> str:
    """The text part of a mail, which reads well on its own."""
    parts = [subject(message), moment(message)]
    if message.kind is MessageKind.ALERT and message.alerts:
        parts += _alert_text(message, message.alerts[0])
    else:
        parts.append(introduction(message))
        parts += _groups_text(message)
    parts.append("\n".join(_footer_text(message)))
    return "\n\n".join(part for part in parts if part) + "\n"


def _alert_text(message: Message, alert: Alert) -> Iterator[str]:
    about = [one_line(part) for part in (alert.source_name, alert.title) if part]
    yield "\n".join(dict.fromkeys(about))
    yield "\n".join(value_line(change) for change in alert.values)
    yield excerpt(alert)
    yield "\n".join([f"Rule: {one_line(alert.rule)}", *(f"because: {reason}" for reason in because(alert))])
    links = dict.fromkeys((alert_url(message, alert), page_url(alert)))
    names = ("The change", "The page") if len(links) > 1 else ("The page",)
    yield "\n".join(f"{name}: {url}" for name, url in zip(names, links, strict=False) if url)


def _groups_text(message: Message) -> Iterator[str]:
    shown = told_groups(message)
    if message.kind is MessageKind.STORM:
        of = f" of the first {len(message.alerts):,}" if message.left_out else ""
        for name, counts in (("Rules", told_rules(message.alerts)), ("Sources", told_sources(message.alerts))):
            yield "\n".join([f"{name}{of}", *(f"  {count:>6,}  {one_line(one)}" for one, count in counts[:5])])
    for group in shown.groups:
        yield "\n".join([one_line(group.heading), *(_entry_text(message, entry) for entry in group.entries)])
    if shown.more:
        yield f"and {shown.more} more{f': {alerts_url(message)}' if message.base_url else ''}"


def entry_title(alert: Alert) -> str:
    """The headline below the name of its source."""
    found = what_was_found(alert)
    return headline(alert) if alert.change else f"{found[:1].upper()}{found[1:]}"


def _entry_text(message: Message, entry: ToldEntry) -> str:
    alert = entry.alert
    lines = [f"  * {entry_title(alert)}"]
    # The headline has the first step already.
    lines += [_INDENT + value_line(change) for change in alert.values[1:4]]
    if message.kind is not MessageKind.STORM:
        quoted = excerpt(alert, BRIEF) if entry.has_excerpt else ""
        lines += [_INDENT + line for line in quoted.splitlines() if line]
        lines += [f"{_INDENT}because: {reason}" for reason in entry.reasons(because)]
    if entry.also:
        lines.append(f"{_INDENT}also told by {', '.join(map(one_line, entry.also))}")
    url = alert_url(message, alert)
    return "\n".join([*lines, _INDENT + url] if url else lines)


def _footer_text(message: Message) -> Iterator[str]:
    yield "-- "
    yield f"veille · dossier {one_line(message.dossier)} · channel {one_line(message.channel)}"
    if alerts_url(message):
        yield f"All alerts: {alerts_url(message)}"
    if message.unsubscribe_url:
        yield f"Stop this channel: {message.unsubscribe_url}"


def short_text(message: Message, limit: int = 1500) -> str:
    """The message for chat and small screens, without its subject."""
    lines: list[str] = []
    if message.kind is MessageKind.ALERT and message.alerts:
        alert = message.alerts[0]
        lines += [value_line(change) for change in alert.values[1:4]]
        lines += [excerpt(alert, BRIEF), f"because: {'; '.join(because(alert))}", alert_url(message, alert)]
    else:
        lines.append(introduction(message))
        shown = told_groups(message)
        lines += [f"• {headline(entry.alert)}" for group in shown.groups for entry in group.entries]
        lines += [f"and {shown.more} more"] if shown.more else []
        lines.append(alerts_url(message))
    text = "\n".join(line for line in lines if line)
    return text if len(text) <= limit else f"{text[: limit - 1].rstrip()}…"
