"""How a failed command ends: one line on stderr, and an exit status."""

from __future__ import annotations

import json
import sys
import traceback
from typing import Any, NamedTuple

import typer

from veille.core.rules.tokens import RuleError
from veille.core.text import without_controls
from veille.errors import SettingError, VeilleError
from veille.interfaces.cli._shared import SHARED

#: The command cannot be done: a mistyped command, something that does not exist, a refusal.
COULD_NOT_RUN = 2
#: A bug in veille (EX_SOFTWARE).
BUG = 70
#: The settings or the data folder cannot be used as they are; retrying does not help (EX_CONFIG).
NOT_CONFIGURED = 78

#: Errors of a data folder that last until somebody fixes them. Others may pass, or concern one dossier only.
_UNUSABLE = frozenset(
    f"{what}.{name}"
    for what, names in (
        (
            "store",
            "bad_url encoding foreign newer no_server not_a_database not_upgraded old_server other read_only refused",
        ),
        ("store", "rights unreadable"),
        ("vault", "bad_key key_open no_key other_key"),
    )
    for name in names.split()
)
_SHOW_WHERE = "`veille --debug …` shows where."


def fail(error: Exception) -> int:
    """Print in one line what is wrong and what to do; returns the exit status."""
    if type(error).__name__ == "NoArgsIsHelpError":  # the help was printed; the class is private
        return COULD_NOT_RUN
    if SHARED.debug:
        traceback.print_exception(error)
    failure = _explained(error)
    message = without_controls(" ".join(failure.message.split()))
    if "--json" in sys.argv:
        said = {"error": message, "code": failure.code} | failure.place
        typer.echo(json.dumps(said, ensure_ascii=False), err=True)
    else:
        typer.echo(f"veille: {message} [{failure.code}]{failure.below}", err=True)
    return failure.status


class _Failure(NamedTuple):
    message: str
    code: str
    status: int = COULD_NOT_RUN
    #: The line that is wrong with a mark under the place, and the place for programs.
    below: str = ""
    place: dict[str, int] = {}  # noqa: RUF012 - never changed


def _explained(error: Exception) -> _Failure:
    if isinstance(error, RuleError):
        marked = str(error).removeprefix(error.message)
        return _Failure(error.message, error.code, below=marked, place={"place": error.place, "length": error.length})
    if isinstance(error, VeilleError):
        is_lasting = isinstance(error, SettingError) or error.code in _UNUSABLE
        return _Failure(str(error), error.code, NOT_CONFIGURED if is_lasting else COULD_NOT_RUN)
    if hasattr(error, "format_message"):  # of Typer, or of Click in older versions
        return _Failure(_usage(error), code="usage")
    if isinstance(error, OSError) and error.strerror:
        where = f"{error.filename}: " if error.filename else ""
        return _Failure(f"{where}{error.strerror}. {_SHOW_WHERE}", code="system")
    if isinstance(error, UnicodeEncodeError):
        for one in sys.argv:
            if error.object[error.start] in one:
                return _Failure(f"{one!r} is no text in UTF-8, as names and addresses have to be.", code="usage")
    said = f"This is a bug in veille ({type(error).__name__}: {error}). {_SHOW_WHERE}"
    return _Failure(said, code="bug", status=BUG)


def _usage(error: Any) -> str:
    """What is wrong with the command line, and how to get help."""
    likely = getattr(error, "possibilities", None)
    said = f"{error.message}. Did you mean {', '.join(sorted(likely))}?" if likely else error.format_message()
    context = getattr(error, "ctx", None)
    command = context.command_path if context else "veille"
    option = getattr(error, "option_name", "")
    if context and option in {name for one in context.find_root().command.params for name in one.opts}:
        program, _, rest = command.partition(" ")
        return f"{option} stands before the command: `{program} {option} … {rest}`."
    return f"{said}{'' if said.endswith(('.', '?')) else '.'} `{command} --help` shows how to use it."
