"""The rules of a dossier: listed, made, tried on the past, also from a number that changed in a document."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from fastapi import Form, Path, Query, Response
from pydantic import BaseModel, Field

from veille.core.alerts.models import Rule, RuleActions
from veille.core.rules.rule import compile_rule
from veille.core.schedule import DAY
from veille.core.values.changing import ChangingNumber
from veille.errors import ConfigError, NotFoundError
from veille.interfaces.web._routes import Pages, within
from veille.interfaces.web.actions.show import Show, Showing
from veille.interfaces.web.views.told import brief
from veille.services.alerts.rules import RuleWish, Trial

routes = Pages("rules")

_RULES = "/d/{dossier_id}/rules"
_PAGE, _DAYS = 100, 30
_EXAMPLES = (
    ("price < 12 or availability = in stock", "a value is low, or something is there again"),
    ("price falls by 10%", "by that much at once"),
    ("price is lowest of 30 days", "lower than at any time in them"),
    ('"sold out" disappears', "words are nowhere in the text any more"),
    ('is new and title contains "budget"', "a new document about something"),
    ("more than 50 words changed", "no small corrections"),
    ("source is broken or source is silent for 3 days", "something is wrong with a source"),
    ("told by at least 3 sources", "a story that many tell"),
)

RuleId = Annotated[str, Path(max_length=200)]


class RuleForm(BaseModel):
    """The form of a rule, as it was sent."""

    expression: str = Field("", max_length=20_000)
    name: str = Field("", max_length=1000)
    sources: list[str] = Field([], max_length=10_000)
    tags: str = Field("", max_length=2000)
    tell: list[str] = Field([], max_length=200)
    add_tags: str = Field("", max_length=2000)
    star: bool = False
    read: bool = False
    hide: bool = False
    sink: str = Field("", max_length=200)
    weight: Literal["1", "2", "3", "4", "5"] = "3"
    #: A value that the source does not have yet: its name, also as it was proposed, and how it is found.
    value: str = Field("", max_length=200)
    value_was: str = Field("", max_length=200)
    near: str = Field("", max_length=2000)
    value_type: str = Field("", max_length=100)
    do: Literal["save", "try", "now"] = "save"

    @property
    def meant(self) -> str:
        """The expression, with the name of its value as it is now."""
        old, new = _quoted(self.value_was), _quoted(self.value.strip())
        return self.expression.replace(old, new) if self.value_was else self.expression

    def wish(self, user_id: str) -> RuleWish:
        """What is asked for."""
        values = {self.value.strip(): {"near": self.near, "type": self.value_type or None}} if self.near else None
        actions = RuleActions(
            tags=_words(self.add_tags), star=self.star, read=self.read, hide=self.hide, sink=self.sink
        )
        return RuleWish(
            expression=self.meant,
            name=self.name.strip(),
            sources=tuple(self.sources),
            tags=_words(self.tags),
            tell=tuple(self.tell),
            actions=actions,
            weight=int(self.weight),
            user_id=user_id,
            values=values,
        )

    @classmethod
    def of(cls, rule: Rule) -> RuleForm:
        """The form of a rule that there is."""
        return cls(
            expression=rule.expression,
            name=rule.name,
            sources=list(rule.scope.sources),
            tags=", ".join(rule.scope.tags),
            tell=list(rule.actions.tell),
            add_tags=", ".join(rule.actions.tags),
            star=rule.actions.star,
            read=rule.actions.read,
            hide=rule.actions.hide,
            sink=rule.actions.sink,
            weight=str(min(max(rule.weight, 1), 5)),
        )


class NumberChoice(BaseModel):
    """A number that changed between two revisions of a document; or what a rule begins with."""

    expression: str = Field("", max_length=2000)
    source: str = Field("", max_length=200)
    document: str = Field("", max_length=200)
    older: int = Field(1, ge=1, le=2**31)
    newer: int = Field(1, ge=1, le=2**31)
    number: str = Field("", max_length=200)


Sent = Annotated[RuleForm, Form()]


@routes.get(_RULES, auth=within("read"))
def _rules(show: Showing, first: Annotated[int, Query(ge=0, le=2**31)] = 0) -> Response:
    services, dossier_id = show.services, show.dossier.id
    rules = services.rules.all(dossier_id)
    shown = rules[first : first + _PAGE]
    since = show.app.clock() - _DAYS * DAY
    return show(
        "rules.html",
        rules=shown,
        fired={rule.id: show.reading.alerts.count(rule.id, since) for rule in shown},
        problems={rule.id: _problem(rule.expression) for rule in shown},
        channels={one.id: one.name for one in services.channels.all(dossier_id)},
        sources={one.id: one.name or one.url for one in services.sources.all(dossier_id)},
        feeds=f"{show.url}/api/dossiers/{dossier_id}/rules",
        first=f"{show.home}/rules" if first else "",
        more=f"{show.home}/rules?first={first + _PAGE}" if len(rules) > first + _PAGE else "",
    )


@routes.get(f"{_RULES}/new", auth=within("write"))
def _ask_new(show: Showing, choice: Annotated[NumberChoice, Query()]) -> Response:
    """An empty form; or one for a number that changed, tried on the past at once."""
    if not choice.document:
        known = choice.source and show.reading.sources.get(choice.source) is not None
        begun = RuleForm(
            expression=choice.expression, sources=[choice.source] if known else [], tell=_only_channel(show)
        )
        return _form(show, None, begun)
    source_id, number = _chosen(show, choice)
    given = _about(show, source_id, number)
    return _form(show, None, given, trial=_tried(show, given), number=number)


@routes.post(f"{_RULES}/new", auth=within("write"))
def _add(show: Showing, sent: Sent) -> Response:
    try:
        if sent.do != "save":
            return _form(show, None, sent, trial=_tried(show, sent))
        rule = show.services.rules.add(show.dossier.id, sent.wish(show.user_id))
    except ConfigError as error:
        return _form(show, None, sent, problem=error)
    show.access.log("add_rule", show.dossier.id, rule=rule.id)
    return show.go(f"{show.home}/rules", f"“{rule.name}” is judged from now on.")


@routes.get(f"{_RULES}/{{rule_id}}/edit", auth=within("write"))
def _ask_edit(show: Showing, rule_id: RuleId) -> Response:
    rule = show.services.rules.find(show.dossier.id, rule_id)
    return _form(show, rule, RuleForm.of(rule))


@routes.post(f"{_RULES}/{{rule_id}}/edit", auth=within("write"))
def _edit(show: Showing, rule_id: RuleId, sent: Sent) -> Response:
    rule = show.services.rules.find(show.dossier.id, rule_id)
    try:
        if sent.do != "save":
            return _form(show, rule, sent, trial=_tried(show, sent))
        show.services.rules.edit(show.dossier.id, rule.id, sent.wish(show.user_id))
    except ConfigError as error:
        return _form(show, rule, sent, problem=error)
    show.access.log("edit_rule", show.dossier.id, rule=rule.id)
    return show.go(f"{show.home}/rules", "Saved.")


@routes.post(f"{_RULES}/{{rule_id}}/enabled", auth=within("write"))
def _enable(show: Showing, rule_id: RuleId, *, value: Annotated[bool, Form()]) -> Response:
    rule = show.services.rules.enable(show.dossier.id, rule_id, enabled=value)
    show.access.log("enable_rule", show.dossier.id, rule=rule.id, enabled=value)
    return show.go(f"{show.home}/rules", f"“{rule.name}” is {'judged from now on' if value else 'switched off'}.")


@routes.post(f"{_RULES}/{{rule_id}}/delete", auth=within("write"))
def _delete(show: Showing, rule_id: RuleId) -> Response:
    rule = show.services.rules.find(show.dossier.id, rule_id)
    at = show.services.rules.delete(show.dossier.id, rule.id)
    show.access.log("delete_rule", show.dossier.id, rule=rule.id)
    return show.go(f"{show.home}/rules", f"“{rule.name}” is deleted. What it fired stays.", undo=at)


def _form(show: Show, rule: Rule | None, given: RuleForm, **values: Any) -> Response:
    """The form, with the problem or the trial of what was sent."""
    problem: ConfigError | None = values.get("problem")
    trial: Trial | None = values.get("trial")
    said, _, mark = str(problem or "").partition("\n")
    services, dossier_id = show.services, show.dossier.id
    sources = services.sources.all(dossier_id)
    return show(
        "rule_edit.html",
        rule=rule,
        given=given,
        expression=given.meant,
        problem=said,
        mark=mark,
        trial=trial,
        number=values.get("number"),
        brief=brief,
        sources=sources,
        known_tags=sorted({tag for one in sources for tag in _tags_of(one.config.get("tags"))}),
        channels=services.channels.all(dossier_id),
        sinks=sorted(name for name, options in show.app.settings.sinks.items() if options.get("only_found")),
        examples=_EXAMPLES,
    )


def _tried(show: Show, given: RuleForm) -> Trial:
    rules, wish = show.services.rules, given.wish(show.user_id)
    if given.do == "now":
        return rules.try_on_the_last(show.dossier.id, wish)
    return rules.try_on_the_past(show.dossier.id, wish, _DAYS)


def _chosen(show: Show, choice: NumberChoice) -> tuple[str, ChangingNumber]:
    """The source of a document, and the number that was chosen in it."""
    rules, dossier_id = show.services.rules, show.dossier.id
    found = rules.changing_numbers(dossier_id, choice.document, choice.older, choice.newer)
    for number in found:
        if number.name == choice.number:
            return show.reading.records.revision(choice.document, choice.newer).source_id, number
    raise NotFoundError("There is no such number in this change.")


def _about(show: Show, source_id: str, number: ChangingNumber) -> RuleForm:
    source = show.services.sources.find(show.dossier.id, source_id)
    known: dict[str, Any] = source.config.get("values") or {}
    given = RuleForm(sources=[source.id], tell=_only_channel(show))
    for name, wish in known.items():
        if number.wish.near in (wish, wish.get("near") if isinstance(wish, dict) else ""):
            # It is read already.
            return given.model_copy(update={"expression": f"{_quoted(name)} changes"})
    name = next(one for n in range(1, 1000) if (one := number.name if n == 1 else f"{number.name} {n}") not in known)
    new = {
        "expression": f"{_quoted(name)} changes",
        "value": name,
        "value_was": name,
        "near": number.wish.near,
        "value_type": number.wish.type or "",
    }
    return given.model_copy(update=new)


def _only_channel(show: Show) -> list[str]:
    """Chosen beforehand, where there is nothing to choose."""
    channels = show.services.channels.all(show.dossier.id)
    return [one.id for one in channels] if len(channels) == 1 else []


def _problem(expression: str) -> str:
    """Why a rule that is stored cannot be judged here; empty if it can."""
    try:
        compile_rule(expression)
    except ConfigError as error:
        return str(error).partition("\n")[0]
    return ""


def _quoted(name: str) -> str:
    return f"`{name}`"


def _words(text: str) -> tuple[str, ...]:
    return tuple(dict.fromkeys(word for part in text.split(",") if (word := part.strip())))


def _tags_of(written: object) -> tuple[str, ...]:
    if isinstance(written, str):
        return _words(written)
    return tuple(map(str, written)) if isinstance(written, list | tuple) else ()
