"""What the options before a command's name say, and exit statuses."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

#: Exit status of a command that failed for some items only.
SOME_FAILED = 1


@dataclass
class _Shared:
    """Options given before the command's name: `veille --data x search y` is `veille search y --data x`."""

    data: Path | None = None
    json: bool = False
    #: All columns, and nothing cut.
    wide: bool = False
    #: A dossier could not be opened and was skipped.
    left_out: bool = False
    #: Whether to print tracebacks.
    debug: bool = False
    #: The data folder of the command.
    folder: Path | None = None
    #: Id of the dossier that this command created because it needed one.
    begun: str = ""

    def reset(self) -> None:
        """For the next command of this process: a mistyped option ends it before the given ones are read."""
        vars(self).update(vars(_Shared()))


SHARED = _Shared()
