from __future__ import annotations

import pytest

from samples import NOW
from veille.core.analyse.popularity import PER_DAY, Signals, popularity, reasons, standing
from veille.core.schedule import DAY, HOUR

QUIET = Signals(at=NOW)


@pytest.mark.covers("R-241")
def test_every_signal_makes_a_document_more_popular_and_is_said_in_words() -> None:
    told = Signals(
        at=NOW, tellers=3, outlets=("a.example", "b.example"), listings=1, is_first=True, links=4,
        linking_sites=("c.example",), rules=(("Prices", 4),), brands=("Acme",),
    )  # fmt: skip
    found = popularity(told)
    assert popularity(QUIET).score == 0
    assert [part.name for part in found.parts] == ["told", "links", "rules", "brands", "novelty"]
    assert found.score == pytest.approx(sum(part.points for part in found.parts), abs=0.11)
    assert found.why == (
        "3 other documents tell it, at a.example and b.example, 1 other source list it; linked from c.example; "
        "found by “Prices”; names Acme; it was the first to tell it"
    )
    for less in (
        {"tellers": 2}, {"outlets": ("a.example",)}, {"listings": 0}, {"is_first": False}, {"links": 1},
        {"linking_sites": ()}, {"rules": ()}, {"brands": ()},
    ):  # fmt: skip
        fewer = {name: getattr(told, name) for name in told.__slots__} | less
        assert popularity(Signals(**fewer)).score < found.score, less


def test_the_tenth_outlet_counts_less_than_the_second() -> None:
    def score(outlets: int) -> float:
        return popularity(Signals(at=NOW, tellers=outlets, outlets=tuple(map(str, range(outlets))))).score

    assert score(2) - score(1) > score(10) - score(9) > 0


def test_age_costs_the_same_for_all_so_that_an_order_never_turns() -> None:
    old = popularity(Signals(at=NOW - 4 * DAY, tellers=3, outlets=("a",)))
    new = popularity(Signals(at=NOW, tellers=1))
    for later in (NOW, NOW + DAY, NOW + 100 * DAY):
        assert (standing(old, later) > standing(new, later)) == (standing(old, NOW) > standing(new, NOW))
    assert standing(new, NOW) - standing(new, NOW + DAY) == pytest.approx(PER_DAY)
    assert standing(popularity(Signals(at=NOW + DAY)), NOW) == 0, "a date in the future is a mistake"


def test_the_reasons_are_the_parts_and_the_age() -> None:
    assert reasons(popularity(Signals(at=NOW - 3 * DAY, brands=("Acme",))), NOW) == (
        "names Acme (+1.5)",
        "3 days old (-1.5)",
    )
    assert reasons(popularity(Signals(at=NOW - 5 * HOUR)), NOW) == ("5 hours old (-0.1)",)
    assert reasons(popularity(Signals(at=NOW)), NOW) == ("new",)
