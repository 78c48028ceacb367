"""`veille rules`: what people want to be told of."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Annotated, Any

import typer

from veille.bootstrap import App
from veille.core.alerts.models import Rule, RuleActions
from veille.core.alerts.phrases import one_line
from veille.core.models import Dossier
from veille.core.schedule import DAY
from veille.errors import ConfigError
from veille.interfaces.cli._command import Answer, Dossiers, Named, OneDossier, command, done, listing
from veille.interfaces.cli._options import pairs
from veille.interfaces.cli._output import plain, print_table
from veille.interfaces.cli.terminal.listing import Row
from veille.interfaces.cli.terminal.table import At
from veille.interfaces.cli.terminal.text import plural
from veille.services.alerts.rules import RuleWish, Trial

rules = typer.Typer(invoke_without_command=True)

#: The days in which alerts are counted.
_DAYS = 30

_RuleArgument = Annotated[
    str, typer.Argument(help="Name or id of the rule, or its row in `veille rules`."), Named("rules")
]
_ExpressionArgument = Annotated[str, typer.Argument(help="The condition: 'price < 12 or availability = in stock'.")]
_SourceOption = Annotated[
    list[str] | None, typer.Option("--source", "-S", help="Only what this source brings (repeat it)."), Named("sources")
]
_TagOption = Annotated[
    list[str] | None, typer.Option("--tag", "-t", help="Only what sources with this tag bring (repeat it).")
]
_TellOption = Annotated[
    list[str] | None, typer.Option("--tell", help="A channel that tells of it (repeat it)."), Named("channels")
]
_SetTagOption = Annotated[list[str] | None, typer.Option("--set-tag", help="Tag the document (repeat it).")]
_SinkOption = Annotated[str | None, typer.Option("--sink", help="Hand the change to this sink (`only_found`).")]
_WeightOption = Annotated[
    int | None, typer.Option("--weight", min=1, max=5, help="How important it is in digests (3 is usual).")
]
_ValueOption = Annotated[
    list[str] | None,
    typer.Option("--value", help="A value that the sources do not have yet: price=.selector (repeat it)."),
]
_StarOption = Annotated[bool | None, typer.Option("--star/--no-star", help="Star the document.")]
_MuteOption = Annotated[bool | None, typer.Option("--mute/--no-mute", help="Mark the document as read.")]
_HideOption = Annotated[bool | None, typer.Option("--hide/--no-hide", help="Leave the change out of lists.")]


@rules.callback()
@listing
def list_rules(app: App, dossiers: Dossiers) -> Answer:
    """List the rules, with what they look at, what they do, and how often they fired in 30 days.

    How rules are written: docs/reference/rules.md.

    Example:
        veille rules --dossier competitors

    """
    shown = [one for where in dossiers for one in _listed(app, where)]
    rows = [
        (
            one["dossier"],
            one["name"],
            # The usual name is the expression.
            "" if one["expression"] == one["name"] else one["expression"],
            ", ".join([*one["sources"], *(f"tag {tag}" for tag in one["tags"])]) or "everything",
            _deeds(one),
            one["fired"],
            "on" if one["enabled"] else "off",
        )
        for one in shown
    ]
    ids = {where.name: where.id for where in dossiers}
    hint = 'There are no rules yet: veille rules add "price falls" --source tea --tell me'
    return Answer(
        shown,
        ("Dossier", "Rule", "Asks", "Of", "Does", "Fired", "State"),
        rows,
        "" if rows else hint,
        noun="rules",
        keys=[Row(ids[one["dossier"]], one["id"], one["name"]) for one in shown],
    )


@rules.command("add")
@command
def add_rule(
    app: App,
    where: OneDossier,
    expression: _ExpressionArgument,
    *,
    name: Annotated[str, typer.Option("--name", "-n", help="What to call it (default: the expression).")] = "",
    source: _SourceOption = None,
    tag: _TagOption = None,
    tell: _TellOption = None,
    set_tag: _SetTagOption = None,
    star: _StarOption = None,
    mute: _MuteOption = None,
    hide: _HideOption = None,
    sink: _SinkOption = None,
    weight: _WeightOption = None,
    value: _ValueOption = None,
    user: Annotated[str, typer.Option("--user", help="For whom --star and --mute are (default: the only user).")] = "",
    dry_run: Annotated[
        bool, typer.Option("--try", help="Only show where it would have fired in the last 30 days.")
    ] = False,
) -> Answer:
    """Be told when something happens. A rule looks at what comes from now on.

    Examples:
        veille rules add "price falls" --source tea --tell me

        veille rules add '"smoked tea" appears and not title contains "sale"' --tag shops --tell me --weight 5

        veille rules add "stock < 5" --source tea --value stock=.stock --tell me

        veille rules add "source is broken or nothing new for 7 days" --tell operators

        veille rules add "price < 12" --source tea --try

    """
    wish = RuleWish(expression=expression, name=name, user_id=_whose(app, user, is_needed=bool(star or mute)))
    wish = _changed(wish, source=source, tag=tag, tell=tell, weight=weight, value=value)
    wish = replace(wish, actions=_actions(wish.actions, set_tag=set_tag, star=star, mute=mute, hide=hide, sink=sink))
    if dry_run:
        return _tried(app.rules.try_on_the_past(where.id, wish, _DAYS))
    return _answer(app, where, app.rules.add(where.id, wish), "is watched for")


@rules.command("try")
@command
def try_rule(
    app: App,
    where: OneDossier,
    expression: _ExpressionArgument,
    *,
    source: _SourceOption = None,
    tag: _TagOption = None,
    days: Annotated[int, typer.Option("--days", min=1, max=3650, help="How far to look back.")] = _DAYS,
) -> Answer:
    """Show when a rule would have fired in the past, and why. Nothing is saved or told.

    Examples:
        veille rules try "price < 12" --source tea

        veille rules try "more than 50 words changed" --tag shops --days 90 --json

    """
    wish = RuleWish(expression=expression, sources=tuple(source or ()), tags=tuple(tag or ()))
    return _tried(app.rules.try_on_the_past(where.id, wish, days))


@rules.command("edit")
@command
def edit_rule(
    app: App,
    where: OneDossier,
    rule: _RuleArgument,
    *,
    expression: Annotated[str | None, typer.Option("--expression", "-x", help="Another condition.")] = None,
    name: Annotated[str | None, typer.Option("--name", "-n", help="What to call it.")] = None,
    source: _SourceOption = None,
    tag: _TagOption = None,
    everything: Annotated[bool, typer.Option("--everything", help="Look at all sources.")] = False,
    tell: _TellOption = None,
    quiet: Annotated[bool, typer.Option("--tell-nobody", help="Only list it; tell nobody.")] = False,
    set_tag: _SetTagOption = None,
    star: _StarOption = None,
    mute: _MuteOption = None,
    hide: _HideOption = None,
    sink: _SinkOption = None,
    weight: _WeightOption = None,
    value: _ValueOption = None,
) -> Answer:
    """Change a rule; what is not given stays. If it asks something else, it looks at what comes from now on.

    Examples:
        veille rules edit "price falls" --expression "price falls by 5%" --weight 4

        veille rules edit "price falls" --tell me --tell team

        veille rules edit "price falls" --everything --tell-nobody

    """
    wish = app.rules.wish(where.id, rule)
    wish = replace(wish, expression=expression or wish.expression, name=name or wish.name)
    if everything:
        wish = replace(wish, sources=(), tags=())
    if quiet or tell is not None:
        wish = replace(wish, actions=replace(wish.actions, tell=()))
    wish = _changed(wish, source=source, tag=tag, tell=tell, weight=weight, value=value)
    wish = replace(wish, actions=_actions(wish.actions, set_tag=set_tag, star=star, mute=mute, hide=hide, sink=sink))
    return _answer(app, where, app.rules.edit(where.id, rule, wish), "is changed")


@rules.command("pause")
@command
def pause_rule(app: App, where: OneDossier, rule: _RuleArgument) -> Answer:
    """Switch a rule off. What happens meanwhile does not fire it later.

    Example:
        veille rules pause "price falls"

    """
    return _answer(app, where, app.rules.enable(where.id, rule, enabled=False), "is off")


@rules.command("resume")
@command
def resume_rule(app: App, where: OneDossier, rule: _RuleArgument) -> Answer:
    """Switch a rule on again; it looks at what comes from now on.

    Example:
        veille rules resume "price falls"

    """
    return _answer(app, where, app.rules.enable(where.id, rule, enabled=True), "is on")


@rules.command("delete")
@command
def delete_rule(app: App, where: OneDossier, rule: _RuleArgument) -> Answer:
    """Delete a rule. What it fired stays, and is still told. Until seven days later, `veille rules restore` undoes it.

    Example:
        veille rules delete "price falls"

    """
    found = app.rules.find(where.id, rule)
    answer = _answer(app, where, found, "is deleted; `veille rules restore` undoes it")
    app.rules.delete(where.id, found.id)
    return answer


@rules.command("restore")
@command
def restore_rule(app: App, where: OneDossier, rule: Annotated[str, typer.Argument(help="Its name or id.")]) -> Answer:
    """Undo the deletion of a rule; it looks at what comes from now on.

    Example:
        veille rules restore "price falls"

    """
    restored = app.trash.restore_setup(where.id, "rule", rule)
    return _answer(app, where, app.rules.find(where.id, restored.id), "is back")


def _whose(app: App, user: str, *, is_needed: bool) -> str:
    """The id of the user whose marks a rule sets; empty if that does not matter or there are no users."""
    local = app.accounts.local()
    if user:
        return app.accounts.users.find(local, user).id
    everybody = [one for one in app.accounts.users.all(local) if one.removed_at is None] if is_needed else []
    if len(everybody) > 1:
        raise ConfigError("Say for whom documents are starred or marked as read: --user EMAIL.", code="no_user")
    return everybody[0].id if everybody else ""


def _changed(
    wish: RuleWish,
    *,
    source: list[str] | None,
    tag: list[str] | None,
    tell: list[str] | None,
    weight: int | None,
    value: list[str] | None,
) -> RuleWish:
    """The wish with what was given."""
    return replace(
        wish,
        sources=wish.sources if source is None else tuple(source),
        tags=wish.tags if tag is None else tuple(tag),
        tell=tuple(tell or ()),
        weight=wish.weight if weight is None else weight,
        values=pairs(value),
    )


def _actions(
    before: RuleActions,
    *,
    set_tag: list[str] | None,
    star: bool | None,
    mute: bool | None,
    hide: bool | None,
    sink: str | None,
) -> RuleActions:
    """The actions with what was given."""
    return replace(
        before,
        tags=before.tags if set_tag is None else tuple(one for one in set_tag if one),
        star=before.star if star is None else star,
        read=before.read if mute is None else mute,
        hide=before.hide if hide is None else hide,
        sink=before.sink if sink is None else sink,
    )


def _tried(trial: Trial) -> Answer:
    times = f"{plural(trial.fired, 'time')} in {plural(trial.days, 'day')}"
    more = f"; the newest {len(trial.hits)} are listed" if len(trial.hits) < trial.fired else ""
    rows = [
        (
            At(hit.at),
            one_line(hit.title or hit.url or hit.source_name),
            "; ".join(one_line(evidence.found) for evidence in hit.evidence),
        )
        for hit in trial.hits
    ]

    def show() -> None:
        if rows:
            print_table(("When", "What", "Why"), rows)

    message = f"It would have fired {times} ({plural(trial.changes, 'change')}{more})."
    if not trial.is_whole:
        message += " Silences are not looked for in the past."
    return Answer(trial, message=message, show=show)


def _answer(app: App, where: Dossier, rule: Rule, what: str) -> Answer:
    (shown,) = _shown_rules(app, where, [rule])
    deeds = _deeds(shown)
    if what == "is watched for":
        then = f"; then: {deeds}" if deeds else "; it tells nobody, see `veille alerts`"
        of = ", ".join([*shown["sources"], *(f"tag {tag}" for tag in shown["tags"])]) or "everything"
        return done(shown, f"{rule.expression} {what} in {of}{then}.")
    return done(shown, f"{rule.name} {what}.")


def _listed(app: App, where: Dossier) -> list[dict[str, Any]]:
    return _shown_rules(app, where, app.rules.all(where.id))


def _shown_rules(app: App, where: Dossier, found: Sequence[Rule]) -> list[dict[str, Any]]:
    """Rules as data, with the names of their sources and channels."""
    channels = {one.id: one.name for one in app.channels.all(where.id)}
    names = {one.id: one.name for one in app.sources.all(where.id)} if found else {}
    since = app.clock() - _DAYS * DAY
    with app.reading(where.id) as reading:
        fired = {rule.id: reading.alerts.count(rule.id, since) for rule in found}
    return [
        {
            "dossier": where.name,
            "id": rule.id,
            "name": rule.name,
            "expression": rule.expression,
            "sources": [names.get(one, one) for one in rule.scope.sources],
            "tags": list(rule.scope.tags),
            "tell": [channels[one] for one in rule.actions.tell if one in channels],
            "set_tags": list(rule.actions.tags),
            "star": rule.actions.star,
            "mute": rule.actions.read,
            "hide": rule.actions.hide,
            "sink": rule.actions.sink,
            "weight": rule.weight,
            "enabled": rule.enabled,
            "fired": fired[rule.id],
            "created_at": plain(rule.created_at, "created_at"),
        }
        for rule in found
    ]


def _deeds(shown: dict[str, Any]) -> str:
    """What a rule does, in words."""
    words = [f"tell {', '.join(shown['tell'])}"] if shown["tell"] else []
    words += [f"tag {', '.join(shown['set_tags'])}"] if shown["set_tags"] else []
    words += [name for name in ("star", "mute", "hide") if shown[name]]
    words += [f"sink {shown['sink']}"] if shown["sink"] else []
    return ", ".join(words)
