"""Where the content of a revision is, and the errors of those whose content cannot be read."""

from __future__ import annotations

from enum import StrEnum

from veille.errors import NotFoundError


class ContentState(StrEnum):
    """Where the content of a revision is."""

    HERE = "here"
    #: In an archive file.
    ARCHIVED = "archived"
    #: In an archive file that is not in its folder.
    AWAY = "away"
    #: Nowhere: a rule of retention removed it.
    REMOVED = "removed"


def no_content(n: int, kept: ContentState) -> NotFoundError:
    """The error for a revision whose content cannot be read."""
    if kept is ContentState.AWAY:
        return NotFoundError(
            f"Revision {n} of this document is in an archive file that is not in its folder: put it back to read it.",
            code="archive_missing",
        )
    return NotFoundError(
        f"Revision {n} of this document was removed by the rule of retention; its history shows when it was read.",
        code="revision_removed",
    )
