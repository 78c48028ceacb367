"""Operations on the sources of a dossier."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from pydantic import Field

from veille.core.models import Source as Watched
from veille.core.models import State
from veille.core.schedule import HOUR, MAX_INTERVAL, MIN_INTERVAL
from veille.errors import ConfigError, VeilleError
from veille.interfaces.operations import shapes
from veille.interfaces.operations._limits import MAX_NAME, MAX_URL, kind_named, options, placed
from veille.interfaces.operations._operation import InDossier, Place, operation
from veille.interfaces.operations.shapes import Shape, source_type
from veille.services.watching.questions import KIND as QUESTION
from veille.services.watching.sources import SourceEdit, Wish

if TYPE_CHECKING:
    from veille.bootstrap import App

_INTERVAL = f"The check interval, in milliseconds: {MIN_INTERVAL} to {MAX_INTERVAL}."
_OPTIONS = "Options of the source type, as a JSON object in a string."


class AddSource(InDossier):
    """The source to add."""

    name: str = Field(min_length=1, max_length=MAX_NAME, description="What people call it.")
    url: str = Field(min_length=1, max_length=MAX_URL, description="Its address.")
    source_type: str = Field("", description="web, rss, api, document, crawl, or a service's name. Default: web.")
    fetch_interval: int = Field(0, ge=0, description=f"{_INTERVAL} 0: {HOUR}.")
    config_json: str | None = Field(None, description=_OPTIONS)


class OneSource(InDossier):
    """One source."""

    source_id: str = Field(min_length=1, max_length=MAX_URL, description="The source.")


class UpdateSource(OneSource):
    """The changes; omitted fields stay unchanged."""

    name: str | None = Field(None, min_length=1, max_length=MAX_NAME, description="What people call it.")
    url: str | None = Field(None, min_length=1, max_length=MAX_URL, description="Its address.")
    enabled: bool | None = Field(None, description="Whether it is checked.")
    fetch_interval: int | None = Field(None, ge=0, description=f"{_INTERVAL} 0: unchanged.")
    config_json: str | None = Field(None, description=_OPTIONS)


class FetchHistory(OneSource):
    """The source, and the maximum number of entries."""

    limit: int = Field(50, ge=1, le=1000, description="Maximum number, newest first.")


class Deleted(Shape):
    """It was deleted."""

    status: Literal["deleted"] = "deleted"


class Fetched(Shape):
    """The source was checked."""

    status: Literal["fetched"] = "fetched"


class Stats(Shape):
    """The counts of a dossier."""

    sources: int
    extractions: int
    fetch_logs: int


@operation("write")
def _add_source(place: Place, given: AddSource) -> shapes.Source:
    """Watch something: a page (web), a feed (rss), a JSON API (api), files (document), a site (crawl)."""
    kind, url = placed(place.app, kind_named(place.app, given.source_type), given.url)
    wish = Wish(
        url=url, kind=kind, name=given.name, interval_ms=given.fetch_interval or HOUR, config=options(given.config_json)
    )
    return shapes.Source.of(place.services.sources.add(place.dossier_id, wish))


@operation("read")
def _list_sources(place: Place, _: InDossier) -> list[shapes.Source]:
    """What a dossier watches, newest first."""
    found, hashes = place.reading.sources.all(), place.reading.sources.raw_hashes()
    return [shapes.Source.of(source, hashes.get(source.id, "")) for source in reversed(found)]


@operation("write")
def _update_source(place: Place, given: UpdateSource) -> shapes.Source:
    """Change a source; what is not given stays as it is."""
    source = place.services.sources.find(place.dossier_id, given.source_id)
    url, config = given.url, options(given.config_json)
    if source.kind == QUESTION:
        if config is not None or url not in {None, shapes.Source.of(source).url}:
            raise ConfigError("A question is changed with veille_update_question.", code="invalid_source")
        url = None
    elif url is not None:
        url = placed_again(place.app, source, url)
    edit = SourceEdit(
        name=given.name,
        url=url,
        interval_ms=given.fetch_interval or None,
        enabled=given.enabled,
        options=config,
        unset=() if config is None else tuple(set(source.config) - set(config)),
    )
    changed = place.services.sources.edit(place.dossier_id, source.id, edit)
    return shapes.Source.of(changed, place.reading.sources.raw_hashes().get(changed.id, ""))


def placed_again(app: App, source: Watched, url: str) -> str:
    """Another address for a source; ConfigError if it may not be watched there."""
    kind = source.kind if source_type(source) != "document" else "folder"
    other, url = placed(app, kind, url)
    if other != source.kind:
        raise ConfigError("A folder cannot become a file, nor a file a folder: add another.", code="invalid_source")
    return url


@operation("write", destructive=True)
def _delete_source(place: Place, given: OneSource) -> Deleted:
    """Delete a source with everything that only it brought; it can be restored for seven days."""
    place.services.sources.delete(place.dossier_id, given.source_id)
    return Deleted()


@operation("write")
def _restore_source(place: Place, given: OneSource) -> shapes.Source:
    """Undo the deletion of a source, within seven days."""
    return shapes.Source.of(place.services.trash.restore(place.dossier_id, given.source_id))


@operation("fetch")
def _fetch_now(place: Place, given: OneSource) -> Fetched:
    """Check a source now, and wait for the result."""
    check_now(place, place.services.sources.find(place.dossier_id, given.source_id))
    return Fetched()


def check_now(place: Place, source: Watched) -> None:
    """Check a source and wait for the result; VeilleError if the check failed or did not take place."""
    if not source.enabled:
        raise ConfigError("The source is paused: enable it first.", code="source_paused")
    began = place.app.clock()
    place.app.check_now(place.dossier_id, source.id)
    now = place.services.sources.find(place.dossier_id, source.id)
    if now.checked_at is None or now.checked_at < began:
        raise VeilleError("Its host is busy; it will be checked as soon as that is done.", code="fetch_busy")
    if now.state in {State.ERROR, State.BROKEN}:
        raise VeilleError(now.error or now.error_code, code="fetch_failed")


@operation("read")
def _stats(place: Place, _: InDossier) -> Stats:
    """How many sources, extractions and entries of the fetch history a dossier has."""
    totals = place.reading.records.totals()
    return Stats(sources=totals["sources"], extractions=totals["revisions"], fetch_logs=totals["checks"])


@operation("read")
def _fetch_history(place: Place, given: FetchHistory) -> list[shapes.FetchLog]:
    """The results of the checks of a source, newest first."""
    source = place.reading.sources.find(given.source_id)
    return list(map(shapes.FetchLog.of, place.reading.runs.history(source.id, given.limit)))
