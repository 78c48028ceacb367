"""The changes of a dossier with one tag."""

from __future__ import annotations

from itertools import groupby
from typing import TYPE_CHECKING
from urllib.parse import urlencode

from veille.interfaces.web.views.words import day_of

if TYPE_CHECKING:
    from fastapi import Response

    from veille.interfaces.web.actions.show import Show

_PAGE = 30


def tagged_changes(show: Show, tag: str, before: int | None) -> Response:
    """The page of what changed in the documents and sources with a tag."""
    found, following = show.services.front.tagged(show.dossier, show.user_id, tag, _PAGE, before)
    older = f"{show.home}?{urlencode({'tag': tag, 'before': following})}" if following else ""
    days = [(day, list(some)) for day, some in groupby(found, key=lambda one: day_of(one.event.at))]
    return show("tagged.html", tag=tag, seen=days, fresh=[], fresh_count=0, since_at=None, older=older)
