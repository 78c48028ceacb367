"""Stories: documents that report the same thing."""

from __future__ import annotations

from typing import Annotated

from fastapi import Path, Response

from veille.interfaces.web._routes import Pages
from veille.interfaces.web.actions.show import Showing
from veille.interfaces.web.requests.auth import within
from veille.interfaces.web.requests.paging import Before, end_of, place_of

routes = Pages("stories")

_PAGE = 50
#: Documents shown of one story; further ones are copies of copies.
_DOCUMENTS = 200


@routes.get("/d/{dossier_id}/stories", auth=within("read"))
def _stories(show: Showing, before: Before = None) -> Response:
    """Stories of two documents or more; those that last got a new document first."""
    found = show.reading.stories.lines(place_of(before), _PAGE)
    end = end_of([one.place for one in found], _PAGE)
    return show("stories.html", stories=found, older=end and f"?before={end}", is_first=before is None)


@routes.get("/d/{dossier_id}/stories/{story_id}", auth=within("read"))
def _story(show: Showing, story_id: Annotated[str, Path(max_length=200)]) -> Response:
    """The documents of a story, the earliest first."""
    story = show.reading.stories.find(story_id, _DOCUMENTS)
    unread = show.reading.marks.unread_of(show.user_id, [one.document_id for one in story.documents])
    return show("story.html", story=story, documents=story.documents, unread=unread)
