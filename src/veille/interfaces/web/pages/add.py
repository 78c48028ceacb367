"""Adding a source: a box for any input, a preview of what it would bring, and then watching it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Literal

from fastapi import Form, Path, Query, Response
from pydantic import BaseModel, Field

from veille.core.discover.catalogue import engines as built_in_engines
from veille.core.discover.detect import LIST
from veille.core.http.secrets import names_in
from veille.core.schedule import DAY, HOUR, duration_ms
from veille.errors import ConfigError, ThrottledError
from veille.interfaces.web._routes import Pages, Permission, within
from veille.interfaces.web.actions.errands import check_soon
from veille.interfaces.web.actions.places import last_used, place_for, places, remember
from veille.interfaces.web.actions.previews import name_of
from veille.interfaces.web.actions.show import Show, Showing, refusal
from veille.services.watching.adding import Terms
from veille.services.watching.questions import KIND as QUESTION

if TYPE_CHECKING:
    from veille.core.discover.engines import SearchEngine
    from veille.interfaces.web.actions.previews import KeptPreview
    from veille.services.watching.detection import Detection

routes = Pages("add")

WRITERS = Permission("known", "write")
#: Check intervals to choose from.
_PACES = (("15m", "15 minutes"), ("1h", "hour"), ("6h", "6 hours"), ("1d", "day"), ("7d", "week"))
_MAX_TEXT = 4096
_LOST = "That preview has expired. Make a new one."

Anything = Annotated[str, Form(max_length=_MAX_TEXT)]
PreviewId = Annotated[str, Path(max_length=100)]
Place = Annotated[str, Form(max_length=100)]


class Manner(BaseModel):
    """The form of a new source: name, schedule, dossier and search engines."""

    name: str = Field("", max_length=1000)
    schedule: Literal["adaptive", "every", "cron"] = "adaptive"
    every: str = Field("1h", max_length=20)
    cron: str = Field("", max_length=200)
    dossier_id: str = Field("", max_length=100)
    channel: list[str] = Field([], max_length=50)

    def terms(self, detection: Detection) -> Terms:
        """The terms, validated."""
        if detection.kind == QUESTION and not self.channel:
            raise ConfigError("Choose at least one search engine to ask.", code="no_engine")
        if self.schedule == "cron" and not self.cron.strip():
            raise ConfigError("Write a cron expression, such as 0 6 * * 1-5.", code="bad_cron")
        by_clock = self.schedule == "cron"
        terms = Terms(
            name=self.name.strip(),
            interval_ms=None if by_clock else duration_ms(self.every),
            cron=self.cron.strip() if by_clock else "",
            adaptive=self.schedule == "adaptive" and detection.kind != LIST,
            channels=tuple(self.channel),
        )
        terms.check()
        return terms


@routes.get("/add", auth=WRITERS)
@routes.get("/d/{dossier_id}/add", auth=within("write"))
def _ask(show: Showing, text: Annotated[str, Query(max_length=_MAX_TEXT)] = "") -> Response:
    """The box; with the text of a bookmark or of the box of another page. Nothing is fetched before it is sent."""
    return _box(show, text.strip())


@routes.post("/add", auth=WRITERS)
def _make_preview(show: Showing, text: Anything = "", dossier_id: Place = "") -> Response:
    """Make a preview; it is shown before anything is watched."""
    if dossier_id:
        show.access.dossier(dossier_id, scope="write")
    return _previewed(show, text, dossier_id)


@routes.post("/d/{dossier_id}/add", auth=within("write"))
def _make_preview_here(show: Showing, text: Anything = "") -> Response:
    return _previewed(show, text, show.dossier.id)


@routes.get("/add/{preview_id}", auth=WRITERS)
def _preview(show: Showing, preview_id: PreviewId) -> Response:
    """Show the preview, and the form for how to watch it."""
    seen = _found(show, preview_id)
    return _shown(show, seen) if seen else show.go("/add", _LOST)


@routes.post("/add/{preview_id}/as", auth=WRITERS)
def _preview_otherwise(show: Showing, preview_id: PreviewId, other: Annotated[int, Form(ge=0, le=20)] = 0) -> Response:
    """Preview it as one of the other kinds that it could be."""
    seen = _found(show, preview_id)
    if seen is None or other >= len(seen.detection.alternatives):
        return show.go("/add", _LOST)
    try:
        previews, chosen = show.request.app.state.previews, seen.detection.alternatives[other]
        another = previews.make(show, seen.text, seen.dossier_id, chosen)
    except (ConfigError, ThrottledError) as error:
        return _shown(show, seen, problem=str(error))
    return show.go(f"/add/{another.id}")


@routes.post("/add/{preview_id}/save", auth=WRITERS)
def _save(show: Showing, preview_id: PreviewId, form: Annotated[Manner, Form()]) -> Response:
    """Watch it, and check it for the first time at once."""
    seen = _found(show, preview_id)
    if seen is None:
        return show.go("/add", _LOST)
    try:
        return _kept(show, seen, form.terms(seen.detection), form.dossier_id)
    except (ConfigError, ThrottledError) as error:
        return _shown(show, seen, form, problem=refusal(error))


def _kept(show: Show, seen: KeptPreview, terms: Terms, dossier_id: str) -> Response:
    where = place_for(show, dossier_id)
    if seen.detection.kind == LIST:
        begun = show.request.app.state.imports.begin(show, where.id, seen.body, terms.interval("feed"))
        return remember(show.go(f"/d/{where.id}/opml/{begun.id}"), where.id)
    added = show.services.adding.add(where.id, seen.detection, seen.body, terms).source
    assert added is not None  # noqa: S101 - only lists have none
    show.access.log("add_source", where.id, source=added.id)
    began = check_soon(show, where.id, added)
    said = f"Watching {added.name}. The first check has started."
    return remember(show.go(f"/d/{where.id}/sources/{added.id}?since={began}", said), where.id)


def _previewed(show: Show, text: str, dossier_id: str) -> Response:
    text = text.strip()
    if not text:
        return _box(show, text, "Paste an address or a folder, or write a question.", dossier_id)
    try:
        seen = show.request.app.state.previews.make(show, text, dossier_id)
    except (ConfigError, ThrottledError) as error:
        return _box(show, text, str(error), dossier_id)
    return show.go(f"/add/{seen.id}")


def _box(show: Show, text: str = "", problem: str = "", dossier_id: str = "") -> Response:
    known, here = places(show), show.found_dossier
    place = here.id if here else dossier_id or last_used(show, known)
    return show("add.html", text=text, problem=problem, places=known, place=place)


def _shown(show: Show, seen: KeptPreview, typed: Manner | None = None, problem: str = "") -> Response:
    known, kind = places(show), seen.detection.kind
    place = (typed and typed.dossier_id) or seen.dossier_id or last_used(show, known)
    engines = _engines(show, place) if kind == QUESTION else []
    name = name_of(seen.detection)
    usual = Manner(
        name=name,
        schedule="every" if kind == LIST else "adaptive",
        every="1d" if kind == QUESTION else "1h",
        channel=[engine.id for engine, needs in engines if not needs],
    )
    return show(
        "preview.html",
        seen=seen,
        found=seen.detection,
        title=name or seen.detection.url,
        problem=problem,
        given=typed or usual,
        places=known,
        place=place,
        paces=[(value, name, _monthly(seen.detection, value)) for value, name in _PACES],
        engines=engines,
    )


def _engines(show: Show, dossier_id: str) -> list[tuple[SearchEngine, list[str]]]:
    """The enabled engines of the dossier, and the secrets that each of them needs."""
    known = show.services.catalogue.engines(dossier_id) if dossier_id else built_in_engines()
    return [(one, sorted(names_in(one.headers.values()))) for one in known.values() if one.enabled]


def _monthly(detection: Detection, every: str) -> int:
    """Requests per month at this check interval."""
    usual = DAY if detection.kind == QUESTION else HOUR
    return round(detection.requests_per_month * usual / duration_ms(every))


def _found(show: Show, preview_id: str) -> KeptPreview | None:
    seen: KeptPreview | None = show.request.app.state.previews.find(show, preview_id)
    return seen
