"""Where a new source can be put: the dossiers that the user may change, and the one they used last."""

from __future__ import annotations

from typing import TYPE_CHECKING

from veille.core.models import Dossier
from veille.errors import ForbiddenError

if TYPE_CHECKING:
    from fastapi import Response

    from veille.interfaces.web.actions.show import Show

#: Name of a user's first dossier.
FIRST_NAME = "My dossier"
_COOKIE = "dossier"
_LIFE_S = 365 * 86_400


def places(show: Show) -> list[Dossier]:
    """The dossiers that the caller may add to; none for a session or token that may not write."""
    try:
        return show.access.dossiers(scope="write")
    except ForbiddenError:
        return []


def last_used(show: Show, known: list[Dossier]) -> str:
    """The id of the dossier to offer first; empty when there is none yet."""
    ids = [dossier.id for dossier in known]
    last = show.request.cookies.get(_COOKIE, "")
    return last if last in ids else next(iter(ids), "")


def remember(response: Response, dossier_id: str) -> Response:
    """Offer this dossier first next time."""
    response.set_cookie(_COOKIE, dossier_id, _LIFE_S, path="/", httponly=True, samesite="lax")
    return response


def own_path(show: Show, path: str) -> str:
    """The path to return to, if it is a page of the dossier of the URL; else empty."""
    is_ours = path.startswith((f"{show.home}/", f"{show.home}?")) and path.isprintable() and "\\" not in path
    return path if is_ours else ""


def place_for(show: Show, dossier_id: str) -> Dossier:
    """The chosen dossier, with access checked; without a choice the first one, created if there is none."""
    if dossier_id:
        return show.access.dossier(dossier_id, scope="write")
    known = places(show)
    return known[0] if known else show.access.create(FIRST_NAME)
