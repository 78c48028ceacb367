"""A page that looks changed is looked at again before anybody is told (R-070)."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import cycle
from pathlib import Path

import pytest

from samples import STORY
from veille.core.models import Change
from watching import Watch, told
from world import Page, Site

pytestmark = pytest.mark.covers("R-070")

BODY = [f"{number}. {STORY}" for number in range(6)]


@pytest.fixture
def watch(tmp_path: Path) -> Iterator[Watch]:
    with Site() as site, Watch(site, tmp_path) as watched:
        yield watched


def shows(watch: Watch, *bodies: list[str]) -> None:
    """From now on the page has the next of these bodies at every load."""
    loads = cycle(bodies)
    watch.site.made["/a"] = lambda _: Page("".join(f"<p>{line}</p>" for line in next(loads)).encode())


def test_an_edit_is_told_after_a_second_look_past_caches(watch: Watch) -> None:
    shows(watch, BODY)
    watch.add("/a", "page")
    watch.run()
    shows(watch, [f"Edited. {STORY}", *BODY[1:]])
    report, seen = watch.turn()
    assert told(report) == {Change.CHANGED: 1}
    assert [request.conditional for request in seen] == [True, False]
    assert seen[1].headers["Cache-Control"] == "no-cache"


def test_two_variants_that_take_turns_are_learned_and_need_no_second_look_then(watch: Watch) -> None:
    variants = [[*BODY, "Try our new app today."], [*BODY, "Have you heard of our letter?"]]
    shows(watch, *variants)
    watch.add("/a", "page")
    watch.run()
    looks = []
    for _ in range(6):
        report, seen = watch.turn()
        assert told(report) == {Change.SAME: 1}
        looks.append(len(seen))
    assert looks[0] == 2
    assert looks[-2:] == [1, 1]


def test_what_was_seen_too_long_ago_is_not_compared(watch: Watch) -> None:
    """A look, an outage, and another edit: both edits are news, and nothing was learned from the two looks."""
    shows(watch, BODY)
    watch.add("/a", "page")
    watch.run()

    down = Page(b"", status=503, headers={"Retry-After": "3600"})
    edited = Page("".join(f"<p>{line}</p>" for line in (f"Edited. {STORY}", *BODY[1:])).encode())
    answers = iter([edited])
    watch.site.made["/a"] = lambda _: next(answers, down)
    report, _ = watch.turn()
    assert Change.CHANGED not in told(report)
    watch.now += 86_400_000
    shows(watch, [f"Edited. {STORY}", f"And again. {STORY}", *BODY[2:]])
    report, _ = watch.turn()
    assert told(report) == {Change.CHANGED: 1}
    with watch.app.dossiers.open(watch.dossier_id) as store:
        (document,) = store.records.documents()
        assert store.quirks.of(document.document_id) == ()


def test_every_difference_is_told_at_once_if_that_is_wanted(watch: Watch) -> None:
    shows(watch, [*BODY, f"Read once. {STORY}"], [*BODY, f"Read twice. {STORY}"])
    watch.add("/a", "page", look_twice=False)
    watch.run()
    report, seen = watch.turn()
    assert (told(report), len(seen)) == ({Change.CHANGED: 1}, 1)


def test_lines_to_ignore_count_for_feeds_too(watch: Watch) -> None:
    watch.site.feed("/feed", [("/1", "One", f"<p>{STORY}</p><p>Points: 1</p>")])
    watch.add("/feed", "feed", ignore=["Points:*"])
    watch.run()
    watch.site.feed("/feed", [("/1", "One", f"<p>{STORY}</p><p>Points: 2</p>")])
    assert Change.CHANGED not in told(watch.turn()[0])
    watch.site.feed("/feed", [("/1", "One", f"<p>Edited. {STORY}</p><p>Points: 3</p>")])
    assert told(watch.turn()[0])[Change.CHANGED] == 1
