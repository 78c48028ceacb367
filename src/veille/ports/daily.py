"""What a dossier has for daily use: tags, the trash, sources that move, and shared documents."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from veille.core.models import Source
    from veille.core.report.moved_source import Crate
    from veille.core.report.tags import TagUse
    from veille.core.report.trash import SetupKind, TrashedSetup, TrashedSource
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

    def rename(self, tag: str, other: str, now: int) -> int:
        """Give all that has a tag another one, or none; returns how many sources and documents had it."""


class TrashReader(Protocol):
    """The deleted sources that can be restored, read-only."""

    def all(self, limit: int) -> list[TrashedSource]:
        """The deleted sources, the last deleted first."""


class Trash(TrashReader, Protocol):
    """The deleted sources that can be restored. Nothing of them is shown, checked or found."""

    def put(self, source_id: str, now: int, *, is_moved: bool = False) -> None:
        """Delete a source with the documents that no other source has, so that it can be restored.

        Its address is free at once. Does nothing if there is no such source. What `is_moved` is in another dossier now.
        """

    def restore(self, source_id: str, now: int) -> Source:
        """Undo the deletion; NotFoundError if it is not in the trash, ConfigError if its address is watched again."""

    def purge(self, before: int, now: int) -> int:
        """Delete for good what was deleted before a time, and let sinks know; returns how many sources."""


class TrashedSetupReader(Protocol):
    """The deleted rules, channels, saved searches and engines that can be restored, read-only."""

    def all(self, limit: int) -> list[TrashedSetup]:
        """Those that were deleted, the last deleted first."""


class TrashedSetups(TrashedSetupReader, Protocol):
    """The deleted rules, channels, saved searches and engines that can be restored."""

    def put(self, kind: SetupKind, setup_id: str, now: int) -> None:
        """Delete one, so that it can be restored; does nothing if there is none. What a rule fired stays."""

    def restore(self, kind: SetupKind, setup_id: str, now: int) -> TrashedSetup:
        """Undo the deletion; NotFoundError if it is not there any more, ConfigError if its name is taken.

        A rule looks at what comes from then on; a channel begins with what it had to tell; a search has its results.
        """

    def purge(self, before: int) -> int:
        """Delete for good what was deleted before a time; returns how many."""


class Moving(Protocol):
    """A source on its way to another dossier. The ids of it and of all that it brought stay as they are."""

    def documents(self, source_id: str) -> list[str]:
        """The documents that the source has brought or shown."""

    def known(self, document_ids: Sequence[str]) -> set[str]:
        """Which of these documents are in the dossier."""

    def has_archive(self, document_ids: Sequence[str]) -> bool:
        """Whether any of their revisions is in an archive file."""

    def pack(self, source_id: str, document_ids: Sequence[str]) -> Iterable[Crate]:
        """Everything of the source and these documents, in an order in which it can be stored; read as it is used."""

    def unpack(self, source_id: str, crates: Iterable[Crate], now: int) -> None:
        """Take in a source, as one that is in the trash. Its events are past: nobody is told of them."""

    def appear(self, document_ids: Sequence[str], now: int) -> None:
        """Tell that these documents are in the dossier now: each current one is new, as at a first check."""


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
