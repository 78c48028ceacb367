"""Rules: made, changed, and tried on the past."""

from __future__ import annotations

import re
import secrets
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Final

from veille.core.alerts.models import Rule, RuleActions, RuleScope
from veille.core.fingerprint import uuid7
from veille.core.rules.facts import Evidence, Facts, Occasion
from veille.core.rules.rule import compile_rule
from veille.core.schedule import DAY
from veille.core.traffic import Failure
from veille.errors import ConfigError, NotFoundError
from veille.services.alerts.gathering import Gatherer
from veille.services.alerts.judging import BATCH, Judge, RulesInForce, in_force
from veille.services.alerts.last_state import last_changes, matching
from veille.services.alerts.new_values import NewValues
from veille.services.watching.sources import SourceEdit

if TYPE_CHECKING:
    from veille.core.alerts.records import AlertFilter, AlertLine
    from veille.core.told import TextEdit
    from veille.core.values.changing import ChangingNumber
    from veille.ports import Clock, Dossiers, DossierStore, Workshop
    from veille.services.watching.sources import SourceService

MAX_NAME: Final = 200
MOST_RULES: Final = 10_000
MOST_WEIGHT: Final = 5
#: The most changes that a rule is tried on, the newest.
MOST_TRIED: Final = 5000
#: The most hits of a trial that are listed.
MOST_HITS: Final = 100
_DIGITS: Final = re.compile(r"\d+")


@dataclass(frozen=True, slots=True, kw_only=True)
class RuleWish:
    """A rule as people ask for it: sources, channels and saved searches by name or id."""

    expression: str
    name: str = ""
    sources: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    tell: tuple[str, ...] = ()
    #: What is done with the document.
    actions: RuleActions = field(default_factory=RuleActions)
    weight: int = 3
    user_id: str = ""
    #: Values that the sources do not have yet: definitions by name, as the option `values` of a source takes them.
    values: Mapping[str, Any] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class TrialHit:
    """When a rule would have fired, and why."""

    at: int
    source_name: str
    title: str
    url: str
    document_id: str
    rev_n: int
    evidence: tuple[Evidence, ...]
    excerpt: tuple[TextEdit, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Trial:
    """What a rule would have done in the past."""

    #: 0: on the last state of each document.
    days: int
    #: How many changes, or documents, it was tried on.
    changes: int
    fired: int
    #: The newest first; not all, if there are very many.
    hits: tuple[TrialHit, ...]
    #: False: it asks about silences, too, which are not looked for in the past.
    is_whole: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class RuleTools:
    """What rules need besides their dossier."""

    judge: Judge
    workshop: Workshop
    #: Names of sinks that take what rules hand them.
    sinks: Callable[[], Collection[str]]
    #: Looks at the alerts of a dossier soon.
    wake: Callable[[str], None]


class RuleService:
    """The rules of any dossier, and what they fired."""

    def __init__(self, dossiers: Dossiers, sources: SourceService, clock: Clock, tools: RuleTools) -> None:
        self._dossiers = dossiers
        self._sources = sources
        self._clock = clock
        self._tools = tools

    def all(self, dossier_id: str) -> list[Rule]:
        with self._dossiers.open(dossier_id) as store:
            return store.rules.all()

    def find(self, dossier_id: str, name_or_id: str) -> Rule:
        with self._dossiers.open(dossier_id) as store:
            return store.rules.find(name_or_id)

    def add(self, dossier_id: str, wish: RuleWish) -> Rule:
        """Make a rule; it looks at what comes from now on. ConfigError says what is wrong with it, and where."""
        now = self._clock()
        with self._dossiers.open(dossier_id) as store:
            rules = store.rules.all()
            if len(rules) >= MOST_RULES:
                raise ConfigError(f"A dossier has at most {MOST_RULES} rules.", code="too_many_rules")
            rule = self._meant(store, wish)
            name = _checked_name(wish.name) if wish.name else _free_name(wish.expression, {one.name for one in rules})
            rule = replace(rule, id=uuid7(now, dossier_id, secrets.token_hex(8)), name=name)
            self._define(dossier_id, store, rule, wish.values)
            rule = store.rules.add(replace(rule, created_at=now, since_at=now))
        self._tools.wake(dossier_id)
        return rule

    def wish(self, dossier_id: str, name_or_id: str) -> RuleWish:
        """A rule as a wish, to be changed in part.

        Channels that were deleted are left out; and so are sources, unless the rule would then look at everything.
        """
        with self._dossiers.open(dossier_id) as store:
            rule = store.rules.find(name_or_id)
            channels = {one.id for one in store.channels.all()}
            left = tuple(one for one in rule.scope.sources if store.sources.get(one) is not None)
        return RuleWish(
            expression=rule.expression,
            name=rule.name,
            sources=left if left or rule.scope.tags else rule.scope.sources,
            tags=rule.scope.tags,
            actions=replace(rule.actions, tell=tuple(one for one in rule.actions.tell if one in channels)),
            weight=rule.weight,
            user_id=rule.user_id,
        )

    def edit(self, dossier_id: str, name_or_id: str, wish: RuleWish) -> Rule:
        """Replace what a rule asks and does; if it asks something else, it looks at what comes from now on."""
        with self._dossiers.open(dossier_id) as store:
            before = store.rules.find(name_or_id)
            rule = self._meant(store, wish)
            rule = replace(
                rule,
                id=before.id,
                name=_checked_name(wish.name) if wish.name else before.name,
                enabled=before.enabled,
                user_id=before.user_id,
                created_at=before.created_at,
                since_seq=before.since_seq,
                since_at=before.since_at,
            )
            self._define(dossier_id, store, rule, wish.values)
            if (rule.expression, rule.scope) != (before.expression, before.scope):
                rule = replace(rule, since_seq=store.outbox.last_seq(), since_at=self._clock())
            store.rules.update(rule)
        return rule

    def enable(self, dossier_id: str, name_or_id: str, *, enabled: bool) -> Rule:
        """Switch a rule off, or on again: then it looks at what comes from now on."""
        with self._dossiers.open(dossier_id) as store:
            rule = replace(store.rules.find(name_or_id), enabled=enabled)
            if enabled:
                rule = replace(rule, since_seq=store.outbox.last_seq(), since_at=self._clock())
            store.rules.update(rule)
        self._tools.wake(dossier_id)
        return rule

    def delete(self, dossier_id: str, name_or_id: str) -> int:
        """Delete a rule, until it is restored; returns when. What it fired stays, and is still told."""
        now = self._clock()
        with self._dossiers.open(dossier_id) as store:
            store.trashed_setups.put("rule", store.rules.find(name_or_id).id, now)
        return now

    def try_on_the_past(self, dossier_id: str, wish: RuleWish, days: int = 30) -> Trial:
        """Where a rule would have fired in the last days; nothing is stored or told."""
        now = self._clock()
        with self._dossiers.open(dossier_id) as store:
            rule = replace(self._meant(store, wish), id="trial", name="trial")
            shelf = in_force([rule])
            further = NewValues(store, self._tools.workshop, rule.scope, wish.values or {})
            gatherer = Gatherer(store, shelf.book, shelf.needs, further.of)
            last, looked_at = store.outbox.last_seq(), 0
            seq = max(store.outbox.seq_before(now - days * DAY), last - MOST_TRIED)
            hits: list[TrialHit] = []
            while parcels := store.outbox.parcels(seq, BATCH):
                seq, looked_at = parcels[-1].event.seq, looked_at + len(parcels)
                by_seq = {one.event.seq: one.event for one in parcels}
                for facts, case in self._tools.judge.run(shelf, gatherer.of_changes(parcels), dossier_id):
                    event = by_seq[facts.seq]
                    hits.append(_hit(facts, event.title, event.rev_n, case.fired[0].evidence, case.excerpt))
            hits += self._past_states(store, shelf, gatherer, now - days * DAY)
        hits.sort(key=lambda hit: hit.at, reverse=True)
        return Trial(
            days=days,
            changes=looked_at,
            fired=len(hits),
            hits=tuple(hits[:MOST_HITS]),
            is_whole=Occasion.SILENCE not in shelf.needs.occasions,
        )

    def try_on_the_last(self, dossier_id: str, wish: RuleWish) -> Trial:
        """Which documents fulfil a rule as they are now, and what it takes from each; nothing is stored or told."""
        with self._dossiers.open(dossier_id) as store:
            rule = replace(self._meant(store, wish), id="trial", name="trial")
            shelf = in_force([rule])
            further = NewValues(store, self._tools.workshop, rule.scope, wish.values or {})
            gatherer = Gatherer(store, shelf.book, shelf.needs, further.of)
            parcels = last_changes(store, frozenset(rule.scope.sources), MOST_TRIED)
            hits = [
                _hit(facts, event.title, event.rev_n, case.fired[0].evidence, ())
                for facts, event, case in matching(self._tools.judge, shelf, gatherer, parcels, dossier_id)
            ]
        hits.sort(key=lambda hit: hit.at, reverse=True)
        return Trial(days=0, changes=len(parcels), fired=len(hits), hits=tuple(hits[:MOST_HITS]))

    def changing_numbers(self, dossier_id: str, document_id: str, older: int, newer: int) -> list[ChangingNumber]:
        """The numbers that changed in place between two revisions, each with how to follow it from now on."""
        with self._dossiers.open(dossier_id) as store:
            before, after = (store.records.revision(document_id, n) for n in (older, newer))
        if _DIGITS.findall(before.text) == _DIGITS.findall(after.text):
            return []
        from veille.core.tasks.values import FindChangingNumbers  # noqa: PLC0415 - slow to import

        task = FindChangingNumbers(texts=(before.text, after.text), lang=after.lang)
        found = self._tools.workshop.run(task, group=dossier_id)
        return [] if isinstance(found, Failure) else found

    def alerts(
        self, dossier_id: str, wanted: AlertFilter, before: int | None = None, limit: int = 50
    ) -> list[AlertLine]:
        """What fired, newest first."""
        with self._dossiers.open(dossier_id) as store:
            return store.alerts.page(wanted, before, limit)

    def resend(self, dossier_id: str, alert_id: str, channels: Collection[str] = ()) -> AlertLine:
        """Tell an alert again, given by its id or number: by these channels, or by those that told it."""
        with self._dossiers.open(dossier_id) as store:
            line = store.alerts.find(alert_id)
            ids = [store.channels.find(name).id for name in channels]
            ids = ids or list(dict.fromkeys(one.channel_id for one in line.tellings))
            if not ids:
                raise ConfigError("No channel told it; name one.", code="no_channel")
            store.alerts.resend(line.alert.id, ids)
            line = store.alerts.find(line.alert.id)
        self._tools.wake(dossier_id)
        return line

    def _past_states(self, store: DossierStore, shelf: RulesInForce, gatherer: Gatherer, since: int) -> list[TrialHit]:
        if shelf.needs.occasions.isdisjoint({Occasion.HEALTH, Occasion.RUN}):
            return []
        happenings = [one for one in store.happenings.after(0, 10_000) if one.at >= since]
        found = self._tools.judge.run(shelf, gatherer.of_happenings(happenings), store.id)
        return [_hit(facts, facts.source_name, 0, case.fired[0].evidence, ()) for facts, case in found]

    def _meant(self, store: DossierStore, wish: RuleWish) -> Rule:
        """The rule of a wish, without an identity."""
        # On one line, and otherwise as it was written: spaces within quotes count.
        expression = " ".join(wish.expression.splitlines()).strip()
        needs = compile_rule(expression).needs
        searches = {search.name.casefold() for search in store.saved_searches.all()} if needs.searches else set()
        for name in needs.searches:
            if name.casefold() not in searches:
                raise NotFoundError(f"There is no saved search {name!r} in this dossier.", code="no_search")
        if not 1 <= wish.weight <= MOST_WEIGHT:
            raise ConfigError(f"A weight is 1 to {MOST_WEIGHT}.", code="bad_option")
        sink = wish.actions.sink
        if sink and sink not in self._tools.sinks():
            raise ConfigError(
                f"There is no sink {sink!r} for what rules find: the operator sets up one that is `only_found`.",
                code="no_sink",
            )
        tell = tuple(store.channels.find(name).id for name in (*wish.tell, *wish.actions.tell))
        sources = tuple(store.sources.find(name).id for name in wish.sources)
        return Rule(
            id="",
            name="",
            expression=expression,
            scope=RuleScope(sources=sources, tags=wish.tags),
            actions=replace(wish.actions, tell=tuple(dict.fromkeys(tell))),
            weight=wish.weight,
            user_id=wish.user_id,
        )

    def _define(self, dossier_id: str, store: DossierStore, rule: Rule, values: Mapping[str, Any] | None) -> None:
        """Let the sources of a rule read the values that it brings with it."""
        if not values:
            return
        if not rule.scope.sources:
            raise ConfigError("A value is read from a source: name the source of the rule.", code="bad_option")
        for source_id in rule.scope.sources:
            source = store.sources.get(source_id)
            known = dict(source.config.get("values") or {}) if source else {}
            self._sources.edit(dossier_id, source_id, SourceEdit(options={"values": known | dict(values)}))
        NewValues(store, self._tools.workshop, rule.scope, values).begin()


def _hit(
    facts: Facts, title: str, rev_n: int, evidence: tuple[Evidence, ...], excerpt: tuple[TextEdit, ...]
) -> TrialHit:
    return TrialHit(
        at=facts.at,
        source_name=facts.source_name,
        title=title,
        url=facts.url,
        document_id=facts.document_id,
        rev_n=rev_n,
        evidence=evidence,
        excerpt=excerpt,
    )


def _checked_name(name: str) -> str:
    name = name.strip()
    if not name or len(name) > MAX_NAME or not name.isprintable():
        raise ConfigError(f"A rule's name has 1 to {MAX_NAME} printable characters.", code="bad_name")
    return name


def _free_name(expression: str, taken: Collection[str]) -> str:
    """The expression as a name; with a number if a rule has that name."""
    name = expression if len(expression) <= MAX_NAME // 2 else f"{expression[: MAX_NAME // 2]}…"
    return next(one for n in range(1, MOST_RULES + 2) if (one := name if n == 1 else f"{name} ({n})") not in taken)
