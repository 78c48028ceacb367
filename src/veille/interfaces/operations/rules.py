"""Operations on the rules of a dossier: what people want to be told of."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Self

from pydantic import Field

from veille.core.alerts.models import Rule as Kept
from veille.core.rules.facts import Evidence
from veille.core.schedule import DAY
from veille.core.text import visible
from veille.interfaces.operations._operation import InDossier, Place, operation
from veille.interfaces.operations.shapes import Shape
from veille.interfaces.operations.sources import Deleted
from veille.services.alerts.rules import MAX_NAME, RuleWish, Trial

#: The days in which alerts are counted.
COUNTED_DAYS = 30
MAX_EXPRESSION = 2000
MOST = 100
_EXPRESSION = 'The condition: `price < 12 or availability = in stock`, `"smoked tea" appears`, `source is broken`.'
_SOURCES = "Only what these sources bring (names or ids)."
_TAGS = "Only what sources with one of these tags bring."
_TELL = "The channels that tell of it (names or ids)."
_VALUES = "Values that the sources do not have yet, by name: a CSS selector, or a definition as sources take it."


class AddRule(InDossier):
    """The rule to add."""

    expression: str = Field(min_length=1, max_length=MAX_EXPRESSION, description=_EXPRESSION, examples=["is new"])
    name: str = Field("", max_length=MAX_NAME, description="What people call it. Default: the expression.")
    sources: list[str] = Field([], max_length=MOST, description=f"{_SOURCES} Default: everything.")
    tags: list[str] = Field([], max_length=MOST, description=_TAGS)
    tell: list[str] = Field([], max_length=MOST, description=_TELL)
    set_tags: list[str] = Field([], max_length=MOST, description="Tags for the document.")
    star: bool = Field(default=False, description="Whether the document is starred for you.")
    mute: bool = Field(default=False, description="Whether the document is marked as read for you.")
    hide: bool = Field(default=False, description="Whether the change is left out of lists.")
    sink: str = Field("", max_length=200, description="A sink that gets the change.")
    weight: int = Field(3, ge=1, le=5, description="How important it is in digests.")
    values: dict[str, Any] | None = Field(None, max_length=50, description=_VALUES)


class OneRule(InDossier):
    """One rule."""

    rule_id: str = Field(min_length=1, max_length=MAX_NAME, description="The rule: its id or name.")


class UpdateRule(OneRule):
    """The changes; omitted fields stay unchanged."""

    expression: str | None = Field(None, min_length=1, max_length=MAX_EXPRESSION, description=_EXPRESSION)
    name: str | None = Field(None, min_length=1, max_length=MAX_NAME, description="What people call it.")
    sources: list[str] | None = Field(None, max_length=MOST, description=_SOURCES)
    tags: list[str] | None = Field(None, max_length=MOST, description=_TAGS)
    tell: list[str] | None = Field(None, max_length=MOST, description=_TELL)
    set_tags: list[str] | None = Field(None, max_length=MOST, description="Tags for the document.")
    star: bool | None = Field(None, description="Whether the document is starred.")
    mute: bool | None = Field(None, description="Whether the document is marked as read.")
    hide: bool | None = Field(None, description="Whether the change is left out of lists.")
    sink: str | None = Field(None, max_length=200, description="A sink that gets the change; empty: none.")
    weight: int | None = Field(None, ge=1, le=5, description="How important it is in digests.")
    values: dict[str, Any] | None = Field(None, max_length=50, description=_VALUES)
    enabled: bool | None = Field(None, description="Whether it fires.")


class TryRule(InDossier):
    """The rule to try, and on how many days."""

    expression: str = Field(min_length=1, max_length=MAX_EXPRESSION, description=_EXPRESSION, examples=["is new"])
    sources: list[str] = Field([], max_length=MOST, description=f"{_SOURCES} Default: everything.")
    tags: list[str] = Field([], max_length=MOST, description=_TAGS)
    days: int = Field(COUNTED_DAYS, ge=1, le=3650, description="How far to look back.")


class RuleShape(Shape):
    """A rule: a condition over the changes of a dossier, and what is done when it holds."""

    id: str
    name: str
    expression: str
    sources: list[str] = Field(description="Ids of sources; with no tags and no sources it looks at everything.")
    tags: list[str]
    tell: list[str] = Field(description="Ids of channels.")
    set_tags: list[str]
    star: bool
    mute: bool
    hide: bool
    sink: str
    weight: int
    enabled: bool
    fired: int = Field(description=f"How often it fired in {COUNTED_DAYS} days.")
    created_at: int

    @classmethod
    def of(cls, rule: Kept, fired: int) -> Self:
        """The shape of a rule."""
        does = rule.actions
        return cls.showing(
            rule,
            sources=list(rule.scope.sources),
            tags=list(rule.scope.tags),
            tell=list(does.tell),
            set_tags=list(does.tags),
            star=does.star,
            mute=does.read,
            hide=does.hide,
            sink=does.sink,
            fired=fired,
        )


class Reason(Shape):
    """Why a rule fired: the condition, what was found, and a passage that shows it."""

    condition: str
    found: str
    quote: str

    @classmethod
    def of(cls, evidence: Evidence) -> Self:
        """The shape of a piece of evidence."""
        return cls(condition=evidence.condition, found=visible(evidence.found), quote=visible(evidence.quote))


class PastHit(Shape):
    """When a rule would have fired, and why."""

    at: int
    source_name: str
    title: str
    url: str
    document_id: str
    revision: int
    evidence: list[Reason]


class TrialShape(Shape):
    """What a rule would have done in the past."""

    days: int
    changes: int = Field(description="On how many changes it was tried.")
    fired: int
    hits: list[PastHit] = Field(description="The newest first, at most 100.")
    is_whole: bool = Field(description="False: it asks about silences, too, which are not looked for in the past.")

    @classmethod
    def of(cls, trial: Trial) -> Self:
        """The shape of a trial."""
        hits = [
            PastHit.showing(
                hit, title=visible(hit.title), revision=hit.rev_n, evidence=list(map(Reason.of, hit.evidence))
            )
            for hit in trial.hits
        ]
        return cls.showing(trial, hits=hits)


@operation("read")
def _list_rules(place: Place, _: InDossier) -> list[RuleShape]:
    """The rules of a dossier, by name."""
    return _shown(place, place.services.rules.all(place.dossier_id))


@operation("write")
def _add_rule(place: Place, given: AddRule) -> RuleShape:
    """Have people told, or something done, when a condition holds; it looks at what comes from now on."""
    wish = RuleWish(expression=given.expression, user_id=place.access.who.user_id)
    added = place.services.rules.add(place.dossier_id, _changed(wish, given))
    return _shown(place, [added])[0]


@operation("write")
def _update_rule(place: Place, given: UpdateRule) -> RuleShape:
    """Change a rule, or switch it on or off; what is not given stays as it is."""
    rules, dossier_id = place.services.rules, place.dossier_id
    rule = rules.find(dossier_id, given.rule_id)
    asked = given.model_dump(exclude={"dossier_id", "rule_id", "enabled"}, exclude_none=True)
    if asked:
        rule = rules.edit(dossier_id, rule.id, _changed(rules.wish(dossier_id, rule.id), given))
    if given.enabled is not None and given.enabled != rule.enabled:
        rule = rules.enable(dossier_id, rule.id, enabled=given.enabled)
    return _shown(place, [rule])[0]


@operation("write", destructive=True)
def _delete_rule(place: Place, given: OneRule) -> Deleted:
    """Delete a rule; what it fired stays, and is still told. It can be restored for seven days."""
    place.services.rules.delete(place.dossier_id, given.rule_id)
    return Deleted()


@operation("write")
def _restore_rule(place: Place, given: OneRule) -> RuleShape:
    """Undo the deletion of a rule, by its id or name, within seven days; it looks at what comes from now on."""
    restored = place.services.trash.restore_setup(place.dossier_id, "rule", given.rule_id)
    return _shown(place, [place.services.rules.find(place.dossier_id, restored.id)])[0]


@operation("read", untrusted=True)
def _try_rule(place: Place, given: TryRule) -> TrialShape:
    """When a rule would have fired in the past, and why; nothing is saved or told."""
    wish = RuleWish(expression=given.expression, sources=tuple(given.sources), tags=tuple(given.tags))
    return TrialShape.of(place.services.rules.try_on_the_past(place.dossier_id, wish, given.days))


def _changed(wish: RuleWish, given: AddRule | UpdateRule) -> RuleWish:
    """The wish with what was given."""
    does = wish.actions
    return replace(
        wish,
        expression=given.expression or wish.expression,
        name=given.name or wish.name,
        sources=_else(given.sources, wish.sources),
        tags=_else(given.tags, wish.tags),
        tell=_else(given.tell, wish.tell),
        actions=replace(
            does,
            tell=does.tell if given.tell is None else (),
            tags=_else(given.set_tags, does.tags),
            star=does.star if given.star is None else given.star,
            read=does.read if given.mute is None else given.mute,
            hide=does.hide if given.hide is None else given.hide,
            sink=does.sink if given.sink is None else given.sink,
        ),
        weight=wish.weight if given.weight is None else given.weight,
        values=given.values,
    )


def _else(given: list[str] | None, before: tuple[str, ...]) -> tuple[str, ...]:
    return before if given is None else tuple(given)


def _shown(place: Place, rules: Sequence[Kept]) -> list[RuleShape]:
    since = place.app.clock() - COUNTED_DAYS * DAY
    return [RuleShape.of(rule, place.reading.alerts.count(rule.id, since)) for rule in rules]
