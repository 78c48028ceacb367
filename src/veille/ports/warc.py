"""The port of WARC files: the histories of crawls, from and for other tools."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from veille.core.records import Revision
    from veille.core.traffic import Payload
    from veille.core.warc.captures import WarcItem
    from veille.core.warc.revisions import SourceFacts


class WarcWriter(Protocol):
    """A WARC file that is being written, in the order of the calls."""

    def answer(self, answer_id: str, payload: Payload) -> None:
        """Write an answer as it came, before the revisions that were read from it."""

    def revision(self, revision: Revision, source: SourceFacts, *, shares_address: bool, answer_id: str = "") -> None:
        """Write the text of a revision and its facts; `answer_id`: what it was read from, written before."""

    def removal(self, revision: Revision, source: SourceFacts, at: int, *, shares_address: bool) -> None:
        """Write that the document of its last revision was removed at a time."""


class WarcFiles(Protocol):
    """WARC files by their paths."""

    def read(self, paths: Sequence[Path]) -> Iterator[WarcItem]:
        """What these files hold, by date as far as each of them is. ConfigError `bad_file` if one cannot be opened.

        Never fails on what is in a file: what cannot be read is an item, too, and a file that is damaged ends there.
        """

    def write(self, path: Path) -> AbstractContextManager[WarcWriter]:
        """A new file that gets its name when the context ends without an error; ConfigError `bad_out`."""
