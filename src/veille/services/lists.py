"""Lists of feeds: taken in from OPML, and written as OPML. No entry is lost without being told of."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING

from veille.core.discovery import web_address
from veille.core.imports import Taken
from veille.core.models import Json, Source
from veille.core.opml import Outline, outlines_in, write_opml
from veille.core.schedule import HOUR
from veille.core.text import printed
from veille.core.urls import scheme_of
from veille.errors import ConfigError
from veille.services.sources import MAX_NAME, SourceService, Wish

if TYPE_CHECKING:
    from veille.ports import Clock, Dossiers

KIND = "feed"


class ListService:
    """Takes in lists of feeds, and writes them."""

    def __init__(self, dossiers: Dossiers, sources: SourceService, clock: Clock) -> None:
        self._dossiers = dossiers
        self._sources = sources
        self._clock = clock

    def take_in(
        self,
        data: bytes,
        dossier_id: str,
        *,
        interval_ms: int = HOUR,
        by_folder: bool = False,
        progress: Callable[[Taken], None] = lambda _: None,
    ) -> list[Taken]:
        """Watch every feed of a list; with `by_folder`, each outermost folder is a dossier of that name."""
        taken = []
        for outline in outlines_in(data):
            inner = outline.folders[1:] if by_folder else outline.folders
            where = self._dossier(outline.folders[0]) if by_folder and outline.folders else dossier_id
            taken.append(self._take(outline, where, inner, interval_ms))
            progress(taken[-1])
        return taken

    def _take(self, outline: Outline, dossier_id: str, folders: tuple[str, ...], interval_ms: int) -> Taken:
        url, name = web_address(outline.url), printed(outline.title)[:MAX_NAME]
        config: Json = {"folders": folders, "tags": outline.categories}
        kept = {key: list(values) for key, values in config.items() if values}
        wish = Wish(url=url, kind=KIND, name=name, interval_ms=interval_ms, config=kept)
        code = message = ""
        try:
            _check(url)
            self._sources.add(dossier_id, wish)
        except ConfigError as error:
            code, message = error.code, str(error)
        return Taken(url=url, name=name, dossier_id=dossier_id, code=code, message=message)

    def _dossier(self, name: str) -> str:
        known = {dossier.name: dossier.id for dossier in self._dossiers.all()}
        return known.get(name) or self._dossiers.create(name, self._clock()).id


def _check(url: str) -> None:
    if scheme_of(url) not in {"http", "https"}:
        what = repr(url[:120]) if url else "Nothing"
        raise ConfigError(f"{what} is no address of a feed on the web; correct `xmlUrl`.", code="bad_url")


def as_opml(groups: Iterable[tuple[str, Iterable[Source]]], title: str) -> tuple[bytes, int]:
    """The feeds of dossiers as OPML, and how many; of several dossiers, each is a folder.

    Only feeds are listed: no feed reader could do anything with the rest.
    """
    found = [(name, source) for name, sources in groups for source in sources if source.kind == KIND]
    several = len({name for name, _ in found}) > 1
    outlines = [
        Outline(
            url=source.url,
            title=source.name,
            folders=(*((name,) if several else ()), *source.config.get("folders", ())),
            categories=tuple(source.config.get("tags", ())),
        )
        for name, source in found
    ]
    return write_opml(outlines, title), len(outlines)
