from __future__ import annotations

import csv
import io
import json
import os
import subprocess
import sys
import tracemalloc
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest

from samples import NOW
from veille.core.chunk.chunks import chunk_json, chunks
from veille.core.outgoing.cursors import Cursor, parse_cursor
from veille.core.outgoing.export_record import FIELDS
from veille.errors import ConfigError, NotFoundError
from watching import Watch
from world import Page, Site

HOSTILE = '=HYPERLINK("http://evil.example", "Übersicht, 日本 🦊")'
HUGE = 'A line of a long story, with "quotes", commas and more.\n' * 20_000
ENTRIES = [
    ("/a", HOSTILE, "-1+1\n\nsecond; line"),
    ("/b", "Plain", HUGE.replace("\n", "<br>")),
    ("/c", "Ünï", "Text c"),
]
FORMS = ("jsonl", "csv", "parquet")


@pytest.fixture
def watch(site: Site, tmp_path: Path) -> Iterator[Watch]:
    with Watch(site, tmp_path) as watching:
        site.feed("/feed", [(path, title.replace("&", "&amp;"), text) for path, title, text in ENTRIES])
        watching.add("/feed")
        watching.run()
        yield watching


def _export(watch: Watch, form: str, since: Cursor | None = None) -> tuple[list[dict[str, Any]], Cursor]:
    path = watch.folder / f"out.{form}"
    written, cursor = watch.app.export([watch.dossier_id], form, path, since)
    rows = _read(path)
    assert len(rows) == written
    assert [found.name for found in watch.folder.iterdir() if found.name.startswith(".")] == []
    return rows, cursor


def _read(path: Path) -> list[dict[str, Any]]:
    """The rows as another program reads them."""
    if path.suffix == ".jsonl":
        return [json.loads(line) for line in path.read_text(encoding="utf-8").split("\n")[:-1]]
    if path.suffix == ".parquet":
        rows: list[dict[str, Any]] = pq.read_table(path).to_pylist()
        return rows
    csv.field_size_limit(10_000_000)
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


@pytest.mark.parametrize("form", FORMS)
def test_all_documents_are_read_back_with_every_field_in_its_place(watch: Watch, form: str) -> None:
    rows, cursor = _export(watch, form)
    assert [list(row) for row in rows] == [list(FIELDS)] * 3
    with watch.app.dossiers.open(watch.dossier_id) as store:
        stored = {revision.id: revision for revision in store.records.documents()}
        assert cursor.of(watch.dossier_id) == store.outbox.last_seq() == 3
    shield = "'" if form == "csv" else ""
    assert [row["title"] for row in rows] == [shield + HOSTILE, "Plain", "Ünï"]
    assert rows[0]["text"] == shield + stored[rows[0]["revision_id"]].text
    assert len(stored[rows[1]["revision_id"]].text) > 900_000
    assert rows[1]["text"] == stored[rows[1]["revision_id"]].text
    assert int(rows[1]["text_length"]) == len(rows[1]["text"])
    assert {row["source_name"] for row in rows} == {source.name for source in watch.app.sources.all(watch.dossier_id)}
    assert {row["change"] for row in rows} == ({""} if form == "csv" else {None})


def test_types_are_kept_where_the_format_has_them(watch: Watch) -> None:
    rows, _ = _export(watch, "parquet", Cursor())
    assert rows[0]["at"] == datetime.fromtimestamp(NOW / 1000, UTC)
    assert (rows[0]["seq"], type(rows[0]["text_length"]), rows[0]["published_at"]) == (1, int, None)
    assert isinstance(json.loads(rows[0]["meta"]), dict)
    lines, _ = _export(watch, "jsonl", Cursor())
    assert (lines[0]["seq"], lines[0]["at"], type(lines[0]["meta"])) == (1, "2023-11-14T22:13:20Z", dict)


def test_texts_are_quoted_in_tables_and_numbers_are_not(watch: Watch) -> None:
    _export(watch, "csv", Cursor())
    text = (watch.folder / "out.csv").read_bytes().decode()
    assert text.startswith('"id","seq","at","change",')
    assert text.count('\r\n"') == 3
    assert ',1,"2023-11-14T22:13:20Z","new",' in text
    assert '"\'=HYPERLINK(""http://evil.example"", ""' in text


@pytest.mark.parametrize("form", FORMS)
def test_going_on_from_a_cursor_misses_nothing_and_repeats_nothing(watch: Watch, site: Site, form: str) -> None:
    _, first = _export(watch, form)
    assert _export(watch, form, first) == ([], first)
    site.article("/page", "A page", "The old bridge is closed. " * 9)
    watch.add("/page")
    watch.run()
    site.article("/page", "A page", "The new bridge is open now. " * 9)
    watch.turn()
    watch.turn()
    rows, second = _export(watch, form, first)
    assert [(row["change"], int(row["revision"])) for row in rows] == [("new", 1), ("changed", 2)]
    assert ["old bridge" in row["text"] for row in rows] == [True, False]
    site["/page"] = Page(b"", status=410)
    watch.turn()
    rows, _ = _export(watch, form, parse_cursor(str(second)))
    assert [row["change"] for row in rows] == ["removed"]
    # What is gone is in no export of what there is.
    assert len(_export(watch, form)[0]) == 3


@pytest.mark.parametrize("form", FORMS)
def test_a_dossier_without_documents_gives_a_file_without_rows(site: Site, tmp_path: Path, form: str) -> None:
    with Watch(site, tmp_path) as watch:
        rows, cursor = _export(watch, form)
    assert (rows, cursor.of(watch.dossier_id)) == ([], 0)


@pytest.mark.covers("R-144")
def test_chunks_are_lines_with_the_ids_of_veille_chunks_and_removals_are_told(watch: Watch, site: Site) -> None:
    path = watch.folder / "out.chunks.jsonl"
    written, cursor = watch.app.export([watch.dossier_id], "chunks", path)
    lines = _read(path)
    with watch.app.dossiers.open(watch.dossier_id) as store:
        revisions = {revision.document_id: revision for revision in store.records.documents()}
    expected = [
        {**chunk_json(chunk, revisions[line["document_id"]]), "document_id": line["document_id"]}
        for line in {line["document_id"]: line for line in lines}.values()
        for chunk in chunks(revisions[line["document_id"]])
    ]
    assert (written, lines) == (3, expected)
    assert len(lines) > 100
    site.article("/page", "A page", "The old bridge is closed. " * 9)
    watch.add("/page")
    watch.run()
    site["/page"] = Page(b"", status=410)
    watch.turn()
    watch.app.export([watch.dossier_id], "chunks", path, cursor)
    new, removed = _read(path)
    assert (new["change"], new["chunk_index"], "old bridge" in new["text"]) == ("new", 0, True)
    url, document_id = new["source_url"], new["document_id"]
    assert removed == {"source_url": url, "document_id": document_id, "change": "removed"}


@pytest.mark.covers("R-144")
def test_a_folder_of_chunks_is_kept_equal_to_what_is_current(site: Site, tmp_path: Path) -> None:
    sinks = {"chunks": {"folder": tmp_path / "chunks"}}
    with Watch(site, tmp_path, sinks=sinks) as watch:
        site.article("/page", "A page", "The old bridge is closed. " * 9)
        watch.add("/page")
        watch.run()
        assert [(d.sink, d.delivered) for d in watch.app.deliver([watch.dossier_id]) if d.sink == "chunks"] == [
            ("chunks", 1)
        ]
        (path,) = tmp_path.glob("chunks/*/*.jsonl")
        assert path.parent.name == watch.dossier_id
        (line,) = _read(path)
        assert (line["document_id"], line["chunk_total"]) == (path.stem, 1)
        assert "old bridge" in line["text"]
        site.article("/page", "A page", "The new bridge is open now. " * 9)
        watch.turn()
        watch.turn()
        watch.app.deliver([watch.dossier_id])
        assert "new bridge" in _read(path)[0]["text"]
        site["/page"] = Page(b"", status=410)
        watch.turn()
        watch.app.deliver([watch.dossier_id])
        assert list(tmp_path.glob("chunks/*/*")) == []


def test_many_documents_and_several_dossiers_in_one_export(watch: Watch, site: Site) -> None:
    site.feed("/many", [(f"/{number}", f"T{number}", f"Text {number}") for number in range(45)])
    watch.add("/many", "feed")
    other = watch.app.create_dossier("other")
    watch.run()
    ids = [watch.dossier_id, other.id]
    path = watch.folder / "all.jsonl"
    written, cursor = watch.app.export(ids, "jsonl", path)
    assert written == len({row["document_id"] for row in _read(path)}) == 48
    assert (cursor.of(watch.dossier_id), cursor.of(other.id)) == (48, 0)
    written, _ = watch.app.export(ids, "jsonl", path, Cursor({watch.dossier_id: 3}))
    assert [row["seq"] for row in _read(path)] == list(range(4, 49))


def test_an_export_that_fails_leaves_the_old_file_and_no_draft(watch: Watch, tmp_path: Path) -> None:
    path = tmp_path / "out.jsonl"
    path.write_text("old")
    with pytest.raises(ConfigError):
        watch.app.export([watch.dossier_id], "jsonl", path, Cursor(rest=99))
    assert path.read_text() == "old"
    assert [found.name for found in tmp_path.iterdir() if found.suffix == ".tmp"] == []


def test_a_pipe_or_a_folder_is_never_replaced(watch: Watch, tmp_path: Path) -> None:
    pipe, folder, link = tmp_path / "pipe", tmp_path / "folder", tmp_path / "link"
    os.mkfifo(pipe)
    folder.mkdir()
    link.symlink_to(pipe)
    for path in (pipe, folder, link):
        with pytest.raises(ConfigError) as caught:
            watch.app.export([watch.dossier_id], "jsonl", path)
        assert caught.value.code == "bad_out"
    assert pipe.is_fifo()
    assert folder.is_dir()
    assert link.is_symlink()


def test_a_file_has_the_rights_of_any_new_file(watch: Watch, tmp_path: Path) -> None:
    _export(watch, "jsonl")
    (tmp_path / "plain").touch()
    assert (tmp_path / "out.jsonl").stat().st_mode == (tmp_path / "plain").stat().st_mode


@pytest.mark.parametrize(
    ("form", "out", "since", "code"),
    [
        ("jsonl", "no/such/folder/x", None, "bad_out"),
        ("jsonl", "x", Cursor(rest=4), "bad_cursor"),
        ("xml", "x", None, "unknown_extension"),
    ],
)
def test_what_cannot_be_is_told(watch: Watch, form: str, out: str, since: Cursor | None, code: str) -> None:
    with pytest.raises((ConfigError, NotFoundError)) as caught:
        watch.app.export([watch.dossier_id], form, watch.folder / out, since)
    assert caught.value.code == code


def test_without_its_library_parquet_names_the_extra(watch: Watch) -> None:
    watch.app.close()
    script = (
        "import sys; sys.modules['pyarrow'] = None\n"
        "from veille.interfaces.cli import main\n"
        f"sys.argv = ['veille', 'export', '-f', 'parquet', '--data', {str(watch.folder / 'data')!r}]\n"
        "main()"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert "veille[parquet]" in done.stderr
    assert "needs_extra" in done.stderr


@pytest.mark.parametrize("form", ["jsonl", "csv"])
def test_memory_does_not_grow_with_what_is_exported(site: Site, tmp_path: Path, form: str) -> None:
    with Watch(site, tmp_path) as watch:
        peaks = []
        for part in ("few", "many", "more"):
            texts = [f"{part} {number} " + "A long story. " * 5000 for number in range(25)]
            site.feed(f"/{part}", [(f"/{part}{number}", "T", text) for number, text in enumerate(texts)])
            watch.add(f"/{part}", "feed")
            watch.run()
            tracemalloc.start()
            watch.app.export([watch.dossier_id], form, tmp_path / "out")
            peaks.append(tracemalloc.get_traced_memory()[1])
            tracemalloc.stop()
    # Two pages of 20 at most, the one that is written and the one that is read.
    assert peaks[2] < 1.1 * peaks[1]


def test_a_stream_that_was_given_stays_open(watch: Watch) -> None:
    for form in FORMS:
        out = io.BytesIO()
        assert watch.app.export([watch.dossier_id], form, out)[0] == 3
        assert not out.closed
