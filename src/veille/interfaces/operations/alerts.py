"""Operations on alerts: what rules fired, and how it was told."""

from __future__ import annotations

from typing import Self

from pydantic import Field

from veille.core.alerts.phrases import excerpt, headline
from veille.core.alerts.records import AlertFilter, AlertLine, Telling
from veille.core.text import visible
from veille.interfaces.operations._operation import InDossier, Place, operation
from veille.interfaces.operations.rules import MOST, Reason
from veille.interfaces.operations.shapes import Shape


class ListAlerts(InDossier):
    """Which alerts."""

    rule_id: str = Field("", max_length=200, description="Only of this rule (id or name).")
    source_id: str = Field("", max_length=4096, description="Only of this source.")
    document_id: str = Field("", max_length=200, description="Only of this document.")
    before: int | None = Field(None, ge=0, description="Only those before this number: the last one of a page.")
    limit: int = Field(50, ge=1, le=1000, description="Maximum number, newest first.")


class ResendAlert(InDossier):
    """Which alert, and by which channels."""

    alert_id: str = Field(min_length=1, max_length=100, description="The alert: its id or number.")
    tell: list[str] = Field([], max_length=MOST, description="Channels (names or ids). Default: those that told it.")


class ValueStep(Shape):
    """A value before and after a change."""

    name: str
    before: str | None = None
    after: str | None = None


class TellingShape(Shape):
    """How an alert was told by one channel."""

    channel_id: str
    channel: str
    state: str = Field(description="`waiting`, `sending`, `sent` or `skipped`.")
    message_id: str
    sent_at: int | None = None
    attempts: int
    problem: str

    @classmethod
    def of(cls, telling: Telling) -> Self:
        """The shape of a telling."""
        return cls.showing(telling, state=telling.state.value, problem=visible(telling.problem))


class AlertShape(Shape):
    """A rule that fired, with its evidence."""

    id: str
    number: int
    at: int
    rule_id: str
    rule: str
    expression: str
    weight: int
    occasion: str = Field(description="`change`, `health`, `silence` or `run`.")
    headline: str
    evidence: list[Reason]
    source_id: str
    source_name: str
    change: str
    document_id: str
    revision: int
    url: str
    title: str
    excerpt: str = Field(description="The change in words: `costs [-12.90-] {+11.50+} EUR`.")
    values: list[ValueStep]
    told_by: str = Field(description="The alert that told the same story before; empty if this one tells it.")
    tellings: list[TellingShape]

    @classmethod
    def of(cls, line: AlertLine) -> Self:
        """The shape of a stored alert."""
        alert = line.alert
        return cls.showing(
            alert,
            number=line.seq,
            headline=headline(alert),
            evidence=list(map(Reason.of, alert.evidence)),
            revision=alert.rev_n,
            title=visible(alert.title),
            source_name=visible(alert.source_name),
            excerpt=visible(excerpt(alert)),
            values=[
                ValueStep(
                    name=one.name,
                    before=visible(one.before.text) if one.before else None,
                    after=visible(one.after.text) if one.after else None,
                )
                for one in alert.values
            ],
            tellings=list(map(TellingShape.of, line.tellings)),
        )


@operation("read", untrusted=True)
def _list_alerts(place: Place, given: ListAlerts) -> list[AlertShape]:
    """What rules fired, why, and how it was told, newest first."""
    wanted = AlertFilter(
        rule_id=place.services.rules.find(place.dossier_id, given.rule_id).id if given.rule_id else "",
        source_id=place.reading.sources.find(given.source_id).id if given.source_id else "",
        document_id=given.document_id,
    )
    return list(map(AlertShape.of, place.reading.alerts.page(wanted, given.before, given.limit)))


@operation("write", untrusted=True)
def _resend_alert(place: Place, given: ResendAlert) -> AlertShape:
    """Tell an alert again, by the channels that told it or by others."""
    return AlertShape.of(place.services.rules.resend(place.dossier_id, given.alert_id, given.tell))
