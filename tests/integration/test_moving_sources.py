"""A source that moves to another dossier takes with it everything that it brought, on both stores."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from pydantic import SecretStr

from inside_sqlite import rows_of
from postgres_server import shared
from veille.core.archive.content_state import ContentState
from veille.core.models import Change
from veille.errors import ConfigError
from watching import Watch
from world import Page, Site

_KEPT = (
    "revisions",
    "raw_answers",
    "raw_bodies",
    "raw_revisions",
    "pictures",
    "revision_pictures",
    "requests",
    "document_tags",
    "source_days",
    "value_points",
)
#: What few sources have.
_RARE = {
    "first_pictures": "SELECT id, x'01' FROM requests LIMIT 1",
    "failed_steps": "SELECT id, 1, 'No such button', x'02' FROM sources",
    "patterns": "SELECT id, '/*', 3 FROM sources",
    "notices": "SELECT id, 'code', 'about', 'run', 2 FROM sources",
    "repairs": "SELECT 'r1', id, 'moved', '{}', '{}', '{}', 1, NULL, NULL FROM sources",
    "pictures": "SELECT 'hash', 10, 20, x'03', NULL, NULL, NULL FROM sources",
    "revision_pictures": "SELECT id, 'hash' FROM revisions WHERE n = 1",
    "quirks": "SELECT id, '[]' FROM documents",
    "views": "SELECT id, source_id, 1, 'hash', 'Tea', x'04' FROM documents",
    "analyses": "SELECT id, 'v1', document_id, content_hash, 'rules', 1, '', 1, 0, '{}' FROM revisions",
}
USER = "ada"


@pytest.fixture(params=["sqlite", "postgres"])
def watch(request: pytest.FixtureRequest, site: Site, tmp_path: Path) -> Iterator[Watch]:
    settings: dict[str, Any] = {}
    database = shared().database(shared().ready) if request.param == "postgres" else ""
    if database:
        settings["store"] = SecretStr(shared().url(database))
        # Without a place that all machines have, nothing is archived there.
        settings["bodies"] = {"place": str(tmp_path / "bodies")}
    with Watch(site, tmp_path, **settings) as opened:
        yield opened
    if database:
        shared().drop(database)


def _page(watch: Watch, price: str) -> None:
    text = "Words about the harbour and its ships, told at length. " * 6
    watch.site["/tea"] = f"<title>Tea</title><main><h1>Tea</h1><p>{text}</p><p>Price <b>{price}</b></p></main>"


def _feed(watch: Watch) -> None:
    """Shows the page, too."""
    watch.site["/feed"] = Page(
        f"<rss version='2.0'><channel><title>F</title><item><title>Tea</title><link>{watch.site.url}/tea</link>"
        "<description>Short words</description></item></channel></rss>".encode(),
        type="application/rss+xml",
    )


def _counts(watch: Watch, dossier_id: str, *tables: str) -> dict[str, int]:
    with watch.app.dossiers.open(dossier_id) as store:
        return {one: int(rows_of(store).value(f"SELECT count(*) FROM {one}")) for one in tables}


def _rows(watch: Watch, dossier_id: str, *tables: str) -> dict[str, list[Any]]:
    with watch.app.dossiers.open(dossier_id) as store:
        rows = rows_of(store)
        return {
            one: sorted(rows.execute(f"SELECT {', '.join(rows.columns(one))} FROM {one}"), key=repr) for one in tables
        }


def _watched(watch: Watch) -> tuple[str, str]:
    """A source with three revisions, a value and marks; its id and that of its document."""
    _page(watch, "12.90 EUR")
    source = watch.add("/tea", "page", keep_raw="all", values={"price": "b"})
    watch.run()
    for price in ("13.90 EUR", "14.90 EUR"):
        _page(watch, price)
        watch.turn()
    with watch.app.dossiers.open(watch.dossier_id) as store:
        (document,) = store.moving.documents(source.id)
        store.tags.put([document], "green")
        store.marks.read(USER, document)
        store.marks.keep(USER, document, 5)
    return source.id, document


def test_all_that_it_brought_moves_and_documents_appear_once(watch: Watch) -> None:
    source_id, document = _watched(watch)
    app, here = watch.app, watch.dossier_id
    there = app.create_dossier("there").id
    before = _counts(watch, here, *_KEPT)
    assert before["revisions"] == 3
    app.moving.move(here, source_id, there)
    assert _counts(watch, there, *_KEPT) == before
    assert [one.id for one in app.sources.all(there)] == [source_id]
    assert not app.sources.all(here)
    with app.dossiers.open(there) as store:
        events = store.outbox.events()
        assert [(one.change, one.document_id, one.rev_n, one.is_first) for one in events] == [
            (Change.NEW, document, 3, True)
        ]
        assert [one.revision.n for one in store.outbox.parcels(0, 10)] == [3]
        assert store.outbox.pending("any") == 1
        # Read before, it is still read; what was kept is kept.
        assert store.marks.unread(USER) == 0
        assert store.marks.unread("eve") == 1
        assert store.marks.kept(USER, 10) == {document: 5}
        texts = [store.records.revision(document, n).text for n in (1, 2, 3)]
        assert ["12.90" in texts[0], "13.90" in texts[1], "14.90" in texts[2]] == [True] * 3
    with app.dossiers.open(here) as store:
        assert [one.change for one in store.outbox.events()][-1] is not Change.REMOVED
    found = app.searches.search([there], "harbour")
    assert [hit.document_id for hit in found] == [document]
    assert not app.searches.search([here], "harbour")


def test_what_few_sources_have_moves_too_also_archived_texts(watch: Watch) -> None:
    source_id, document = _watched(watch)
    app, here = watch.app, watch.dossier_id
    there = app.create_dossier("there").id
    with app.dossiers.open(here) as store, store.writing():
        for table, rows in _RARE.items():
            rows_of(store).execute(f"INSERT INTO {table} {rows}")
    app.retention.set_rule(here, "archive after 0d")
    watch.now += 1000
    app.retention.run(here)
    before = _rows(watch, here, *_RARE)
    assert all(before.values())
    app.moving.move(here, source_id, there)
    assert _rows(watch, there, *_RARE) == before
    # Its texts are in a file of the other dossier.
    app.dossiers.delete(here)
    with app.dossiers.open(there) as store:
        first = store.records.revision(document, 1)
        assert (first.kept, "12.90" in first.text) == (ContentState.ARCHIVED, True)


def test_a_source_that_archives_moves_only_where_archive_files_have_a_place(site: Site, tmp_path: Path) -> None:
    """They would be in the folder of the machine that moves it."""
    database = shared().database(shared().ready)
    given: dict[str, Any] = {"store": SecretStr(shared().url(database))}
    place = {"bodies": {"place": str(tmp_path / "bodies")}}
    with Watch(site, tmp_path, **given, **place) as placed:
        with_archive, document = _watched(placed)
        there = placed.app.create_dossier("there").id
        with_rule = placed.add("/tea?2", "page", retention="archive after 9d").id
        placed.app.retention.set_rule(placed.dossier_id, "archive after 0d")
        placed.now += 1000
        placed.app.retention.run(placed.dossier_id)
    with Watch(site, tmp_path, **given) as watch:
        for source_id in (with_archive, with_rule):
            with pytest.raises(ConfigError, match=r"bodies\.place") as refused:
                watch.app.moving.move(watch.dossier_id, source_id, there)
            assert refused.value.code == "no_archive"
        assert [one.id for one in watch.app.sources.all(watch.dossier_id)] == [with_archive, with_rule]
        assert not watch.app.sources.all(there)
    other = given | {"data": tmp_path / "other machine"}
    with Watch(site, tmp_path, **given, **place) as placed, Watch(site, tmp_path, **other, **place) as elsewhere:
        for source_id in (with_archive, with_rule):
            placed.app.moving.move(placed.dossier_id, source_id, there)
        # At once: nothing of it is in the folder of one machine.
        with elsewhere.app.dossiers.open(there) as store:
            assert "12.90" in store.records.revision(document, 1).text
            assert not store.bodies.figures().beside
    shared().drop(database)


def test_it_is_watched_on_from_where_it_was(watch: Watch) -> None:
    source_id, document = _watched(watch)
    app, there = watch.app, watch.app.create_dossier("there").id
    app.moving.move(watch.dossier_id, source_id, there)
    _page(watch, "15.90 EUR")
    watch.dossier_id = there
    report, _ = watch.turn()
    assert [item.change for item in report.items] == [Change.CHANGED]
    with app.dossiers.open(there) as store:
        assert store.records.revision(document).n == 4


def test_it_moves_back_and_what_another_source_shows_stays(watch: Watch) -> None:
    source_id, document = _watched(watch)
    app, here = watch.app, watch.dossier_id
    there = app.create_dossier("there").id
    for start, end in ((here, there), (there, here)):
        app.moving.move(start, source_id, end)
    assert [one.id for one in app.sources.all(here)] == [source_id]
    assert _counts(watch, here, "revisions", "value_points")["revisions"] == 3
    with app.dossiers.open(here) as store:
        assert store.records.revision(document).n == 3
    with pytest.raises(ConfigError) as refused:
        app.moving.move(here, source_id, here)
    assert refused.value.code == "same_dossier"


def test_moved_once_more_after_a_crash_it_only_leaves(watch: Watch) -> None:
    source_id, _ = _watched(watch)
    app, here = watch.app, watch.dossier_id
    there = app.create_dossier("there").id
    app.moving.move(here, source_id, there)
    app.trash.restore(here, source_id)
    app.moving.move(here, source_id, there)
    assert not app.sources.all(here)
    assert _counts(watch, there, "documents", "sources") == {"documents": 1, "sources": 1}


def test_a_document_that_the_other_dossier_has_is_repeated_with_its_history(watch: Watch) -> None:
    source_id, document = _watched(watch)
    app, here = watch.app, watch.dossier_id
    there = watch.dossier_id = app.create_dossier("there").id
    _feed(watch)
    watch.add("/feed", "feed")
    watch.run()
    app.moving.move(here, source_id, there)
    with app.dossiers.open(there) as store:
        states: dict[str, str] = dict(rows_of(store).execute("SELECT id, state FROM documents"))
        assert sorted(states.values()) == ["current", "duplicate"]
        assert states[document] == "duplicate"
        assert "12.90" in store.records.revision(document, 1).text
    report, _ = watch.turn()
    assert Change.REMOVED not in {item.change for item in report.items}


def test_what_it_shows_of_a_source_in_the_trash_stays_there(watch: Watch) -> None:
    source_id, document = _watched(watch)
    app, here = watch.app, watch.dossier_id
    _feed(watch)
    feed = watch.add("/feed", "feed")
    watch.turn()
    app.sources.delete(here, feed.id)
    app.sources.delete(here, source_id)
    app.trash.restore(here, feed.id)
    there = app.create_dossier("there").id
    app.moving.move(here, feed.id, there)
    app.trash.restore(here, source_id)
    with app.dossiers.open(here) as store:
        assert store.records.revision(document).state == "current"


def test_a_source_needs_its_secrets_in_the_other_dossier(watch: Watch) -> None:
    app, here = watch.app, watch.dossier_id
    with app.dossiers.open(here) as store:
        store.vault.set("token", "abc", ["127.0.0.1"], 0)
    source = watch.add("/tea", "page", headers={"Authorization": "Bearer ${secret:token}"})
    there = app.create_dossier("there").id
    with pytest.raises(ConfigError) as refused:
        app.moving.move(here, source.id, there)
    assert refused.value.code == "secret_missing"
    assert app.sources.all(here)


@pytest.mark.parametrize("point", ["before_commit", "after_commit", "during_move"])
def test_killed_half_way_it_is_not_lost_and_moving_again_ends_it(watch: Watch, point: str) -> None:
    source_id, document = _watched(watch)
    app, here = watch.app, watch.dossier_id
    there = app.create_dossier("there").id
    program = (
        "import sys; from pathlib import Path; import veille\n"
        "app = veille.open_app(data=Path(sys.argv[1]))\n"
        "app.moving.move(*sys.argv[2:])"
    )
    words = [sys.executable, "-c", program, str(watch.folder / "data"), here, source_id, there]
    more = {"VEILLE_FAILPOINT": f"{point}:kill"}
    if url := app.settings.store:
        more["VEILLE_STORE"] = url.get_secret_value()
    ended = subprocess.run(words, check=False, env=os.environ | more, timeout=120)
    assert ended.returncode == -signal.SIGKILL
    assert [one.id for one in app.sources.all(here)] == [source_id]
    app.moving.move(here, source_id, there)
    assert not app.sources.all(here)
    with app.dossiers.open(there) as store:
        assert store.records.revision(document).n == 3
        assert [one.change for one in store.outbox.events()] == [Change.NEW]
