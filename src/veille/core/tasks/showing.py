"""Make what people see of a page: its reader view, where two pictures of it differ, and a small picture."""

from __future__ import annotations

from dataclasses import dataclass, replace

from veille.core.browsing.pictures import DrawnDifference, Thumbnail, drawn_difference, thumbnail
from veille.core.show.reader import USUAL, ReaderOptions, ReaderResult, read_page
from veille.core.tasks import Task
from veille.core.traffic import Payload


@dataclass(frozen=True, slots=True, kw_only=True)
class MakeReadable(Task[ReaderResult]):
    """Make the reader view of a page. Images to be signed are only marked: keys do not leave their process."""

    payload: Payload
    mark: str
    options: ReaderOptions = USUAL

    def run(self, body: bytes) -> ReaderResult:
        return read_page(replace(self.payload, body=body), lambda _: self.mark, self.options)


@dataclass(frozen=True, slots=True, kw_only=True)
class DrawDifference(Task[DrawnDifference]):
    """Draw where two pictures differ; the body is both, the older one first, of `size` bytes."""

    size: int

    def run(self, body: bytes) -> DrawnDifference:
        return drawn_difference(body[: self.size], body[self.size :])

    def is_long(self, body: bytes) -> bool:
        del body
        return True


@dataclass(frozen=True, slots=True, kw_only=True)
class DrawThumbnail(Task[Thumbnail]):
    """Draw the top of a picture in the size of a list."""

    def run(self, body: bytes) -> Thumbnail:
        return thumbnail(body)
