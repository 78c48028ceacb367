"""What a dossier has for daily use: tags, the trash, and shared documents."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from veille.core.models import Source
    from veille.core.report.tags import TagUse
    from veille.core.report.trash import TrashedSource
    from veille.core.show.shared_link import ShareLink


class TagReader(Protocol):
    """The tags of sources and documents, read-only."""

    def used(self, user_id: str) -> list[TagUse]:
        """The tags of the dossier by name, at most `MOST_TAGS`, with what the user has not read of each."""


class Tags(TagReader, Protocol):
    """The tags of sources, which are an option of theirs, and those of documents."""

    def put_on_sources(self, source_ids: Sequence[str], tag: str, now: int) -> int:
        """Give a tag to sources; returns how many did not have it. They are not read anew for that."""

    def drop_from_sources(self, source_ids: Sequence[str], tag: str, now: int) -> int:
        """Take a tag from sources; returns how many had it."""

    def put(self, document_ids: Sequence[str], tag: str) -> int:
        """Give a tag to documents; returns how many did not have it. Does nothing for deleted documents."""

    def drop(self, document_ids: Sequence[str], tag: str) -> int:
        """Take a tag from documents; returns how many had it."""


class TrashReader(Protocol):
    """The deleted sources that can be restored, read-only."""

    def all(self, limit: int) -> list[TrashedSource]:
        """The deleted sources, the last deleted first."""


class Trash(TrashReader, Protocol):
    """The deleted sources that can be restored. Nothing of them is shown, checked or found."""

    def put(self, source_id: str, now: int) -> None:
        """Delete a source with the documents that no other source has, so that it can be restored.

        Its address is free at once. Does nothing if there is no such source.
        """

    def restore(self, source_id: str, now: int) -> Source:
        """Undo the deletion; NotFoundError if it is not in the trash, ConfigError if its address is watched again."""

    def purge(self, before: int) -> int:
        """Delete for good what was deleted before a time; returns how many sources."""


class ShareReader(Protocol):
    """The links by which documents are shared, read-only."""

    def all(self, now: int, limit: int) -> list[ShareLink]:
        """The links that are valid, the newest first."""

    def is_allowed(self) -> bool:
        """Whether documents of the dossier may be shared."""


class Shares(ShareReader, Protocol):
    """The links by which documents are shared. They are deleted with their document."""

    def add(self, link: ShareLink, hashed: str) -> None:
        """Save a link with the hash of its token; deletes those that have ended."""

    def find(self, hashed: str, now: int) -> ShareLink | None:
        """The link with this hash, if it is valid and sharing is allowed."""

    def delete(self, share_id: str) -> bool:
        """Revoke a link; returns whether there was one."""

    def allow(self, *, is_allowed: bool) -> None:
        """Allow sharing, or not: then no link is valid until it is allowed again."""
