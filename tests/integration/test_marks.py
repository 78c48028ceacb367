"""What people have seen of a dossier, on a real store."""

from __future__ import annotations

from pathlib import Path

from veille.core.report.marks import VISIT_MS
from watching import Watch
from world import Site


def _text(word: str) -> str:
    return " ".join(f"{word}{number}" for number in range(90))


def _watched(site: Site, folder: Path, *names: str) -> Watch:
    watch = Watch(site, folder)
    for name in names:
        site.article(f"/{name}", name, _text(name))
        watch.add(f"/{name}")
    watch.run()
    return watch


def test_what_is_read_is_unread_again_when_it_changes(site: Site, tmp_path: Path) -> None:
    with _watched(site, tmp_path, "one", "two") as watch, watch.app.dossiers.open(watch.dossier_id) as store:
        ids = {one.title: one.document_id for one in store.records.documents()}
        assert store.marks.unread("ada") == 2
        store.marks.read("ada", ids["one"])
        assert store.marks.unread_of("ada", list(ids.values())) == {ids["two"]}
        assert store.marks.unread("bob") == 2, "one person's marks are no other's"
        site.article("/one", "one", _text("anew"))
        watch.turn()
        assert store.marks.unread("ada") == 2


def test_all_read_is_about_what_was_shown_and_one_can_be_unread_again(site: Site, tmp_path: Path) -> None:
    with _watched(site, tmp_path, "one", "two") as watch, watch.app.dossiers.open(watch.dossier_id) as store:
        shown = store.outbox.last_seq()
        site.article("/two", "two", _text("later"))
        watch.turn()
        ids = {one.url.rpartition("/")[2]: one.document_id for one in store.records.documents()}
        store.marks.read_all("ada", shown)
        assert store.marks.unread_of("ada", list(ids.values())) == {ids["two"]}
        store.marks.read("ada", ids["one"], is_read=False)
        assert store.marks.unread("ada") == 2
        store.marks.read_all("ada", store.outbox.last_seq())
        assert store.marks.unread("ada") == 0


def test_a_visit_ends_when_nothing_was_looked_at_for_a_while(site: Site, tmp_path: Path) -> None:
    with _watched(site, tmp_path, "one") as watch, watch.app.dossiers.open(watch.dossier_id) as store:
        first = store.marks.visit("ada", 1000)
        assert (first.seq, first.at) == (0, None)
        assert store.marks.visit("ada", 1000 + VISIT_MS).seq == 0, "it is still the same visit"
        seen = store.outbox.last_seq()
        site.article("/one", "one", _text("anew"))
        watch.turn()
        later = store.marks.visit("ada", 1001 + 3 * VISIT_MS)
        assert (later.seq, later.at) == (seen, 1000 + VISIT_MS)


def test_what_is_kept_goes_with_its_document(site: Site, tmp_path: Path) -> None:
    with _watched(site, tmp_path, "one", "two") as watch, watch.app.dossiers.open(watch.dossier_id) as store:
        one, two = (document.document_id for document in store.records.documents())
        store.marks.keep("ada", one, 5)
        store.marks.keep("ada", two, 6)
        assert list(store.marks.kept("ada", 10)) == [two, one]
        store.marks.keep("ada", two, None)
        assert list(store.marks.kept("ada", 10)) == [one]
        assert store.marks.kept_of("ada", [one, two]) == {one}
        store.sources.delete(store.records.revision(one).source_id)
        assert list(store.marks.kept("ada", 10)) == []
