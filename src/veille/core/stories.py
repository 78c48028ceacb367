"""Which story a text belongs to: documents that tell the same thing, near-duplicates whoever published them.

A story is heard through a few of its documents, its *voices*: the newcomer is compared with them alone, so a story of a
thousand copies costs no more than one of eight. A voice must be like the founder (the oldest voice), so a story cannot
drift from one text to quite another by small steps.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from veille.core.similar import Likeness, Signature, agreement, likeness

#: A story is heard through so many of its documents at most.
MAX_VOICES: Final = 8
#: A mark that so many stories have is the boilerplate of a site or a common phrase: nothing is found by it any more.
MAX_STORIES_OF_A_MARK: Final = 16
#: So many stories are looked at for a newcomer, those that share the most marks with it first.
MAX_CANDIDATES: Final = 8

# Calibrated together on `bench/run.py stories` (seeds 1 to 4): run it again before touching one of them.
# Two texts that nobody would call alike share less than 3 % of their word triples, wherever these stand.
_MIN_SHARED: Final = 0.05
# Of one text (the shorter, should the other go on) this share of its parts must be found again, of the other that share:
# the boilerplate of a site fills fewer parts, and a digest that quotes a text is not the same story.
_MIN_COVERED, _MIN_COVERED_OF_OTHER = 0.7, 0.25
# What so many of the stories looked at have in common.
_COMMON: Final = 3
# A voice must add something: what differs in less than this says nothing new about the story.
_SAME_VOICE: Final = 0.7


@dataclass(frozen=True, slots=True)
class Voice:
    """One of the documents that a story is heard through."""

    story: int
    signature: Signature


@dataclass(frozen=True, slots=True)
class Placement:
    """Where a newcomer belongs: its story (None: it founds one), whether it is a voice in it, and which other stories
    turn out to be the same one.
    """

    story: int | None
    voice: bool = True
    merged: tuple[int, ...] = ()


def placed(newcomer: Signature, voices: Sequence[Voice]) -> Placement:
    """The place of a newcomer among the stories it may belong to; the voices of a story in a row, its founder first."""
    judged: dict[int, list[Likeness]] = {}
    signatures = [voice.signature for voice in voices]
    for voice, like in zip(voices, likeness(newcomer, signatures, _common(newcomer, voices)), strict=True):
        judged.setdefault(voice.story, []).append(like)
    best = {story: max(map(_strength, likes)) for story, likes in judged.items()}
    fitting = sorted((story for story in best if best[story]), key=lambda story: (-best[story], story))
    if not fitting:
        return Placement(None)
    home = judged[fitting[0]]
    # Only a text that agrees with both as a whole shows that two stories are one: a digest agrees with many in part.
    same = [story for story in fitting if _whole(judged[story][0])]
    merged = tuple(story for story in same if story != fitting[0]) if fitting[0] in same else ()
    heard = len(home) < MAX_VOICES and _strength(home[0]) > 0 and all(like.shared < _SAME_VOICE for like in home)
    return Placement(fitting[0], voice=heard, merged=merged)


def _common(newcomer: Signature, voices: Sequence[Voice]) -> NDArray[Any] | None:
    """Where the newcomer agrees with several stories at once: that is the site's own text, and says nothing."""
    starts = [at for at, voice in enumerate(voices) if at == 0 or voice.story != voices[at - 1].story]
    if len(starts) < _COMMON:
        return None
    agreed = agreement(newcomer, [voice.signature for voice in voices])
    return np.asarray(np.logical_or.reduceat(agreed, starts).sum(0) >= _COMMON)


def _strength(like: Likeness) -> float:
    """How strongly two texts belong together; 0 when they do not."""
    low, high = sorted((like.first, like.second))
    alike = like.shared >= _MIN_SHARED and high >= _MIN_COVERED and low >= _MIN_COVERED_OF_OTHER
    return like.shared if alike else 0.0


def _whole(like: Likeness) -> bool:
    return _strength(like) > 0 and min(like.first, like.second) >= _MIN_COVERED
