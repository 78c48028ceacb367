from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import yaml

from samples import NOW
from veille.core.dates import iso
from veille.core.records import Delivery, Parcel
from veille.errors import SettingError, SinkError, StoreError
from veille.ports import Sink, SinkConfig
from veille.services.engine.background import Deliveries
from watching import Watch, sink_means
from world import Site

TEXT = "The old harbour bridge was closed after the flood and is being rebuilt by engineers from three countries. " * 2


class MoodySink(Sink):
    """A sink of the tests' own that refuses until it is told to work."""

    def __init__(self) -> None:
        super().__init__(SinkConfig(), sink_means())
        self.works = False
        self.taken: list[str] = []

    def deliver(self, parcels: Sequence[Parcel]) -> int:
        if not self.works:
            raise SinkError("Not in the mood.", code="sink.moody")
        self.taken += [parcel.revision.title for parcel in parcels]
        return len(parcels)


@pytest.mark.covers("R-137", "R-138", "R-139")
def test_every_revision_becomes_a_file_with_front_matter_and_its_text(watch: Watch, site: Site) -> None:
    site.article("/a", "Budget 2026: what changes", TEXT)
    source = watch.add("/a")
    watch.run()
    (delivery,) = watch.deliver()
    assert (delivery.sink, delivery.delivered, delivery.pending, delivery.code) == ("buffer", 1, 0, "")
    (path,) = watch.files()
    with watch.app.dossiers.open(watch.dossier_id) as store:
        (revision,) = store.records.documents()
    assert path == watch.folder / "buffer" / "pending" / f"{revision.id}.md"
    _, head, text = path.read_text().split("---\n", 2)
    assert head == (
        f"id: {revision.id}\n"
        f"source_id: {source.id}\n"
        f"dossier_id: {watch.dossier_id}\n"
        f"source_url: {site.url}/a\n"
        "source_type: web\n"
        'title: "Budget 2026: what changes"\n'
        f"extracted_at: {iso(NOW)}\n"
        f"content_hash: {revision.content_hash}\n"
    )
    assert text == "\n" + TEXT.strip()


@pytest.mark.covers("R-029")
def test_the_setting_buffer_dir_switches_the_buffer_on(site: Site, tmp_path: Path) -> None:
    site.article("/a", "A", TEXT)
    with Watch(site, tmp_path, buffer_dir=None) as watch:
        watch.add("/a")
        watch.run()
        assert watch.deliver() == []
        assert watch.files() == []
    with Watch(site, tmp_path, buffer_dir=tmp_path / "buffer") as watch:
        assert [delivery.sink for delivery in watch.deliver()] == ["buffer"]
        assert len(watch.files()) == 1


def test_hostile_titles_and_addresses_are_read_back_as_themselves(watch: Watch, site: Site) -> None:
    titles = ['"quoted" \\ back', "- dash", "a: b #c", "[x] {y} &z *w !t", "'", "true", "--- end"]
    for number, title in enumerate(titles):
        site.article(f"/{number}?q=:", title.replace("&", "&amp;"), f"{number} {TEXT}")
        watch.add(f"/{number}?q=:")
    watch.run()
    watch.deliver()
    heads = [yaml.safe_load(path.read_text().split("---\n", 2)[1]) for path in watch.files()]
    assert sorted(head["title"] for head in heads) == sorted(titles)
    assert {head["source_url"] for head in heads} == {f"{site.url}/{number}?q=:" for number in range(len(titles))}


@pytest.mark.parametrize("place", ["pending", "done", "failed"])
def test_what_readers_have_is_not_delivered_again_and_no_draft_is_left(watch: Watch, site: Site, place: str) -> None:
    site.article("/a", "A", TEXT)
    watch.add("/a")
    watch.run()
    watch.deliver()
    (path,) = watch.files()
    path.rename(path.parent.parent / place / path.name)
    with watch.app.dossiers.open(watch.dossier_id) as store:
        sink = watch.app.sinks["buffer"]
        assert sink.deliver(store.outbox.waiting("a reader that starts anew", 10)) == 0
    assert [found.parent.name for found in watch.files()] == [place]
    assert [found for found in watch.files() if found.suffix == ".tmp"] == []


def test_a_broken_sink_keeps_its_place_and_does_not_hold_up_the_others(watch: Watch, site: Site) -> None:
    moody = MoodySink()
    watch.app.sinks["moody"] = moody
    for number in range(3):
        site.article(f"/{number}", f"Number {number}", f"{number} {TEXT}")
        watch.add(f"/{number}")
        watch.run()
    results = {delivery.sink: delivery for delivery in watch.deliver()}
    assert (results["moody"].code, results["moody"].delivered, results["moody"].pending) == ("sink.moody", 0, 3)
    assert results["moody"].error == "Not in the mood."
    assert (results["buffer"].delivered, results["buffer"].pending) == (3, 0)
    moody.works = True
    results = {delivery.sink: delivery for delivery in watch.app.deliver([watch.dossier_id], at_once=True)}
    assert (results["moody"].delivered, results["moody"].pending) == (3, 0)
    assert moody.taken == ["Number 0", "Number 1", "Number 2"]
    assert results["buffer"].delivered == 0


def test_small_batches_deliver_everything_in_order(site: Site, tmp_path: Path) -> None:
    moody = MoodySink()
    moody.works = True
    with Watch(site, tmp_path, deliver_batch=2) as watch:
        watch.app.sinks["moody"] = moody
        site.feed("/feed", [(f"/{number}", f"Number {number}", f"Text {number}") for number in range(7)])
        watch.add("/feed")
        watch.run()
        watch.deliver()
    assert moody.taken == [f"Number {number}" for number in range(7)]


def test_while_somebody_else_delivers_to_a_sink_it_is_left_to_them(watch: Watch, site: Site) -> None:
    site.article("/a", "A", TEXT)
    watch.add("/a")
    watch.run()
    with watch.app.dossiers.open(watch.dossier_id) as store:
        assert store.outbox.lock("buffer", "somebody else", watch.now + 1000, watch.now)
    (delivery,) = watch.deliver()
    assert (delivery.delivered, delivery.pending) == (0, 1)
    watch.now += 1000
    (delivery,) = watch.deliver()
    assert (delivery.delivered, delivery.pending) == (1, 0)


@pytest.mark.parametrize(
    ("sinks", "code"),
    [
        ({"x": {"kind": "telepathy"}}, "unknown_extension"),
        ({"x": {"kind": "buffer"}}, "bad_option"),
        ({"x": {"kind": "buffer", "folder": "f", "colour": "red"}}, "bad_option"),
    ],
)
def test_a_sink_that_is_set_up_wrongly_is_named(
    site: Site, tmp_path: Path, sinks: dict[str, dict[str, str]], code: str
) -> None:
    with pytest.raises(SettingError) as caught:
        Watch(site, tmp_path, sinks=sinks)
    assert caught.value.code == code


def test_what_was_being_delivered_when_the_store_failed_is_next() -> None:
    answers: list[Exception | None] = [StoreError("Gone.", code="store.unreachable"), None, None]
    asked: list[list[str]] = []

    def deliver(ids: list[str], **_: Any) -> list[Delivery]:
        asked.append(ids)
        if error := answers.pop(0):
            raise error
        return []

    known = [SimpleNamespace(id=name) for name in "abc"]
    program: Any = SimpleNamespace(
        dossiers=SimpleNamespace(all=lambda: known), alerts_due=list, sinks=(), deliver=deliver
    )
    with ThreadPoolExecutor(1) as thread:
        deliveries = Deliveries(program, thread, lambda: False, in_full=False)
        deliveries.hand_over(["a", "b"])
        with pytest.raises(StoreError):
            deliveries.finish()
        deliveries.hand_over(["c"])
        deliveries.finish()
    assert asked[:2] == [["a", "b"], ["a", "b", "c"]]
