"""Import of lists of sources, and export of feeds (OPML). Every entry that is left out is reported."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import groupby
from typing import TYPE_CHECKING

from veille.core.discover.discovery import web_address
from veille.core.discover.opml import FeedList, FeedOutline, write_opml
from veille.core.models import Source
from veille.core.report.imports import MOST_ENTRIES, ImportReport, Taken
from veille.core.schedule import HOUR
from veille.core.text import printed
from veille.core.urls import meant, scheme_of
from veille.errors import ConfigError
from veille.services.watching.sources import MAX_NAME, SourceService, Wish

if TYPE_CHECKING:
    from veille.ports import Clock, Dossiers

KIND = "feed"
#: Entries saved in one transaction.
_AT_ONCE = 200


class ListService:
    """Imports lists of sources."""

    def __init__(
        self, dossiers: Dossiers, sources: SourceService, clock: Clock, outlines: Callable[[bytes], FeedList]
    ) -> None:
        self._dossiers = dossiers
        self._sources = sources
        self._clock = clock
        #: Parses a list.
        self._outlines = outlines

    def keep_report(self, dossier_id: str, report: ImportReport) -> None:
        """Store the report of an import, as far as it has come."""
        with self._dossiers.open(dossier_id) as store:
            store.imports.put(report)

    def take_in(
        self,
        data: bytes,
        dossier_id: str,
        *,
        interval_ms: int = HOUR,
        by_folder: bool = False,
        makes_dossiers: bool = True,
        progress: Callable[[Taken], None] = lambda _: None,
    ) -> list[Taken]:
        """Watch every entry of a list; with `by_folder`, each top-level folder becomes a dossier of that name.

        Without `makes_dossiers`, that is so for dossiers that are there; other folders are tags.
        """
        found = self._outlines(data)
        known = {dossier.name: dossier.id for dossier in self._dossiers.all()} if by_folder else {}
        taken: list[Taken] = []
        makes = by_folder and makes_dossiers
        entries = (self._entry(outline, dossier_id, known, makes=makes) for outline in found.outlines)
        for where, group in groupby(entries, key=lambda entry: entry[0]):
            wanted = [(outline, folders) for _, outline, folders in group]
            for at in range(0, len(wanted), _AT_ONCE):
                for one in self._take(wanted[at : at + _AT_ONCE], where, interval_ms):
                    taken.append(one)
                    progress(one)
        if left := found.total - len(found.outlines):
            taken.append(_left_out(left, dossier_id))
            progress(taken[-1])
        return taken

    def _entry(
        self, outline: FeedOutline, dossier_id: str, known: dict[str, str], *, makes: bool
    ) -> tuple[str, FeedOutline, tuple[str, ...]]:
        """The dossier that an entry belongs to, and its folders there."""
        if not outline.folders or not (makes or outline.folders[0] in known):
            return dossier_id, outline, outline.folders
        name, *inner = outline.folders
        if name not in known:
            known[name] = self._dossiers.create(name, self._clock()).id
        return known[name], outline, tuple(inner)

    def _take(
        self, wanted: Sequence[tuple[FeedOutline, tuple[str, ...]]], dossier_id: str, interval_ms: int
    ) -> Iterator[Taken]:
        wishes = [_wish(outline, folders, interval_ms) for outline, folders in wanted]
        problems = [_problem(wish.url, outline.obstacle) for wish, (outline, _) in zip(wishes, wanted, strict=True)]
        good = [wish for wish, problem in zip(wishes, problems, strict=True) if problem is None]
        added = iter(self._sources.add_many(dossier_id, good))
        for (outline, _), wish, problem in zip(wanted, wishes, problems, strict=True):
            result = problem or next(added)
            if isinstance(result, ConfigError):
                yield Taken(url=wish.url, name=wish.name, dossier_id=dossier_id, code=result.code, message=str(result))
                continue
            if outline.is_paused:
                self._sources.set_enabled(dossier_id, result.id, enabled=False)
            yield Taken(url=wish.url, name=wish.name, dossier_id=dossier_id, message=outline.note)


def _wish(outline: FeedOutline, folders: tuple[str, ...], interval_ms: int) -> Wish:
    tags = tuple(dict.fromkeys((*outline.categories, *folders)))
    kept = {key: list(values) for key, values in (("folders", folders), ("tags", tags)) if values}
    return Wish(
        url=web_address(outline.url),
        kind=outline.kind,
        name=printed(outline.title)[:MAX_NAME],
        interval_ms=outline.interval_ms or interval_ms,
        config={**outline.options, **kept},
    )


def _left_out(number: int, dossier_id: str) -> Taken:
    message = (
        f"{number} more entries are left out: up to {MOST_ENTRIES} entries of a list are imported. "
        "Import the rest as a second list."
    )
    return Taken(url="", name="", dossier_id=dossier_id, code="over_entries", message=message)


def _problem(url: str, obstacle: str) -> ConfigError | None:
    if obstacle:
        return ConfigError(f"{obstacle} For others there are bridges, folders and APIs.", code="list.other_connector")
    if scheme_of(url) in {"http", "https"}:
        return None
    what = repr(url[:120]) if url else "Nothing"
    return ConfigError(f"{what} is no address on the web; correct it in the list.{meant(url)}", code="bad_url")


def _not_in(folders: Iterable[str], tags: Iterable[str]) -> tuple[str, ...]:
    return tuple(tag for tag in tags if tag not in folders)


def as_opml(groups: Iterable[tuple[str, Iterable[Source]]], title: str) -> tuple[bytes, int]:
    """The feeds of dossiers as OPML, and their number; several dossiers become folders.

    Only feeds are listed: feed readers cannot use other sources.
    """
    found = [(name, source) for name, sources in groups for source in sources if source.kind == KIND]
    several = len({name for name, _ in found}) > 1
    outlines = [
        FeedOutline(
            url=source.url,
            title=source.name,
            folders=(*((name,) if several else ()), *source.config.get("folders", ())),
            # Folders are tags here; a feed reader is told of them once.
            categories=_not_in(source.config.get("folders", ()), source.config.get("tags", ())),
        )
        for name, source in found
    ]
    return write_opml(outlines, title), len(outlines)
