"""`veille vectors`: search by meaning."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from veille.bootstrap import App
from veille.bootstrap._bulk import bulk_embedding
from veille.core.models import Dossier
from veille.interfaces.cli._command import Answer, Dossiers, command, listing
from veille.interfaces.cli._output import progress
from veille.interfaces.cli.engine.sharing import PROGRAM, RayOption
from veille.services.meaning.keeping import MeaningState
from veille.signals import until_signal

vectors = typer.Typer()


@vectors.callback(invoke_without_command=True)
@listing
def list_states(app: App, dossiers: Dossiers) -> Answer:
    """Search by meaning: show what is switched on, and how far it is.

    Texts are found that say the same in other words, or in another language. It needs an extra: pip install
    'veille[vectors]'.

    Examples:
        veille vectors

        veille vectors on

        veille search "boats that carry people" --mode meaning

    """
    return _answer([(where, app.meaning.state(where.id)) for where in dossiers])


@vectors.command("on")
@command
def switch_on(
    app: App,
    dossiers: Dossiers,
    embedder: Annotated[
        list[str] | None,
        typer.Option(
            "--embedder",
            help="`multilingual`, `english`, or one of the settings. Default: what they say, or what is installed.",
        ),
    ] = None,
) -> Answer:
    """Switch search by meaning on. What is there is embedded by a worker, or at once by `veille vectors embed`.

    Examples:
        veille vectors on

        veille vectors on --dossier press --embedder multilingual

    """
    states = []
    for where in dossiers:
        states.append((where, app.meaning.switch_on(where.id, embedder or ())))
        app.accounts.local().log("dossier.options", where.id, embedders=[one.label for one in states[-1][1].embedders])
    return _answer(states, "Switched on. `veille vectors embed` embeds what is there now; workers do it beside checks.")


@vectors.command("off")
@command
def switch_off(app: App, dossiers: Dossiers) -> Answer:
    """Switch search by meaning off, and delete all vectors.

    Examples:
        veille vectors off --dossier press

    """
    states = []
    for where in dossiers:
        states.append((where, app.meaning.switch_off(where.id)))
        app.accounts.local().log("dossier.options", where.id, embedders=[])
    return _answer(states, "Switched off.")


@vectors.command("embed")
@command
def embed(
    app: App,
    dossiers: Dossiers,
    threads: Annotated[int, typer.Option("--threads", min=1, max=64, help="CPU cores to use.")] = 1,
    processes: Annotated[
        int, typer.Option("--processes", min=1, max=256, help="How many processes share the work, for very many texts.")
    ] = 1,
    ray: RayOption = "",
) -> Answer:
    """Embed now all that waits. If it is stopped or killed, run it again: nothing is embedded twice.

    Examples:
        veille vectors embed --threads 2

        veille vectors embed --ray head.example.org:6379

    """
    made = 0
    with until_signal() as stop, progress("Embedding ...") as update:
        for where in dossiers:
            update(f"{where.name} ...")
            app.meaning.follow_settings([where.id])
            if processes > 1 or ray:
                made += bulk_embedding(app, PROGRAM, processes, ray).keep_up(where.id, stop.is_set)
            else:
                made += app.meaning.keep_up([where.id], stop.is_set, threads, is_asked_for=True)
    return _answer([(where, app.meaning.state(where.id)) for where in dossiers], f"{made} embedded.")


def _answer(states: list[tuple[Dossier, MeaningState]], message: str = "") -> Answer:
    return Answer(
        [_shown(where, state) for where, state in states],
        ("Dossier", "Embedder", "Documents to cut", "Pieces", "Vectors", "Waiting"),
        [
            (where.name, label, counts.uncut, counts.pieces, counts.vectors.get(name, 0), counts.waiting.get(name, 0))
            for where, state in states
            for counts in [state.counts]
            for label, name in [(one.label, one.name) for one in state.embedders] or [("off", "")]
        ],
        message,
    )


def _shown(where: Dossier, state: MeaningState) -> dict[str, Any]:
    counts = state.counts
    return {
        "dossier": where.name,
        "uncut": counts.uncut,
        "pieces": counts.pieces,
        "embedders": [
            {
                "embedder": one.label,
                "name": one.name,
                "languages": None if one.languages is None else sorted(one.languages),
                "vectors": counts.vectors.get(one.name, 0),
                "waiting": counts.waiting.get(one.name, 0),
            }
            for one in state.embedders
        ],
    }
