from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

import pyarrow.parquet as pq
import pytest
import sqlalchemy
import yaml
from hypothesis import example, given
from hypothesis import strategies as st

from receiver import SECRET, Receiver
from samples import NOW, STORY
from vectors import Chroma
from veille.adapters.sinks.buffer import BufferConfig, BufferSink, render
from veille.adapters.sinks.chroma import ChromaConfig, ChromaSink
from veille.adapters.sinks.chunks import ChunksConfig, ChunksSink
from veille.adapters.sinks.parquet import ParquetConfig, ParquetSink
from veille.adapters.sinks.sql import SqlConfig, SqlSink
from veille.adapters.sinks.webhook import WebhookConfig, WebhookSink
from veille.core.fingerprint import content_hash, uuid7
from veille.core.models import Change
from veille.core.records import Event, Parcel, Revision
from veille.errors import SinkError
from veille.ports import Means, Sink
from watching import sink_means
from world import Site

AT = 1_771_943_400_000
KEYS = ["id", "source_id", "dossier_id", "source_url", "source_type", "title", "extracted_at", "content_hash"]


@dataclass(frozen=True)
class Side:
    """A sink, and what arrived at its other end."""

    sink: Sink
    #: The numbers of the documents.
    arrived: Callable[[], list[int]]


def _buffer(folder: Path, site: Site, means: Means) -> Side:
    del site
    pending = folder / "deep" / "buffer" / "pending"
    sink = BufferSink(BufferConfig(folder=pending.parent), means)
    return Side(sink, lambda: sorted(NUMBERS[path.stem] for path in pending.glob("*.md")))


def _chroma(folder: Path, site: Site, means: Means) -> Side:
    del site
    chroma = Chroma(folder / "chroma")
    options = {"folder": chroma.folder, "embedder": "none", "collection": "all"}
    sink = ChromaSink(ChromaConfig.model_validate(options), means)

    def arrived() -> list[int]:
        return sorted(int(record["document_id"].split()[-1]) for record in chroma.records("all").values())

    return Side(sink, arrived)


def _chunks(folder: Path, site: Site, means: Means) -> Side:
    del site
    sink = ChunksSink(ChunksConfig(folder=folder / "deep" / "chunks"), means)
    return Side(sink, lambda: sorted(int(path.stem.split()[-1]) for path in folder.glob("deep/chunks/*/*.jsonl")))


def _webhook(folder: Path, site: Site, means: Means, batch: int = 1) -> Side:
    del folder
    receiver = Receiver(site)
    sink = WebhookSink(WebhookConfig.model_validate({"url": receiver.url, "secret": SECRET, "batch": batch}), means)
    return Side(sink, lambda: [NUMBERS[change["revision_id"]] for change in receiver.changes.values()])


def _sql(folder: Path, site: Site, means: Means, scheme: str = "sqlite") -> Side:
    del site
    url = f"{scheme}:///{folder / 'news.db'}"
    sink = SqlSink(SqlConfig.model_validate({"url": url}), means)

    def arrived() -> list[int]:
        with sqlalchemy.create_engine(url, poolclass=sqlalchemy.NullPool).connect() as connection:
            return sorted(
                NUMBERS[row[0]] for row in connection.exec_driver_sql("SELECT revision_id FROM veille_changes")
            )

    return Side(sink, arrived)


def _parquet(folder: Path, site: Site, means: Means) -> Side:
    del site
    sink = ParquetSink(ParquetConfig(folder=folder / "deep" / "lake"), means)

    def arrived() -> list[int]:
        files = folder.glob("deep/lake/*/*/*.parquet")
        return sorted(NUMBERS[row] for path in files for row in pq.read_table(path)["revision_id"].to_pylist())

    return Side(sink, arrived)


SIDES: dict[str, Callable[[Path, Site, Means], Side]] = {
    "buffer": _buffer,
    "chroma": _chroma,
    "chunks": _chunks,
    "parquet": _parquet,
    "sql": _sql,
    "sql on DuckDB": partial(_sql, scheme="duckdb"),
    "webhook": _webhook,
    "webhook in batches": partial(_webhook, batch=2),
}
#: The documents of revisions.
NUMBERS = {uuid7(AT + number, str(number)): number for number in range(10)}


def _parcel(number: int = 1, change: Change = Change.NEW, kind: str = "feed", **given: str) -> Parcel:
    text = given.pop("text", STORY)
    revision = Revision(
        id=uuid7(AT + number, str(number)), document_id=f"document {number}", source_id=uuid7(NOW, "source"), n=1,
        url=given.get("url", "https://example.org/news/42"), title=given.get("title", "Plain title"), text=text,
        html="", lang="en", content_hash=content_hash(text), extracted_at=AT, published_at=None, meta={}, strategy="",
        quality=1.0,
    )  # fmt: skip
    event = Event(
        seq=number, at=AT, change=change, dossier_id=uuid7(NOW, "dossier"), source_id=revision.source_id,
        source_name="A source", kind=kind, document_id=revision.document_id, revision_id=revision.id, rev_n=1,
        url=revision.url, title=revision.title,
    )  # fmt: skip
    return Parcel(event=event, revision=revision)


@pytest.fixture
def means() -> Iterator[Means]:
    made = sink_means()
    with closing(made.sender):
        yield made


@pytest.fixture(params=SIDES)
def side(request: pytest.FixtureRequest, tmp_path: Path, site: Site, means: Means) -> Side:
    return SIDES[request.param](tmp_path, site, means)


@pytest.fixture
def buffer(tmp_path: Path, means: Means) -> Sink:
    return BufferSink(BufferConfig(folder=tmp_path / "buffer"), means)


def _parcels(count: int) -> list[Parcel]:
    return [_parcel(number, url=f"https://example.org/{number}") for number in range(count)]


def test_a_sink_says_how_many_changes_were_new_to_it_and_a_repeat_changes_nothing(side: Side) -> None:
    sink, parcels = side.sink, _parcels(6)
    assert sink.deliver(parcels[:4]) == 4
    assert sink.deliver(parcels) == 2
    assert sink.deliver(parcels) == 0
    assert sink.deliver([]) == 0
    assert side.arrived() == [0, 1, 2, 3, 4, 5]


def test_a_sink_that_is_made_anew_after_a_crash_repeats_and_nothing_comes_twice(side: Side) -> None:
    parcels = _parcels(4)
    side.sink.deliver(parcels[:2])
    type(side.sink)(side.sink.config, side.sink.means).deliver(parcels)
    assert side.arrived() == [0, 1, 2, 3]


def test_a_sink_takes_every_kind_of_change(side: Side) -> None:
    for number, change in enumerate((Change.NEW, Change.CHANGED, Change.REMOVED)):
        side.sink.deliver([_parcel(number, change)])


@pytest.mark.covers("R-137", "R-138", "R-139")
def test_the_file_is_exactly_as_its_readers_expect_it(buffer: Sink, tmp_path: Path) -> None:
    parcel = _parcel(title="Budget 2026: what changes", text="# Budget 2026\n\nText.")
    buffer.deliver([parcel])
    path = tmp_path / "buffer" / "pending" / f"{parcel.revision.id}.md"
    assert path.read_bytes().decode() == (
        "---\n"
        f"id: {parcel.revision.id}\n"
        f"source_id: {parcel.event.source_id}\n"
        f"dossier_id: {parcel.event.dossier_id}\n"
        "source_url: https://example.org/news/42\n"
        "source_type: rss\n"
        'title: "Budget 2026: what changes"\n'
        "extracted_at: 2026-02-24T14:30:00Z\n"
        f"content_hash: {parcel.revision.content_hash}\n"
        "---\n"
        "\n"
        "# Budget 2026\n\nText."
    )
    assert path.stat().st_mode & 0o777 == 0o644


@pytest.mark.parametrize(("kind", "shown"), [("page", "web"), ("feed", "rss"), ("api", "api"), ("my-kind", "my-kind")])
def test_the_kind_is_called_what_readers_of_the_buffer_call_it(kind: str, shown: str) -> None:
    assert _head(render(_parcel(kind=kind)))["source_type"] == shown


def _head(text: str) -> dict[str, object]:
    _, head, _ = text.split("---\n", 2)
    found = yaml.load(head, Loader=yaml.BaseLoader)  # noqa: S506 - the base loader makes strings only
    assert isinstance(found, dict)
    assert list(found) == KEYS
    return found


HOSTILE = [
    "", " ", "---", "- a", "a: b", "a\n---\nid: forged", "# not a comment", "'", '"', "\\", "&a *a", "!!x",
    "{a: b}", "[a]", "| x", "> x", "% x", "@x", "`x", "null", "true", "No", "~", "1.5", "0x10", "2026-02-24", "12:30",
    "=", "<<", "a #b", "a\tb", "\u2028", "\u2029", "\x85", "\x7f", "\ufeff", "\uffff", "\x1b[31m", "🦊", "日本", "Ünï",
    "...", "?", "? a", ": a", "a:", "y", "yes", "on", "NaN", ".inf", "\r", "a  b", " a", "a ", "١٢٣",
]  # fmt: skip


@pytest.mark.parametrize("title", HOSTILE, ids=ascii)
def test_a_hostile_title_is_read_back_as_itself(title: str) -> None:
    text = render(_parcel(title=title))
    assert _head(text)["title"] == title
    assert yaml.safe_load(text.split("---\n", 2)[1])["title"] == title


@given(st.text(st.characters(codec="utf-8")))
def test_any_title_is_read_back_as_itself(title: str) -> None:
    assert _head(render(_parcel(title=title)))["title"] == title


@given(st.text(st.characters(codec="utf-8")).map("https://example.org/".__add__))
@example("https://example.org/a:")
@example("https://example.org/a: b")
@example("https://example.org/ #c")
@example('https://example.org/"\ntitle: forged')
def test_any_address_is_read_back_as_itself(url: str) -> None:
    assert _head(render(_parcel(url=url)))["source_url"] == url


@pytest.mark.covers("R-138")
@pytest.mark.parametrize("place", ["pending", "done", "failed"])
def test_what_a_reader_has_moved_is_not_delivered_again(buffer: Sink, tmp_path: Path, place: str) -> None:
    parcel = _parcel()
    buffer.deliver([parcel])
    name = f"{parcel.revision.id}.md"
    (tmp_path / "buffer" / "pending" / name).rename(tmp_path / "buffer" / place / name)
    assert buffer.deliver([parcel]) == 0
    assert [path.parent.name for path in (tmp_path / "buffer").rglob("*.md")] == [place]


@pytest.mark.covers("R-139")
def test_no_draft_is_left_and_one_that_a_crash_left_is_replaced(buffer: Sink, tmp_path: Path) -> None:
    parcel = _parcel()
    draft = tmp_path / "buffer" / "pending" / f"{parcel.revision.id}.md.tmp"
    draft.parent.mkdir(parents=True)
    draft.write_text("half a file" * 1000)
    assert buffer.deliver([parcel]) == 1
    assert not draft.exists()
    assert (draft.parent / f"{parcel.revision.id}.md").read_text() == render(parcel)


def test_a_draft_that_points_elsewhere_is_not_followed(buffer: Sink, tmp_path: Path) -> None:
    parcel, victim = _parcel(), tmp_path / "victim"
    victim.write_text("precious")
    draft = tmp_path / "buffer" / "pending" / f"{parcel.revision.id}.md.tmp"
    draft.parent.mkdir(parents=True)
    draft.symlink_to(victim)
    with pytest.raises(SinkError):
        buffer.deliver([parcel])
    assert victim.read_text() == "precious"


def test_names_sort_by_time(buffer: Sink, tmp_path: Path) -> None:
    early = _parcel(1)
    late = replace(early, revision=replace(early.revision, id=uuid7(AT + 2, "0")))
    buffer.deliver([late, early])
    names = sorted(path.stem for path in (tmp_path / "buffer" / "pending").iterdir())
    assert names == [early.revision.id, late.revision.id]


def test_a_removal_writes_no_file(buffer: Sink, tmp_path: Path) -> None:
    assert buffer.deliver([_parcel(change=Change.REMOVED)]) == 0
    assert list((tmp_path / "buffer" / "pending").iterdir()) == []


def test_a_folder_that_cannot_be_written_is_a_sink_error(tmp_path: Path, means: Means) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(SinkError, match="veille deliver") as caught:
        BufferSink(BufferConfig(folder=tmp_path / "file" / "buffer"), means).deliver([_parcel()])
    assert caught.value.code == "sink.buffer"
