"""A history goes out as a WARC file and comes in again: equal texts, equal dates."""

from __future__ import annotations

import io
import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from warcio.archiveiterator import ArchiveIterator

import veille
from command import Cli
from samples import NOW, STORY
from veille.core.models import Change, Scope
from veille.core.records import Revision
from veille.core.schedule import HOUR
from veille.errors import ConfigError, NotFoundError
from veille.services.archives.importing import WarcImportReport
from watching import Watch
from world import Page, Site

FEED = """<rss version="2.0"><channel><title>News</title><item><guid>1</guid><title>One</title>
<description>{}</description></item><item><guid>2</guid><title>Two</title><description>Two. {}</description></item>
</channel></rss>"""


@pytest.fixture(params=["none", "all"])
def watch(request: pytest.FixtureRequest, site: Site, tmp_path: Path) -> Iterator[Watch]:
    """A history: pages that change, one that goes and comes, a feed, a document; with or without their answers."""
    with Watch(site, tmp_path) as watched:
        watched.app.raw_answers.set_keep_raw(watched.dossier_id, request.param)
        _page(site, "/a", f"First. {STORY}")
        _page(site, "/b", f"Another page altogether, which says: {STORY[::-1]}")
        site["/feed"] = Page(FEED.format(STORY, STORY.upper()).encode(), type="application/rss+xml")
        for path, kind in (("/a", "page"), ("/b", "page"), ("/feed", "feed")):
            watched.add(path, kind, **({"look_twice": False} if kind == "page" else {}))
        watched.run()
        _page(site, "/a", f"Second. {STORY} And more of it was said.")
        watched.turn()
        site["/b"] = Page(b"gone", status=410)
        watched.turn()
        _page(site, "/a", f"First. {STORY}")
        site["/feed"] = Page(FEED.format(STORY, f"{STORY.upper()} Café.").encode(), type="application/rss+xml")
        watched.turn()
        yield watched


def _page(site: Site, path: str, text: str) -> None:
    site[path] = f"<html lang=en><title>Page {path}</title><main><article><p>{text}</p></article></main></html>"


def _history(app: veille.App, dossier_id: str) -> list[tuple[Any, ...]]:
    """All that is stored of every revision, but for the ids."""
    with app.dossiers.open(dossier_id) as store:
        events = store.outbox.events(0, 10_000)
        found: list[Revision] = []
        for document_id in {event.document_id for event in events}:
            found += store.records.revisions(document_id)
        changes = sorted((event.at, event.change.value, event.url, event.rev_n) for event in events)
        texts = [
            (one.url, one.n, one.extracted_at, one.title, one.text, one.html, one.lang, one.published_at, one.state)
            for one in found
        ]
        metas = [(json.dumps([one.url, one.n, one.meta, one.quality], sort_keys=True),) for one in found]
        return [*sorted(texts, key=repr), *changes, *sorted(metas)]


def _imported(app: veille.App, name: str, *paths: Path) -> tuple[str, WarcImportReport]:
    dossier_id = app.create_dossier(name).id
    return dossier_id, app.warc.imports.run(dossier_id, paths)


def test_a_history_goes_out_and_comes_in_the_same(watch: Watch, tmp_path: Path) -> None:
    out = tmp_path / "news.warc.gz"
    written = watch.app.warc.exports.run(watch.dossier_id, out).counts
    assert (written["revisions"], written["removals"], written["without_content"]) == (7, 1, 0)
    is_kept = watch.app.raw_answers.keep_raw(watch.dossier_id) == "all"
    assert written["answers"] == (6 if is_kept else 0)
    watch.now += 50 * HOUR
    dossier_id, report = _imported(watch.app, "copy", out)
    assert report.counts == {"new": 4, "changed": 3, "removed": 1}
    assert _history(watch.app, dossier_id) == _history(watch.app, watch.dossier_id)
    assert watch.app.searches.search([dossier_id], "café")
    # And once more: the copy of the copy is the same file, but for its ids.
    again = tmp_path / "again.warc.gz"
    watch.app.warc.exports.run(dossier_id, again)
    third, _ = _imported(watch.app, "third", again)
    assert _history(watch.app, third) == _history(watch.app, watch.dossier_id)


def test_importing_twice_is_importing_once(watch: Watch, tmp_path: Path) -> None:
    out = tmp_path / "news.warc.gz"
    watch.app.warc.exports.run(watch.dossier_id, out)
    dossier_id, _ = _imported(watch.app, "copy", out)
    before = _history(watch.app, dossier_id)
    assert watch.app.warc.imports.run(dossier_id, [out, out]).counts == {"older": 16}
    # Also where it comes from: what is watched stays as it is.
    assert set(watch.app.warc.imports.run(watch.dossier_id, [out]).counts) == {"older"}
    assert _history(watch.app, dossier_id) == before == _history(watch.app, watch.dossier_id)


def test_what_is_imported_is_nothing_new_to_rules_and_is_never_fetched(watch: Watch, tmp_path: Path) -> None:
    out = tmp_path / "news.warc.gz"
    watch.app.warc.exports.run(watch.dossier_id, out)
    dossier_id, _ = _imported(watch.app, "copy", out)
    with watch.app.dossiers.open(dossier_id) as store:
        assert all(event.is_first for event in store.outbox.events())
        sources = store.sources.all()
        assert [(one.kind, one.enabled) for one in sources] == [("warc", False)] * 3
        assert {one.name for one in sources} == {one.name for one in _sources(watch)}
        (run,) = store.runs.recent(5)
        assert run.counts[Change.NEW] == 4
        assert store.records.health(watch.now)["foreign_keys"] == 0
    watch.site.seen.clear()
    assert watch.app.queue.arm(dossier_id, watch.now) == 0
    watch.app.run(Scope(dossiers=frozenset({dossier_id})))
    assert watch.site.seen == []


def _sources(watch: Watch) -> list[Any]:
    with watch.app.dossiers.open(watch.dossier_id) as store:
        return list(store.sources.all())


def test_a_source_that_watches_an_imported_page_goes_on_where_the_file_ended(watch: Watch, tmp_path: Path) -> None:
    out = tmp_path / "news.warc.gz"
    watch.app.warc.exports.run(watch.dossier_id, out, source=f"{watch.site.url}/a")
    copied = Watch(watch.site, tmp_path / "other")
    with copied:
        copied.now = NOW + 100 * HOUR
        report = copied.app.warc.imports.run(copied.dossier_id, [out])
        assert report.counts == {"new": 1, "changed": 2}
        copied.add("/a", "page", look_twice=False)
        copied.run()
        _page(copied.site, "/a", f"Third. {STORY} Another end.")
        copied.turn()
        with copied.app.dossiers.open(copied.dossier_id) as store:
            (document,) = store.records.documents()
            assert [one.n for one in store.records.revisions(document.document_id)] == [4, 3, 2, 1]
            assert document.text.startswith("Third")


def test_only_a_source_or_only_since_a_time(watch: Watch, tmp_path: Path) -> None:
    out = tmp_path / "some.warc.gz"
    assert watch.app.warc.exports.run(watch.dossier_id, out, source=f"{watch.site.url}/feed").counts["revisions"] == 3
    assert watch.app.warc.exports.run(watch.dossier_id, out, since=NOW + HOUR).counts["revisions"] == 3
    with pytest.raises(NotFoundError):
        watch.app.warc.exports.run(watch.dossier_id, out, source="nobody")
    with pytest.raises(ConfigError) as raised:
        watch.app.warc.exports.run(watch.dossier_id, tmp_path / "missing" / "a.warc.gz")
    assert raised.value.code == "bad_out"
    assert [path.name for path in tmp_path.glob("*.warc.gz")] == ["some.warc.gz"]


def test_the_tools_of_others_read_the_file(watch: Watch, tmp_path: Path) -> None:
    out = tmp_path / "news.warc.gz"
    written = watch.app.warc.exports.run(watch.dossier_id, out).counts
    tool = Path(sys.executable).with_name("warcio")
    # It verifies the digests of all records, and says nothing if they are right.
    checked = subprocess.run([tool, "check", str(out)], capture_output=True, text=True, check=False, timeout=60)
    assert (checked.returncode, checked.stdout) == (0, "")
    fields = "warc-type,warc-target-uri,warc-date,http:status"
    indexed = subprocess.run(
        [tool, "index", "-f", fields, str(out)], capture_output=True, text=True, check=True, timeout=60
    )
    lines = [json.loads(line) for line in indexed.stdout.splitlines()]
    kinds = [line["warc-type"] for line in lines]
    assert kinds.count("conversion") == written["revisions"]
    assert kinds.count("response") == written["answers"]
    assert all(line["http:status"] == "200" for line in lines if line["warc-type"] == "response")
    assert kinds.count("metadata") == written["revisions"] + written["removals"]
    # An index finds the answers at the addresses of their pages, and nothing else but texts.
    pages = [line["warc-type"] for line in lines if line.get("warc-target-uri", "").startswith("http")]
    assert set(pages) <= {"response", "conversion"}


def test_what_an_index_of_others_names_can_be_read_alone(watch: Watch, tmp_path: Path) -> None:
    """As tools do it that replay a page: they know its address, its date and the place of its record."""
    out = tmp_path / "news.warc.gz"
    written = watch.app.warc.exports.run(watch.dossier_id, out).counts
    fields = "offset,warc-type,warc-target-uri,warc-date"
    command = [str(Path(sys.executable).with_name("warcio")), "index", "-f", fields, str(out)]
    indexed = subprocess.run(command, capture_output=True, text=True, check=True, timeout=60)
    lines = [json.loads(line) for line in indexed.stdout.splitlines()]
    packed, ends = out.read_bytes(), [int(line["offset"]) for line in lines[1:]]
    read = []
    for line, end in zip(lines, [*ends, len(packed)], strict=True):
        record = next(ArchiveIterator(io.BytesIO(packed[int(line["offset"]) : end]), check_digests="raise"))
        assert record.rec_headers["WARC-Target-URI"] == line.get("warc-target-uri")
        assert record.rec_headers["WARC-Date"] == line["warc-date"]
        if record.rec_type == "response":
            read.append((line["warc-target-uri"].removeprefix(watch.site.url), record.content_stream().read()))
    assert len(read) == written["answers"]
    if read:
        pages = [body for path, body in read if path == "/a"]
        assert [body.partition(b"<p>")[2][:6] for body in pages] == [b"First.", b"Second", b"First."]


def _answers(path: Path) -> list[tuple[Any, ...]]:
    """What a file has of answers: of each its record's id, address, date and headers, and its body."""
    found = []
    with path.open("rb") as file:
        for record in ArchiveIterator(file, check_digests="raise"):
            if record.rec_type == "response":
                names = ("WARC-Record-ID", "WARC-Target-URI", "WARC-Date")
                facts = tuple(record.rec_headers[name] for name in names)
                found.append((*facts, str(record.http_headers), record.content_stream().read()))
    return found


def test_archived_revisions_go_out_with_their_answers(watch: Watch, tmp_path: Path) -> None:
    whole, out = tmp_path / "whole.warc.gz", tmp_path / "archived.warc.gz"
    before = watch.app.warc.exports.run(watch.dossier_id, whole)
    watch.app.retention.set_rule(watch.dossier_id, "archive after 0d")
    watch.now += HOUR
    assert watch.app.retention.run(watch.dossier_id).counts["archived"] == 3
    written = watch.app.warc.exports.run(watch.dossier_id, out)
    assert (written.counts, written.unread) == (before.counts, {})
    # The first two entries of the feed share an answer, and only one of them is archived.
    assert _answers(out) == _answers(whole)
    dossier_id, _ = _imported(watch.app, "copy", out)
    assert _history(watch.app, dossier_id) == _history(watch.app, watch.dossier_id)


def test_what_is_out_of_reach_is_told(watch: Watch, tmp_path: Path) -> None:
    if not (is_kept := watch.app.raw_answers.keep_raw(watch.dossier_id) == "all"):
        watch.app.retention.set_rule(watch.dossier_id, "archive after 0d")
        watch.now += HOUR
        watch.app.retention.run(watch.dossier_id)
        place = ""
    else:
        place = str(tmp_path / "place")
    cli = Cli(tmp_path, VEILLE_DATA=str(tmp_path / "data"), VEILLE_BODIES__PLACE=place)
    if is_kept:
        cli("bodies", "move")
    cli("warc", "export", "--dossier", "news", "--out", str(tmp_path / "whole.warc.gz"))
    for path in (*tmp_path.rglob("*.jsonl.zst"), *(tmp_path / "place").rglob("*.warc.gz")):
        path.unlink()
    out = tmp_path / "part.warc.gz"
    code = "body_missing" if is_kept else "archive_missing"
    found = cli.json("warc", "export", "--dossier", "news", "--out", str(out), status=1)
    counts = (found["revisions"], found["answers"], found["without_content"], found["without_answer"])
    assert counts == ((7, 0, 0, 7) if is_kept else (4, 0, 3, 0))
    assert [*found["unread"]] == [code]
    cli("warc", "export", "--dossier", "news", "--out", str(out), status=1)
    assert f"[{code}]" in cli.stderr
    _, report = _imported(watch.app, "copy", out)
    assert not report.problems


def test_on_the_command_line(watch: Watch, tmp_path: Path) -> None:
    cli = Cli(tmp_path, VEILLE_DATA=str(tmp_path / "data"))
    out = tmp_path / "news.warc.gz"
    written = cli.json("warc", "export", "--dossier", "news", "--out", str(out))
    assert written["revisions"] == 7
    watch.app.create_dossier("copy")
    found = cli.json("warc", "import", "--dossier", "copy", str(out))
    assert (found["new"], found["changed"], found["problems"], found["stopped"]) == (4, 3, 0, False)
    assert "older" in cli("warc", "import", "--dossier", "copy", str(out)) + cli.stderr
    out.write_bytes(out.read_bytes()[:-20])
    broken = cli.json("warc", "import", "--dossier", "copy", str(out), status=1)
    assert [one["code"] for one in broken["problem_list"]] == ["warc_truncated"]
    cli("warc", "import", "--dossier", "copy", str(tmp_path / "none.warc"), status=2)
    assert "cannot be read" in cli.stderr
    cli("warc", "export", "--out", str(out), status=2)
    assert "name it with --dossier: copy, news" in cli.stderr
