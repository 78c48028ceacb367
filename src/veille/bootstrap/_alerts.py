"""Wires alerts: what judges, what tells, and what rules and channels need."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

from veille.registry import later

if TYPE_CHECKING:
    from collections.abc import Callable, Collection

    from veille.bootstrap._channels import AllowedChannels
    from veille.bootstrap._outside import Outside
    from veille.ports import Clock, Store
    from veille.services.alerts.channels import ChannelTools
    from veille.services.alerts.desk import AlertDesk
    from veille.services.alerts.judging import Judge
    from veille.services.alerts.locks import Locks
    from veille.services.alerts.rules import RuleTools
    from veille.services.alerts.telling import Teller
    from veille.services.engine.attendance import Attendance
    from veille.settings import Settings


class AlertParts:
    """The parts of alerts, imported and made when they are first needed: most commands need none."""

    desk: cached_property[AlertDesk] = later(
        "services.alerts.desk:AlertDesk", "_store.dossiers", "_store.alert_times", "_judge", "_teller", "_clock"
    )
    _kinds: cached_property[AllowedChannels] = later(
        "bootstrap._channels:AllowedChannels", "_settings", "_clock", "_outside.workshop", "_store.key"
    )
    _judge: cached_property[Judge] = later(
        "services.alerts.judging:Judge", "locks", "_outside.workshop", "_clock", "_tell_operator"
    )

    def __init__(
        self,
        settings: Settings,
        clock: Clock,
        store: Store,
        outside: Outside,
        attendance: Attendance,
        sinks: Callable[[], Collection[str]],
    ) -> None:
        self._settings = settings
        self._clock = clock
        self._store = store
        self._outside = outside
        self._attendance = attendance
        self._sinks = sinks
        #: Called with messages for the operator; commands that have nobody to show them to leave it.
        self.say: Callable[[str], None] = lambda _: None

    @cached_property
    def rules(self) -> RuleTools:
        from veille.services.alerts.rules import RuleTools  # noqa: PLC0415 - see above

        return RuleTools(judge=self._judge, workshop=self._outside.workshop, sinks=self._sinks, wake=self._wake)

    @cached_property
    def channels(self) -> ChannelTools:
        from veille.core.alerts.webpush import private_key, public_text  # noqa: PLC0415 - see above
        from veille.services.alerts.channels import ChannelTools  # noqa: PLC0415 - see above

        return ChannelTools(
            kinds=self._kinds,
            teller=self._teller,
            key=lambda: self._store.key("unsubscribe"),
            push_key=lambda: public_text(private_key(self._store.key("webpush"))),
            wake=self._wake,
        )

    @cached_property
    def locks(self) -> Locks:
        from veille.services.alerts.locks import Locks  # noqa: PLC0415 - see above

        return Locks(
            worker=self._attendance.name,
            clock=self._clock,
            lease_ms=round(self._settings.lease_s * 1000),
            is_gone=self._attendance.is_gone,
        )

    def _tell_operator(self, text: str) -> None:
        # Looked up each time, as `say` is set later.
        self.say(text)

    @cached_property
    def _teller(self) -> Teller:
        from veille.services.alerts.telling import Teller, TellingTools  # noqa: PLC0415 - see above

        return Teller(
            TellingTools(
                locks=self.locks,
                clock=self._clock,
                kinds=self._kinds,
                storm=self._settings.alerts.storm,
                base_url=self._settings.serve.public_url.rstrip("/"),
                unsubscribe=self._unsubscribe_url,
            )
        )

    def _unsubscribe_url(self, dossier_id: str, channel_id: str) -> str:
        from veille.services.alerts.channels import unsubscribe_token  # noqa: PLC0415 - see above

        base = self._settings.serve.public_url.rstrip("/")
        token = unsubscribe_token(self._store.key("unsubscribe"), dossier_id, channel_id)
        return f"{base}/unsubscribe/{dossier_id}/{channel_id}/{token}" if base else ""

    def _wake(self, dossier_id: str) -> None:
        self._store.alert_times.set(dossier_id, self._clock())
