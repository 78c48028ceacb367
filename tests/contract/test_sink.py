from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
import yaml
from hypothesis import example, given
from hypothesis import strategies as st

from samples import NOW, STORY
from veille.adapters.sinks.buffer import BufferConfig, BufferSink, render
from veille.core.fingerprint import content_hash, uuid7
from veille.core.models import Change
from veille.core.records import Event, Parcel, Revision
from veille.errors import SinkError
from veille.ports import Sink

AT = 1_771_943_400_000
KEYS = ["id", "source_id", "dossier_id", "source_url", "source_type", "title", "extracted_at", "content_hash"]
SINKS: dict[str, Callable[[Path], Sink]] = {"buffer": lambda folder: BufferSink(BufferConfig(folder=folder))}


def _parcel(number: int = 1, change: Change = Change.NEW, kind: str = "feed", **given: str) -> Parcel:
    text = given.pop("text", STORY)
    revision = Revision(
        id=uuid7(AT, str(number)), document_id=f"document {number}", source_id=uuid7(NOW, "source"), n=1,
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


@pytest.fixture(params=SINKS)
def sink(request: pytest.FixtureRequest, tmp_path: Path) -> Sink:
    return SINKS[request.param](tmp_path / "deep" / "buffer")


@pytest.fixture
def buffer(tmp_path: Path) -> Sink:
    return SINKS["buffer"](tmp_path / "buffer")


def test_a_sink_says_how_many_changes_were_new_to_it_and_a_repeat_changes_nothing(sink: Sink) -> None:
    parcels = [_parcel(number) for number in range(5)]
    assert sink.deliver(parcels[:3]) == 3
    assert sink.deliver(parcels) == 2
    assert sink.deliver(parcels) == 0
    assert sink.deliver([]) == 0


def test_a_sink_takes_every_kind_of_change(sink: Sink) -> None:
    for number, change in enumerate((Change.NEW, Change.CHANGED, Change.REMOVED)):
        sink.deliver([_parcel(number, change)])


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
    late = replace(early, revision=replace(early.revision, id=uuid7(AT + 1, "0")))
    buffer.deliver([late, early])
    names = sorted(path.stem for path in (tmp_path / "buffer" / "pending").iterdir())
    assert names == [early.revision.id, late.revision.id]


def test_a_removal_writes_no_file(buffer: Sink, tmp_path: Path) -> None:
    assert buffer.deliver([_parcel(change=Change.REMOVED)]) == 0
    assert list((tmp_path / "buffer" / "pending").iterdir()) == []


def test_a_folder_that_cannot_be_written_is_a_sink_error(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(SinkError, match="veille deliver") as caught:
        SINKS["buffer"](tmp_path / "file" / "buffer").deliver([_parcel()])
    assert caught.value.code == "sink.buffer"
