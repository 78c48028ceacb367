"""`veille channels`: how people are told."""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Iterable
from typing import Annotated, Any

import typer

from veille.bootstrap import App
from veille.core.alerts.destination import destination
from veille.core.alerts.models import ChannelSetup
from veille.core.models import Dossier
from veille.errors import ConfigError
from veille.interfaces.cli._command import Answer, Dossiers, Named, OneDossier, command, done, listing
from veille.interfaces.cli._options import YesOption
from veille.interfaces.cli._output import console, plain, printable
from veille.interfaces.cli.terminal.listing import Row
from veille.services.alerts.channels import ChannelWish

channels = typer.Typer(invoke_without_command=True)

#: `2h` means `every 2h`.
_BARE = re.compile(r"(\d+ ?[a-z]+ ?)+", re.IGNORECASE)

_ChannelArgument = Annotated[
    str, typer.Argument(help="Name or id of the channel, or its row in `veille channels`."), Named("channels")
]
_EveryOption = Annotated[
    str | None,
    typer.Option(
        "--every",
        "-e",
        help="When to send: 'at once', 2h, 'daily 08:00 Europe/Paris', 'weekly mon 08:00', "
        "'at once, quiet 22:00-07:00 Europe/Paris'.",
    ),
]
_OptionOption = Annotated[
    list[str] | None, typer.Option("--set", "-s", help="An option of the kind: key=value; key=- reads it from stdin.")
]


@channels.callback()
@listing
def list_channels(app: App, dossiers: Dossiers) -> Answer:
    """List the channels, where they lead, when they send, and what is wrong with them. Secrets are never shown.

    Example:
        veille channels --dossier competitors

    """
    found = [(where, channel) for where in dossiers for channel in app.channels.all(where.id)]
    rows = [(where.name, one.name, one.kind, one.shown, one.frequency, one.state.value) for where, one in found]
    problems = [f"{one.name}: {one.problem}" for _, one in found if one.problem]
    hint = "Nobody is told yet: veille channels add me anna@example.org"
    return Answer(
        [_shown(where, channel) for where, channel in found],
        ("Dossier", "Channel", "Kind", "Where", "When", "State"),
        rows,
        "" if rows else hint,
        show=lambda: _print(problems),
        noun="channels",
        keys=[Row(where.id, one.id, one.name) for where, one in found],
    )


@channels.command("add")
@command
def add_channel(
    app: App,
    where: OneDossier,
    name: Annotated[str, typer.Argument(help="What to call it.")],
    to: Annotated[
        str,
        typer.Argument(
            metavar="WHERE",
            help="An e-mail address, a web address or the address of a chat service; - reads it from stdin.",
        ),
    ],
    *,
    every: _EveryOption = None,
    kind: Annotated[str, typer.Option("--kind", "-k", help="email, webhook, apprise … (default: by WHERE).")] = "",
    option: _OptionOption = None,
) -> Answer:
    """Set up a way to tell people. Nothing is sent until a rule fires; `veille channels test NAME` tries it.

    Options of each kind: docs/reference/channels.md. Addresses with keys in them are sealed, and never shown again.

    Examples:
        veille channels add me anna@example.org

        veille channels add digest anna@example.org --every "daily 08:00 Europe/Paris"

        veille channels add phone ntfy://ntfy.sh/my-topic --every "at once, quiet 22:00-07:00 Europe/Paris"

        pass show slack-address | veille channels add team -

        veille channels add desk https://desk.example.org/hook --set secret=- < secret.txt

    """
    if to == "-":
        to = sys.stdin.read().strip()
    if not kind:
        kind, options = destination(to)
    else:
        options = {_main_option(app, kind): to}
    options |= _options(app, kind, option)
    wish = ChannelWish(name=name, kind=kind, options=options, frequency=_frequency(every or "at once"))
    made = app.channels.add(where.id, wish)
    return done(
        _shown(where, made),
        f"{made.name} tells {made.shown or 'it'} ({made.frequency}). `veille channels test {made.name}` tries it, "
        f"`veille rules add … --tell {made.name}` uses it.",
    )


@channels.command("edit")
@command
def edit_channel(
    app: App,
    where: OneDossier,
    channel: _ChannelArgument,
    *,
    name: Annotated[str | None, typer.Option("--name", "-n", help="What to call it.")] = None,
    to: Annotated[str | None, typer.Option("--where", "-w", help="Another address; - reads it from stdin.")] = None,
    every: _EveryOption = None,
    option: _OptionOption = None,
) -> Answer:
    """Change a channel. Options that are not given stay as they are, and so do its secrets.

    Examples:
        veille channels edit me --every "weekly mon 08:00 Europe/Paris"

        veille channels edit me --where anna@example.net

    """
    found = app.channels.find(where.id, channel)
    options = _options(app, found.kind, option)
    if to is not None:
        options[_main_option(app, found.kind)] = sys.stdin.read().strip() if to == "-" else to
    changed = app.channels.edit(
        where.id, found.id, name=name, frequency=_frequency(every) if every else None, options=options or None
    )
    return _answer(where, changed, f"tells {changed.shown or 'it'} ({changed.frequency})")


@channels.command("test")
@command
def test_channel(app: App, where: OneDossier, channel: _ChannelArgument) -> Answer:
    """Send a test message now, and say whether it was taken.

    Example:
        veille channels test me

    """
    found = app.channels.find(where.id, channel)
    app.channels.test(where, found.id)
    return _answer(where, found, f"works: a test was sent to {found.shown or 'it'}")


@channels.command("pause")
@command
def pause_channel(app: App, where: OneDossier, channel: _ChannelArgument) -> Answer:
    """Send nothing through a channel for now; what fires is kept for it.

    Example:
        veille channels pause me

    """
    return _answer(where, app.channels.pause(where.id, channel), "is paused")


@channels.command("resume")
@command
def resume_channel(app: App, where: OneDossier, channel: _ChannelArgument) -> Answer:
    """Send again, beginning with what was kept; also after a channel failed and was corrected.

    Example:
        veille channels resume me

    """
    return _answer(where, app.channels.resume(where.id, channel), "is on")


@channels.command("skip")
@command
def skip_message(app: App, where: OneDossier, channel: _ChannelArgument) -> Answer:
    """Leave out the message that cannot be sent, so that the next ones can.

    Example:
        veille channels skip desk

    """
    found = app.channels.find(where.id, channel)
    is_skipped = app.channels.skip(where.id, found.id)
    return _answer(where, found, "leaves its message out" if is_skipped else "has no message to leave out")


@channels.command("delete")
@command
def delete_channel(app: App, where: OneDossier, channel: _ChannelArgument, *, yes: YesOption = False) -> Answer:
    """Delete a channel, with what it had still to tell. Rules that tell by it stay.

    Until seven days later, `veille channels restore` undoes it.

    Example:
        veille channels delete me --yes

    """
    found = app.channels.find(where.id, channel)
    if not yes:
        typer.confirm(f"Delete {found.name} with what it had to tell?", abort=True, err=True)
    app.channels.delete(where.id, found.id)
    return _answer(where, found, "is deleted; `veille channels restore` undoes it")


@channels.command("restore")
@command
def restore_channel(
    app: App, where: OneDossier, channel: Annotated[str, typer.Argument(help="Its name or id.")]
) -> Answer:
    """Undo the deletion of a channel; it begins with what it had still to tell.

    Example:
        veille channels restore me

    """
    restored = app.trash.restore_setup(where.id, "channel", channel)
    return _answer(where, app.channels.find(where.id, restored.id), "is back")


def _print(problems: list[str]) -> None:
    for one in problems:
        console().print(printable(one))


def _answer(where: Dossier, channel: ChannelSetup, what: str) -> Answer:
    return done(_shown(where, channel), f"{channel.name} {what}.")


def _shown(where: Dossier, channel: ChannelSetup) -> dict[str, Any]:
    return {"dossier": where.name, **plain(channel)}


def _frequency(text: str) -> str:
    return f"every {text}" if _BARE.fullmatch(text.strip()) else text


def _main_option(app: App, kind: str) -> str:
    """The option of a kind that says where it leads: the first that must be given."""
    required: Iterable[str] = app.channels.options_schema(kind).get("required", ())
    return next(iter(required), "url")


def _options(app: App, kind: str, given: list[str] | None) -> dict[str, Any]:
    """Parse `key=value`; a value is JSON where the kind takes an object or a list. It may be a secret: never shown."""
    known = app.channels.options_schema(kind).get("properties", {}) if given else {}
    found: dict[str, Any] = {}
    for one in given or ():
        key, separator, value = one.partition("=")
        if not separator or not key:
            raise ConfigError("An option is written as key=value.", code="bad_option")
        if value == "-":
            value = sys.stdin.read().strip()
        found[key] = value
        if known.get(key, {}).get("type") in {"object", "array"} and value[:1] in {"{", "["}:
            try:
                found[key] = json.loads(value)
            except ValueError as error:
                raise ConfigError(f"The value of {key} is no JSON: {error}.", code="bad_option") from error
    return found
