"""Judges what happened in a dossier by its rules, and stores what fired: each change once, in order."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

from veille.core.alerts.happening import Happening
from veille.core.alerts.models import RULES_LOCK, Alert, Rule
from veille.core.alerts.records import Deed, Fired, Verdicts
from veille.core.fingerprint import uuid7
from veille.core.models import Change
from veille.core.rules.book import RuleBook
from veille.core.rules.condition import NOTHING, RuleNeeds
from veille.core.rules.facts import Evidence, Facts, Occasion
from veille.core.rules.judging import JudgedChange
from veille.core.rules.rule import CompiledRule, compile_rule
from veille.core.schedule import MINUTE
from veille.core.traffic import Failure
from veille.errors import ConfigError, ReadError
from veille.failpoints import failpoint
from veille.services.alerts.gathering import Case, Gatherer, heard_at

if TYPE_CHECKING:
    from veille.core.records import Parcel
    from veille.ports import Clock, DossierStore, Workshop
    from veille.services.alerts.locks import Locks

#: Changes and happenings that are judged and stored together.
BATCH: Final = 100
#: When to try again if nothing can be judged, or another process is at it.
_AGAIN: Final = MINUTE
#: What a child judges at once: characters of texts, and pairs of a change and a rule, of which it does some 100,000 a
#: second.
_MOST_CHARS: Final = 4_000_000
_MOST_PAIRS: Final = 200_000


@dataclass(frozen=True, slots=True, kw_only=True)
class RulesInForce:
    """The rules in force, and what they need."""

    rules: dict[str, Rule]
    book: RuleBook
    needs: RuleNeeds


class Judge:
    """Judges dossiers one after the other; several processes may try, and one of them does it."""

    def __init__(
        self, locks: Locks, workshop: Workshop, clock: Clock, say: Callable[[str], None] = lambda _: None
    ) -> None:
        self._locks = locks
        self._workshop = workshop
        self._clock = clock
        self._say = say
        #: By dossier: for which rules, and up to when, silences were judged by this process.
        self._silent_until: dict[str, tuple[tuple[int, int], int]] = {}

    def judge(self, store: DossierStore, stop: Callable[[], bool] = lambda: False) -> int | None:
        """Judge everything that happened; returns when to do so again, though nothing happens.

        That is when a silence will have lasted as long as a rule asks; and soon, if it could not be done now.
        """
        shelf = in_force(store.rules.all())
        if not shelf.rules:
            return None
        if not self._locks.take(store, RULES_LOCK):
            return self._clock() + _AGAIN
        try:
            while self._step(store, shelf, stop) and not stop() and self._locks.take(store, RULES_LOCK):
                pass
            return self._silences(store, shelf)
        except ReadError as error:
            self._say(str(error))
            return self._clock() + _AGAIN
        finally:
            self._locks.release(store, RULES_LOCK)

    def _step(self, store: DossierStore, shelf: RulesInForce, stop: Callable[[], bool]) -> bool:
        """Judge the next changes and happenings; returns whether there may be more."""
        begin = store.alerts.judged()
        # Changes from before the first rule are of no interest.
        since = max(begin[0], min(rule.since_seq for rule in shelf.rules.values()))
        last, last_happening = store.outbox.last_seq(), store.happenings.last_seq()
        parcels = store.outbox.parcels(since, BATCH)
        happenings = store.happenings.after(begin[1], BATCH)
        end = (
            parcels[-1].event.seq if len(parcels) == BATCH else max(last, since),
            happenings[-1].seq if len(happenings) == BATCH else max(last_happening, begin[1]),
        )
        # What was committed after `last` was read is left for the next step.
        parcels = [parcel for parcel in parcels if parcel.event.seq <= end[0]]
        happenings = [one for one in happenings if one.seq <= end[1]]
        if end == begin:
            return False
        gatherer = Gatherer(store, shelf.book, shelf.needs)
        found = self._fired_on_changes(store, shelf, gatherer, parcels)
        found += self._fired_on_happenings(store.id, shelf, gatherer, happenings)
        verdicts = Verdicts(
            begin=begin, end=end, fired=tuple(one for one, _ in found), deeds=tuple(deed for _, deed in found if deed)
        )
        if stop():
            # Children may have been ended in the middle of their work.
            return False
        failpoint("before_alerts")
        # Renewed, as judging may have taken longer than a lock lasts.
        return self._locks.take(store, RULES_LOCK) and store.alerts.record(verdicts, self._locks.worker, self._clock())

    def _fired_on_changes(
        self, store: DossierStore, shelf: RulesInForce, gatherer: Gatherer, parcels: Sequence[Parcel]
    ) -> list[tuple[Fired, Deed | None]]:
        by_seq = {parcel.event.seq: parcel for parcel in parcels}
        found: list[tuple[Fired, Deed | None]] = []
        stories = _Told(store)
        for facts, case in self.run(shelf, gatherer.of_changes(parcels), store.id):
            parcel = by_seq[facts.seq]
            for fired in case.fired:
                rule = shelf.rules[fired.rule_id]
                if parcel.event.seq <= rule.since_seq:
                    continue
                alert = replace(
                    _alert(rule, facts, case, fired.evidence, f"{parcel.event.seq}"),
                    revision_id=parcel.revision.id,
                    rev_n=parcel.event.rev_n,
                    title=parcel.event.title,
                    lang=parcel.revision.lang,
                    seq=parcel.event.seq,
                )
                alert = stories.told(alert, per_story=shelf.book.rules[rule.id].needs.tellers)
                found.append((_fired(rule, alert, stories.key(alert)), _deed(rule, alert)))
        return found

    def _fired_on_happenings(
        self, dossier_id: str, shelf: RulesInForce, gatherer: Gatherer, happenings: Sequence[Happening]
    ) -> list[tuple[Fired, Deed | None]]:
        found: list[tuple[Fired, Deed | None]] = []
        for facts, case in self.run(shelf, gatherer.of_happenings(happenings), dossier_id):
            for fired in case.fired:
                rule = shelf.rules[fired.rule_id]
                if facts.at >= rule.since_at:
                    key = f"happening {facts.seq}"
                    found.append((_fired(rule, _alert(rule, facts, case, fired.evidence, key), key), None))
        return found

    def _silences(self, store: DossierStore, shelf: RulesInForce) -> int | None:
        """Fire for sources that have been silent for long enough, once for each silence."""
        if not shelf.needs.silences:
            return None
        now, begin = self._clock(), store.alerts.judged()
        gatherer = Gatherer(store, shelf.book, shelf.needs)
        # With other rules, also those that were silent before count.
        rules = (len(shelf.rules), max(rule.since_at for rule in shelf.rules.values()))
        known, since = self._silent_until.get(store.id, (rules, 0))
        fired: list[Fired] = []
        for facts, case in self.run(shelf, gatherer.of_silences(since if known == rules else 0, now), store.id):
            source = gatherer.source(facts.source_id)
            for one in case.fired:
                rule = shelf.rules[one.rule_id]
                key = f"silence {facts.source_id} {heard_at(source) if source else 0}"
                fired.append(_fired(rule, _alert(rule, facts, case, one.evidence, key), key))
        verdicts = Verdicts(begin=begin, end=begin, fired=tuple(fired))
        if not fired or store.alerts.record(verdicts, self._locks.worker, now):
            self._silent_until[store.id] = (rules, now)
        return gatherer.silences_end(now)

    def run(self, shelf: RulesInForce, cases: Sequence[Case], group: str = "") -> Iterable[tuple[Facts, JudgedChange]]:
        """The cases on which rules fire; judged in a child process, and one by one if they cannot be together."""
        expressions = {rule_id: rule.expression for rule_id, rule in shelf.rules.items()}
        return [pair for some in _portions(cases) for pair in self._run(shelf, expressions, some, group)]

    def _run(
        self, shelf: RulesInForce, expressions: Mapping[str, str], cases: Sequence[Case], group: str
    ) -> list[tuple[Facts, JudgedChange]]:
        from veille.core.tasks.judging import JudgeChanges  # noqa: PLC0415 - slow to import

        answer = self._workshop.run(JudgeChanges.of(expressions, cases), group=group)
        if not isinstance(answer, Failure):
            pairs = zip(cases, answer.cases, strict=True)
            return [(facts, case) for (facts, _), case in pairs if case.fired]
        facts, candidates = cases[0]
        if len(cases) > 1:
            return [pair for case in cases for pair in self._run(shelf, expressions, [case], group)]
        from veille.core.tasks.judging import JudgeChanges  # noqa: PLC0415 - slow to import

        probe = self._workshop.run(JudgeChanges.of({}, ()))
        if isinstance(probe, Failure):
            # Not the fault of this change: nothing can be judged, as while another version is being installed.
            raise ReadError(
                f"Changes cannot be judged now ({answer.code}: {answer.message}); this is tried again.",
                code="not_judged",
            )
        if len(candidates) > 1:
            # One costly rule does not silence the others.
            half = len(candidates) // 2
            parts = ([(facts, candidates[:half])], [(facts, candidates[half:])])
            return [pair for part in parts for pair in self._run(shelf, expressions, part, group)]
        rule = shelf.rules[candidates[0]].name
        self._say(f"The rule {rule!r} could not judge a change of {facts.url} ({answer.code}).")
        return []


def in_force(rules: Iterable[Rule]) -> RulesInForce:
    """The enabled rules that can be understood, indexed."""
    kept: dict[str, Rule] = {}
    compiled: list[tuple[Rule, CompiledRule]] = []
    needs = NOTHING
    for rule in rules:
        if not rule.enabled:
            continue
        try:
            meant = compile_rule(rule.expression)
        except ConfigError:
            # Written for an extension that is not installed here; pages show the reason beside the rule.
            continue
        kept[rule.id] = rule
        compiled.append((rule, meant))
        needs |= meant.needs
    return RulesInForce(
        rules=kept, book=RuleBook((rule.id, rule.scope, meant) for rule, meant in compiled), needs=needs
    )


def _portions(cases: Sequence[Case]) -> Iterator[list[Case]]:
    """The cases in portions that a child can take at once: in memory, and long before its deadline."""
    portion: list[Case] = []
    chars = pairs = 0
    for facts, candidates in cases:
        size = sum(len(side.text) for side in (facts.before, facts.after) if side is not None)
        if portion and (chars + size > _MOST_CHARS or pairs + len(candidates) > _MOST_PAIRS):
            yield portion
            portion, chars, pairs = [], 0, 0
        portion.append((facts, candidates))
        chars, pairs = chars + size, pairs + len(candidates)
    if portion:
        yield portion


class _Told:
    """Which stories a rule has told already: the same story is told once, not by each of its sources."""

    def __init__(self, store: DossierStore) -> None:
        self._store = store
        #: The alerts of this batch, by rule and document.
        self._here: dict[tuple[str, str], str] = {}
        self._per_story: set[str] = set()

    def told(self, alert: Alert, *, per_story: bool) -> Alert:
        """The alert with its story, and the alert that told it before."""
        if alert.change == Change.REMOVED:
            return alert
        story = self._store.stories.of(alert.document_id)
        if story is not None:
            ids = [one.document_id for one in story.documents]
            alert = replace(alert, story_id=story.id, tellers=len({one.source_id for one in story.documents}))
            if per_story:
                self._per_story.add(alert.id)
            elif alert.change == Change.NEW:
                others = [one for one in ids if one != alert.document_id]
                here = next(filter(None, (self._here.get((alert.rule_id, one)) for one in others)), "")
                alert = replace(alert, told_by=here or self._store.alerts.tellers(alert.rule_id, others))
        if alert.change == Change.NEW and not alert.told_by:
            self._here[alert.rule_id, alert.document_id] = alert.id
        return alert

    def key(self, alert: Alert) -> str:
        """What the alert is about."""
        return f"story {alert.story_id}" if alert.id in self._per_story else f"change {alert.seq}"


def _alert(rule: Rule, facts: Facts, case: JudgedChange, evidence: tuple[Evidence, ...], key: str) -> Alert:
    is_change = facts.occasion is Occasion.CHANGE
    return Alert(
        id=uuid7(facts.at, rule.id, key),
        rule_id=rule.id,
        rule=rule.name,
        expression=rule.expression,
        at=facts.at,
        occasion=facts.occasion,
        evidence=evidence,
        weight=rule.weight,
        source_id=facts.source_id,
        source_name=facts.source_name,
        change=facts.change,
        document_id=facts.document_id,
        url=facts.url,
        title="" if is_change else facts.source_name or facts.run,
        excerpt=case.excerpt,
        words_added=case.words_added,
        words_removed=case.words_removed,
        values=tuple(one for one in facts.values if one.before != one.after),
        tellers=facts.tellers,
    )


def _fired(rule: Rule, alert: Alert, key: str) -> Fired:
    return Fired(alert=alert, key=key, channels=() if alert.told_by else rule.actions.tell)


def _deed(rule: Rule, alert: Alert) -> Deed | None:
    actions = rule.actions
    if not (actions.tags or actions.star or actions.read or actions.hide or actions.sink):
        return None
    return Deed(
        document_id=alert.document_id,
        seq=alert.seq,
        user_id=rule.user_id,
        tags=actions.tags,
        star=actions.star,
        read=actions.read,
        hide=actions.hide,
        sink=actions.sink,
    )
