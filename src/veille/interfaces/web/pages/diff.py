"""What changed between two revisions of a document."""

from __future__ import annotations

from typing import Annotated, Literal
from urllib.parse import urlencode

from fastapi import Path, Query, Response

from veille.core.revision_changes import is_rtl
from veille.errors import ConfigError
from veille.interfaces.web._auth import within
from veille.interfaces.web._routes import Pages
from veille.interfaces.web._show import Showing

routes = Pages("diff")

Number = Annotated[int | None, Query(ge=1, le=2**31)]


@routes.get("/d/{dossier_id}/documents/{document_id}/diff", auth=within("read"))
def _diff(  # noqa: PLR0913, PLR0917 - which two, and how they are shown
    show: Showing,
    document_id: Annotated[str, Path(max_length=200)],
    older: Number = None,
    newer: Number = None,
    view: Literal["inline", "unified"] = "inline",
    hide: Literal["", "added", "removed"] = "",
    space: Literal["", "ignore"] = "",
) -> Response:
    """Word by word inside the article, or line by line."""
    call = show.call
    here = f"/d/{call.dossier.id}/documents/{document_id}"
    try:
        found = call.services.documents.compare(
            call.dossier.id,
            document_id,
            older,
            newer,
            call.app.image_signer(call.dossier.id),
            by_lines=view == "unified",
            ignore_space=bool(space),
        )
    except ConfigError as error:
        # It has one revision only: there is no change to see yet.
        return show.go(here, str(error))
    chosen = {"view": view, "hide": hide, "space": space}

    def pair(older_n: int, newer_n: int, **other: str) -> str:
        given = {name: value for name, value in {**chosen, **other}.items() if value and value != "inline"}
        return f"{here}/diff?{urlencode({'older': older_n, 'newer': newer_n, **given})}"

    n = found.newer.n
    return show(
        "diff.html",
        found=found,
        here=here,
        pair=pair,
        before=pair(n - 2, n - 1) if n > 2 else "",  # noqa: PLR2004 - two are needed
        after=pair(n, n + 1) if n < found.line.rev_n else "",
        is_rtl=is_rtl(found.newer.lang),
        view=view,
        hide=hide,
        space=space,
    )
