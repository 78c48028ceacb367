"""`veille ask`."""

from __future__ import annotations

from typing import Annotated

import typer

from veille.bootstrap import App
from veille.core.ask.passages import AskAnswer, Citation
from veille.core.dates import iso
from veille.core.text import flat
from veille.interfaces.cli._command import Answer, OneDossier, command
from veille.interfaces.cli._output import console, printable
from veille.interfaces.cli._shared import SHARED
from veille.interfaces.cli.terminal.listing import Row, remember

_BEFORE_AND_AFTER = ("before", "after")


@command
def ask(
    app: App,
    dossier: OneDossier,
    question: Annotated[list[str], typer.Argument(help="What you want to know.")],
    *,
    limit: Annotated[int, typer.Option("--limit", min=1, max=20, help="At most so many statements.")] = 5,
    model: Annotated[bool, typer.Option(help="Let the language model write the answer, if there is one.")] = True,
) -> Answer:
    """Ask the documents of a dossier; the answer is in their very words, with the places they are from.

    Times are understood: since March, as of 1 May, between March and May, last week; since:2026-03, as of:2026-05-01.

    Examples:
        veille ask "what changed in the tariff since March?"

        veille ask "how much was the entrance fee as of 1 May 2026?"

        veille ask "who is the director?" --no-model --json

    """
    answer = app.asking.ask(dossier.id, " ".join(question), limit, with_model=model)
    return Answer(answer, message=_note(answer), show=lambda: _show(answer))


def _note(answer: AskAnswer) -> str:
    parts = [f"({answer.understood})" if answer.understood else "", answer.note]
    if answer.model:
        parts.append(f"Written by {answer.model}; every sentence rests on its quotes.")
    return " ".join(filter(None, parts))


def _show(answer: AskAnswer) -> None:
    out = console()
    rows: list[Row] = []
    for statement in answer.statements:
        if answer.kind == "model":
            out.print(printable(statement.text), style="bold")
        marks = _BEFORE_AND_AFTER if len(statement.citations) > 1 and statement.change else ()
        for at, one in enumerate(statement.citations):
            rows.append(Row(one.dossier_id, one.document_id, one.title))
            mark = f"{marks[at]}: " if marks else f"{statement.change}: " if statement.change else ""
            out.print(f"{len(rows)}. {mark}“{printable(flat(one.quote))}”")
            out.print(f"   {_place(one)}", style="dim")
        if statement.others:
            out.print(f"   also in {statement.others} other document{'s' if statement.others > 1 else ''}", style="dim")
        out.print("")
    if SHARED.folder is not None and rows:
        remember(SHARED.folder, "documents", rows)


def _place(one: Citation) -> str:
    until = f" to {iso(one.until)[:10]}" if one.until else ""
    gone = " · removed" if one.state == "removed" else ""
    return f"{printable(one.title or one.url)} · revision {one.n}, {iso(one.at)[:10]}{until}{gone} · {one.url}"
