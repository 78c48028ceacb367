"""Where something new can be put: the dossiers that somebody may change, and the one they used last."""

from __future__ import annotations

from typing import TYPE_CHECKING

from veille.core.models import Dossier
from veille.errors import ForbiddenError

if TYPE_CHECKING:
    from fastapi import Response

    from veille.interfaces.web.actions.show import Show

#: What the first dossier of somebody is called.
FIRST_NAME = "My dossier"
_COOKIE = "dossier"
_LIFE_S = 365 * 86_400


def places(show: Show) -> list[Dossier]:
    """The dossiers they may add to; none for a way in that cannot change anything."""
    try:
        return show.call.access.dossiers(scope="write")
    except ForbiddenError:
        return []


def last_used(show: Show, known: list[Dossier]) -> str:
    """The id of the one to offer first; empty when there is none yet."""
    ids = [dossier.id for dossier in known]
    last = show.request.cookies.get(_COOKIE, "")
    return last if last in ids else next(iter(ids), "")


def remember(response: Response, dossier_id: str) -> Response:
    """Offer this one first, next time."""
    response.set_cookie(_COOKIE, dossier_id, _LIFE_S, path="/", httponly=True, samesite="lax")
    return response


def place_for(show: Show, dossier_id: str) -> Dossier:
    """The dossier that was chosen, checked; without a choice the first one, which is made if there is none."""
    if dossier_id:
        return show.call.access.dossier(dossier_id, scope="write")
    known = places(show)
    return known[0] if known else show.call.access.create(FIRST_NAME)
