"""Assignment of texts to stories: documents that report the same thing, near-duplicates from any publisher.

A story is represented by a few of its documents, its *voices*: a new text is compared with them alone, so a story of a
thousand copies costs no more than one of eight. A voice must be similar to the founder (the oldest voice), so a story
cannot drift to a different text in small steps.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, pairwise
from typing import Final, NamedTuple, Protocol

from veille.core.fingerprint import uuid7
from veille.core.language.similar import Likeness, Signature, bins_apart, common_bins, likeness, signature

#: The maximum number of voices of a story.
MAX_VOICES: Final = 8
#: A mark that this many stories have is boilerplate or a common phrase: it is not stored for further stories.
COMMON_MARK: Final = 8
# How many stories a new text is compared with, those that share the most marks first; and how many more that share
# common marks with it, to recognise its boilerplate.
_MAX_CANDIDATES, _MAX_WITNESSES = 8, 3

# Calibrated together on `bench/run.py stories` (seeds 1 to 4): run it again before changing one of them.
# Unrelated texts share less than 3 % of their word triples.
_MIN_SHARED: Final = 0.05
# Minimum spread of the shared triples over one text (the shorter one), and over the other:
# site boilerplate is at the edges, and a digest that quotes a text is not the same story.
_MIN_SPREAD, _MIN_SPREAD_OF_OTHER = 0.62, 0.2
# Samples that a text shares with this many of the compared stories are the site's boilerplate.
_COMMON: Final = 3
# For `_only_frame`: minimum number of voices; maximum spread of the agreement; minimum share of the samples in which
# the new text differs from a voice; maximum share of these in which it agrees with another voice.
_ENOUGH_VOICES, _ALL_OVER, _MUCH, _HARDLY = 2, 0.8, 0.25, 0.05
# A text that shares this much with a voice does not become a voice: it would add nothing.
_SAME_VOICE: Final = 0.7


class Voice(NamedTuple):
    """A document of a story, with its signature as bytes; `voice` tells whether it represents the story."""

    story: int
    signature: bytes
    joined_at: int = 0
    document: int = 0
    voice: bool = True

    @property
    def marks(self) -> list[int]:
        return Signature(self.signature).marks()

    @property
    def age(self) -> tuple[int, int]:
        """Sort key: the founder of a story has the lowest."""
        return self.joined_at, self.document


class StoryRows(Protocol):
    """Stored stories."""

    def holders(self, marks: Iterable[int]) -> Iterable[tuple[int, int]]:
        """Each of these marks with each story that has it."""

    def voices(self, stories: Iterable[int]) -> Iterable[Voice]:
        """The voices of these stories."""

    def others(self, stories: Iterable[int]) -> Iterable[Voice]:
        """The documents of these stories that are not voices."""

    def members(self, documents: Iterable[int]) -> Iterable[Voice]:
        """Those of these documents that are in a story."""

    def last(self) -> int:
        """The highest number of a story; 0 if there is none."""


class SignedText(NamedTuple):
    """The signature of a text, and its marks."""

    signature: Signature
    marks: list[int]


def signed(text: str) -> SignedText | None:
    """A text as it is compared; None if it is too short for that."""
    made = signature(text) if text else None
    return None if made is None else SignedText(made, made.marks())


class StoryStep(NamedTuple):
    """A document to place: it leaves its current story, if any, and joins one by its text, if it has one."""

    document: int
    document_id: str = ""
    text: str = ""


@dataclass(frozen=True, slots=True)
class Placement:
    """The place of a new text: its story (None for a new one), and whether it becomes a voice.

    `merged` are other stories that turned out to be the same; they become part of it.
    """

    story: int | None
    voice: bool = True
    merged: tuple[int, ...] = ()


class _Documents(dict[int, list[Voice]]):
    """Documents by story, the oldest first; those of a story are read when they are first needed."""

    def __init__(self, read: Callable[[Iterable[int]], Iterable[Voice]]) -> None:
        super().__init__()
        self._read = read

    def __missing__(self, story: int) -> list[Voice]:
        self.prepare([story])
        return self[story]

    def prepare(self, stories: Iterable[int]) -> None:
        """Read those of several stories at once."""
        new = {story for story in stories if story not in self}
        self.update((story, []) for story in new)
        for one in sorted(self._read(new), key=lambda one: one.age) if new else ():
            self[one.story].append(one)


class StoryBook:
    """Processes documents that leave and join stories, in order: caches rows that it read, and collects changes.

    `prepare` reads nearly all rows that the steps need in a few queries. After a merge the caller must write the
    changes and process the remaining steps with a new book.
    """

    def __init__(self, rows: StoryRows, signed: Mapping[str, SignedText | None] | None = None) -> None:
        self._rows = rows
        self._holders: dict[int, set[int]] = {}
        self._voices = _Documents(rows.voices)
        self._others = _Documents(rows.others)
        self._members: dict[int, Voice] = {}
        self._signatures: dict[str, SignedText | None] = dict(signed or {})
        #: Stories that lost marks of which others have not been read yet.
        self._unmarked: dict[int, set[int]] = {}
        self._last: int | None = None
        #: New stories, by number.
        self.founded: dict[int, str] = {}
        self.left: set[int] = set()
        self.joined: dict[int, Voice] = {}
        #: Documents that became voices.
        self.promoted: set[int] = set()
        #: Whether a story has a mark, where that changed.
        self.marked: dict[tuple[int, int], bool] = {}
        #: Stories that may have no documents left.
        self.ended: set[int] = set()
        #: A story, and the other stories to merge into it.
        self.merged: tuple[int, tuple[int, ...]] | None = None

    def prepare(self, steps: Sequence[StoryStep]) -> None:
        """Read the rows that these steps need."""
        self._members = {one.document: one for one in self._rows.members(step.document for step in steps)}
        voices = [one for one in self._members.values() if one.voice]
        leaving = Counter(one.story for one in voices)
        self._others.prepare(leaving)
        new = [newcomer.marks for step in steps if (newcomer := self._signed(step.text))]
        next_voices = (one for story, count in leaving.items() for one in self._others[story][:count])
        self._read_holders(chain(*new, *(one.marks for one in next_voices)))
        self._voices.prepare(chain(leaving, *(candidates(self._having(marks)) for marks in new)))

    def take(self, step: StoryStep, now: int) -> None:
        """Process a step."""
        member = self._members.pop(step.document, None)
        if member is not None:
            self._leave(member)
        newcomer = self._signed(step.text)
        if newcomer is not None:
            self._join(step, *newcomer, now)

    def _signed(self, text: str) -> SignedText | None:
        if text not in self._signatures:
            self._signatures[text] = signed(text)
        return self._signatures[text]

    def _join(self, step: StoryStep, newcomer: Signature, marks: list[int], now: int) -> None:
        packed = bytes(newcomer)
        rivals = candidates(self._having(marks))
        self._voices.prepare(rivals)
        place = placed(newcomer, [one for story in sorted(rivals) for one in self._voices[story]])
        story = place.story or self._found(uuid7(now, "story", step.document_id, packed.hex()))
        member = Voice(story, packed, now, step.document, place.voice)
        self.joined[step.document] = member
        if place.voice:
            self._hear(member, marks)
        if place.merged:
            self.merged = story, place.merged

    def _leave(self, member: Voice) -> None:
        story = member.story
        self.left.add(member.document)
        if not member.voice:
            return
        voices = [one for one in self._voices[story] if one.document != member.document]
        self._voices[story] = voices
        held = {mark for one in voices for mark in one.marks}
        for mark in member.marks:
            if mark not in held:
                self._mark(mark, story, has=False)
        self._promote(story)

    def _promote(self, story: int) -> None:
        """Replace a voice that left by the oldest other document; a story without documents ends."""
        others = [one for one in self._others[story] if one.document not in self.left]
        others += [one for one in self.joined.values() if one.story == story and not one.voice]
        if not others:
            self.ended.add(story)
            return
        oldest = min(others, key=lambda one: one.age)
        self._others[story] = [one for one in self._others[story] if one is not oldest]
        heard = oldest._replace(voice=True)
        if oldest.document in self.joined:
            self.joined[oldest.document] = heard
        else:
            self.promoted.add(oldest.document)
            self._members.update({oldest.document: heard} if oldest.document in self._members else {})
        self._hear(heard, heard.marks)

    def hear(self, other: Voice) -> None:
        """Make a document of a story a voice of it."""
        self.promoted.add(other.document)
        self._hear(other, other.marks)

    def _hear(self, voice: Voice, marks: Sequence[int]) -> None:
        self._voices[voice.story] = sorted((*self._voices[voice.story], voice), key=lambda one: one.age)
        self._read_holders(marks)
        for mark in marks:
            if voice.story not in self._holders[mark] and len(self._holders[mark]) < COMMON_MARK:
                self._mark(mark, voice.story, has=True)

    def _mark(self, mark: int, story: int, *, has: bool) -> None:
        self.marked[mark, story] = has
        if mark in self._holders:
            (self._holders[mark].add if has else self._holders[mark].discard)(story)
        else:
            self._unmarked.setdefault(mark, set()).add(story)

    def _found(self, story_id: str) -> int:
        if self._last is None:
            self._last = self._rows.last()
        self._last += 1
        self.founded[self._last] = story_id
        self._voices[self._last] = []
        self._others[self._last] = []
        return self._last

    def _having(self, marks: Iterable[int]) -> dict[int, list[int]]:
        wanted = list(marks)
        self._read_holders(wanted)
        return {mark: list(self._holders[mark]) for mark in wanted if self._holders[mark]}

    def _read_holders(self, marks: Iterable[int]) -> None:
        new = {mark for mark in marks if mark not in self._holders}
        self._holders.update((mark, set()) for mark in new)
        for mark, story in self._rows.holders(new) if new else ():
            if story not in self._unmarked.get(mark, ()):
                self._holders[mark].add(story)


def candidates(holders: Mapping[int, Sequence[int]]) -> list[int]:
    """The stories to compare a new text with, given the stories that have each of its marks."""
    telling = [stories for stories in holders.values() if len(stories) < COMMON_MARK]
    common = [stories for stories in holders.values() if len(stories) >= COMMON_MARK]
    chosen = _most_frequent(telling)[:_MAX_CANDIDATES]
    return chosen + [story for story in _most_frequent(common)[:_MAX_WITNESSES] if story not in chosen]


def _most_frequent(lists: Sequence[Sequence[int]]) -> list[int]:
    counts = Counter(chain.from_iterable(lists))
    return sorted(counts, key=lambda story: (-counts[story], story))


def placed(newcomer: Signature, voices: Sequence[Voice]) -> Placement:
    """The place of a new text among its candidate stories; voices are grouped by story, the founder first."""
    if not voices:
        return Placement(None)
    signatures = [voice.signature for voice in voices]
    starts = [at for at, voice in enumerate(voices) if at == 0 or voice.story != voices[at - 1].story]
    stories = list(pairwise([*starts, len(voices)]))
    # Samples that agree with several stories at once are the site's boilerplate, and are ignored.
    common = common_bins(newcomer, [signatures[start:end] for start, end in stories], _COMMON)
    likes = likeness(newcomer, signatures, _MIN_SHARED, common)
    return _chosen(
        {
            voices[start].story: likes[start:end]
            for start, end in stories
            if any(map(_strength, likes[start:end]))
            and not _only_frame(newcomer, signatures[start:end], likes[start:end])
        }
    )


def _only_frame(newcomer: Signature, voices: Sequence[bytes], likes: Sequence[Likeness]) -> bool:
    """Whether the new text shares only a template with the voices, filled with different content each time.

    It then agrees with all voices in some samples, differs from all of them in the others, and hardly ever agrees with
    one voice where it differs from another.
    """
    if len(voices) < _ENOUGH_VOICES or max(max(like.first, like.second) for like in likes) > _ALL_OVER:
        return False
    filled, differing, sides = bins_apart(newcomer, voices)
    return differing > _MUCH * filled and sides < _HARDLY * differing


def _chosen(judged: Mapping[int, Sequence[Likeness]]) -> Placement:
    best = {story: max(map(_strength, likes)) for story, likes in judged.items()}
    fitting = sorted((story for story in best if best[story]), key=lambda story: (-best[story], story))
    if not fitting:
        return Placement(None)
    story = fitting[0]
    merged: tuple[int, ...] = ()
    # Two stories are merged only if the whole text agrees with both founders: a digest agrees with many in part.
    same = [one for one in fitting if _whole(judged[one][0])]
    if story in same:
        # The oldest story keeps its id.
        story, *others = sorted(same)
        merged = tuple(others)
    home = judged[story]
    heard = len(home) < MAX_VOICES and _strength(home[0]) > 0 and all(like.shared < _SAME_VOICE for like in home)
    return Placement(story, voice=heard, merged=merged)


def _strength(like: Likeness) -> float:
    """How strongly two texts belong together; 0 if they do not."""
    low, high = sorted((like.first, like.second))
    alike = like.shared >= _MIN_SHARED and high >= _MIN_SPREAD and low >= _MIN_SPREAD_OF_OTHER
    return like.shared if alike else 0.0


def _whole(like: Likeness) -> bool:
    return _strength(like) > 0 and min(like.first, like.second) >= _MIN_SPREAD
