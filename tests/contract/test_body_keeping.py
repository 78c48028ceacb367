"""Kept answers and pictures, laid away from rows into segments outside the store, and brought back."""

from __future__ import annotations

import io
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from warcio.archiveiterator import ArchiveIterator

from desk import Desk, Store
from samples import NOW, document, payload
from veille.adapters.bodies.folder import BodyFolder, FolderBodies
from veille.core.archive.retention import Fate
from veille.core.browsing.pictures import Picture
from veille.core.models import KeepRaw
from veille.core.reread.answers import WantedAnswers, options_hash
from veille.core.schedule import DAY
from veille.errors import ReadError
from veille.ports import DossierStore
from veille.ports.bodies import BodyFigures

COUNT = 12


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "bodies"


@pytest.fixture
def desk(store: Store, folder: Path) -> Desk:
    program = store.program()
    program.dossiers.place = BodyFolder(folder, "")  # type: ignore[attr-defined]
    made = Desk(program, program.dossiers.create("news", NOW).id)
    for at in range(COUNT):
        made.add(f"https://{at}.example/", config={"keep_raw": "all"})
    leases = made.claim()
    for at, lease in enumerate(leases):
        text = f"{lease.request.url} has a text of its own. " * 20
        picture = Picture(hash=f"{at:064}", width=8, height=8, webp=f"picture {at}".encode() * 9)
        answer = payload(f"<p>{text}</p>", lease.request.url, fetched_at=NOW, media_type="text/html")
        made.commit(lease, document(lease.request.url, text=text, picture=picture), answer=answer)
    return made


def _place(desk: Desk, place: BodyFolder | None) -> None:
    """Another setting, after a restart."""
    with desk.open() as store:
        store.db.files = type(store.db.files)(store.db.path, place and place.of(desk.dossier_id))  # type: ignore[attr-defined]


def _answers(store: DossierStore) -> dict[str, bytes]:
    options = {source.id: options_hash(source) for source in store.sources.all()}
    found = store.raw_answers.waiting(WantedAnswers(reader="another", options=options), "", 100)
    return {one.hash: store.raw_answers.load(one)[1].body for one in found}


def _pictures(store: DossierStore) -> list[bytes]:
    kept = [store.pictures.of_revision(one.document_id, 1) for one in store.records.documents()]
    return sorted(store.pictures.load(one) for one in kept if one is not None)


def _all(store: DossierStore) -> tuple[Any, ...]:
    return _answers(store), _pictures(store)


def test_what_is_laid_away_is_read_as_before(desk: Desk, folder: Path) -> None:
    with desk.open() as store:
        before = _all(store)
        assert [len(of) for of in before] == [COUNT, COUNT]
        assert store.bodies.figures().here == 2 * COUNT
        assert store.bodies.lay_away(NOW, at_once=True) == 2 * COUNT
        figures = store.bodies.figures()
        assert (figures.here, figures.here_bytes, figures.away) == (0, 0, 2 * COUNT)
        assert store.bodies.lay_away(NOW, at_once=True) == 0
        assert _all(store) == before
        source = store.sources.all()[0]
        newest = store.raw_answers.newest(source.id, source.url)
        assert newest is not None
        assert source.url in newest[1].body.decode()
        assert not store.bodies.flaws().missing
    (segment,) = folder.rglob("*.warc.gz")
    # Tools for web archives read it, and each record is a member of its own.
    checked = subprocess.run(
        [Path(sys.executable).with_name("warcio"), "check", segment], capture_output=True, text=True, check=False
    )
    assert (checked.returncode, checked.stderr) == (0, "")
    kinds = [record.rec_type for record in ArchiveIterator(io.BytesIO(segment.read_bytes()))]
    assert kinds.count("response") == kinds.count("resource") == COUNT


def test_little_waits_for_more_but_no_longer_than_a_day(desk: Desk) -> None:
    with desk.open() as store:
        assert store.bodies.lay_away(NOW + DAY - 1) == 0
        assert store.bodies.lay_away(NOW + DAY) == 2 * COUNT


def test_one_that_is_damaged_stays_in_its_row_and_hurries_no_other(desk: Desk) -> None:
    with desk.open() as store:
        db = store.db  # type: ignore[attr-defined]
        db.execute("UPDATE raw_bodies SET data = ? WHERE hash = (SELECT min(hash) FROM raw_bodies)", (b"damaged",))
        assert store.bodies.lay_away(NOW + DAY) == 2 * COUNT - 1
        assert store.bodies.figures().here == 1
        assert store.bodies.lay_away(NOW + DAY) == 0
        url = store.sources.all()[0].url
    _revise(desk, [url])
    with desk.open() as store:
        assert store.bodies.figures().here == 2
        assert store.bodies.lay_away(NOW + DAY) == 0, "it waits for others, as it is new"
        assert store.bodies.lay_away(NOW + DAY, at_once=True) == 1


def test_without_a_place_everything_stays_in_rows(desk: Desk) -> None:
    _place(desk, None)
    with desk.open() as store:
        assert store.bodies.lay_away(NOW + 9 * DAY, at_once=True) == 0
        assert store.bodies.figures().away == 0


def test_what_is_kept_again_needs_no_second_body(desk: Desk) -> None:
    with desk.open() as store:
        store.bodies.lay_away(NOW, at_once=True)
        url = store.sources.all()[0].url
    program = desk.program
    program.queue.release("worker", NOW)
    program.queue.arm(desk.dossier_id, NOW + DAY)
    for lease in desk.claim(now=NOW + DAY):
        if lease.source.url == url:
            text = "Something else. " * 40
            answer = payload(f"<p>{text}</p>", url, fetched_at=NOW + DAY, media_type="text/html")
            desk.commit(lease, document(url, text=text), now=NOW + DAY, answer=answer)
    with desk.open() as store:
        assert store.bodies.figures().here == 1
        assert len(_answers(store)) == COUNT + 1
        assert store.bodies.lay_away(NOW + DAY, at_once=True) == 1
        assert len(_answers(store)) == COUNT + 1


def test_a_missing_or_damaged_segment_is_told_by_its_code(desk: Desk, folder: Path) -> None:
    with desk.open() as store:
        store.bodies.lay_away(NOW, at_once=True)
        (segment,) = folder.rglob("*.warc.gz")
        whole = segment.read_bytes()
        kept = store.pictures.of_revision(store.records.documents()[0].document_id, 1)
        assert kept is not None
        for damage in (whole[:50], whole[:60] + bytes(len(whole) - 60), b"", whole[1:]):
            segment.write_bytes(damage)
            for read in (lambda: _answers(store), lambda: store.pictures.load(kept)):
                with pytest.raises(ReadError) as told:
                    read()
                assert told.value.code == "body_damaged"
        segment.rename(segment.with_name("elsewhere"))
        for read in (lambda: _answers(store), lambda: store.pictures.load(kept)):
            with pytest.raises(ReadError) as told:
                read()
            assert told.value.code == "body_missing"
        assert store.bodies.flaws().missing == (segment.name,)
        # A check goes on without the picture.
        assert store.pictures.to_compare(store.sources.all()[0].id, "none") == (b"", b"")


def test_records_that_were_swapped_are_damaged(desk: Desk) -> None:
    with desk.open() as store:
        store.bodies.lay_away(NOW, at_once=True)
        db = store.db  # type: ignore[attr-defined]
        for table in ("raw_bodies", "pictures"):
            first, second = db.execute(f"SELECT hash, start, length FROM {table} ORDER BY hash LIMIT 2")
            db.execute(f"UPDATE {table} SET start = ?, length = ? WHERE hash = ?", (*second[1:], first[0]))
        with pytest.raises(ReadError) as told:
            _answers(store)
        assert told.value.code == "body_damaged"
        with pytest.raises(ReadError):
            _pictures(store)


def test_a_segment_goes_with_the_last_of_its_bodies_and_orphans_after_a_day(desk: Desk, folder: Path) -> None:
    with desk.open() as store:
        store.bodies.lay_away(NOW, at_once=True)
        files = store.db.files  # type: ignore[attr-defined]
        files.put("0197-orphan.warc.gz", b"left by a killed program")
        (written,) = {one.written_at for one in files.names() if one.name == "0197-orphan.warc.gz"}
        assert store.bodies.flaws().unused == 1
        assert store.bodies.tidy(written + DAY - 1000) == 0
        assert store.bodies.tidy(written + DAY + 1000) == 1
        before = _all(store)
        ids = [source.id for source in store.sources.all()]
        for source_id in ids[:-1]:
            store.sources.delete(source_id)
        assert store.bodies.tidy(written + 2 * DAY) == 0
        assert len(_answers(store)) == 1
        assert _answers(store).items() <= before[0].items()
        store.sources.delete(ids[-1])
        assert store.bodies.tidy(written + 2 * DAY) == 1
    assert not list(folder.rglob("*.warc.gz"))


def test_everything_comes_back_and_goes_over_to_another_place(desk: Desk, folder: Path, tmp_path: Path) -> None:
    old, new = BodyFolder(folder, ""), BodyFolder(tmp_path / "new", "")
    with desk.open() as store:
        before = _all(store)
        store.bodies.lay_away(NOW, at_once=True)
    _place(desk, new)
    with desk.open() as store:
        assert sum(store.bodies.bring_over(old.of(desk.dossier_id))) == 1
        assert _all(store) == before
    assert not [path for path in folder.rglob("*") if path.is_file()]
    _place(desk, None)
    with desk.open() as store:
        with pytest.raises(ReadError):
            _answers(store)
        assert sum(store.bodies.bring_back(new.of(desk.dossier_id))) == 2 * COUNT
        assert sum(store.bodies.bring_over(new.of(desk.dossier_id))) == 0
        assert _all(store) == before
        assert store.bodies.figures() == BodyFigures(here=2 * COUNT, here_bytes=store.bodies.figures().here_bytes)
    assert not [path for path in (tmp_path / "new").rglob("*") if path.is_file()]


def test_archive_files_are_at_the_place_and_what_is_beside_is_brought_over(desk: Desk, folder: Path) -> None:
    urls = [one.url for one in _documents(desk)]
    _revise(desk, urls[:2])
    with desk.open() as store:
        ids = [one.document_id for one in store.records.documents() if one.url in urls[:2]]
        texts = {one: store.records.revision(one, 1).text for one in ids}
        store.retained.settle({ids[0]: {1: Fate.ARCHIVE}}, [], NOW)
        (archive,) = folder.rglob("*.jsonl.zst")
        assert store.records.revision(ids[0], 1).text == texts[ids[0]]
    _place(desk, None)
    with desk.open() as store:
        store.retained.settle({ids[1]: {1: Fate.ARCHIVE}}, [], NOW)
        files = store.db.files  # type: ignore[attr-defined]
        assert len(list(files.beside.names())) == 1
    _place(desk, BodyFolder(folder, ""))
    with desk.open() as store:
        assert store.bodies.figures().beside == 1
        # It has the answers with it, which go on their way, too.
        store.bodies.lay_away(NOW, at_once=True)
        assert sum(store.bodies.bring_over()) == 1
        assert {one: store.records.revision(one, 1).text for one in ids} == texts
        assert isinstance(store.db.files.beside, FolderBodies)  # type: ignore[attr-defined]
        assert not list(store.db.files.beside.names())  # type: ignore[attr-defined]
    assert len(list(folder.rglob("*.jsonl.zst"))) == 2
    assert archive.exists()


def _documents(desk: Desk) -> list[Any]:
    with desk.open() as store:
        return list(store.records.documents())


def _revise(desk: Desk, urls: list[str]) -> None:
    desk.program.queue.release("worker", NOW)
    desk.program.queue.arm(desk.dossier_id, NOW + DAY)
    for lease in desk.claim(now=NOW + DAY):
        if lease.request.url in urls:
            text = f"Another text of {lease.request.url}, as long as the first. " * 20
            answer = payload(f"<p>{text}</p>", lease.request.url, fetched_at=NOW + DAY, media_type="text/html")
            desk.commit(lease, document(lease.request.url, text=text), now=NOW + DAY, answer=answer)


def test_answers_that_are_no_longer_kept_leave_with_their_rows(desk: Desk) -> None:
    with desk.open() as store:
        store.bodies.lay_away(NOW, at_once=True)
        for source in store.sources.all():
            store.sources.update(type(source)(**{**_fields(source), "config": {"keep_raw": KeepRaw.NONE.value}}))
        assert store.bodies.figures().away == COUNT


def _fields(source: Any) -> dict[str, Any]:
    return {name: getattr(source, name) for name in type(source).__dataclass_fields__}
