"""What the system lets this process have."""

from __future__ import annotations

import resource

#: Three for each open dossier, and the connections of many fetches.
OPEN_FILES = 8192


def allow_many_files() -> None:
    """Raise the number of open files as far as we may: systems begin with 1,024, some with 256."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = OPEN_FILES if hard == resource.RLIM_INFINITY else min(hard, OPEN_FILES)
    if soft != resource.RLIM_INFINITY and soft < wanted:
        resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))
