"""A part that was copied with all around it, as a menu is for phones: which of them is where the part was."""

from __future__ import annotations

from collections import Counter

from veille.core.pick.agreeing import DIGIT, LETTERS, kept_nearest
from veille.core.pick.comparing import AGREES
from veille.core.pick.flat import FlatPage
from veille.core.pick.marks import MOST_LABEL, Mark, Marker
from veille.core.pick.part import PagePart, hashed


def times_of(page: FlatPage, mark: Mark) -> tuple[int, ...]:
    """How often the text of an element, or its title, and the texts before and after it stand on the page."""
    pieces = page.once(_labels)
    return tuple(pieces[text[:MOST_LABEL]] for text in _own(mark))


def _labels(page: FlatPage) -> Counter[str]:
    return Counter(piece[:MOST_LABEL] for piece in page.pieces)


def is_copied(page: FlatPage, part: PagePart, n: int) -> bool:
    """Whether what stood on the page, beside the part or in it, stands there more often now."""
    once = frozenset(part.others.split())
    # Those beside it, and others like it: one of them may be gone together with it.
    near = (part.before, part.after, *(rival.text for rival in part.rivals))
    beside = [text for text in near if len(text) >= LETTERS and hashed(text) in once]
    mine = page.pieces[page.first[n] : page.last[n]].count(part.title)
    before = part.times[0] if part.times else 1
    is_inside = part.alone and bool(part.title) and page.times[part.title] > max(mine, before)
    return is_inside or any(page.times[text] > 1 for text in beside) or _is_more_often(page, part)


def _is_more_often(page: FlatPage, part: PagePart) -> bool:
    """Whether its own text, or those on both sides, stand more often; one side alone may be that of a new item."""
    if not part.times:
        return False
    grew = [
        now > then > 0 and sum(map(str.isalpha, text)) >= LETTERS and not DIGIT.search(text)
        for text, then, now in zip(_own(part), part.times, times_of(page, part), strict=True)
    ]
    return grew[0] or all(grew[1:])


def is_less_often(page: FlatPage, part: PagePart, there: Mark) -> bool:
    """Whether the one text of the part, which the element has, too, stood on the page more often."""
    if not part.times or part.title or there.text != part.text:
        return False
    return page.times[part.text] < part.times[0]


def may_be_neighbour(page: FlatPage, part: PagePart, there: Mark) -> bool:
    """Whether only the texts beside it told the part from one of the same text, and that text came or went since.

    The name of an author stands at each of his posts: where one is new or gone, another may stand where the part was.
    """
    if not part.times or part.title or there.text != part.text or page.times[part.text] == part.times[0]:
        return False
    return any(_but_beside(rival) == _but_beside(part) for rival in part.rivals)


def _but_beside(mark: Mark) -> tuple[object, ...]:
    """All that an element is known by, but for its place and the texts beside it."""
    return mark.tag, mark.text, mark.names, mark.path, mark.heading, mark.column, mark.label, mark.within, mark.link


def _own(mark: Mark) -> tuple[str, str, str]:
    return mark.title or mark.text, mark.before, mark.after


def is_there(marker: Marker, part: PagePart, there: Mark) -> bool:
    """Whether it is where the part was, not only beside the same texts.

    A copy has the nearest names, too. What was around the original, and the page still has, is not around the copy.
    """
    if (part.tags, part.landmark) == (there.tags, there.landmark):
        return True
    if kept_nearest(part, there) < AGREES:
        return False
    around = frozenset(there.path)
    gone = [name for name in part.path if name not in around]
    is_outside = part.landmark != there.landmark and bool(part.landmark) and part.landmark in marker.all_landmarks
    return not is_outside and not any(name in marker.all_names for name in gone)
