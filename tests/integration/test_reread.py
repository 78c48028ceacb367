"""Kept answers are read again by a better extractor: in place, in children, without telling anybody."""

from __future__ import annotations

import json
import os
import random
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import veille
from archives import restored
from command import Cli
from inside_sqlite import database_of
from samples import STORY
from service import Here
from veille.bootstrap.backups import back_up
from veille.core.access.access import Role
from veille.core.models import Change, Scope
from veille.core.reread.judged import RereadOutcome
from veille.core.workload import Limit
from veille.core.zstandard import zstd
from veille.errors import ConfigError
from veille.services.reading.reread import RereadReport, RereadWish
from veille.services.watching.sources import SourceEdit, Wish
from veille.settings import FetchSettings, QuotaSettings
from watching import FAST, Watch, told
from world import Page, Site

PAGES = 1000
WORDS = (
    "the council of this city has decided to build a new bridge over its river because many people who live there wait "
    "for hours when water is high and no ship can pass under the old one which was made of stone by builders long ago"
).split()
WORSE: dict[str, Any] = {"mode": "css", "selectors": ["article"]}
#: Longer than the shortest text that counts.
ASIDE = "The bridge was built in {} by people who came down the river in small wooden boats."
#: "A better extractor": these options find more in the same bytes.
BETTER: dict[str, Any] = {"mode": "css", "selectors": ["article", "aside"]}


@pytest.fixture
def watch(site: Site, tmp_path: Path) -> Iterator[Watch]:
    with Watch(site, tmp_path) as watched:
        watched.app.raw_answers.set_keep_raw(watched.dossier_id, "last")
        yield watched


def _page(site: Site, path: str, text: str, aside: str = "") -> None:
    beside = f"<aside><p>{aside}</p></aside>" if aside else ""
    site[path] = f"<html lang=en><title>A page</title><main><article><p>{text}</p></article>{beside}</main></html>"


def _reread(watch: Watch, **given: Any) -> RereadReport:
    return watch.app.rereading().reread(watch.dossier_id, RereadWish(**given))


def _edit(watch: Watch, name: str, options: dict[str, Any]) -> None:
    watch.app.sources.edit(watch.dossier_id, name, SourceEdit(options=options))


def _texts(watch: Watch) -> dict[str, str]:
    with watch.app.dossiers.open(watch.dossier_id) as store:
        return {one.url.removeprefix(watch.site.url): one.text for one in store.records.documents(limit=2000)}


@pytest.mark.covers("R-018")
def test_a_page_is_read_again_in_place_and_its_next_checks_find_nothing_new(watch: Watch) -> None:
    _page(watch.site, "/a", STORY, aside=ASIDE.format(1912))
    source = watch.add("/a", "page", **WORSE)
    watch.run()
    assert len(watch.deliver()) == 1
    _edit(watch, source.id, BETTER)
    shown = _reread(watch, dry_run=True)
    assert "1912" not in _texts(watch)["/a"]
    done = _reread(watch)
    for report in (shown, done):
        assert report.counts == {"changed": 1}
        (line,) = report.lines
        assert (line.fields, line.words_added, line.words_removed) == (("text", "html"), 17, 0)
    assert done.progress == {"changed": 1}
    assert "1912" in _texts(watch)["/a"]
    assert watch.found("1912") == ["/a"]
    assert sum(one.delivered for one in watch.deliver()) == 0
    # The options were edited, so the page is fetched and read: it is the same as what was read again.
    run, seen = watch.turn()
    assert (told(run), len(seen)) == ({Change.SAME: 1}, 1)
    _page(watch.site, "/a", STORY, aside=ASIDE.format(1913))
    assert told(watch.turn()[0]) == {Change.CHANGED: 1}
    assert _reread(watch).counts == {}


def _sells(site: Site, price: str, stock: str, text: str = STORY) -> None:
    beside = f"<footer><b>{price}</b> <s>99.00 EUR</s> <i>{stock}</i></footer>"
    site["/tea"] = f"<html lang=en><title>Tea</title><main><article><p>{text}</p></article></main>{beside}</html>"


def _points(watch: Watch, name: str) -> list[str]:
    with watch.app.dossiers.open(watch.dossier_id) as store:
        return [point.value.text if point.value else "-" for point in store.values.series(name=name)]


def test_values_that_a_reread_finds_first_are_as_old_as_their_revision_and_no_change(watch: Watch) -> None:
    _sells(watch.site, "12.90 EUR", "in stock")
    source = watch.add("/tea", "page", values={"price": "s"})
    watch.run()
    assert _points(watch, "price") == ["99.00 EUR"]
    _edit(watch, source.id, {"values": {"price": "b", "stock": "i"}})
    assert _reread(watch).counts == {"changed": 1}
    assert (_points(watch, "price"), _points(watch, "stock")) == (["12.90 EUR"], ["in stock"])
    assert told(watch.turn()[0]) == {Change.SAME: 1}, "what is corrected is not told"
    _sells(watch.site, "11.50 EUR", "in stock")
    report, _ = watch.turn()
    assert report.items[0].message == "Its metadata changed: price 12.90 EUR → 11.50 EUR."
    with watch.app.dossiers.open(watch.dossier_id) as store:
        changes = {one.name: (one.before, one.after) for one in store.values.around([2])[2]}
    assert all(before is not None for before, _ in changes.values())


def test_a_reread_of_an_older_answer_does_not_bring_back_its_values(watch: Watch) -> None:
    _sells(watch.site, "12.90 EUR", "in stock")
    source = watch.add("/tea", "page", values={"price": "b"})
    watch.run()
    _sells(watch.site, "11.50 EUR", "in stock")
    assert told(watch.turn()[0]) == {Change.CHANGED: 1}
    _edit(watch, source.id, {"values": {"price": "b", "stock": "i"}})
    _reread(watch)
    assert (_points(watch, "price"), _points(watch, "stock")) == (["12.90 EUR", "11.50 EUR"], ["in stock"])
    assert told(watch.turn()[0]) == {Change.SAME: 1}


def test_without_a_reread_a_better_reading_would_be_told_as_a_change(watch: Watch) -> None:
    _page(watch.site, "/a", STORY, aside=ASIDE.format(1912))
    source = watch.add("/a", "page", **WORSE)
    watch.run()
    _edit(watch, source.id, BETTER)
    assert told(watch.turn()[0]) == {Change.CHANGED: 1}


def test_every_revision_is_read_again_if_all_are_kept(watch: Watch) -> None:
    source = watch.add("/a", "page", keep_raw="all", **WORSE)
    for year in range(1912, 1932):
        _page(watch.site, "/a", f"In {year}. {STORY}", aside=ASIDE.format(year))
        watch.turn()
    _edit(watch, source.id, BETTER)
    assert _reread(watch).counts == {"changed": 20}
    with watch.app.dossiers.open(watch.dossier_id) as store:
        (document,) = store.records.documents()
        texts = [one.text for one in store.records.revisions(document.document_id)]
        deltas = database_of(store).value("SELECT count(*) FROM revisions WHERE delta")
    assert [f"In {year}." in text and ASIDE.format(year) in text for year, text in _by_year(texts)] == [True] * 20
    assert deltas >= 18, "old revisions are still kept as differences"


def _by_year(texts: list[str]) -> Iterator[tuple[int, str]]:
    yield from zip(range(1931, 1911, -1), texts, strict=True)


def test_all_entries_of_a_feed_are_read_again_from_one_body(watch: Watch) -> None:
    watch.site.feed("/feed", [(f"/{n}", f"Entry {n}", f"{n}. {STORY}") for n in range(5)])
    watch.add("/feed", "feed")
    watch.run()
    assert _reread(watch).counts == {}, "this reader has read it already"
    report = _reread(watch, again=True)
    assert (report.counts, report.progress) == ({"same": 5}, {"same": 5})
    with watch.app.dossiers.open(watch.dossier_id) as store:
        assert store.records.health(watch.now)["raw_bodies"] == 1


def test_only_what_is_wanted_is_read_again(watch: Watch) -> None:
    for path in ("/a", "/b"):
        _page(watch.site, path, f"{path} {STORY}")
        watch.add(path, "page")
    watch.run()
    later = watch.now + 1
    assert _reread(watch, again=True, since=later).counts == {}
    assert _reread(watch, again=True, source=f"{watch.site.url}/a").counts == {"same": 1}
    assert _reread(watch, again=True, limit=1).counts == {"same": 1}
    assert _reread(watch, again=True).counts == {"same": 2}


def test_a_body_that_cannot_be_read_is_counted_and_its_content_stays(watch: Watch) -> None:
    _page(watch.site, "/a", STORY)
    source = watch.add("/a", "page", **WORSE)
    watch.run()
    before = _texts(watch)
    _edit(watch, source.id, {"mode": "css", "selectors": ["nothing-is-called-so"]})
    report = _reread(watch)
    assert [(one.outcome, one.code) for one in report.lines] == [(RereadOutcome.FAILED, "no_match")]
    with watch.app.dossiers.open(watch.dossier_id) as store:
        database = database_of(store)
        bomb = zstd.compress(bytes(1 << 20))
        for statement, value in (
            ("UPDATE raw_bodies SET data = ?", b"no"),
            ("UPDATE raw_bodies SET data = ?, size = 1 << 50", bomb),
            ("UPDATE raw_answers SET facts = ?", bomb),
            ("UPDATE raw_answers SET facts = ?", zstd.compress(b'{"request": [], "payload": {}}')),
        ):
            database.execute(statement, (value,))
            assert [one.code for one in _reread(watch, again=True).lines] == ["body_damaged"]
    assert _texts(watch) == before


def test_bodies_count_in_the_quota_of_the_dossier(site: Site, tmp_path: Path) -> None:
    noise = random.Random(1).randbytes(1 << 20).hex()
    site["/a"] = Page(f"<article><p>{STORY}</p></article><!-- {noise} -->".encode())
    with Watch(site, tmp_path, quotas=QuotaSettings(stored_mb=1)) as watch:
        watch.add("/a", "page", keep_raw="last")
        watch.run()
        assert watch.app.queue.exhausted(watch.now, _scope(watch)) == {watch.dossier_id: Limit.STORED}
        watch.app.raw_answers.set_keep_raw(watch.dossier_id, "none")
        _edit(watch, f"{site.url}/a", {"keep_raw": "none"})
        assert watch.app.queue.exhausted(watch.now, _scope(watch)) == {}


def _scope(watch: Watch) -> Scope:
    return Scope(dossiers=frozenset({watch.dossier_id}))


def test_an_option_that_there_is_not_is_refused(watch: Watch) -> None:
    with pytest.raises(ConfigError, match="none, last, all"):
        watch.app.raw_answers.set_keep_raw(watch.dossier_id, "some")
    with pytest.raises(ConfigError) as caught:
        watch.add("/a", "page", keep_raw="some")
    assert caught.value.code == "bad_option"


def test_bodies_are_in_a_backup_and_can_be_read_again_after_it(watch: Watch, tmp_path: Path) -> None:
    _page(watch.site, "/a", STORY, aside=ASIDE.format(1912))
    source = watch.add("/a", "page", **WORSE)
    watch.run()
    back_up(watch.app.settings, tmp_path / "backup.zip", watch.now)
    restored(tmp_path / "backup.zip", tmp_path / "new" / "data")
    with Watch(watch.site, tmp_path / "new") as again:
        assert again.app.raw_answers.keep_raw(again.dossier_id) == "last"
        _edit(again, source.id, BETTER)
        assert _reread(again).counts == {"changed": 1}
        assert again.found("1912") == ["/a"]
    assert watch.found("1912") == []


class Library:
    """A folder of a thousand pages that was read with the worse options, and is to be read with the better ones."""

    def __init__(self, folder: Path) -> None:
        self.shelf = folder / "shelf"
        self.data = folder / "data"
        self.buffer = folder / "buffer"
        self.shelf.mkdir()
        chance = random.Random(18)
        for number in range(PAGES):
            text = " ".join(chance.choices(WORDS, k=80))
            aside = f"<aside><p>Aside {number}: {text[:100]}.</p></aside>" if number % 3 == 0 else ""
            page = f"<html lang=en><title>Page {number}</title><main><article><p>{number} {text}.</p></article>{aside}"
            (self.shelf / f"{number:04}.html").write_text(page)
        with self.open() as app:
            dossier = app.create_dossier("news")
            app.raw_answers.set_keep_raw(dossier.id, "last")
            app.sources.add(dossier.id, Wish(url=str(self.shelf), kind="folder", config=WORSE))
            app.run(Scope())
            app.deliver([dossier.id])
            app.sources.edit(dossier.id, f"file://{self.shelf}/", SourceEdit(options=BETTER))

    def open(self) -> veille.App:
        fetch = FetchSettings(file_roots=(self.shelf,))
        return veille.open_app(data=self.data, buffer_dir=self.buffer, fetch=fetch)

    def start(self, data: Path, **variables: str) -> subprocess.Popen[str]:
        environment = {**os.environ, "VEILLE_DATA": str(data), **variables}
        command = [sys.executable, "-m", "veille", "reread", "--json"]
        return subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)

    def finished(self, data: Path) -> Any:
        process = self.start(data)
        out, errors = process.communicate(timeout=100)
        assert process.returncode == 0, errors
        return json.loads(out)


def _rows(data: Path) -> dict[str, list[Any]]:
    """Every row of the dossier, but for when it was read and how SQLite arranges its index."""
    with veille.open_app(data=data, fetch=FAST) as app:
        (dossier,) = app.dossiers.all()
        with app.dossiers.open(dossier.id) as store:
            database = database_of(store)
            health = store.records.health(0)
            assert (health["integrity"], health["foreign_keys"]) == ("ok", 0)
            names = database.column(
                "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'search_%' AND name <> 'search'"
            )
            database.execute("UPDATE raw_answers SET read_at = 0")
            return {name: sorted(database.execute(f"SELECT * FROM {name}"), key=repr) for name in names}


@pytest.mark.covers("R-018")
@pytest.mark.timeout(400)
def test_a_thousand_pages_are_read_again_and_kills_change_nothing(tmp_path: Path) -> None:
    library = Library(tmp_path.resolve())
    files = {path: path.stat().st_mtime_ns for path in sorted(library.buffer.rglob("*")) if path.is_file()}
    assert len(files) >= PAGES
    undisturbed = tmp_path / "undisturbed"
    shutil.copytree(library.data, undisturbed)
    expected = {"same": PAGES - 334, "changed": 334, "failed": 0}
    found = library.finished(undisturbed)
    assert {name: found[name] for name in expected} == expected
    for number in (1, 65, 200):
        killed = library.start(library.data, VEILLE_FAILPOINT=f"during_reread:kill@{number}")
        killed.communicate(timeout=100)
        assert killed.returncode == -signal.SIGKILL
    for delay in (0.4, 1.2, 1.9):
        killed = library.start(library.data)
        time.sleep(delay)
        killed.kill()
        killed.communicate(timeout=100)
    found = library.finished(library.data)
    # What was done before the kills was done for good: the rest was done now, and all together is as expected.
    assert sum(found[name] for name in expected) <= PAGES - 64 - 192
    assert found["dossiers"][0]["so_far"] == {**expected, "waiting": 0}
    assert library.finished(library.data)["changed"] == 0
    assert _rows(library.data) == _rows(undisturbed)
    with library.open() as app:
        (dossier,) = app.dossiers.all()
        assert len(app.searches.search([dossier.id], "aside", limit=1000)) == 334
        assert sum(one.delivered for one in app.deliver([dossier.id])) == 0
        with app.dossiers.open(dossier.id) as store:
            assert store.outbox.last_seq() == PAGES
    assert {path: path.stat().st_mtime_ns for path in sorted(library.buffer.rglob("*")) if path.is_file()} == files


def test_a_killed_check_leaves_no_body_without_its_revision_nor_the_reverse(
    site: Site, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    cli = Cli(tmp_path, VEILLE_LEASE_S="1")
    cli("dossiers", "add", "default")
    cli("dossiers", "options", "default", "--keep-raw", "all")
    for number in range(12):
        _page(site, f"/{number}", f"{number}. {STORY}")
        cli("add", f"{site.url}/{number}", "--kind", "page")
    for point in ("during_commit:kill@3", "before_commit:kill@2", "after_commit:kill@1"):
        with monkeypatch.context() as killing:
            killing.setenv("VEILLE_FAILPOINT", point)
            cli.process("work", "--drain", status=-9)
        assert _unmatched(cli.folder / "data") == (0, 0, 0)
    cli.process("work", "--drain")
    assert _unmatched(cli.folder / "data") == (0, 0, 0)
    assert cli.json("doctor")["dossiers"][0]["raw_bodies"] == 12
    assert cli.json("reread", "--again")["same"] == 12


def _unmatched(data: Path) -> tuple[int, ...]:
    """Revisions without an answer, answers without a revision, bodies without an answer."""
    with veille.open_app(data=data) as app, app.dossiers.open(app.dossiers.all()[0].id) as store:
        return tuple(
            database_of(store).value(f"SELECT count(*) FROM {one} WHERE {key} NOT IN (SELECT {other})")
            for one, key, other in (
                ("revisions", "id", "revision_id FROM raw_revisions"),
                ("raw_answers", "id", "answer FROM raw_revisions"),
                ("raw_bodies", "hash", "hash FROM raw_answers"),
            )
        )


def test_an_index_under_a_new_name_gets_what_was_read_again(site: Site, tmp_path: Path) -> None:
    """As the how-to says: no sink is told, and one that has received nothing yet gets everything."""
    _page(site, "/a", STORY, aside=ASIDE.format(1912))
    chunks = tmp_path / "chunks"
    with Watch(site, tmp_path, sinks={"chunks": {"folder": chunks}}) as watch:
        source = watch.add("/a", "page", keep_raw="last", **WORSE)
        watch.run()
        watch.deliver()
        _edit(watch, source.id, BETTER)
        assert _reread(watch).counts == {"changed": 1}
        watch.deliver()
        (file,) = chunks.rglob("*.jsonl")
        assert "1912" not in file.read_text()
    with Watch(site, tmp_path, sinks={"chunks-2": {"kind": "chunks", "folder": chunks}}) as watch:
        watch.deliver()
        assert "1912" in file.read_text()


def test_over_rest_kept_answers_are_read_again_some_at_a_time(site: Site, tmp_path: Path) -> None:
    for number in range(3):
        _page(site, f"/{number}", f"{number}. {STORY}", aside=ASIDE.format(number))
    with Here(tmp_path) as office:
        owner = office.person("ann@example.org")
        editor, reader = office.person("bob@example.org"), office.person("cat@example.org")
        dossier_id = office.dossier("hers", "ann@example.org")
        office.give("bob@example.org", dossier_id, Role.EDITOR)
        office.give("cat@example.org", dossier_id, Role.READER)
        api = f"/api/dossiers/{dossier_id}"
        assert reader.ask("GET", f"{api}/options").json == {"keep_raw": "none"}
        assert editor.ask("PUT", f"{api}/options", {"keep_raw": "last"}).status == 404
        assert owner.ask("PUT", f"{api}/options", {"keep_raw": "some"}).status == 400
        assert owner.ask("PUT", f"{api}/options", {"keep_raw": "last"}).json == {"keep_raw": "last"}
        sources = [office.watch(dossier_id, f"{site.url}/{n}", kind="page", config=WORSE) for n in range(3)]
        office.look(dossier_id)
        with office.program() as app:
            for source_id in sources:
                app.sources.edit(dossier_id, source_id, SourceEdit(options=BETTER))
        assert reader.ask("POST", f"{api}/reread", {}).status == 404
        shown = editor.ask("POST", f"{api}/reread", {"dry_run": True}).json
        assert (shown["changed"], shown["waiting"], len(shown["documents"])) == (3, 3, 3)
        assert shown["documents"][0]["fields"] == ["text", "html"]
        left = [editor.ask("POST", f"{api}/reread", {"limit": 2}).json for _ in range(3)]
        assert [(one["changed"], one["waiting"]) for one in left] == [(2, 1), (1, 0), (0, 0)]
        assert editor.ask("POST", f"{api}/reread", {"source": "nobody"}).status == 404


def test_duplicates_and_other_sources_of_a_page_find_nothing_new_after_a_reread(watch: Watch) -> None:
    """A copy has the same text as before, and a feed that lists the page sees what it saw."""
    for path in ("/a", "/copy"):
        _page(watch.site, path, STORY * 2, aside=ASIDE.format(1912))
    watch.site.feed("/feed", [("/a", "A page", "Short.")])
    sources = [watch.add(path, "page", mode="density") for path in ("/a", "/copy")]
    for source in sources:
        watch.app.run(Scope(dossiers=frozenset({watch.dossier_id}), sources=frozenset({source.id})))
    watch.add("/feed", "feed", follow_links=True)
    assert Change.CHANGED not in told(watch.turn()[0])
    for source in sources:
        _edit(watch, source.id, {"mode": "everything"})
    assert _reread(watch).counts == {"changed": 1}
    for _ in range(2):
        report, _ = watch.turn()
        assert told(report).keys() == {Change.SAME}, report.items
    assert watch.found("1912") == ["/a"]
