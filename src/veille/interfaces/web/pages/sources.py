"""The sources of a dossier: the state of all, and the actions on each."""

from __future__ import annotations

from typing import Annotated, Any, Literal
from urllib.parse import urlencode

from fastapi import Form, Path, Query, Response

from veille.core.http.credentials import shown_options
from veille.core.models import Source
from veille.core.report.muting import FOR_GOOD
from veille.core.report.source_status import Health, SourceFilter, offers_probe, offers_reset
from veille.interfaces.web._routes import Pages, within
from veille.interfaces.web.actions.places import own_path, places
from veille.interfaces.web.actions.show import Show, Showing
from veille.interfaces.web.requests.calls import Call
from veille.interfaces.web.requests.paging import Before, end_of, place_of
from veille.interfaces.web.views.charts import activity_spark, checks_chart, first_day
from veille.interfaces.web.views.followed import followed
from veille.interfaces.web.views.mended import Mended
from veille.interfaces.web.views.options import option_title
from veille.services.repairing.repairs import can_be_probed
from veille.services.watching.questions import KIND as QUESTION

routes = Pages("sources")

SourceId = Annotated[str, Path(max_length=200)]
Since = Annotated[int, Query(ge=0, le=2**53, description="When the check began whose progress is shown.")]
Back = Annotated[str, Form(max_length=2000)]

_PAGE = 15
_DOCUMENTS, _HISTORY, _REPAIRS = 10, 50, 20
#: Report lines that a chart is drawn from.
_LINES = 2000
#: The progress of a check is not shown any more after so long.
_TELL_MS = 3_600_000
#: Options of a question that are shown, and their names for people.
_ASKED = ("text", "keywords", "channels", "max_results", "follow_links")
_CALLED = {"channels": "Engines"}
_ONE = "/d/{dossier_id}/sources/{source_id}"


@routes.get("/d/{dossier_id}/sources", auth=within("read"))
def _sources(  # noqa: PLR0913, PLR0917 - the filters, and where a page begins
    show: Showing,
    health: Health = "all",
    kind: Annotated[str, Query(max_length=100)] = "",
    words: Annotated[str, Query(max_length=200)] = "",
    tag: Annotated[str, Query(max_length=100)] = "",
    after: Annotated[str, Query(max_length=200)] = "",
    name: Annotated[str, Query(max_length=600)] = "",
) -> Response:
    """The sources of a dossier, by name."""
    now = show.app.clock()
    wanted = SourceFilter(health=health, kind=kind, words=words.strip(), tag=tag)
    chosen = {"health": health, "kind": kind, "words": words, "tag": tag}

    def found(show: Show) -> dict[str, Any]:
        survey = show.reading.survey
        found = survey.page(wanted, now, (name, after) if after else None, _PAGE)
        ids = [one.source.id for one in found]
        active = survey.activity(ids, first_day(now))
        last = found[-1].source if len(found) == _PAGE else None
        return {
            "census": survey.census(now),
            "tags": [one for one in show.reading.tags.used(show.user_id) if one.sources],
            "others": [one for one in places(show) if one.id != show.dossier.id] if show.may("write") else [],
            "trashed": bool(show.reading.trash.all(1) or show.reading.trashed_setups.all(1)),
            "found": found,
            "sparks": {source_id: activity_spark(active.get(source_id, {})) for source_id in ids},
            "proposed": len(show.services.repairs.open(show.dossier.id, 100)),
            "more": f"?{urlencode(chosen | {'after': last.id, 'name': last.name})}" if last else "",
        }

    here = f"{show.request.url.path}?{urlencode(chosen)}"
    return show.gradually("sources.html", found, wanted=wanted, is_first=not after, here=here)


@routes.get(_ONE, auth=within("read"))
def _source(show: Showing, source_id: SourceId, since: Since = 0) -> Response:
    """One source."""
    now, reading = show.app.clock(), show.reading
    # Before the source: a check that ends in between is told with how it ended.
    progress = reading.survey.progress(source_id, since, now) if 0 <= now - since < _TELL_MS else None
    standing = reading.survey.one(source_id)
    source = standing.source
    repairs = show.services.repairs.all(show.dossier.id, _REPAIRS, source_id)
    active = reading.survey.activity([source_id], first_day(now)).get(source_id, {})
    series, chart = checks_chart(reading.runs.series(source_id, _LINES))
    return show(
        "source.html",
        standing=standing,
        documents=[line for _, line in reading.records.page(None, _DOCUMENTS, source_id)],
        **_history(show, source_id),
        repairs=[Mended(one, source) for one in repairs],
        progress=progress,
        spark=activity_spark(active),
        changes=sum(active.values()),
        series=series,
        chart=chart,
        values=followed(reading.values, now, source_id=source_id),
        source=source,
        options=_shown(source),
        failed_step=show.reading.pictures.failed_step(source_id) if source.config.get("steps") else None,
        is_question=source.kind == QUESTION,
        offers_reset=offers_reset(source),
        offers_probe=offers_probe(source),
        since=since,
        is_muted=standing.muted_until > now,
        mute_ends=standing.muted_until if standing.muted_until < FOR_GOOD else None,
    )


@routes.get(f"{_ONE}/history", auth=within("read"))
def _source_history(show: Showing, source_id: SourceId, before: Before = None) -> Response:
    """The results of its checks, page by page."""
    source = show.reading.survey.one(source_id).source
    return show("source_history.html", source=source, **_history(show, source.id, before))


@routes.get(f"{_ONE}/progress", auth=within("read"))
def _progress(show: Showing, source_id: SourceId, since: Since = 0) -> Response:
    """Progress of a check, as a fragment for a script."""
    # In this order: a check that ends in between is told with how it ended.
    progress = show.reading.survey.progress(source_id, since, show.app.clock())
    source = show.reading.survey.one(source_id).source
    return show.part("source_progress.html", source=source, progress=progress, since=since)


@routes.post(f"{_ONE}/fetch", auth=within("fetch"))
def _fetch(show: Showing, source_id: SourceId) -> Response:
    """Start a check now; its page shows the progress."""
    source = show.services.sources.find(show.dossier.id, source_id)
    here = _at(show, source)
    if not source.enabled:
        return show.go(here, "It is paused: resume it first.")
    # Made due before the errand begins, so that the page shows it at once, even if a worker does it in the end.
    began = show.services.sources.make_due(show.dossier.id, source.id)
    show.access.log("fetch_now", show.dossier.id, source=source.id)
    errands = show.request.app.state.errands

    def check(later: Call) -> None:
        later.app.check_armed(later.dossier.id, source.id, errands.is_stopping)

    errands.send(show, check)
    return show.go(f"{here}?since={began}")


@routes.post(f"{_ONE}/enabled", auth=within("write"))
def _pause(show: Showing, source_id: SourceId, *, value: Annotated[bool, Form()], back: Back = "") -> Response:
    source = show.services.sources.set_enabled(show.dossier.id, source_id, enabled=value)
    show.access.log("update_source", show.dossier.id, source=source.id, enabled=value)
    said = f"{source.name} goes on." if value else f"{source.name} is paused: nothing it has is lost."
    return show.go(own_path(show, back) or _at(show, source), said)


@routes.post(f"{_ONE}/mute", auth=within("write"))
def _mute(
    show: Showing,
    source_id: SourceId,
    value: Annotated[Literal["day", "week", "good", "off"], Form()] = "day",
    back: Back = "",
) -> Response:
    """Mute it for a while: it is checked as before, but its changes count as read, and no rule fires on them."""
    source, until = show.services.sources.mute(show.dossier.id, source_id, value)
    show.access.log("mute_source", show.dossier.id, source=source.id, until=until)
    words = {"day": "muted for a day", "week": "muted for a week", "good": "muted", "off": "no longer muted"}
    return show.go(own_path(show, back) or _at(show, source), f"{source.name} is {words[value]}.")


@routes.post(f"{_ONE}/reset", auth=within("write"))
def _reset(show: Showing, source_id: SourceId) -> Response:
    source = show.services.repairs.reset(show.dossier.id, source_id)
    show.access.log("reset_source", show.dossier.id, source=source.id)
    return show.go(_at(show, source), "The source is reset: its failures are cleared, and it is checked next.")


@routes.post(f"{_ONE}/probe", auth=within("fetch"), asks_outside=True)
def _probe(show: Showing, source_id: SourceId) -> Response:
    """Probe whether it answers; nothing is read, and the source is not changed."""
    source = show.services.sources.find(show.dossier.id, source_id)
    if not can_be_probed(source):
        return show.go(_at(show, source), "This kind of source cannot be probed: check it now instead.")
    with show.app.sweeper() as sweeper:
        found = sweeper.probe(source.url)
    if found.ok:
        return show.go(_at(show, source), f"It answers ({found.status_code}). Reset it to clear its failures.")
    return show.go(_at(show, source), f"It does not answer well. {found.error}")


@routes.post(f"{_ONE}/delete", auth=within("write"))
def _delete(show: Showing, source_id: SourceId) -> Response:
    """Delete it at once: that can be undone."""
    source = show.services.sources.find(show.dossier.id, source_id)
    deleted = show.services.bulk.delete(show.dossier.id, [source.id])
    show.access.log("delete_source", show.dossier.id, source=source.id)
    where = "questions" if source.kind == QUESTION else "sources"
    return show.go(f"{show.home}/{where}", f"{source.name} is deleted.", undo=deleted.at)


def _at(show: Show, source: Source) -> str:
    return f"{show.home}/sources/{source.id}"


def _history(show: Show, source_id: str, before: str | None = None) -> dict[str, Any]:
    found = show.reading.runs.checks(source_id, place_of(before), _HISTORY)
    end = end_of([place for place, _ in found], _HISTORY)
    here = f"{show.home}/sources/{source_id}/history"
    told = show.reading.changes.at_times([(item.document_id, item.at) for _, item in found if item.document_id])
    return {"history": [item for _, item in found], "told": told, "older": end and f"{here}?before={end}"}


def _shown(source: Source) -> list[tuple[str, str, object]]:
    """The options that are set, as (name, title, value); credentials are hidden."""
    if source.kind == QUESTION:
        asked = {name: source.config.get(name) for name in _ASKED}
        set_ = {name: value for name, value in asked.items() if value not in (None, "")}
    else:
        set_ = dict(sorted(shown_options(source.config).items()))
    return [(name, _CALLED.get(name) or option_title(source.kind, name), value) for name, value in set_.items()]
