"""How a command is made: it gets an open `App` and the chosen dossier, and returns what is to be printed."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Sequence
from contextlib import nullcontext
from dataclasses import dataclass
from functools import wraps
from inspect import Parameter
from pathlib import Path
from typing import Annotated, Any

import typer

from veille.bootstrap import App
from veille.core.models import Dossier
from veille.interfaces.cli._dossiers import (
    DossierOption,
    InDossierOption,
    OneDossierOption,
    chosen,
    chosen_for_adding,
    chosen_one,
)
from veille.interfaces.cli._options import DataOption, JsonOption, WideOption, opened
from veille.interfaces.cli._output import print_json, print_table, say
from veille.interfaces.cli._shared import SHARED
from veille.interfaces.cli.terminal.listing import Row, remember, row_meant
from veille.interfaces.cli.terminal.text import Text


@dataclass(frozen=True, slots=True)
class Answer:
    """What a command prints: `value` as JSON; or for people a table, what `show` prints, and a message on stderr."""

    value: Any
    columns: Sequence[str] = ()
    rows: Iterable[Sequence[object]] = ()
    message: str = ""
    show: Callable[[], None] | None = None
    #: The exit status.
    status: int = 0
    #: What the rows are, such as sources: each can then be named by the number of its row.
    noun: str = ""
    keys: Sequence[Row] = ()
    #: A line below each row, where there is one.
    below: Sequence[Text | None] = ()

    def print(self) -> None:
        """Print it, and end the command if the status says so."""
        if SHARED.json:
            print_json(self.value)
        else:
            if self.columns:
                self._print_table()
            if self.show is not None:
                self.show()
            if self.message:
                say(self.message)
        if self.status:
            raise typer.Exit(self.status)

    def _print_table(self) -> None:
        columns, rows = self.columns, list(self.rows)
        if not rows and self.message:
            return
        if self.noun:
            columns, rows = ("#", *columns), [(number, *row) for number, row in enumerate(rows, start=1)]
            if SHARED.folder is not None:
                remember(SHARED.folder, self.noun, self.keys)
        print_table(columns, rows, self.below)


def done(value: Any, message: str) -> Answer:
    """An answer without a table."""
    return Answer(value, message=message)


@dataclass(frozen=True, slots=True)
class By:
    """Marks a parameter that the user gives as `--dossier`, and that the command gets as what `find` returns."""

    option: Any
    find: Callable[[App, Any], Any]
    default: str | None = None


@dataclass(frozen=True, slots=True)
class Named:
    """Marks an argument that names one of `noun`: it may be the number of its row in the last list of them."""

    noun: str


OnlySource = Annotated[
    str, typer.Option("--source", help="Only this source: its name, id, address or row."), Named("sources")
]
OneDossier = Annotated[Dossier, By(OneDossierOption, chosen_one)]
#: For new sources, which do not go into another dossier than the default one unless it is named.
DossierToFill = Annotated[Dossier, By(InDossierOption, chosen_for_adding)]
Dossiers = Annotated[list[Dossier], By(DossierOption, chosen)]


def listing(function: Callable[..., Answer | None]) -> Callable[..., None]:
    """A command that lists things: it has `--wide`, too."""
    return command(function, is_list=True)


def command(function: Callable[..., Answer | None], *, is_list: bool = False) -> Callable[..., None]:
    """A command for Typer, with `--data`, `--json` and, if the function has a parameter with `By`, `--dossier`.

    The parameter `app` is the open `App`. As the callback of a group, it runs only without a subcommand.
    """
    wanted = inspect.signature(function, eval_str=True).parameters
    found_by = {
        name: mark
        for name, parameter in wanted.items()
        for mark in getattr(parameter.annotation, "__metadata__", ())
        if isinstance(mark, By)
    }
    named = {
        name: mark.noun
        for name, parameter in wanted.items()
        for mark in getattr(parameter.annotation, "__metadata__", ())
        if isinstance(mark, Named)
    }
    needs_app = "app" in wanted or bool(found_by)
    options = [
        one.replace(kind=Parameter.KEYWORD_ONLY) for name, one in wanted.items() if name not in {"app", *found_by}
    ]
    options += [_option("dossier", mark.option, mark.default) for mark in found_by.values()]
    options += [_option("data", DataOption, None), _option("as_json", JsonOption, default=False)]
    if is_list:
        options.append(_option("wide", WideOption, default=False))

    @wraps(function)
    def run(context: typer.Context, **given: Any) -> None:
        if context.invoked_subcommand is not None:
            return
        SHARED.data = given.pop("data") or SHARED.data
        SHARED.json = given.pop("as_json") or SHARED.json
        SHARED.wide = given.pop("wide", False)
        with opened(None) if needs_app else nullcontext() as app:
            if app is not None:
                _resolve(app.settings.data, named, given)
                given |= {name: mark.find(app, given.pop("dossier")) for name, mark in found_by.items()}
            answer = function(**given | ({"app": app} if "app" in wanted else {}))
        if answer is not None:
            answer.print()

    context = Parameter("context", Parameter.KEYWORD_ONLY, annotation=typer.Context)
    run.__signature__ = inspect.Signature([context, *options])  # type: ignore[attr-defined]
    return run


def _resolve(data: Path, named: dict[str, str], given: dict[str, Any]) -> None:
    """Replace numbers of rows by ids; the dossier is that of the row, unless one is named."""
    for name, noun in {"dossier": "dossiers", **named}.items():
        if not (texts := given.get(name)):
            continue
        rows = {text: row_meant(data, noun, text) for text in _texts(texts)}
        ids = {text: row.id if row else text for text, row in rows.items()}
        given[name] = ids[texts] if isinstance(texts, str) else [ids[text] for text in texts]
        homes = {row.dossier_id for row in rows.values() if row}
        if len(homes) == 1 and "dossier" in given and name != "dossier":
            given["dossier"] = given["dossier"] or homes.pop()


def _texts(given: Any) -> list[str]:
    """What was given for an argument, once or several times."""
    return [given] if isinstance(given, str) else list(given)


def _option(name: str, annotation: Any, default: Any) -> Parameter:
    return Parameter(name, Parameter.KEYWORD_ONLY, default=default, annotation=annotation)
