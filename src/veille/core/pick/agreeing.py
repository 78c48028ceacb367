"""Whether an element that is like a part agrees with it in what should have stayed."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from veille.core.pick.comparing import AGREES, Compared, Survival
from veille.core.pick.flat import HEADINGS
from veille.core.pick.marks import LANDMARKS, Mark
from veille.core.pick.names import keys_of, shared
from veille.core.pick.part import PagePart
from veille.core.pick.shapes import likeness, title_likeness, words_of

LETTERS: Final = 3
SOME, NEARLY = 0.25, 0.9
DIGIT: Final = re.compile(r"\d+")
#: The share of a page's words that says that it was not rewritten.
STAYED: Final = 0.35
_LIKE, _MOST = 0.4, 0.7
_TITLES: Final = HEADINGS | {"a", "dt", "th"}
_LISTS: Final = frozenset({"ul", "ol", "dl", "table", "tbody"})
_CELLS: Final = frozenset({"td", "dd"})
_LONG_LIST, _LONG_TEXT = 4, 8
_SEVERAL: Final = 3
#: The nearest names around a part, and digits of a number that is hardly ever there twice.
_NEAREST: Final = 3
_LONG_NUMBER: Final = 4

#: All possible titles of the items around an element, by the one that is taken for it.
Titles = Mapping[str, Sequence[str]]


def agrees(part: PagePart, there: Mark, match: Compared, survival: Survival, titles: Titles) -> bool:
    """Whether what should have stayed on this page did."""
    is_rewritten = survival.words < STAYED
    # A name that elements beside it have, too, is not its own any more.
    # In a box with another title, it needs more around it to be more than a copy.
    least = AGREES if there.label and there.label != part.label else SOME
    is_keyed = _is_in_keyed_item(part, there)
    is_own = is_keyed or (is_named(part, there) and (there.lone or not part.lone))
    is_around = is_rewritten or is_keyed or match.words >= least or not _has_words_around(part)
    is_same = _is_same_text(part.text, there.text)
    # A box that went elsewhere as a whole has other texts beside it.
    is_moved = is_same and part.alone and part.landmark == there.landmark and kept_nearest(part, there) >= NEARLY
    is_in_place = match.place >= _MOST and match.names >= NEARLY and (is_around or (is_moved and bool(part.path)))
    # Between the texts that it was between: that some around it have other names changes nothing.
    is_between = is_same and part.alone and (part.before, part.after) == (there.before, there.after)
    if is_own and (is_in_place or is_between):
        return True
    # Its text stood elsewhere, too, as in a second menu: on a page that kept its names, it has those of the part.
    is_other_copy = not part.alone and match.names < AGREES * survival.names and survival.names >= _MOST
    is_stranger = survival.names >= _MOST and _has_no_name_of(part, there, match, is_same=is_same)
    # In another region of the page, under no name of its own, other words are those of a copy; and so is what was the
    # region itself.
    is_unnamed = bool(part.names) and not match.names and part.landmark != there.landmark
    is_outside = is_unnamed and (not is_same or part.tag in LANDMARKS)
    if is_stranger or is_outside or (is_other_copy and not is_in_own_item(part, there)):
        return False
    is_kept = is_same and _is_unmoved(part, there, match)
    if is_kept or (is_rewritten and is_anchored(part, there, match)) or _is_list_under_its_title(part, there):
        return True
    if not is_same and (match.content < _LIKE or _is_retold(part, there, match)):
        return False
    if is_rewritten:
        # In other words: only a name of its own, or its very content, tells it from others.
        # A number may have become another one's.
        is_sure = is_named(part, there) or (is_same and part.alone and not _is_number_elsewhere(part, there))
        return is_sure and match.names >= AGREES and match.place >= _MOST
    return _is_around(part, there, match, titles, is_same=is_same)


def _has_no_name_of(part: PagePart, there: Mark, match: Compared, *, is_same: bool) -> bool:
    """Whether it has none of the names on and around the part; its text, in its place, may be there without them."""
    if not part.names or match.names:
        return False
    return not is_same or (part.tags, part.landmark) != (there.tags, there.landmark)


def _is_unmoved(part: PagePart, there: Mark, match: Compared) -> bool:
    """Whether a text that stood once is in its very place: between the same texts, or hardly ever another one's."""
    if not part.alone or (part.tags, part.landmark) != (there.tags, there.landmark):
        return False
    if match.words >= NEARLY:
        return True
    if DIGIT.search(part.text):
        return False
    is_long = len(part.text.split()) >= _LONG_TEXT
    is_linked = bool(part.link) and part.link == there.link
    return is_long or is_linked or (part.tag == there.tag and min(match.words, match.names) >= AGREES)


def _is_around(part: PagePart, there: Mark, match: Compared, titles: Titles, *, is_same: bool) -> bool:
    """Whether enough of what was around the part is around the element."""
    if is_same and part.alone:
        # With nothing else of it around, it is a copy. Its own names, title and link were copied with it.
        # A number may have become another one's: only what is around it tells.
        if DIGIT.search(part.text) and not is_beside_its_own(part, there):
            return match.words >= SOME
        # As another element, elsewhere and beside other texts, it is a new one that has the same words.
        is_new = not match.words and part.tag != there.tag and part.tags != there.tags
        # So is what another item says in a few words: a number, a place, a state.
        is_new = is_new or (_is_short(part.text) and _is_elsewhere(part, there, titles))
        return not is_new and max(match.words, match.names) >= SOME and _is_among_its_own(part, there)
    if not is_same and (_has_lost_its_words(part, there) or _has_become_words(part, there)):
        return False
    is_between = (part.before, part.after) == (there.before, there.after)
    if not is_same and not is_between and _has_namesake(part, there) and not _is_edited(part, there):
        return False
    if not is_same and _has_title_of_another(part) and not _is_near_its_own(part, there):
        return False
    is_in_place = is_same and match.names >= NEARLY and match.place >= _MOST and match.words >= SOME
    return (is_in_place or match.words >= AGREES) and not _is_elsewhere(part, there, titles)


def _is_same_text(one: str, other: str) -> bool:
    """Whether two texts are the same, or the same words in another order."""
    if one == other:
        return len(one) >= LETTERS
    mine = one.split()
    least = _LONG_TEXT if DIGIT.search(one) else _LONG_LIST
    return len(mine) >= least and sorted(mine) == sorted(other.split())


def is_anchored(part: PagePart, there: Mark, match: Compared) -> bool:
    """Whether what has no words, and stays in any language, is the same: its link, or the numbers on both sides."""
    is_near = match.names >= NEARLY or (part.names == there.names and kept_nearest(part, there) >= NEARLY)
    is_in_place = is_near and match.place >= _MOST and part.tag == there.tag
    if not is_in_place or not part.alone or min(part.size, there.size) * 2 < max(part.size, there.size):
        return False
    if part.link and part.link == there.link:
        return all(rival.link != part.link for rival in part.rivals)
    if part.link and any(rival.link == there.link for rival in part.rivals):
        return False
    sides = _sides(part)
    if not (all(sides) or len("".join(sides[0] + sides[1])) >= _LONG_NUMBER) or sides != _sides(there):
        return False
    return all(sides != _sides(rival) for rival in part.rivals)


def _sides(mark: Mark) -> tuple[tuple[str, ...], tuple[str, ...]]:
    return _figures(mark.before), _figures(mark.after)


def _figures(text: str) -> tuple[str, ...]:
    return tuple(DIGIT.findall(text))


def is_named(part: PagePart, there: Mark) -> bool:
    """Whether it has all names of the part, and no other element like it had."""
    if not part.names or shared(part.names, frozenset(there.names)) < 1.0:
        return False
    return all(shared(part.names, frozenset(rival.names)) < 1.0 for rival in part.rivals)


def _is_retold(part: PagePart, there: Mark, match: Compared) -> bool:
    """Whether a text that is words has all become other words, and little else says that it is the part."""
    if part.tag in _TITLES:
        return title_likeness(part.text, there.text) < AGREES
    if part.link and part.link != there.link and part.lone and not there.lone:
        return True
    if part.title and any(map(str.isalpha, part.title)) and title_likeness(part.title, there.title) < AGREES:
        return likeness(part.text, there.text) < _MOST
    # "Tuesday: soup" and "Tuesday: fish", between Monday and Wednesday.
    is_titled = is_said(part.title) and part.title == there.title and not _has_title_of_another(part)
    is_told = part.shape in {"words", "text"} and not (is_titled and is_beside_its_own(part, there))
    if not is_told or likeness(part.text, there.text) >= _LIKE:
        return False
    # Of several beside each other, one with other words is another one; a cell is told by its row and its column.
    if not part.lone and part.tag not in _CELLS:
        return True
    is_labelled = bool(part.label) and title_likeness(part.label, there.label) >= NEARLY
    is_alone_there = part.lone and there.lone and frozenset(part.names) == frozenset(there.names)
    # A name of its own lasts longer than a tag.
    is_kind = part.tag == there.tag or (is_alone_there and bool(part.names))
    is_alike = is_kind and part.shape == there.shape and (is_alone_there or part.shape == "words")
    return not (is_labelled and is_alike and match.words >= _MOST)


def _has_lost_its_words(part: PagePart, there: Mark) -> bool:
    """Whether hardly any of the words between its numbers are left.

    An advertisement with a price is not what it replaced, nor is one event of a list another one of the same month.
    """
    if part.shape in {"words", "text"}:
        return False
    said = {word for word in words_of(part.text) if len(word) >= LETTERS}
    kept = said.intersection(words_of(there.text))
    if part.lone or part.of == 1:
        return len(said) >= _SEVERAL and not kept
    return len(said) >= _SEVERAL and len(kept) < AGREES * len(said)


def _has_become_words(part: PagePart, there: Mark) -> bool:
    """Whether what was a bare value is a sentence with a value in it, under no name of the part."""
    if part.shape in {"words", "text"} or not frozenset(part.names).isdisjoint(there.names):
        return False
    mine, theirs = ({word for word in words_of(mark.text) if len(word) >= LETTERS} for mark in (part, there))
    return len(mine) < _SEVERAL and len(theirs - mine) > _SEVERAL


def _is_elsewhere(part: PagePart, there: Mark, around: Titles) -> bool:
    """Whether it is in an item with another title and another link."""
    titles, others = _item_titles(part, there), _item_titles(there, part)
    if not titles or (part.link and part.link == there.link) or _is_between_the_same(part, there):
        return False
    # Without the box around an item, its title is the heading above. What is around several items often has the title
    # of the first of them: only the nearest one counts.
    # What was put into an item may have become its first title.
    more = around.get(others[0], ()) if others else ()
    return max(title_likeness(titles[0], one) for one in (*others[:1], *more, there.label, there.heading)) < AGREES


def _item_titles(mark: Mark, other: Mark) -> list[str]:
    titles = [title for title in mark.within if any(map(str.isalpha, title))]
    # What stands right before both is a label; the item has the next title.
    if len(titles) > 1 and titles[0] == mark.before == other.before:
        del titles[0]
    return titles


def is_in_own_item(part: PagePart, there: Mark) -> bool:
    """Whether it is in the item with the title of the part, in which nothing else of its kind was."""
    item = part.within[:1]
    # Where its text stands twice in one item, as for phones, each of the two is the title of the other.
    if any(one.text == part.text and one.within[:1] == (part.text,) for one in part.rivals):
        return False
    return bool(item) and item == there.within[:1] and all(one.within[:1] != item for one in _kin(part))


def _is_in_keyed_item(part: PagePart, there: Mark) -> bool:
    """Whether it is the one of its name in the item with the key of the part, as each of its like had one."""
    like = [one for one in part.rivals if (one.tag, one.names) == (part.tag, part.names)]
    if not like or not (part.names and part.lone and there.lone) or (part.tag, part.names) != (there.tag, there.names):
        return False
    own = keys_of(part.path).difference(*(one.path for one in like))
    return bool(own) and own <= frozenset(there.path)


def keys_of_others(part: PagePart) -> frozenset[str]:
    """The keys of items with a lookalike in the very place that the part has in its own."""
    own = keys_of(part.path)
    kin = [one for one in part.rivals if (one.tag, one.names, one.tags) == (part.tag, part.names, part.tags)]
    return frozenset(key for one in kin if own.difference(one.path) for key in keys_of(one.path) - own)


def _kin(part: PagePart) -> Iterator[Mark]:
    return (rival for rival in part.rivals if rival.tag == part.tag or rival.text == part.text)


def is_said(text: str) -> bool:
    """Whether it is in words, without a number that may soon be another one's."""
    return sum(map(str.isalpha, text)) >= LETTERS and not DIGIT.search(text)


def _is_short(text: str) -> bool:
    return len(text.split()) < _LONG_TEXT


def _is_number_elsewhere(part: PagePart, there: Mark) -> bool:
    return bool(DIGIT.search(part.text)) and (part.place, part.of) != (there.place, there.of)


def _is_list_under_its_title(part: PagePart, there: Mark) -> bool:
    """Whether it is a list with the title of the part, whatever is in it now; no other list had that title."""
    if part.tag not in _LISTS or not part.lone or not there.lone or (part.tag, part.names) != (there.tag, there.names):
        return False
    titles = (part.before, part.heading)
    is_titled = is_said(part.before) and titles == (there.before, there.heading)
    return is_titled and all(titles != (one.before, one.heading) for one in _kin(part))


def _has_words_around(part: PagePart) -> bool:
    """Whether anything was around it that lasts: words, or where it leads."""
    said = (part.before, part.after, part.heading, part.column, part.title, part.link, *part.within)
    return any(any(map(str.isalpha, one)) for one in said)


def _has_namesake(part: PagePart, there: Mark) -> bool:
    """Whether another item with the same title had one like it: a new one may have, too."""
    kin = (one for one in _kin(part) if part.within and (one.names, one.within) == (part.names, part.within))
    return any(not _is_told_apart(part, there, one) for one in kin)


def _is_edited(part: PagePart, there: Mark) -> bool:
    """Whether it is a long text beside its own neighbour that kept most of its words, as no other of its kind has."""
    kept = likeness(part.text, there.text)
    is_long = min(len(words_of(part.text)), len(words_of(there.text))) >= _LONG_TEXT
    is_own = all(likeness(one.text, there.text) < kept for one in _kin(part))
    return is_long and kept >= AGREES and is_own and is_beside_its_own(part, there)


def _is_told_apart(part: PagePart, there: Mark, other: Mark) -> bool:
    """Whether it has the column or the heading of the part, which the other one of its item had not."""
    titles = ((part.column, there.column, other.column), (part.heading, there.heading, other.heading))
    return any(mine and mine == now != its for mine, now, its in titles)


def _has_title_of_another(part: PagePart) -> bool:
    """Whether another one like it began with the same words, as posts of one author do: a new one may, too."""
    return bool(part.title) and any(one.title == part.title for one in _kin(part))


def _is_near_its_own(part: PagePart, there: Mark) -> bool:
    """Whether a text beside it, or what it is titled by, is what it was; its names, where they are all there."""
    around = ((part.heading, there.heading), (part.column, there.column), (part.label, there.label))
    is_titled = any(mine and title_likeness(mine, theirs) >= AGREES for mine, theirs in around)
    is_within = any(title in there.within for title in part.within)
    return is_beside_its_own(part, there) or is_titled or is_within or kept_nearest(part, there) >= NEARLY


def _is_between_the_same(part: PagePart, there: Mark) -> bool:
    """Whether the same two texts are before and after it, neither of which was beside anything else like it."""
    if (part.before, part.after) != (there.before, there.after) or not part.before or not part.after:
        return False
    if sum(map(str.isalpha, part.before)) < LETTERS:
        return False
    # A label that went to the other side of its value stands before the next one.
    if part.before in part.within[:1] and part.before not in (*there.within, there.label):
        return False
    return all(rival.before != part.before and rival.after != part.after for rival in part.rivals)


def _is_among_its_own(part: PagePart, there: Mark) -> bool:
    """Whether anything around it was around the part: a text, a heading, the item, or the nearest names."""
    if is_beside_its_own(part, there):
        return True
    pairs = (
        (part.heading, there.heading),
        (part.column, there.column),
        (part.label, there.label),
        *((title, other) for title in part.within[:1] for other in there.within),
    )
    if any(mine and title_likeness(mine, theirs) >= AGREES for mine, theirs in pairs):
        return True
    return kept_nearest(part, there) >= AGREES if part.path else part.landmark == there.landmark


def is_beside_its_own(part: PagePart, there: Mark) -> bool:
    """Whether the text before or after it is the very one that was there."""
    return bool(part.before and part.before == there.before) or bool(part.after and part.after == there.after)


def kept_nearest(part: PagePart, there: Mark) -> float:
    """The share of the nearest names around the part that are around the element, 0 to 1."""
    return shared(part.path[:_NEAREST], frozenset(there.path))
