"""A text that shrinks by half while its page does not is looked at again, and never silently stored (R-070)."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain, repeat
from pathlib import Path

import pytest

from samples import STORY
from veille.core.models import Change, State
from watching import Watch, told
from world import Page, Site

pytestmark = pytest.mark.covers("R-070")

PARTS = [f"<p>Part {number}. {STORY}</p>" for number in range(8)]
FIRST, SECOND = "".join(PARTS[:4]), "".join(PARTS[4:])
WHOLE = f"<main><h1>The bridge</h1><div class=content>{FIRST}</div><div class=content>{SECOND}</div></main>"
EDITED = WHOLE.replace("Part 2.", "Part two, as corrected.")
#: The same paragraphs after a redesign: half of them are taken for something else.
HALF = f"<main><h1>The bridge</h1><div class=content>{FIRST}</div>"
REDESIGNED = {
    "as navigation": f"{HALF}</main><nav>{SECOND}</nav>",
    "by another name": f"{HALF}<div class=sphinxsidebar>{SECOND}</div></main>",
    "beside the main part": f"{HALF}</main><footer>{SECOND}</footer>",
    "hidden": f"{HALF}</main><div style='display:none'>{SECOND}</div>",
    "behind much else": f"{HALF}</main><script>{'// more' * 500_000}</script><nav>{SECOND}</nav>",
}


@pytest.fixture
def watch(tmp_path: Path) -> Iterator[Watch]:
    with Site() as site, Watch(site, tmp_path) as watched:
        yield watched


def shows(watch: Watch, *bodies: str) -> None:
    """The page has the next of these bodies at every load, and then the last one."""
    loads = chain(bodies, repeat(bodies[-1]))
    watch.site.made["/a"] = lambda _: Page(next(loads).encode())


def begin(watch: Watch, **config: object) -> None:
    shows(watch, WHOLE)
    watch.add("/a", "page", **config)
    watch.run()
    assert "Part 7" in text(watch)


def text(watch: Watch) -> str:
    with watch.app.dossiers.open(watch.dossier_id) as store:
        (line,) = store.records.documents()
        return store.records.revision(line.document_id).text


def state(watch: Watch) -> tuple[State, str]:
    (source,) = watch.app.sources.all(watch.dossier_id)
    return source.state, source.error_code


@pytest.mark.parametrize("body", REDESIGNED.values(), ids=REDESIGNED)
def test_half_a_text_that_is_still_on_the_page_is_looked_at_again_and_not_stored(watch: Watch, body: str) -> None:
    begin(watch)
    shows(watch, body)
    report, seen = watch.turn()
    assert (told(report), len(seen)) == ({Change.ERROR: 1}, 2)
    assert "Part 7" in text(watch)
    assert state(watch) == (State.SUSPECT, "text_lost")
    (item,) = report.items
    assert "veille preview" in item.message
    assert "guard=false" in item.message


@pytest.mark.parametrize("body", [EDITED.replace(SECOND, ""), f"<main>{FIRST}</main>"])
def test_a_page_that_truly_lost_half_of_its_text_is_stored_as_changed(watch: Watch, body: str) -> None:
    begin(watch)
    shows(watch, body)
    report, seen = watch.turn()
    assert (told(report), len(seen)) == ({Change.CHANGED: 1}, 2)
    assert "Part 7" not in text(watch)
    assert state(watch) == (State.OK, "")


def test_the_doctor_says_what_to_do_about_half_a_text(watch: Watch) -> None:
    begin(watch)
    shows(watch, REDESIGNED["hidden"])
    watch.turn()
    (dossier,) = watch.app.local.all()
    found = watch.app.local.examine(dossier, ())
    assert found["healthy"] is False
    assert "veille preview" in found["repairs"][0]


def test_half_a_text_once_is_no_news(watch: Watch) -> None:
    begin(watch)
    shows(watch, REDESIGNED["as navigation"], WHOLE)
    report, seen = watch.turn()
    assert (told(report), len(seen)) == ({Change.SAME: 1}, 2)
    assert state(watch) == (State.UNCHANGED, "")


def test_an_edit_that_is_seen_after_half_a_text_is_told(watch: Watch) -> None:
    begin(watch)
    shows(watch, REDESIGNED["as navigation"], EDITED)
    report, _ = watch.turn()
    assert told(report) == {Change.CHANGED: 1}
    assert "as corrected" in text(watch)
    assert "Part 7" in text(watch)


def test_the_source_is_well_again_when_the_whole_text_is_read_again(watch: Watch) -> None:
    begin(watch)
    shows(watch, REDESIGNED["hidden"])
    watch.turn()
    shows(watch, EDITED)
    report, _ = watch.turn()
    assert told(report) == {Change.CHANGED: 1}
    assert state(watch) == (State.OK, "")


def test_whoever_wants_no_second_look_is_not_given_half_a_text_either(watch: Watch) -> None:
    begin(watch, look_twice=False)
    shows(watch, REDESIGNED["as navigation"])
    report, seen = watch.turn()
    assert (told(report), len(seen)) == ({Change.ERROR: 1}, 1)
    assert "Part 7" in text(watch)


def test_the_shorter_text_can_be_accepted(watch: Watch) -> None:
    begin(watch, guard=False)
    shows(watch, REDESIGNED["as navigation"])
    report, _ = watch.turn()
    assert told(report) == {Change.CHANGED: 1}
    assert "Part 7" not in text(watch)
