"""`veille values`: numbers, prices, dates and states that are followed over time."""

from __future__ import annotations

from typing import Annotated, Any

import typer
from typer.core import TyperGroup

from veille.bootstrap import App
from veille.core.models import Dossier, Json, Source
from veille.core.schedule import duration_ms
from veille.core.values.value import Value, ValueLine, ValuePoint
from veille.core.values.wishes import WAYS
from veille.errors import ConfigError, NotFoundError
from veille.interfaces.cli._command import Answer, Dossiers, Named, OneDossier, command, done, listing
from veille.interfaces.cli.terminal.listing import Row
from veille.interfaces.cli.terminal.table import At
from veille.interfaces.cli.watching.sources import SourceArgument, shown_source
from veille.services.watching.sources import SourceEdit

_OPTION = "values"


class _ShowIfNothingElse(TyperGroup):
    """What is no subcommand is what `show` is given: `veille values tea` is `veille values show tea`."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        if not args or (args[0] not in self.commands and args[0] != "--help"):
            args = ["show", *args]
        return super().parse_args(ctx, args)


values = typer.Typer(cls=_ShowIfNothingElse)

NameArgument = Annotated[str, typer.Argument(help="The name of the value, as in rules: price.")]


@values.callback()
def root() -> None:
    """Follow numbers, prices, dates and states; `veille values tea` is `veille values show tea`.

    Example:
        veille values tea --name price

    """


@values.command("show")
@listing
def show_values(
    app: App,
    dossiers: Dossiers,
    source: Annotated[
        str, typer.Argument(help="Name, id, address or row of a source (default: all of them)."), Named("sources")
    ] = "",
    *,
    name: Annotated[str, typer.Option("--name", "-n", help="Only of this name; of one source, the series.")] = "",
    since: Annotated[str, typer.Option("--since", help="Only what changed since then: 30d, 12h.")] = "",
    limit: Annotated[int, typer.Option("--limit", "-l", min=1, help="How many.")] = 1000,
) -> Answer:
    """List the values as they are now; with a source and a name, every point of the series.

    Examples:
        veille values

        veille values tea --name price --since 30d

        veille values show --name availability --json

    """
    after = app.clock() - duration_ms(since) if since else 0
    found = [(where, _source_in(app, where, source)) for where in dossiers] if source else []
    places = [(where, one.id) for where, one in found if one is not None] or [(where, "") for where in dossiers]
    if source and not any(one for _, one in found):
        raise NotFoundError(f"There is no source {source!r}.", code="no_source")
    asked = {"name": name, "since": after, "limit": limit}
    if source and name:
        return _series([one for where, source_id in places for one in _points(app, where, source_id, asked)])
    return _now([(where, line) for where, source_id in places for line in _lines(app, where, source_id, asked)])


@values.command("add")
@command
def add_value(
    app: App,
    where: OneDossier,
    source: SourceArgument,
    name: NameArgument,
    *,
    selector: Annotated[str, typer.Option("--selector", help="CSS selector of its element.")] = "",
    attribute: Annotated[str, typer.Option("--attribute", help="The attribute of that element to read.")] = "",
    xpath: Annotated[str, typer.Option("--xpath", help="XPath of its element, attribute or text.")] = "",
    path: Annotated[str, typer.Option("--path", help="Dot path in an item of an API.")] = "",
    near: Annotated[str, typer.Option("--near", help="The words around it: 'Ships in port: {}'.")] = "",
    kind: Annotated[str, typer.Option("--type", help="number, price, count, date, availability, version, text.")] = "",
) -> Answer:
    """Follow a value of a source: say where it stands in exactly one way. One of the same name is replaced.

    Examples:
        veille values add tea price --selector .price

        veille values add harbour "ships in port" --near "Ships in port: {}"

    """
    given = dict(zip(WAYS, (selector, xpath, path, near), strict=True)) | {"attribute": attribute, "type": kind}
    wish = {key: text for key, text in given.items() if text}
    wishes = _wishes(app, where, source) | {name: wish}
    changed = app.sources.edit(where.id, source, SourceEdit(options={_OPTION: wishes}))
    return done(shown_source(where, changed), f"{changed.name} has the value {name!r}. `veille run` reads it.")


@values.command("delete")
@command
def delete_value(app: App, where: OneDossier, source: SourceArgument, name: NameArgument) -> Answer:
    """Follow a value no longer; its points stay.

    Example:
        veille values delete tea price

    """
    wishes = _wishes(app, where, source)
    if name not in wishes:
        known = ", ".join(wishes) or "none; those that a page offers by itself are turned off with offers=false"
        raise ConfigError(f"The source has no value {name!r}; it has: {known}.", code="no_value")
    del wishes[name]
    edit = SourceEdit(options={_OPTION: wishes}) if wishes else SourceEdit(unset=(_OPTION,))
    changed = app.sources.edit(where.id, source, edit)
    return done(shown_source(where, changed), f"{changed.name} has the value {name!r} no longer.")


def _wishes(app: App, where: Dossier, source: str) -> Json:
    return dict(app.sources.find(where.id, source).config.get(_OPTION) or {})


def _source_in(app: App, where: Dossier, source: str) -> Source | None:
    try:
        return app.sources.find(where.id, source)
    except NotFoundError as error:
        if error.code != "no_source":
            raise
        return None


def _lines(app: App, where: Dossier, source_id: str, asked: dict[str, Any]) -> list[ValueLine]:
    with app.reading(where.id) as reading:
        return reading.values.lines(source_id=source_id, **asked)


def _points(app: App, where: Dossier, source_id: str, asked: dict[str, Any]) -> list[tuple[ValuePoint, str]]:
    with app.reading(where.id) as reading:
        titles = {one.document_id: one.title or one.url for one in reading.values.lines(source_id=source_id)}
        points = reading.values.series(source_id=source_id, **asked)
    return [(point, titles.get(point.document_id, point.document_id)) for point in points]


def _now(found: list[tuple[Dossier, ValueLine]]) -> Answer:
    rows = [
        (line.source_name, line.title or line.url, line.name, _text(line.value), _text(line.before), At(line.at))
        for _, line in found
    ]
    hint = "There are no values: veille values add SOURCE price --selector .price"
    return Answer(
        [
            {"dossier": where.name, **_facts(line), "now": line.value, "before": line.before, "since_at": line.at}
            for where, line in found
        ],
        ("Source", "Document", "Name", "Now", "Before", "Since"),
        rows,
        "" if rows else hint,
        noun="documents",
        keys=[Row(where.id, line.document_id, line.title or line.url) for where, line in found],
    )


def _facts(line: ValueLine) -> Json:
    names = ("source_id", "source_name", "document_id", "url", "title", "name")
    return {name: getattr(line, name) for name in names}


def _series(found: list[tuple[ValuePoint, str]]) -> Answer:
    rows = [(At(point.at), _text(point.value), title) for point, title in found]
    return Answer(
        [point for point, _ in found],
        ("Since", "Value", "Document"),
        rows,
        "" if rows else "There are no points of this value yet.",
    )


def _text(value: Value | None) -> str:
    return value.text if value is not None else "-"
