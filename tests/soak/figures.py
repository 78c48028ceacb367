"""How long things took and what went wrong, from the reports that the service itself keeps."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from faults.expected import CASES
from soak.books import Books
from soak.machine import Machine
from soak.scene import Scene
from soak.web import FAULTY
from veille.core.change.decide import NOT_ASKED
from veille.core.schedule import next_turn

#: The ways a fetch can end; any other code is about the content, and says that the fetch was well.
_WAYS = frozenset(case.code for case in CASES)
#: What some faults come to at one time (`flap`, `fail-first`), and are well at another.
_MOODS = frozenset({"http.500", "reset"})
NONE = "none"


def share(values: Sequence[float], part: float) -> float:
    """The value that this part of all does not exceed; of none, 0."""
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(part * len(ordered)))] if ordered else 0.0


@dataclass(frozen=True, slots=True)
class Poll:
    """One look at a source that was committed."""

    source: str
    at: int
    duration_ms: int
    code: str


@dataclass
class Figures:
    """Of the whole run."""

    polls: int = 0
    #: Milliseconds from due to begun, by dossier; without the first look at a source.
    lags: dict[str, list[float]] = field(default_factory=dict)
    fetches: list[float] = field(default_factory=list)
    #: How often what was injected came to what.
    outcomes: Counter[tuple[str, str]] = field(default_factory=Counter)

    @property
    def all_lags(self) -> list[float]:
        return [lag for lags in self.lags.values() for lag in lags]

    def worst(self) -> tuple[str, float]:
        """The dossier with the largest 99th percentile."""
        return max(((name, share(lags, 0.99)) for name, lags in self.lags.items()), key=lambda pair: pair[1])


def measure(scene: Scene, books: Books, machine: Machine, interval_ms: int, until: int) -> Figures:
    """From the reports in all dossiers, up to a moment of the machine's clock."""
    figures = Figures()
    for place, dossier_id in enumerate(scene.dossiers):
        things = scene.of(dossier_id)
        roots: dict[str, str] = dict(
            books.rows(dossier_id, "SELECT source_id, id FROM requests WHERE purpose = 'root'")
        )
        by_source: defaultdict[str, list[Poll]] = defaultdict(list)
        for poll in _polls(books, dossier_id):
            by_source[poll.source].append(poll)
        lags: list[float] = []
        for source, polls in by_source.items():
            thing = things[source]
            kept = [poll for poll in polls if poll.at <= until]
            figures.polls += len(kept)
            figures.outcomes.update((thing.fault or NONE, _way(poll.code)) for poll in kept if poll.code != NOT_ASKED)
            if thing.sort != FAULTY:
                figures.fetches += [poll.duration_ms for poll in kept]
            if thing.is_listing:
                lags += _lags(kept, roots[source], machine, interval_ms)
        figures.lags[f"tenant {place:03}"] = lags
    return figures


def _polls(books: Books, dossier_id: str) -> Iterator[Poll]:
    sql = "SELECT source_id, at, max(duration_ms), max(code) FROM run_items GROUP BY source_id, at ORDER BY at"
    return (Poll(*row) for row in books.rows(dossier_id, sql))


def _way(code: str) -> str:
    return code if code in _WAYS else "ok"


def _lags(polls: Iterable[Poll], request_id: str, machine: Machine, interval_ms: int) -> Iterator[float]:
    """From when each look fell due to when it began; a look that failed is followed by others at other times.

    Begun is counted from the commit, so what a worker that died had begun in time counts as late.
    """
    before: Poll | None = None
    for poll in polls:
        if before is not None and not before.code:
            due = machine.steady(next_turn(interval_ms, before.at, request_id))
            yield max(0, machine.steady(poll.at) - poll.duration_ms - due)
        before = poll


def is_right(injected: str, outcome: str) -> bool:
    """Whether this is what that must come to."""
    return outcome == injected or (outcome == "ok" and (injected == NONE or injected in _MOODS))
