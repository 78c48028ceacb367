"""Process limits: umask and open files."""

from __future__ import annotations

import os
import resource

#: Default umask: files are readable by their user only, unless the settings say otherwise.
_PRIVATE = "0077"
#: Three for each open dossier, plus connections of clients and of many fetches.
OPEN_FILES = 65536


def keep_private(umask: str = _PRIVATE) -> None:
    """Set the umask: new files are private to the user, or as the settings say."""
    os.umask(int(umask, 8))


def allow_many_files() -> tuple[int, int]:
    """Raise the limit on open files as far as allowed (defaults are 1,024 or 256); returns the old and new limit."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = OPEN_FILES if hard == resource.RLIM_INFINITY else min(hard, OPEN_FILES)
    if soft == resource.RLIM_INFINITY or soft >= wanted:
        return soft, soft
    resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))
    return soft, wanted
