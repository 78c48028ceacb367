"""Pictures that a real browser takes: kept with revisions, compared, and a change where the text says nothing."""

from __future__ import annotations

import os
from collections.abc import Iterator
from itertools import count
from pathlib import Path

import pytest

import veille
from archives import restored
from inside_sqlite import database_of
from veille.adapters.fetch._browser import available
from veille.bootstrap.backups import back_up
from veille.core.models import Change
from watching import FAST, HEADLESS, Watch
from world import Page, Site

pytestmark = pytest.mark.skipif(
    not available(HEADLESS) and not os.environ.get("CI"), reason="no Chromium or no extra `browser` here"
)
TEXT = "<main><p style=margin:0>" + "The same words on every visit. " * 10 + "</p></main>"


def page(colour: str, more: str = "") -> str:
    """A page of 1280 by 2000 pixels with a square of 320 by 200 in it, 2.5 percent, and a counter in its text."""
    square = f"position:absolute;left:100px;top:300px;width:320px;height:200px;background:{colour}"
    counter = "position:absolute;left:900px;top:1000px;width:300px;height:20px;margin:0;overflow:hidden"
    count = (
        f"<p id=c style='{counter}'></p><script>c.textContent = `Visitors today: ${{Math.random()}}`</script></main>"
    )
    text = TEXT.replace("</main>", count)
    body = f"<body style='margin:0;height:2000px;position:relative'>{text}<div style='{square}'></div>{more}</body>"
    return f"<!doctype html><title>A page</title>{body}"


@pytest.fixture
def watch(site: Site, tmp_path: Path) -> Iterator[Watch]:
    with Watch(site, tmp_path, fetch=FAST.model_copy(update={"timeout_s": 30})) as watch:
        yield watch


def rows(watch: Watch, table: str) -> int:
    with watch.app.dossiers.open(watch.dossier_id) as store:
        return int(database_of(store).value(f"SELECT count(*) FROM {table}"))


def test_a_page_that_only_looks_different_is_reported_once_with_its_share(site: Site, watch: Watch) -> None:
    site["/page"] = page("green")
    source = watch.add("/page", "page", pictures="page", picture_ignore=["#c"], watch_picture=True)
    (first,) = watch.run().items
    assert first.change is Change.NEW
    report, _ = watch.turn()
    assert {item.change for item in report.items} == {Change.SAME}
    site["/page"] = page("red")
    report, seen = watch.turn()
    assert [(item.change, item.code) for item in report.items] == [(Change.CHANGED, "looks_different")]
    assert report.items[0].message == "looks different: 2.5 % of the picture"
    # The door and the browser, twice.
    assert sum(one.path == "/page" for one in seen) == 4
    report, _ = watch.turn()
    assert {item.change for item in report.items} == {Change.SAME}
    assert (rows(watch, "revisions"), rows(watch, "pictures"), rows(watch, "first_pictures")) == (2, 2, 0)
    with watch.app.dossiers.open(watch.dossier_id) as store:
        kept = [store.pictures.of_revision(first.document_id, n) for n in store.pictures.numbers(first.document_id)]
        assert store.records.revision(first.document_id, 2).meta["looks_different"] == 2.5
        old, new = (store.pictures.load(one) for one in kept if one is not None)
        ids = [one.id for one in store.records.revisions(first.document_id)]
        assert store.pictures.pictured([*ids, "another"]) == set(ids)
    assert [(one.width, one.height) for one in kept if one] == [(1280, 2000)] * 2
    drawn = watch.app.drawn(old, new)
    assert drawn.percent == 2.5
    # Back to what it was: the same picture is kept once.
    site["/page"] = page("green")
    watch.turn()
    assert (rows(watch, "revisions"), rows(watch, "pictures")) == (3, 2)
    watch.app.sources.delete(watch.dossier_id, source.id, for_good=True)
    assert (rows(watch, "revision_pictures"), rows(watch, "pictures")) == (0, 0)


def test_what_moves_by_itself_is_not_reported(site: Site, watch: Watch) -> None:
    blink = "@keyframes blink { from { background: red } to { background: blue } }"
    moving = "position:absolute;left:600px;top:300px;width:400px;height:400px;animation:blink .3s infinite alternate"
    noise = "position:absolute;left:100px;top:900px;width:400px;height:400px"
    script = "document.getElementById('n').style.background = 'hsl({} 90% 40%)'"
    more = (
        f"<style>{blink}</style><div style='{moving}'></div><div id=n style='{noise}'></div><script>{script}</script>"
    )
    # Another colour at each fetch, never near the last ones: by chance, two in a row could be alike.
    hues = (137 * number % 360 for number in count())
    before, after = more.split("{}")
    site.made["/page"] = lambda _: Page(page("green", f"{before}{next(hues)}{after}").encode())
    watch.add("/page", "page", pictures="page", watch_picture=True)
    watch.run()
    report, _ = watch.turn()
    assert {item.change for item in report.items} == {Change.SAME}, report.items
    assert rows(watch, "revisions") == 1


def test_a_part_is_pictured_and_what_is_covered_does_not_count(site: Site, watch: Watch) -> None:
    advert = "<div id=ad style='position:absolute;left:120px;top:320px;width:100px;height:100px;background:{}'></div>"
    site["/page"] = (
        page("green", "<b>x</b>")
        .replace("<div style", "<div id=part style")
        .replace("</div>", advert.format("yellow") + "</div>", 1)
    )
    watch.add("/page", "page", pictures="part", picture_selector="#part", picture_ignore=["#ad"], watch_picture=True)
    (first,) = watch.run().items
    with watch.app.dossiers.open(watch.dossier_id) as store:
        kept = store.pictures.of_revision(first.document_id, 1)
    assert kept is not None
    assert (kept.width, kept.height) == (320, 200)
    site["/page"] = site.pages["/page"].body.decode().replace("background:yellow", "background:blue")
    report, _ = watch.turn()
    assert {item.change for item in report.items} == {Change.SAME}


def test_pictures_are_in_backups(site: Site, watch: Watch, tmp_path: Path) -> None:
    site["/page"] = page("green")
    watch.add("/page", "page", pictures="page")
    watch.run()
    back_up(watch.app.settings, tmp_path / "all.zip", watch.now)
    restored(tmp_path / "all.zip", tmp_path / "again")
    with veille.open_app(data=tmp_path / "again", fetch=FAST) as app, app.dossiers.open(watch.dossier_id) as store:
        assert database_of(store).value("SELECT count(*) FROM revision_pictures JOIN pictures USING (hash)") == 1
