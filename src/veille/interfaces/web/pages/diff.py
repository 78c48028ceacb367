"""What changed between two revisions of a document."""

from __future__ import annotations

from typing import Annotated, Literal
from urllib.parse import urlencode

from fastapi import Path, Query, Response
from pydantic import BaseModel

from veille.core.compare.revision_changes import is_rtl
from veille.errors import ConfigError
from veille.interfaces.web._routes import Pages
from veille.interfaces.web.actions.show import Showing
from veille.interfaces.web.requests.auth import within

routes = Pages("diff")


class Look(BaseModel):
    """Which two revisions are compared, and how the diff is shown."""

    older: int | None = Query(None, ge=1, le=2**31)
    newer: int | None = Query(None, ge=1, le=2**31)
    view: Literal["inline", "unified"] = "inline"
    hide: Literal["", "added", "removed"] = ""
    space: Literal["", "ignore"] = ""

    def path(self, older: int, newer: int, view: str | None = None) -> str:
        """Path of the diff of two other revisions, shown in the same way."""
        given = {"view": self.view if view is None else view, "hide": self.hide, "space": self.space}
        chosen = {name: value for name, value in given.items() if value and value != "inline"}
        return f"/diff?{urlencode({'older': older, 'newer': newer, **chosen})}"


@routes.get("/d/{dossier_id}/documents/{document_id}/diff", auth=within("read"))
def _diff(show: Showing, document_id: Annotated[str, Path(max_length=200)], look: Annotated[Look, Query()]) -> Response:
    """The diff, by words inside the article or by lines."""
    call = show.call
    here = f"/d/{call.dossier.id}/documents/{document_id}"
    try:
        found = call.services.documents.compare(
            call.dossier.id,
            document_id,
            look.older,
            look.newer,
            call.app.image_signer(call.dossier.id),
            by_lines=look.view == "unified",
            ignore_space=bool(look.space),
        )
    except ConfigError as error:
        if error.code != "one_revision":
            raise
        return show.go(here, str(error))
    is_unread = bool(show.reading.marks.unread_of(show.user_id, [document_id]))
    is_kept = bool(show.reading.marks.kept_of(show.user_id, [document_id]))
    n = found.newer.n
    return show(
        "diff.html",
        found=found,
        here=here,
        look=look,
        is_unread=is_unread,
        is_kept=is_kept,
        before=here + look.path(n - 2, n - 1) if n > 2 else "",  # noqa: PLR2004 - a diff needs two revisions
        after=here + look.path(n, n + 1) if n < found.line.rev_n else "",
        is_rtl=is_rtl(found.newer.lang),
    )
