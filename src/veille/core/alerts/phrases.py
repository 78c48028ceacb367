"""Parts of messages in words: headlines, reasons, values before and after, excerpts, times and links.

Titles and texts come from sites: they are shown as one line or cut, without invisible and control characters.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import UTC, datetime, tzinfo
from typing import Final
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from veille.core.alerts.models import Alert, Message, MessageKind
from veille.core.text import clean, printed
from veille.core.told import EditKind, TextEdit, plain_edits
from veille.core.values.value import ValueChange, ValueType

#: How long a title, a reason and an excerpt may be.
_TITLE, _REASON, _EXCERPT = 120, 240, 1200
#: Longer stretches that stayed the same are shown by their ends.
_CONTEXT: Final = 90
_OF_SEVERAL: Final = frozenset({MessageKind.GATHERED, MessageKind.DIGEST, MessageKind.STORM})


def one_line(text: str, limit: int = _TITLE) -> str:
    r"""A text from outside as one line that can be shown anywhere.

    >>> one_line("Tea\r\nBcc: you@example.org \u202eexe.txt")
    'Tea Bcc: you@example.org exe.txt'
    """
    line = printed(text[: limit * 20])
    return line if len(line) <= limit else f"{line[: limit - 1].rstrip()}…"


def headline(alert: Alert, limit: int = _TITLE) -> str:
    """What happened, in one line."""
    name = one_line(alert.title or alert.url or alert.source_name or alert.rule, limit)
    moved = next((change for change in alert.values if change.before and change.after), None)
    if moved and moved.before and moved.after:
        values = f"{one_line(moved.name, 30)} {one_line(moved.before.text, 40)} → {one_line(moved.after.text, 40)}"
        return f"{one_line(name, max(limit - len(values) - 2, 20))}: {values}"
    if alert.change:
        words = {"new": "New: {}", "removed": "Gone: {}"}
        return words.get(alert.change, "Changed: {}").format(name)
    found = what_was_found(alert)
    return one_line(f"{alert.source_name}: {found}" if alert.source_name else found, limit)


def what_was_found(alert: Alert) -> str:
    """The first piece of evidence."""
    return one_line(next((evidence.found for evidence in alert.evidence), alert.expression), _REASON)


def because(alert: Alert) -> Iterator[str]:
    """Why the rule fired, one line per condition: `price < 12 · price fell from 12.90 EUR to 11.50 EUR`."""
    for evidence in alert.evidence:
        yield " · ".join(one_line(part, _REASON) for part in (evidence.condition, evidence.found) if part)
    if not alert.evidence:
        yield one_line(alert.expression, _REASON)


def value_step(change: ValueChange) -> tuple[str, str, str]:
    """A value before and after, and by how much it changed, `+0.50 (+4.0%)`; empty where there is none."""
    before, after = change.before, change.after
    texts = [one_line(value.text, 80) if value else "" for value in (before, after)]
    if not (before and after) or before.exact is None or after.exact is None or before.unit != after.unit:
        return texts[0], texts[1], ""
    if before.type in {ValueType.DATE, ValueType.VERSION}:
        return texts[0], texts[1], ""
    step = after.exact - before.exact
    sign = "+" if step > 0 else "−" if step < 0 else "±"  # noqa: RUF001 - a minus sign, as in print
    share = f" ({sign}{abs(step / before.exact):.1%})" if before.exact else ""
    digits = ",.2f" if before.type is ValueType.PRICE else ",f"
    return texts[0], texts[1], f"{sign}{abs(step):{digits}}{share}"


def brief_edits(edits: Sequence[TextEdit], limit: int = _EXCERPT) -> list[TextEdit]:
    """The telling part of a diff, of about `limit` characters: long stretches that stayed are cut."""
    brief: list[TextEdit] = []
    left = limit
    for place, edit in enumerate(edits):
        if left <= 0:
            brief.append(TextEdit(EditKind.EQUAL, " …"))
            break
        text = clean(edit.text[: limit * 20])
        # The blanks at the ends of an edit are between words.
        head = " " if edit.text[:1].isspace() and place else ""
        tail = " " if edit.text[-1:].isspace() and place < len(edits) - 1 else ""
        if edit.kind is EditKind.EQUAL and len(edits) > 1:
            text = _ends(text, is_first=not place, is_last=place == len(edits) - 1)
        elif len(text) > left:
            text = f"{text[:left].rstrip()}…"
        brief.append(TextEdit(edit.kind, f"{head}{text}{tail}" if text else head or tail))
        left -= len(text)
    return brief


def _ends(text: str, *, is_first: bool, is_last: bool) -> str:
    if len(text) <= 2 * _CONTEXT:
        return text
    head = "" if is_first else text[:_CONTEXT].rsplit(" ", 1)[0]
    tail = "" if is_last else text[-_CONTEXT:].split(" ", 1)[-1]
    return " ".join(part for part in (head, "…", tail) if part)


def _marked_edits(edits: Sequence[TextEdit], limit: int = _EXCERPT) -> str:
    """A diff as plain text: `costs [-12.90-]{+11.50+} EUR`."""
    return plain_edits(brief_edits(edits, limit)).strip()


def excerpt(alert: Alert, limit: int = _EXCERPT) -> str:
    """The change as plain text; of a new document the beginning."""
    if alert.change == "new":
        plain = [TextEdit(EditKind.EQUAL, "".join(edit.text for edit in alert.excerpt))]
        return _cut(clean(plain[0].text[: limit * 20]), limit)
    return _marked_edits(alert.excerpt, limit)


def _cut(text: str, limit: int) -> str:
    return text if len(text) <= limit else f"{text[:limit].rsplit(' ', 1)[0].rstrip()}…"


def alert_url(message: Message, alert: Alert) -> str:
    """Where the change is shown: in our pages, or the page itself if those cannot be reached; may be empty."""
    if message.base_url and alert.path:
        return f"{message.base_url}/d/{message.dossier_id}{alert.path}"
    return page_url(alert)


def page_url(alert: Alert) -> str:
    """The address of the page itself, if a mail can link to it."""
    is_web = alert.url.lower().startswith(("https://", "http://"))
    return alert.url if is_web and alert.url.isprintable() and not set(alert.url) & set(' <>"') else ""


def alerts_url(message: Message) -> str:
    """The page with all alerts, or with those of a message of several; empty if it cannot be reached."""
    if not message.base_url:
        return ""
    which = f"?message={message.id}" if message.kind in _OF_SEVERAL else ""
    return f"{message.base_url}/d/{message.dossier_id}/alerts{which}"


def moment(message: Message, at: int | None = None) -> str:
    """A time as people write it, in the zone of the message.

    >>> moment(Message(id="", kind=MessageKind.TEST, at=0, dossier_id="", dossier="", channel_id="", channel=""))
    'Thursday 1 January 1970, 00:00 UTC'
    """
    zone: tzinfo = UTC
    try:
        zone = ZoneInfo(message.zone)
    except (ZoneInfoNotFoundError, ValueError):
        # A zone that this machine does not know any more must not keep the message back.
        zone = UTC
    then = datetime.fromtimestamp((message.at if at is None else at) / 1000, zone)
    return f"{then:%A} {then.day} {then:%B %Y, %H:%M %Z}"


def value_line(change: ValueChange) -> str:
    """A value before and after: `price: 12.90 EUR → 11.50 EUR`, and by how much."""
    before, after, step = value_step(change)
    return f"{one_line(change.name, 40)}: {before or '(none)'} → {after or '(none)'}{f', {step}' if step else ''}"
