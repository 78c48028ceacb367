"""The ports of kept answers, and of large bytes outside the store: files of a dossier, written once, read in spans.

Segments (`….warc.gz`) hold kept answers and pictures, archive files (`….jsonl.zst`) the contents of old revisions.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from veille.core.models import KeepRaw, Request
    from veille.core.reread.answers import KeptAnswer, WantedAnswers
    from veille.core.traffic import Payload


class RawAnswers(Protocol):
    """Kept answers: written in the transaction of their revision, deleted with the last of their revisions.

    Only `load`, `archived` and `newest` read bytes: everything else works on rows, as bodies may be elsewhere.
    """

    def default(self) -> KeepRaw:
        """What is kept of sources that do not say it themselves."""

    def set_default(self, keep: KeepRaw) -> None:
        """Set that, and delete what is no longer kept. Pages are fetched in full at their next check, to be kept."""

    def waiting(self, wanted: WantedAnswers, after: str, limit: int) -> list[KeptAnswer]:
        """Kept answers with ids above `after` that the wanted reader has not read yet, by id."""

    def load(self, answer: KeptAnswer) -> tuple[Request, Payload]:
        """The request and the whole answer; ReadError `body_damaged` or `body_missing`, NotFoundError if it is gone."""

    def archived(self, revision_id: str) -> Payload | None:
        """The answer that an archived revision was read from; None if its archive has none.

        ReadError `archive_missing` or `archive_damaged` if it cannot be read.
        """

    def newest(self, source_id: str, url: str) -> tuple[Request, Payload] | None:
        """The last kept answer of a source from this address; None if none is kept. Errors as with `load`."""

    def progress(self, wanted: WantedAnswers) -> dict[str, int]:
        """How many revisions the wanted reader has read again, by outcome; and how many are `waiting`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class BodyFile:
    """A file of a dossier."""

    name: str
    bytes: int
    #: Milliseconds since 1970, by the clock of the place.
    written_at: int


class Bodies(Protocol):
    """The files of one dossier at one place. StoreError `bodies.unreachable` if the place does not answer."""

    #: For people: a folder, or an address in S3.
    where: str

    def put(self, name: str, data: bytes) -> None:
        """Write a file; it is durable when this returns, and until then nobody sees anything of it."""

    def read(self, name: str, start: int = 0, length: int | None = None) -> bytes:
        """A span of a file, by default all of it; less where it ends before. NotFoundError if there is no such file."""

    def names(self) -> Iterator[BodyFile]:
        """All files, in no order."""

    def delete(self, name: str) -> None:
        """Delete a file; does nothing if there is none."""

    def clear(self) -> None:
        """Delete all files."""


class BodyPlace(Protocol):
    """A place for the files of all dossiers of one installation."""

    #: As it is written in the settings.
    name: str

    def of(self, dossier_id: str) -> Bodies:
        """The files of a dossier."""

    def check(self) -> None:
        """SettingError if nothing can be read or written there now."""


@dataclass(frozen=True, slots=True, kw_only=True)
class BodyFigures:
    """Where the bodies of a dossier are: kept answers and pictures, and archive files."""

    #: In rows of the store, and their bytes as they are stored.
    here: int = 0
    here_bytes: int = 0
    #: In segments, and the bytes of their records.
    away: int = 0
    away_bytes: int = 0
    #: Files that are not where the settings say: in the folder beside the database.
    beside: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class BodyFlaws:
    """Files that rows name and that are not there, and files that no row names."""

    missing: tuple[str, ...] = ()
    unused: int = 0


class BodyKeeping(Protocol):
    """Where the bodies of a dossier are, and how they get to where the settings say. Whatever is killed loses nothing.

    Each step is repeatable: it writes a file, then notes it in one transaction.
    """

    def figures(self) -> BodyFigures:
        """How many bodies are where."""

    def lay_away(self, now: int, *, at_once: bool = False) -> int:
        """Move a few megabytes of bodies from rows into a segment; returns how many bodies, 0 if there is no place.

        Unless `at_once`, waits until there is enough for a segment, or some have waited for a day.
        """

    def bring_back(self, former: Bodies | None = None) -> Iterator[int]:
        """Move bodies from segments back into rows, if there is no place now; yields how many, step by step.

        `former`: the place where the segments are. What is missing there stays as it is, see `flaws`.
        """

    def bring_over(self, former: Bodies | None = None) -> Iterator[int]:
        """Move files from a former place, by default the folder beside the database, to where they are now.

        Yields 1 for each. What no row needs is deleted there; segments are left if there is no place now.
        """

    def tidy(self, now: int) -> int:
        """Delete the files that no row needs and that are older than a day; returns how many."""

    def check(self) -> None:
        """StoreError `bodies.unreachable` if the place does not answer now."""

    def flaws(self) -> BodyFlaws:
        """What is missing, and what is left over; looks at all names."""

    def needed(self) -> Iterable[str]:
        """The files that rows name."""
