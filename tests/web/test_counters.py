"""The numbers beside dossiers, where there are more dossiers than are counted at once."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import pytest

import veille
from samples import source
from veille.core.models import Dossier, State
from veille.interfaces.web.actions.live import _AT_ONCE, _KEEP_S, Counters

MANY = 2 * _AT_ONCE + 10
#: So many pages, and every dossier had its turn.
ROUND = 3


@dataclass
class Rail:
    """What somebody sees beside every page."""

    app: veille.App
    now: float = 0.0

    def __post_init__(self) -> None:
        self.counters = Counters(lambda: self.now)
        self.access = self.app.accounts.local()
        self.dossiers: list[Dossier] = self.access.dossiers()

    def shown(self, here: str = "") -> list[int]:
        """One page: how many sources fail, by dossier."""
        counts = self.counters.of(self.app, self.access.who.user_id, self.dossiers, here)
        return [counts[dossier.id].ailing for dossier in self.dossiers]

    def mend(self) -> None:
        for dossier in self.dossiers:
            with self.app.dossiers.open(dossier.id) as store:
                (failing,) = store.sources.ailing()
                store.sources.delete(failing.id)


@pytest.fixture(scope="module")
def many(tmp_path_factory: pytest.TempPathFactory) -> Iterator[veille.App]:
    """More dossiers than are counted for a page."""
    with veille.open_app(data=tmp_path_factory.mktemp("many")) as app:
        for number in range(MANY):
            app.create_dossier(f"dossier {number:03}")
        yield app


@pytest.fixture
def rail(many: veille.App) -> Rail:
    """In each of them a source fails."""
    for dossier in many.dossiers.all():
        with many.dossiers.open(dossier.id) as store:
            if not store.sources.ailing():
                store.sources.add(source(state=State.ERROR), ())
    return Rail(many)


def test_every_count_gets_fresh_page_by_page(rail: Rail) -> None:
    assert sum(rail.shown()) == _AT_ONCE, "no page counts more than that"
    assert [sum(rail.shown()) for _ in range(ROUND - 1)][-1] == MANY
    rail.mend()
    assert sum(rail.shown()) == MANY, "counted a moment ago"
    rail.now += _KEEP_S + 1
    assert [sum(rail.shown()) for _ in range(ROUND)] == [MANY - _AT_ONCE, MANY - 2 * _AT_ONCE, 0]


def test_what_was_counted_longest_ago_comes_next_however_seldom_somebody_looks(rail: Rail) -> None:
    for _ in range(ROUND):
        rail.shown()
        rail.now += 100 * _KEEP_S
        rail.counters.forget(rail.access.who.user_id)
    assert sum(rail.shown()) == MANY


def test_the_dossier_that_is_looked_at_and_those_acted_on_come_first(rail: Rail) -> None:
    last, before_last = rail.dossiers[-1].id, rail.dossiers[-2].id
    assert rail.shown(here=last)[-1] == 1
    for _ in range(ROUND):
        rail.shown()
    rail.mend()
    rail.counters.forget(rail.access.who.user_id, {before_last})
    assert rail.shown(here=last)[-2:] == [0, 0]


def test_what_a_page_counted_itself_stands_beside_the_dossier_at_once(rail: Rail) -> None:
    first, second, *_ = rail.dossiers
    user_id = rail.access.who.user_id
    before = rail.counters.of(rail.app, user_id, [first])
    # Of the second nothing is known yet: it is counted when it is shown.
    rail.counters.saw(user_id, {first.id: 7, second.id: 9})
    after = rail.counters.of(rail.app, user_id, [first, second])
    assert (before[first.id].unread, after[first.id].unread, after[second.id].unread) == (0, 7, 0)
    assert after[first.id].ailing == before[first.id].ailing
