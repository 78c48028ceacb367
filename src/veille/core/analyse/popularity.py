"""How popular a document is: a score made of parts, each of which can be said in words.

Who else tells it counts most, then who links to it; both by the logarithm, for the tenth outlet says less than the
second. The score itself has no age, so that it can be stored and compared; lists that mix old and new take something
off for every day (`standing`). Two documents keep their order as they age.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from math import log2
from typing import Final

from veille.core.schedule import DAY, HOUR

#: Points for a doubling of each; see `points`.
_PER_TELLER, _PER_OUTLET = 1.0, 1.5
_PER_LINK, _PER_SITE = 0.5, 1.0
_PER_BRAND: Final = 1.5
#: Points for the first to tell what others tell, and for a step of the weight of a rule.
_FIRST: Final = 1.0
_PER_WEIGHT: Final = 0.5
#: Points that a day of age costs in a list.
PER_DAY: Final = 0.5
_NAMED: Final = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class Signals:
    """What is known of the popularity of a document."""

    #: When it was published; else when it was first seen.
    at: int
    #: Other documents that tell the same, with repeats of the very text; and the sites they are at, without its own.
    tellers: int = 0
    outlets: tuple[str, ...] = ()
    #: Sources that list it, besides its own.
    listings: int = 0
    #: Whether it was the first of them.
    is_first: bool = False
    #: Documents of other sites that link to it, and these sites.
    links: int = 0
    linking_sites: tuple[str, ...] = ()
    #: Names and weights of the rules that found it.
    rules: tuple[tuple[str, int], ...] = ()
    #: The brands of the dossier that it names.
    brands: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class PopularityPart:
    """One reason for a score: its name, its points, and the reason in words."""

    name: str
    points: float
    words: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Popularity:
    """The score of a document, and its parts, the largest first."""

    score: float
    at: int
    parts: tuple[PopularityPart, ...]

    @property
    def why(self) -> str:
        """The parts in words; empty if nothing speaks for it."""
        return "; ".join(part.words for part in self.parts)


def popularity(signals: Signals) -> Popularity:
    """The score of a document."""
    parts = sorted((part for part in _parts(signals) if part.points > 0), key=lambda part: -part.points)
    return Popularity(score=round(sum(part.points for part in parts), 1), at=signals.at, parts=tuple(parts))


def standing(found: Popularity, now: int) -> float:
    """The score with its age taken off, for a list; a date in the future is now."""
    return found.score - PER_DAY * max(0, now - found.at) / DAY


def reasons(found: Popularity, now: int) -> tuple[str, ...]:
    """Why it stands where it does in such a list."""
    return (*(f"{part.words} (+{part.points:g})" for part in found.parts), _age(found.at, now))


def _age(at: int, now: int) -> str:
    hours = max(0, now - at) // HOUR
    if not hours:
        return "new"
    age = f"{hours // 24} days" if hours >= 2 * 24 else f"{hours} hours" if hours > 1 else "an hour"
    return f"{age} old (-{round(PER_DAY * max(0, now - at) / DAY, 1):g})"


def _parts(given: Signals) -> Iterable[PopularityPart]:
    others = given.tellers + given.listings
    if others:
        told = _PER_TELLER * log2(1 + others) + _PER_OUTLET * log2(1 + len(given.outlets))
        words = [
            f"{_counted(given.tellers, 'other document')} tell{'s' * (given.tellers == 1)} it" * bool(given.tellers)
        ]
        words += [f"at {_listed(given.outlets)}" * bool(given.outlets)]
        words += [f"{_counted(given.listings, 'other source')} list it" * bool(given.listings)]
        yield _part("told", told, ", ".join(filter(None, words)))
    if given.is_first and given.tellers:
        yield _part("novelty", _FIRST, "it was the first to tell it")
    if given.links:
        linked = _PER_LINK * log2(1 + given.links) + _PER_SITE * log2(1 + len(given.linking_sites))
        yield _part("links", linked, f"linked from {_listed(given.linking_sites)}")
    if given.rules:
        names = _listed([f"“{name}”" for name, _ in given.rules])
        yield _part("rules", _PER_WEIGHT * sum(weight for _, weight in given.rules), f"found by {names}")
    if given.brands:
        yield _part("brands", _PER_BRAND * log2(1 + len(given.brands)), f"names {_listed(given.brands)}")


def _part(name: str, points: float, words: str) -> PopularityPart:
    return PopularityPart(name=name, points=round(points, 1), words=words)


def _counted(count: int, noun: str) -> str:
    return f"{count} {noun}{'' if count == 1 else 's'}"


def _listed(names: Iterable[str]) -> str:
    """Some names in words.

    >>> _listed(["a", "b", "c", "d", "e"])
    'a, b, c and 2 more'
    """
    first, rest = list(names)[:_NAMED], len(list(names)) - _NAMED
    if rest > 0:
        return f"{', '.join(first)} and {rest} more"
    return " and ".join([", ".join(first[:-1]), first[-1]]) if len(first) > 1 else "".join(first)
