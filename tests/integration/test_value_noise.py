"""A value that differs at every load is no news; one that really changed is."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import count
from pathlib import Path

import pytest

from samples import STORY
from veille.core.models import Change
from watching import Watch, told
from world import Page, Site

BODY = "".join(f"<p>{number}. {STORY}</p>" for number in range(6))
VISITS = {"values": {"visits": "footer b"}}


@pytest.fixture
def watch(tmp_path: Path) -> Iterator[Watch]:
    with Site() as site, Watch(site, tmp_path) as watched:
        yield watched


def _sells(watch: Watch, price: str, *, body: str = BODY) -> None:
    """A page with a price in its JSON-LD, which counts its visitors."""
    offer = f'{{"@type": "Offer", "price": "{price}", "priceCurrency": "EUR"}}'
    data = f'{{"@context": "https://schema.org", "@type": "Product", "name": "Tea", "offers": {offer}}}'
    head = f'<title>Tea</title><script type="application/ld+json">{data}</script>'
    page = f"<html><head>{head}</head><body><main>{body}</main><footer><b>%d</b></footer></body></html>"
    visits = count(1000)
    watch.site.made["/tea"] = lambda _: Page((page % (next(visits) * 7919 % 10007)).encode())


def _prices(watch: Watch, name: str = "price") -> list[str]:
    with watch.app.dossiers.open(watch.dossier_id) as store:
        return [point.value.text if point.value else "-" for point in store.values.series(name=name)]


def test_a_value_that_differs_at_every_load_is_not_told_and_a_real_one_beside_it_is(watch: Watch) -> None:
    _sells(watch, "12.90")
    watch.add("/tea", "page", **VISITS)
    watch.run()
    looks = []
    for _ in range(4):
        report, seen = watch.turn()
        assert told(report) == {Change.SAME: 1}
        looks.append(len(seen))
    assert looks == [2, 2, 1, 1], "it is learned on two occasions"
    assert len(_prices(watch, "visits")) == 1

    _sells(watch, "11.50")
    report, seen = watch.turn()
    (item,) = report.items
    assert (item.change, item.code, len(seen)) == (Change.CHANGED, "metadata", 2)
    assert "price 12.90 EUR → 11.50 EUR" in item.message
    assert "visits" not in item.message
    assert _prices(watch) == ["12.90 EUR", "11.50 EUR"]
    with watch.app.dossiers.open(watch.dossier_id) as store:
        (line, *_) = store.values.lines()
        (quirk,) = store.quirks.of(line.document_id)
    assert quirk.line == ("the value", "visits")


def test_what_is_noise_is_still_recorded_with_a_change_of_the_text(watch: Watch) -> None:
    _sells(watch, "12.90")
    watch.add("/tea", "page", **VISITS)
    watch.run()
    watch.turn()
    _sells(watch, "12.90", body=f"<p>New: {STORY}</p>{BODY}")
    report, _ = watch.turn()
    assert told(report) == {Change.CHANGED: 1}
    assert len(_prices(watch, "visits")) == 2


def test_without_a_second_look_every_value_is_told_at_once(watch: Watch) -> None:
    _sells(watch, "12.90")
    watch.add("/tea", "page", look_twice=False, **VISITS)
    watch.run()
    report, seen = watch.turn()
    assert (told(report), len(seen)) == ({Change.CHANGED: 1}, 1)


def test_a_value_that_is_noise_no_longer_is_told_again_in_time(watch: Watch) -> None:
    _sells(watch, "12.90")
    watch.add("/tea", "page", **VISITS)
    watch.run()
    for _ in range(2):
        watch.turn()
    still = f"<html><head><title>Tea</title></head><body><main>{BODY}</main><footer><b>5</b></footer>"
    watch.site.made["/tea"] = lambda _: Page(still.encode())
    report, _ = watch.turn()
    (item,) = report.items
    assert "visits" not in item.message
    watch.now += 15 * 86_400_000
    other = still.replace("<b>5<", "<b>6<")
    watch.site.made["/tea"] = lambda _: Page(other.encode())
    report, _ = watch.turn()
    (item,) = report.items
    assert "visits 5 → 6" in item.message
