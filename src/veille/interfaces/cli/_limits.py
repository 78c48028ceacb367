"""What the system lets this process have."""

from __future__ import annotations

import os
import resource

#: What nobody else needs to read, as long as the settings do not say otherwise.
_PRIVATE = "0077"
#: Three for each open dossier, and the connections of clients and of many fetches.
OPEN_FILES = 65536


def keep_private(umask: str = _PRIVATE) -> None:
    """New files of this process are for its user alone, or for whom the settings say."""
    os.umask(int(umask, 8))


def allow_many_files() -> tuple[int, int]:
    """Raise the number of open files as far as we may: systems begin with 1,024, some with 256. Before, and now."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = OPEN_FILES if hard == resource.RLIM_INFINITY else min(hard, OPEN_FILES)
    if soft == resource.RLIM_INFINITY or soft >= wanted:
        return soft, soft
    resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))
    return soft, wanted
