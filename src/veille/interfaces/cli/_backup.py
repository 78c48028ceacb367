"""`veille backup` and `veille restore`."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated

import typer

from veille.bootstrap.backups import back_up
from veille.bootstrap.backups import restore as put_back
from veille.bootstrap.checks import check_settings
from veille.bootstrap.clock import system_clock
from veille.interfaces.cli._command import Answer, command
from veille.interfaces.cli._output import console, printable, progress, say
from veille.interfaces.cli._shared import SHARED
from veille.interfaces.cli.terminal.text import plural
from veille.settings import Settings, load_settings

_MB = 1_000_000


@command
def backup(
    file: Annotated[Path, typer.Argument(help="The backup to write, such as veille.zip.", dir_okay=False)],
    *,
    force: Annotated[bool, typer.Option("--force", help="Replace the file if it is there.")] = False,
) -> Answer:
    """Write the whole store into one file, while everything keeps running.

    It contains all dossiers with their sources, documents and revisions, also archived ones, the users, their roles and
    tokens. It does not contain the key of the secrets, on purpose: keep a copy of `secrets.key` elsewhere. Nor does it
    contain sessions, logs and the output of sinks. The file appears only when it is complete.

    Exit status: 0 success, 1 a dossier had to be left out, 2 there is no backup.

    Examples:
        veille backup /mnt/backups/veille.zip

        veille backup "veille-$(date +%F).zip" --json

        veille backup /mnt/backups/veille.zip --force        # for cron

    """
    with _told("Copying") as count:
        made = back_up(_settings(), file, system_clock(), force=force, progress=count)
    for one in made.left_out:
        SHARED.left_out = True
        say(f"Left out {one.dossier}: {one.error} [{one.code}]")
    if made.missing_archives:
        say(
            f"{plural(made.missing_archives, 'archive file')} with old revisions could not be found: what somebody "
            "moved away is not in the backup."
        )
    if made.elsewhere:
        say(
            f"{plural(made.elsewhere, 'file')} with kept answers, pictures and old texts in S3 are not in the backup: "
            "keep versions of the bucket, or a copy of it."
        )
    size = f"{plural(made.dossiers, 'dossier')}, {made.bytes / _MB:.1f} MB"
    return Answer(made, show=lambda: _say(f"{made.file}: {size}. The key of the secrets is not in it."))


@command
def restore(file: Annotated[Path, typer.Argument(help="What `veille backup` wrote.", dir_okay=False)]) -> None:
    """Fill an empty data folder, or an empty database (`store`), from a backup of either.

    Everything is checked before anything is written: checksums, tables, and every source by the current rules and
    settings. A source that would be refused now is paused and listed; `veille sources resume` resumes it once that is
    fixed. Afterwards nobody is logged in, and no work is leased; what was due then is due now.

    Exit status: 0 success, 1 some sources are paused, 2 nothing was restored.

    Examples:
        veille restore veille.zip --data /var/lib/veille

        veille restore veille.zip --data restored --json

    """
    with _told("Checking") as count:
        settings = _settings()
        done = put_back(settings, file, count)
    size = f"{plural(done.dossiers, 'dossier')} with {plural(done.sources, 'source')}"
    Answer(done, show=lambda: _say(f"{done.data}: {size}, as of {done.made_at}.")).print()
    if done.files and settings.store is not None and not settings.bodies.place:
        say(left_beside(done.files, settings.data))
    for one in done.paused:
        SHARED.left_out = True
        say(printable(f"Paused {one.source} in {one.dossier} ({one.url}): {one.error} [{one.code}]"))
    if done.sealed:
        say(
            f"{done.sealed} secrets are sealed with a key that is not in {done.data}: put your copy of secrets.key "
            "there (chmod 600) before you start, or set them again with `veille secrets set`."
        )


def left_beside(count: int, data: Path) -> str:
    """What to do about files in a data folder whose rows are in a database now."""
    return (
        f"{plural(count, 'file')} with archived revisions, kept answers or pictures in {data}: programs with another "
        "data folder miss them until `bodies.place` is set and `veille bodies move` has run here."
    )


def _say(text: str) -> None:
    console().print(text)


def _settings() -> Settings:
    settings = load_settings(data=SHARED.data)
    check_settings(settings, system_clock)
    return settings


@contextmanager
def _told(what: str) -> Iterator[Callable[[int, int], None]]:
    """A progress line that counts files."""
    with progress(f"{what} ...") as update:
        yield lambda done, total: update(f"{what}: {done} of {total} files")
