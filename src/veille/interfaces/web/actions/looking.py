"""The first check of a source that was just added."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from veille.core.models import Source
    from veille.interfaces.web.actions.show import Show
    from veille.interfaces.web.requests.calls import Call


def look_soon(show: Show, dossier_id: str, source: Source) -> int:
    """Check a source in the background, so that its first document is there in seconds; returns the start time."""
    errands, began = show.request.app.state.errands, show.call.app.clock()

    def look(call: Call) -> None:
        call.app.check_now(call.access.dossier(dossier_id, scope="write").id, source.id, errands.is_stopping)

    errands.send(show, look)
    return began
