"""Messages as HTML for mail: one column, styles at the elements, readable in light, dark and without colours.

Many mail programs drop the style sheet: everything that matters is in `style` attributes, and the sheet only turns
colours around where it is dark. What comes from sites is escaped by `Markup.format`.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from markupsafe import Markup, escape

from veille.core.alerts.grouping import ToldEntry, ToldGroup, counted, told_groups, told_rules, told_sources
from veille.core.alerts.models import Alert, Message, MessageKind
from veille.core.alerts.phrases import (
    alert_url,
    alerts_url,
    because,
    brief_edits,
    excerpt,
    headline,
    moment,
    one_line,
    page_url,
    value_step,
)
from veille.core.alerts.wording import BRIEF, entry_title, introduction, subject
from veille.core.show.article import is_rtl
from veille.core.told import EditKind, hugged
from veille.core.values.value import ValueChange

_SANS: Final = Markup("-apple-system,BlinkMacSystemFont,'Segoe UI',Roboto,Helvetica,Arial,sans-serif")

#: Colours for dark screens; the light ones are at the elements. Programs that invert colours by themselves get the
#: light ones, which have enough contrast either way.
_SHEET: Final = Markup("""
:root { color-scheme: light dark; supported-color-schemes: light dark; }
a { text-decoration: none; }
@media (max-width: 480px) {
  .card { border-radius: 0 !important; border-left: 0 !important; border-right: 0 !important; }
  .page { padding: 0 !important; }
  .in { padding-left: 20px !important; padding-right: 20px !important; }
  .big { font-size: 22px !important; }
}
@media (prefers-color-scheme: dark) {
  body, .page { background: #101314 !important; }
  .card { background: #1a1e20 !important; border-color: #30373a !important; }
  .ink { color: #eef1f2 !important; }
  .soft { color: #a3aeb2 !important; }
  .rule { border-color: #30373a !important; }
  .box { background: #22282a !important; }
  .link { color: #6cc7ba !important; }
  .button { background: #2a9d8f !important; color: #06201d !important; }
  ins { background: #143d2a !important; color: #a8ecc6 !important; }
  del { background: #4a1f22 !important; color: #ffc2c2 !important; }
}
""")

_FRAME: Final = Markup("""<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="supported-color-schemes" content="light dark">
<title>{title}</title>
<style>{sheet}</style>
</head>
<body style="margin:0;padding:0;background:#eef1f1;-webkit-text-size-adjust:100%">
<div style="display:none;max-height:0;overflow:hidden">{preview}</div>
<table role="presentation" width="100%" cellpadding="0" cellspacing="0" border="0" class="page"
 style="background:#eef1f1;padding:24px 12px"><tr><td align="center" style="padding:0">
<table role="presentation" width="100%" cellpadding="0" cellspacing="0" border="0" class="card"
 style="max-width:600px;background:#ffffff;border:1px solid #dce2e2;border-radius:14px;text-align:left;
 font-family:{font};font-size:15px;line-height:1.5;overflow-wrap:anywhere">
<tr><td class="in" style="padding:22px 32px 0">{brand}</td></tr>
<tr><td class="in" style="padding:14px 32px 26px">{content}</td></tr>
<tr><td class="in rule" style="padding:16px 32px 20px;border-top:1px solid #e6eaea">{footer}</td></tr>
</table></td></tr></table>
</body>
</html>
""")


def mail_html(message: Message) -> str:
    """The HTML part of a mail."""
    is_one = message.kind is MessageKind.ALERT and message.alerts
    parts = _one(message, message.alerts[0]) if is_one else _many(message)
    return str(
        _FRAME.format(
            title=subject(message),
            sheet=_SHEET,
            font=_SANS,
            preview=_preview(message),
            brand=_brand(message),
            content=Markup("\n").join(part for part in parts if part),
            footer=_footer(message),
        )
    )


def _preview(message: Message) -> str:
    """What mail programs show beside the subject."""
    if message.kind is MessageKind.ALERT and message.alerts:
        return "; ".join(because(message.alerts[0]))
    return one_line(introduction(message), 160)


def _brand(message: Message) -> Markup:
    return Markup(
        '<table role="presentation" width="100%" cellpadding="0" cellspacing="0" border="0"><tr>'
        '<td class="link" style="color:#0b6e63;font-size:14px;font-weight:700;letter-spacing:.02em">veille</td>'
        '<td align="right" class="soft" style="color:#5d686c;font-size:13px">{}</td></tr></table>'
    ).format(one_line(message.dossier, 40))


def _one(message: Message, alert: Alert) -> Iterable[Markup]:
    yield _title(one_line(alert.title) or headline(alert), alert_url(message, alert))
    yield _line(_about(message, alert))
    yield Markup("").join(_value(change) for change in alert.values[:6])
    yield _diff(alert, 1200)
    yield _reasons([alert.rule], because(alert))
    yield _buttons(message, alert)


def _about(message: Message, alert: Alert) -> str:
    """The source, what happened to the document, and when."""
    words = {"new": "new", "changed": "changed", "removed": "gone"}
    source = "" if alert.source_name == alert.title else one_line(alert.source_name, 60)
    return " · ".join(part for part in (source, words.get(alert.change, ""), moment(message, alert.at)) if part)


def _many(message: Message) -> Iterable[Markup]:
    yield _title(_heading(message), "")
    yield Markup('<p class="ink" style="margin:0 0 18px;color:#1c2325">{}</p>').format(_lines(introduction(message)))
    if message.kind is MessageKind.STORM:
        of = f" of the first {len(message.alerts):,}" if message.left_out else ""
        yield _tally(f"Rules{of}", told_rules(message.alerts))
        yield _tally(f"Sources{of}", told_sources(message.alerts))
    shown = told_groups(message)
    yield from (_group(message, group) for group in shown.groups)
    if shown.more:
        yield Markup('<p class="soft" style="margin:0 0 18px;color:#5d686c">and {} more</p>').format(f"{shown.more:,}")
    if alerts_url(message) and message.alerts:
        yield _button(alerts_url(message), "All alerts")


def _heading(message: Message) -> str:
    count = counted(len(message.alerts) + message.left_out, "alert")
    match message.kind:
        case MessageKind.NOTICE:
            return "Something needs you"
        case MessageKind.TEST:
            return "This channel works"
        case MessageKind.DIGEST:
            return moment(message).rpartition(",")[0]
        case MessageKind.STORM:
            return f"{count} in a short time"
        case _:
            return count


def _title(text: str, url: str) -> Markup:
    style = Markup('style="color:#1c2325"')
    inner = Markup('<a href="{}" class="ink" {}>{}</a>').format(url, style, text) if url else escape(text)
    return Markup(
        '<h1 class="ink big" style="margin:0 0 6px;color:#1c2325;font-size:24px;line-height:1.25;font-weight:700">'
        "{}</h1>"
    ).format(inner)


def _line(text: str) -> Markup:
    return Markup('<p class="soft" style="margin:0 0 18px;color:#5d686c;font-size:14px">{}</p>').format(text)


def _value(change: ValueChange) -> Markup:
    """A value before and after, large."""
    before, after, step = value_step(change)
    return Markup(
        '<div class="box" style="margin:0 0 12px;padding:14px 16px;background:#f2f6f5;border-radius:10px">'
        '<div class="soft" style="color:#5d686c;font-size:13px">{name}</div>'
        '<div class="ink" style="color:#1c2325;font-size:21px;line-height:1.35;font-weight:700">'
        '<span class="soft" style="color:#5d686c;font-weight:400">{before}</span> → {after}'
        '<span class="soft" style="color:#5d686c;font-size:14px;font-weight:400;white-space:nowrap"> &ensp;{step}'
        "</span></div></div>"
    ).format(name=one_line(change.name, 60), before=before or "(none)", after=after or "(none)", step=step)


def _diff(alert: Alert, limit: int) -> Markup:
    """What was removed struck through, what was added underlined: both are read without colours too."""
    if not alert.excerpt:
        return Markup("")
    if alert.change == "new":
        text = _lines(excerpt(alert, limit))
    else:
        text = Markup("").join(_edit(edit.kind, edit.text) for edit in brief_edits(alert.excerpt, limit))
        # What replaces something stands a little apart from it.
        text = text.replace("</del><ins", Markup("</del>&#8202;<ins"))
    direction = Markup(' dir="rtl"') if is_rtl(alert.lang) else Markup("")
    return Markup(
        '<div class="ink rule"{} style="margin:0 0 18px;padding:2px 0 2px 14px;border-left:3px solid #cdd6d6;'
        'color:#1c2325;font-size:15px">{}</div>'
    ).format(direction, text)


def _edit(kind: EditKind, text: str) -> Markup:
    before, words, behind = hugged(text)
    if kind is EditKind.EQUAL or not words:
        return _lines(text)
    if kind is EditKind.DELETE:
        style = "background:#fde3e1;color:#8f1d15;text-decoration:line-through;border-radius:3px"
        mark = Markup('<del style="{}">{}</del>')
    else:
        style = "background:#d9f3e0;color:#0f5a2b;text-decoration:underline;border-radius:3px"
        mark = Markup('<ins style="{}">{}</ins>')
    return _lines(before) + mark.format(style, _lines(words)) + _lines(behind)


def _lines(text: str) -> Markup:
    return Markup("<br>").join(text.split("\n"))


def _reasons(rules: Iterable[str], reasons: Iterable[str]) -> Markup:
    names = ", ".join(one_line(rule, 60) for rule in dict.fromkeys(rules))
    items = Markup("").join(Markup("<div>because: {}</div>").format(reason) for reason in reasons)
    return Markup(
        '<div class="soft" style="margin:0 0 18px;color:#5d686c;font-size:14px">'
        '<div>Rule: <b class="ink" style="color:#1c2325;font-weight:600">{}</b></div>{}</div>'
    ).format(names, items)


def _buttons(message: Message, alert: Alert) -> Markup:
    here, there = alert_url(message, alert), page_url(alert)
    if not here:
        return Markup("")
    name = "Open the page" if here == there else "See the change" if alert.document_id else "Open the source"
    second = (
        Markup('&emsp;<a href="{}" class="link" style="color:#0b6e63;font-weight:600">Open the page</a>').format(there)
        if there and there != here
        else ""
    )
    return Markup("<p style='margin:6px 0 0'>{}{}</p>").format(_button(here, name), second)


def _button(url: str, name: str) -> Markup:
    return Markup(
        '<a href="{}" class="button" style="display:inline-block;padding:10px 18px;background:#0b6e63;color:#ffffff;'
        'border-radius:8px;font-weight:600;text-decoration:none">{}</a>'
    ).format(url, name)


def _tally(name: str, counts: list[tuple[str, int]]) -> Markup:
    """The names with the highest counts."""
    rows = Markup("").join(
        Markup(
            '<tr><td class="ink" style="padding:2px 0;color:#1c2325">{}</td>'
            '<td align="right" class="ink" style="padding:2px 0 2px 12px;color:#1c2325;font-weight:600">{}</td></tr>'
        ).format(one_line(one, 60), f"{count:,}")
        for one, count in counts[:5]
    )
    return Markup(
        '<div class="box" style="margin:0 0 12px;padding:12px 16px;background:#f2f6f5;border-radius:10px">'
        '<div class="soft" style="color:#5d686c;font-size:13px">{}</div><table role="presentation" width="100%"'
        ' cellpadding="0" cellspacing="0" border="0" style="font-size:15px">{}</table></div>'
    ).format(name, rows)


def _group(message: Message, group: ToldGroup) -> Markup:
    entries = Markup("").join(_entry(message, entry) for entry in group.entries)
    return Markup(
        '<div class="rule" style="margin:0 0 16px;padding:14px 0 0;border-top:1px solid #e6eaea">'
        '<div class="soft" style="margin:0 0 8px;color:#5d686c;font-size:13px;font-weight:600">{}</div>{}</div>'
    ).format(one_line(group.heading), entries)


def _entry(message: Message, entry: ToldEntry) -> Markup:
    alert = entry.alert
    url = alert_url(message, alert)
    title: Markup = escape(entry_title(alert))
    if url:
        title = Markup('<a href="{}" class="ink" style="color:#1c2325">{}</a>').format(url, title)
    is_summary = message.kind is MessageKind.STORM
    notes = [] if is_summary else [f"because: {reason}" for reason in entry.reasons(because)]
    if entry.also:
        notes.append(f"also told by {', '.join(one_line(name, 60) for name in entry.also)}")
    quoted = _small(_diff(alert, BRIEF)) if entry.has_excerpt and not is_summary else ""
    return Markup(
        '<div style="margin:0 0 12px"><div class="ink" style="margin:0 0 4px;color:#1c2325;font-weight:600">{}</div>'
        '{}<div class="soft" style="color:#5d686c;font-size:13px">{}</div></div>'
    ).format(title, quoted, Markup("<br>").join(notes))


def _small(diff: Markup) -> Markup:
    return Markup(diff.replace("margin:0 0 18px", "margin:0 0 6px").replace("font-size:15px", "font-size:14px"))  # noqa: S704 - our own


def _footer(message: Message) -> Markup:
    links = [("All alerts", alerts_url(message)), ("Stop this channel", message.unsubscribe_url)]
    shown = Markup("").join(
        Markup(' · <a href="{}" class="link" style="color:#0b6e63">{}</a>').format(url, name)
        for name, url in links
        if url
    )
    return Markup('<div class="soft" style="color:#5d686c;font-size:13px">Sent by veille to “{}”{}</div>').format(
        one_line(message.channel, 60), shown
    )
