"""Assignment of texts to stories: documents that report the same thing, near-duplicates from any publisher.

A story is represented by a few of its documents, its *voices*: a new text is compared with them alone, so a story of a
thousand copies costs no more than one of eight. A voice must be similar to the founder (the oldest voice), so a story
cannot drift from one text to quite another by small steps.
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

#: The maximum number of voices of a story.
MAX_VOICES: Final = 8
#: A mark that this many stories have is site boilerplate or a common phrase: it is stored for these only.
COMMON_MARK: Final = 8
# How many stories a new text is compared with, those that share the most marks first; and how many more that share
# common marks with it, which show what of it is boilerplate.
_MAX_CANDIDATES, _MAX_WITNESSES = 8, 3

# Calibrated together on `bench/run.py stories` (seeds 1 to 4): run it again before changing one of them.
# Two texts that nobody would call similar share less than 3 % of their word triples, wherever these are.
_MIN_SHARED: Final = 0.05
# Minimum spread of what they share over one text (the shorter, if the other is longer), and over the other:
# site boilerplate is at the edges, and a digest that quotes a text is not the same story.
_MIN_SPREAD, _MIN_SPREAD_OF_OTHER = 0.62, 0.2
# What this many of the compared stories have in common is the site's own text.
_COMMON: Final = 3
# A frame is recognised from this many voices on: if the agreement is spread less than this, and if of the places where
# the new text differs, which are at least this share, it sides with a voice in fewer than this share.
_ENOUGH_VOICES, _ALL_OVER, _MUCH, _HARDLY = 2, 0.8, 0.25, 0.05
# A voice must add something: a text that shares this much with a voice adds nothing new about the story.
_SAME_VOICE: Final = 0.7


@dataclass(frozen=True, slots=True)
class Voice:
    """One of the documents that represent a story; its signature as bytes."""

    story: int
    signature: bytes


@dataclass(frozen=True, slots=True)
class Placement:
    """The place of a new text: its story (None: it founds one), and whether it becomes a voice.

    Other stories may turn out to be the same one, and are merged into it.
    """

    story: int | None
    voice: bool = True
    merged: tuple[int, ...] = ()


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
    signatures = table([voice.signature for voice in voices])
    starts = [at for at, voice in enumerate(voices) if at == 0 or voice.story != voices[at - 1].story]
    # Where the text agrees with several stories at once is the site's own text, and is ignored.
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
    """Whether the stories share only a frame (template) with different content each time.

    The new text then agrees with the voices in some places, differs from all of them in the others, and never sides
    with one against another.
    """
    if len(ranks) < _ENOUGH_VOICES or max(max(like.first, like.second) for like in likes) > _ALL_OVER:
        return False
    filled = newcomer.ranks != 0
    # A smaller rank in a voice's bin proves nothing: the voice may have the new text's shingle behind it.
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
    # Only a text that agrees with both as a whole proves that two stories are one: a digest agrees with many in part.
    same = [one for one in fitting if _whole(judged[one][0])]
    if story in same:
        # The oldest keeps its id.
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
