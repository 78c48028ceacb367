"""What happened: the most popular stories of a time, and what makes them so."""

from __future__ import annotations

from typing import Annotated, Literal

from fastapi import Form, Query, Response

from veille.errors import ConfigError
from veille.interfaces.web._routes import Pages, within
from veille.interfaces.web.actions.show import Show, Showing
from veille.services.analyse.popular import DigestWish, since_of

routes = Pages("digest")

_DIGEST = "/d/{dossier_id}/digest"
_STORIES = 20
#: The times that are offered, and their names.
_TIMES = {"1d": "Day", "7d": "Week", "30d": "Month"}

Time = Annotated[Literal["1d", "7d", "30d"], Query(description="How far back.")]


@routes.get(_DIGEST, auth=within("read"))
def _digest(show: Showing, since: Time = "7d", tag: Annotated[str, Query(max_length=100)] = "") -> Response:
    """What happened, the most popular first, each with why it stands there."""
    return _page(show, since, tag)


@routes.post(f"{_DIGEST}/brands", auth=within("write"))
def _brands(show: Showing, brands: Annotated[str, Form(max_length=5000)] = "") -> Response:
    """Set the names that make a document more popular, one in a line."""
    try:
        kept = show.services.popular.set_brands(show.dossier.id, [line for line in brands.splitlines() if line.strip()])
    except ConfigError as error:
        return _page(show, problem=str(error), typed=brands)
    show.access.log("dossier.options", show.dossier.id, brands=len(kept))
    return show.go(f"{show.home}/digest", "Saved: the order follows these names from now on.")


@routes.post(f"{_DIGEST}/switch", auth=within("write"))
def _switch(show: Showing, *, value: Annotated[bool, Form()]) -> Response:
    """Have documents analysed as they come, or not."""
    show.services.analyses.switch(show.dossier.id, is_on=value)
    show.access.log("dossier.options", show.dossier.id, analyse="on" if value else "off")
    said = "Documents are analysed as they come, beginning after the next check." if value else "Switched off."
    return show.go(f"{show.home}/digest", said)


def _page(show: Show, since: str = "7d", tag: str = "", *, problem: str = "", typed: str | None = None) -> Response:
    popular = show.services.popular
    wish = DigestWish(since=since_of(since, show.app.clock()), tag=tag, limit=_STORIES)
    brands = popular.brands(show.dossier.id)
    return show(
        "digest.html",
        digest=popular.digest(show.dossier.id, wish),
        since=since,
        tag=tag,
        times=_TIMES,
        problem=problem,
        brands="\n".join(brands) if typed is None else typed,
        is_on=show.reading.analyses.is_on(),
    )
