"""The short lines below the headline of a page: there stand the author and the date."""

from __future__ import annotations

from functools import cached_property
from typing import Final

from veille.core.extract._page import Page
from veille.core.extract.facts.head import folded
from veille.core.extract.tree.walk import TAGS

_WITH_BYLINES: Final = frozenset({"article", ""})
_LINES: Final = 12
_H1: Final = TAGS["h1"]
#: A longer line is the text itself.
_MAX_LINE: Final = 200
#: A title shorter than this may stand anywhere.
_MIN_TITLE: Final = 10
#: Blocks in which the headline is looked for.
_BLOCKS: Final = 500


class Below:
    """The lines below the headline, read when first asked for."""

    def __init__(self, page: Page, title: str) -> None:
        self._page = page
        self._title = title

    @cached_property
    def lines(self) -> list[str]:
        """The short ones."""
        return _lines_below(self._page, self._title)


def _is_front(url: str) -> bool:
    """Whether it is the first page of a site: what stands there is of the newest article, or of none."""
    return url != "" and not url.partition("://")[2].partition("/")[2]


def _lines_below(page: Page, title: str) -> list[str]:
    """The lines after the first that holds the title or is a top heading, up to the text; its summary is skipped."""
    wanted = folded(title)
    if len(wanted) < _MIN_TITLE or page.article_type not in _WITH_BYLINES or _is_front(page.url):
        return []
    # Folding every block would take longer than all else here.
    key = max(title.split(), key=len)
    found: list[str] = []
    long = -1
    for text, tag in page.reading.lines(_BLOCKS, _H1, key):
        if len(text) > _MAX_LINE:
            long += long >= 0
        elif tag == _H1 or (key in text and folded(text).endswith(wanted)):
            long = 0
        elif long >= 0:
            found.append(text)
        if long > 1 or len(found) >= _LINES:
            break
    return found
