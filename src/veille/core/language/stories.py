"""Which story a text belongs to: documents that tell the same thing, near-duplicates whoever published them.

A story is heard through a few of its documents, its *voices*: the newcomer is compared with them alone, so a story of a
thousand copies costs no more than one of eight. A voice must be like the founder (the oldest voice), so a story cannot
drift from one text to quite another by small steps.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, pairwise
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from veille.core.language.similar import Likeness, Signature, agreement, likeness, table

#: A story is heard through so many of its documents at most.
MAX_VOICES: Final = 8
#: A mark that so many stories have is the boilerplate of a site or a common phrase: it is kept of these alone.
COMMON_MARK: Final = 8
# So many stories are looked at for a newcomer, those that share the most marks with it first; and so many more that
# share common marks with it, which show what of it is boilerplate.
_MAX_CANDIDATES, _MAX_WITNESSES = 8, 3

# Calibrated together on `bench/run.py stories` (seeds 1 to 4): run it again before touching one of them.
# Two texts that nobody would call alike share less than 3 % of their word triples, wherever these stand.
_MIN_SHARED: Final = 0.05
# Over one text (the shorter, should the other go on) what they share must be spread so evenly, over the other at least
# that much: the boilerplate of a site stands at the edges, and a digest that quotes a text is not the same story.
_MIN_SPREAD, _MIN_SPREAD_OF_OTHER = 0.62, 0.2
# What so many of the stories looked at have in common.
_COMMON: Final = 3
# A frame shows once there are so many voices: agreement is not spread like this, and of the places where the newcomer
# differs, which are at least so many, it sides with a voice in fewer than these.
_ENOUGH_VOICES, _ALL_OVER, _MUCH, _HARDLY = 2, 0.8, 0.25, 0.05
# A voice must add something: what differs in less than this says nothing new about the story.
_SAME_VOICE: Final = 0.7


@dataclass(frozen=True, slots=True)
class Voice:
    """One of the documents that a story is heard through; its signature as bytes."""

    story: int
    signature: bytes


@dataclass(frozen=True, slots=True)
class Placement:
    """Where a newcomer belongs: its story (None: it founds one), and whether it is a voice in it.

    Other stories may turn out to be the same one, and are merged into it.
    """

    story: int | None
    voice: bool = True
    merged: tuple[int, ...] = ()


def candidates(holders: Mapping[int, Sequence[int]]) -> list[int]:
    """The stories to compare a newcomer with, by the marks they share with it: who has each of its marks."""
    telling = [stories for stories in holders.values() if len(stories) < COMMON_MARK]
    common = [stories for stories in holders.values() if len(stories) >= COMMON_MARK]
    chosen = _most_frequent(telling)[:_MAX_CANDIDATES]
    return chosen + [story for story in _most_frequent(common)[:_MAX_WITNESSES] if story not in chosen]


def _most_frequent(lists: Sequence[Sequence[int]]) -> list[int]:
    counts = Counter(chain.from_iterable(lists))
    return sorted(counts, key=lambda story: (-counts[story], story))


def placed(newcomer: Signature, voices: Sequence[Voice]) -> Placement:
    """The place of a newcomer among the stories it may belong to; the voices of a story in a row, its founder first."""
    if not voices:
        return Placement(None)
    signatures = table([voice.signature for voice in voices])
    starts = [at for at, voice in enumerate(voices) if at == 0 or voice.story != voices[at - 1].story]
    # Where the newcomer agrees with several stories at once is the site's own text, and says nothing.
    common = np.logical_or.reduceat(agreement(newcomer, signatures), starts).sum(0) >= _COMMON
    likes = likeness(newcomer, signatures, _MIN_SHARED, common)
    return _chosen(
        {
            voices[start].story: likes[start:end]
            for start, end in pairwise([*starts, len(voices)])
            if any(map(_strength, likes[start:end]))
            and not _only_frame(newcomer, signatures["ranks"][start:end], likes[start:end])
        }
    )


def _only_frame(newcomer: Signature, ranks: NDArray[Any], likes: Sequence[Likeness]) -> bool:
    """Whether a story is a frame with another picture in it each time.

    The newcomer then agrees with its voices in some places, differs from all of them in the others, and never sides
    with one against another.
    """
    if len(ranks) < _ENOUGH_VOICES or max(max(like.first, like.second) for like in likes) > _ALL_OVER:
        return False
    filled = newcomer.ranks != 0
    # A smaller number in a voice's bin says nothing: that of the newcomer may stand behind it.
    differs = (filled & ((ranks > newcomer.ranks) | (ranks == 0))).any(0)
    sides = differs & (ranks == newcomer.ranks).any(0)
    return bool(differs.sum() > _MUCH * filled.sum() and sides.sum() < _HARDLY * differs.sum())


def _chosen(judged: Mapping[int, Sequence[Likeness]]) -> Placement:
    best = {story: max(map(_strength, likes)) for story, likes in judged.items()}
    fitting = sorted((story for story in best if best[story]), key=lambda story: (-best[story], story))
    if not fitting:
        return Placement(None)
    story = fitting[0]
    merged: tuple[int, ...] = ()
    # Only a text that agrees with both as a whole shows that two stories are one: a digest agrees with many in part.
    same = [one for one in fitting if _whole(judged[one][0])]
    if story in same:
        # The oldest keeps its name.
        story, *others = sorted(same)
        merged = tuple(others)
    home = judged[story]
    heard = len(home) < MAX_VOICES and _strength(home[0]) > 0 and all(like.shared < _SAME_VOICE for like in home)
    return Placement(story, voice=heard, merged=merged)


def _strength(like: Likeness) -> float:
    """How strongly two texts belong together; 0 when they do not."""
    low, high = sorted((like.first, like.second))
    alike = like.shared >= _MIN_SHARED and high >= _MIN_SPREAD and low >= _MIN_SPREAD_OF_OTHER
    return like.shared if alike else 0.0


def _whole(like: Likeness) -> bool:
    return _strength(like) > 0 and min(like.first, like.second) >= _MIN_SPREAD
