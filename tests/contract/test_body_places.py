"""Places for bodies: a folder, and S3."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

import pytest

from s3_server import KEYS, S3Server, s3_server
from veille.adapters.bodies import s3
from veille.adapters.bodies.folder import BodyFolder
from veille.adapters.bodies.s3 import S3Place
from veille.errors import NotFoundError, SettingError, StoreError
from veille.ports.bodies import Bodies, BodyPlace
from veille.settings import BodySettings

SEGMENT, ARCHIVE = "0197-aa.warc.gz", "0197-bb.jsonl.zst"
DOSSIER, OTHER = "0197aaaa-0000-7000-8000-000000000001", "0197aaaa-0000-7000-8000-000000000002"


@pytest.fixture(scope="module")
def server() -> Iterator[S3Server]:
    with s3_server() as started:
        yield started


def _s3(url: str, bucket: str = "bodies/some/where") -> S3Place:
    return S3Place(BodySettings(place=f"s3://{bucket}", endpoint=url, region="us-east-1"), "[bodies] place")


@pytest.fixture(params=["folder", "s3"])
def place(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> BodyPlace:
    if request.param == "folder":
        return BodyFolder(tmp_path / "bodies", "[bodies] place")
    for name, value in KEYS.items():
        monkeypatch.setenv(name, value)
    # A prefix of its own for every test.
    return _s3(request.getfixturevalue("server").url, f"bodies/{tmp_path.name}")


@pytest.fixture
def bodies(place: BodyPlace) -> Bodies:
    place.check()
    return place.of(DOSSIER)


def test_what_was_put_is_read_in_spans(bodies: Bodies) -> None:
    data = bytes(range(256)) * 1000
    bodies.put(SEGMENT, data)
    assert bodies.read(SEGMENT) == data
    assert bodies.read(SEGMENT, 300) == data[300:]
    assert bodies.read(SEGMENT, 1000, 17) == data[1000:1017]
    assert bodies.read(SEGMENT, len(data) - 5, 100) == data[-5:]
    assert bodies.read(SEGMENT, len(data) + 5, 100) == b""


def test_names_are_listed_with_their_time_and_size(bodies: Bodies, place: BodyPlace) -> None:
    assert list(bodies.names()) == []
    before = time.time() * 1000
    bodies.put(SEGMENT, b"one")
    bodies.put(ARCHIVE, b"three")
    place.of(OTHER).put(SEGMENT, b"another dossier's")
    found = {one.name: one for one in bodies.names()}
    assert {name: one.bytes for name, one in found.items()} == {SEGMENT: 3, ARCHIVE: 5}
    # S3 tells whole seconds.
    assert all(abs(one.written_at - before) < 5000 for one in found.values())


def test_what_is_deleted_is_gone_and_the_rest_stays(bodies: Bodies, place: BodyPlace) -> None:
    for of in (bodies, place.of(OTHER)):
        of.put(SEGMENT, b"one")
        of.put(ARCHIVE, b"two")
    bodies.delete(SEGMENT)
    bodies.delete(SEGMENT)
    with pytest.raises(NotFoundError) as missing:
        bodies.read(SEGMENT)
    assert missing.value.code == "bodies.missing"
    with pytest.raises(NotFoundError):
        bodies.read(SEGMENT, 1, 1)
    assert bodies.read(ARCHIVE) == b"two"
    bodies.clear()
    bodies.clear()
    assert list(bodies.names()) == []
    assert place.of(OTHER).read(SEGMENT) == b"one"


@pytest.mark.parametrize(
    "name", ["../secrets.key", "/etc/passwd", "a/b.warc.gz", "", ".warc.gz", "x.txt", "a\n.warc.gz"]
)
def test_no_name_leads_out_of_the_dossier(bodies: Bodies, name: str) -> None:
    for act in (lambda: bodies.read(name), lambda: bodies.put(name, b""), lambda: bodies.delete(name)):
        with pytest.raises(NotFoundError):
            act()


def test_a_link_in_the_folder_is_not_followed(tmp_path: Path) -> None:
    bodies = BodyFolder(tmp_path / "bodies", "").of(DOSSIER)
    bodies.put(ARCHIVE, b"")
    (tmp_path / "secret").write_bytes(b"hidden")
    (Path(bodies.where) / SEGMENT).symlink_to(tmp_path / "secret")
    with pytest.raises(StoreError) as refused:
        bodies.read(SEGMENT)
    assert refused.value.code == "bodies.unreachable"


def test_files_are_private_and_no_draft_is_listed(tmp_path: Path) -> None:
    bodies = BodyFolder(tmp_path / "bodies", "").of(DOSSIER)
    bodies.put(SEGMENT, b"one")
    (Path(bodies.where) / f".{ARCHIVE}.x.tmp").write_bytes(b"half")
    assert [one.name for one in bodies.names()] == [SEGMENT]
    assert (Path(bodies.where) / SEGMENT).stat().st_mode & 0o077 == 0
    assert (tmp_path / "bodies").stat().st_mode & 0o077 == 0


@pytest.mark.skipif(os.geteuid() == 0 and not Path("/proc/self").exists(), reason="needs /proc")
def test_a_folder_that_cannot_be_used_is_told(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"")
    for folder in (tmp_path / "file", tmp_path / "file/below", Path("/proc/self/bodies")):
        with pytest.raises(SettingError) as told:
            BodyFolder(folder, "[bodies] place").check()
        assert told.value.code == "bodies.bad_place"
        assert "[bodies] place" in str(told.value)


def test_a_server_that_is_down_slow_or_without_the_bucket_is_told(
    monkeypatch: pytest.MonkeyPatch, server: S3Server
) -> None:
    for name, value in KEYS.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setattr(s3, "_REQUEST", timedelta(seconds=1))
    monkeypatch.setattr(s3, "_PATIENCE", timedelta(seconds=2))
    monkeypatch.setattr(s3, "_RETRIES", 1)
    with s3_server() as doomed:
        down = _s3(doomed.url)
        down.of(DOSSIER).put(SEGMENT, b"one")
        doomed.kill()
    slow = _s3(server.url)
    slow.of(DOSSIER).put(SEGMENT, b"one")
    nowhere = _s3(server.url, "no-such-bucket")

    def told(place: S3Place) -> None:
        bodies = place.of(DOSSIER)
        for act in (
            lambda: bodies.read(SEGMENT),
            lambda: bodies.read(SEGMENT, 0, 1),
            lambda: bodies.put(ARCHIVE, b"x"),
            lambda: list(bodies.names()),
        ):
            with pytest.raises(StoreError) as failed:
                act()
            assert failed.value.code == "bodies.unreachable"
            assert place.name in str(failed.value)
            assert "hidden-key" not in str(failed.value)
        with pytest.raises(SettingError) as refused:
            place.check()
        assert refused.value.code == "bodies.bad_place"

    told(down)
    told(nowhere)
    with server.frozen():
        told(slow)
    # As soon as it answers, it is used.
    slow.check()
    assert slow.of(DOSSIER).read(SEGMENT) == b"one"
