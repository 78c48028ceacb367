"""A message as JSON, for webhooks and their templates; `docs/reference/channels.md` shows the fields."""

from __future__ import annotations

from typing import Any

from veille.core.alerts.models import Alert, Message
from veille.core.alerts.phrases import alert_url, alerts_url, headline
from veille.core.alerts.wording import short_text, subject
from veille.core.dates import iso
from veille.core.values.value import Value


def message_record(message: Message) -> dict[str, Any]:
    """All that a message has, with its texts and links."""
    return {
        "id": message.id,
        "kind": message.kind.value,
        "at": iso(message.at),
        "dossier": {"id": message.dossier_id, "name": message.dossier},
        "channel": {"id": message.channel_id, "name": message.channel},
        "subject": subject(message),
        "text": short_text(message),
        "notice": message.notice,
        "alerts": [_alert(message, alert) for alert in message.alerts],
        "left_out": message.left_out,
        "url": alerts_url(message),
    }


def _alert(message: Message, alert: Alert) -> dict[str, Any]:
    return {
        "id": alert.id,
        "at": iso(alert.at),
        "headline": headline(alert),
        "rule": {"id": alert.rule_id, "name": alert.rule, "expression": alert.expression},
        "weight": alert.weight,
        "occasion": alert.occasion,
        "change": alert.change,
        "source": {"id": alert.source_id, "name": alert.source_name},
        "document": {"id": alert.document_id, "revision_id": alert.revision_id, "revision": alert.rev_n},
        "page": alert.url,
        "title": alert.title,
        "lang": alert.lang,
        "evidence": [{"condition": one.condition, "found": one.found, "quote": one.quote} for one in alert.evidence],
        "values": [
            {"name": one.name, "before": _value(one.before), "after": _value(one.after)} for one in alert.values
        ],
        "diff": [{"edit": edit.kind.value, "text": edit.text} for edit in alert.excerpt],
        "words_added": alert.words_added,
        "words_removed": alert.words_removed,
        "story_id": alert.story_id,
        "tellers": alert.tellers,
        "url": alert_url(message, alert),
    }


def _value(value: Value | None) -> dict[str, Any] | None:
    if value is None:
        return None
    return {"text": value.text, "number": value.number, "unit": value.unit, "type": value.type.value}
