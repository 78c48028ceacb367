"""Read a page now: `get_reader_content(url)` and `get_metadata(url)`, cached for a day in the default dossier.

Neither raises for a bad page. For many pages, or another dossier, use `open_app()` and `app.reader(dossier_id)`.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from veille.bootstrap import open_app
from veille.core.show.reader import PageMetadata, ReaderContent, ReaderResult
from veille.services.reading.reader import Reader

__all__ = ["PageMetadata", "ReaderContent", "ReaderResult", "get_metadata", "get_reader_content"]

DOSSIER = "default"


def get_metadata(url: str, force: bool = False) -> PageMetadata:  # noqa: FBT001, FBT002 - the contract's own signature
    """Title and description; an empty title if the page could not be fetched."""
    with _reader() as reader:
        return reader.get_metadata(url, force=force)


def get_reader_content(url: str, force: bool = False) -> ReaderResult:  # noqa: FBT001, FBT002 - as above
    """The page for reading; whatever goes wrong is in the result's `error`."""
    with _reader() as reader:
        return reader.get_reader_content(url, force=force)


@contextmanager
def _reader() -> Iterator[Reader]:
    with open_app() as app:
        known = {dossier.name: dossier for dossier in app.dossiers.all()}
        dossier = known.get(DOSSIER) or app.create_dossier(DOSSIER)
        with app.reader(dossier.id) as reader:
            yield reader
