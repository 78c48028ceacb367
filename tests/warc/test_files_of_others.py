"""WARC files that other tools wrote, broken ones, and hostile ones."""

from __future__ import annotations

import base64
import gzip
import hashlib
import io
import json
import os
import resource
import signal
import subprocess
import sys
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path
from typing import Any

import brotli
import pytest
from warcio.statusandheaders import StatusAndHeaders
from warcio.warcwriter import WARCWriter

import veille
from samples import NOW, STORY
from veille.core.schedule import DAY
from veille.core.warc.captures import warc_date
from veille.errors import ConfigError
from veille.services.archives.importing import WarcImportReport
from veille.settings import QuotaSettings
from watching import FAST
from world import Page, Site

OLD = NOW - 1000 * DAY


@pytest.fixture
def app(tmp_path: Path) -> Iterator[veille.App]:
    with veille.open_app(data=tmp_path / "data", fetch=FAST, clock=lambda: NOW) as opened:
        opened.create_dossier("news")
        yield opened


class Warc:
    """A file that is made record by record, as other tools make them."""

    def __init__(self, path: Path, *, packed: bool = True) -> None:
        self.path = path
        self._out = io.BytesIO()
        self._writer: Any = WARCWriter(self._out, gzip=packed)

    def add(self, day: int, path: str, body: bytes, kind: str = "response", **more: Any) -> None:
        headers = {"Content-Type": "text/html", **more.pop("headers", {})}
        date = warc_date(OLD + day * DAY)
        http = StatusAndHeaders(more.pop("status", "200 OK"), list(headers.items()), protocol="HTTP/1.1")
        record = self._writer.create_warc_record(
            more.pop("url", f"http://example.org{path}"),
            kind,
            payload=io.BytesIO(body),
            http_headers=http if kind in {"response", "revisit"} else None,
            warc_headers_dict={"WARC-Date": date, **more.pop("fields", {})},
            **more,
        )
        self._writer.write_record(record)
        record.raw_stream.close()

    def revisit(self, day: int, path: str, digest: str) -> None:
        record = self._writer.create_revisit_record(
            f"http://example.org{path}",
            digest,
            f"http://example.org{path}",
            "2021-02-18T00:00:00Z",
            warc_headers_dict={"WARC-Date": warc_date(OLD + day * DAY)},
        )
        self._writer.write_record(record)

    def write(self) -> Path:
        self.path.write_bytes(self._out.getvalue())
        return self.path


def test_a_date_may_be_a_day_a_month_or_a_year(app: veille.App, tmp_path: Path) -> None:
    made = Warc(tmp_path / "coarse.warc.gz")
    dates = ("2019", "2019-02", "2019-03-04", "2019-13", "1969", "20190304050607")
    for date in dates:
        made.add(0, f"/{date}", _page(f"Words of {date}, and enough of them. " * 9), fields={"WARC-Date": date})
    report = _import(app, made.write())
    assert {path: at for path, ((at, _),) in _texts(app).items()} == {
        f"/{date}": round(datetime.fromisoformat(whole).timestamp() * 1000)
        for date, whole in zip(dates, ("2019-01-01T00Z", "2019-02-01T00Z", "2019-03-04T00Z"), strict=False)
    }
    told = {problem.message.rpartition(": ")[2] for problem in report.problems}
    assert told == {"it has no date", "its date lies before 1970, or in the future."}


def test_an_address_with_spaces_is_the_one_that_was_asked_for(app: veille.App, tmp_path: Path) -> None:
    made = Warc(tmp_path / "spaces.warc.gz")
    made.add(1, "", _page(f"Annual. {STORY}"), url="http://example.org/annual report.html?of=two years")
    made.add(2, "", _page(f"Again. {STORY}"), url="http://example.org/annual%20report.html?of=two%20years")
    report = _import(app, made.write())
    assert report.problems == []
    assert _days(app) == {"/annual%20report.html?of=two%20years": [(1, "Annual."), (2, "Again.")]}


def _page(text: str) -> bytes:
    return f"<html lang=en><title>Page</title><main><article><p>{text}</p></article></main></html>".encode()


def _import(app: veille.App, *paths: Path, **given: Any) -> WarcImportReport:
    return app.warc.imports.run(app.dossier("news").id, paths, **given)


def _texts(app: veille.App) -> dict[str, list[tuple[int, str]]]:
    """Every revision of every document, oldest first: the day, and the first word."""
    with app.dossiers.open(app.dossier("news").id) as store:
        return {
            one.url.removeprefix("http://example.org"): [
                (revision.extracted_at, revision.text.split()[0])
                for revision in reversed(store.records.revisions(one.document_id))
            ]
            for one in store.records.documents()
        }


def _days(app: veille.App) -> dict[str, list[tuple[int, str]]]:
    return {path: [((at - OLD) // DAY, word) for at, word in found] for path, found in _texts(app).items()}


def test_a_crawl_by_wget_becomes_revisions_with_their_dates(site: Site, tmp_path: Path) -> None:
    site["/"] = Page(_page(f'Home. {STORY} <a href="/packed">one</a> <a href="/missing">two</a>'), announced=False)
    packed = gzip.compress(_page(f"Packed. {STORY[::-1]}"))
    site["/packed"] = Page(packed, headers={"Content-Encoding": "gzip"})
    wget = ["wget", "-q", "-r", "--compression=auto", "--warc-file=crawl", "--warc-cdx"]
    done = subprocess.run([*wget, site.url], cwd=tmp_path, check=False, timeout=60)
    assert done.returncode == 8  # some answers were errors
    crawl = tmp_path / "crawl.warc.gz"
    with veille.open_app(data=tmp_path / "data", fetch=FAST) as live:
        live.create_dossier("news")
        report = _import(live, crawl)
        assert (report.counts["new"], report.problems) == (2, [])
        assert report.counts["left_out"] >= 1  # what is missing
        found = {url.removeprefix(site.url) or "/": words for url, words in _texts(live).items()}
        assert {path: [word for _, word in words] for path, words in found.items()} == {
            "/": ["Home."],
            "/packed": ["Packed."],
        }
        made = crawl.stat().st_mtime * 1000
        assert all(0 <= made - at < 600_000 for words in found.values() for at, _ in words)
        assert _import(live, crawl).counts["new"] == 0
        # The second crawl finds the same bytes: wget writes that it did, and what they are the same as.
        again = [*wget, "--warc-dedup=crawl.cdx", "--warc-file=again", site.url]
        subprocess.run(again, cwd=tmp_path, check=False, timeout=60)
        second = tmp_path / "again.warc.gz"
        assert gzip.decompress(second.read_bytes()).count(b"WARC-Type: revisit") >= 2
        report = _import(live, crawl, second)
        assert (report.counts["new"], report.counts["changed"], report.problems) == (0, 0, [])


def test_every_change_is_a_revision_at_its_time_whatever_the_order_of_the_files(
    app: veille.App, tmp_path: Path
) -> None:
    early, late = Warc(tmp_path / "b.warc.gz"), Warc(tmp_path / "a.warc.gz")
    early.add(1, "/a", _page(f"First. {STORY}"))
    late.add(2, "/a", _page(f"Second. {STORY}"))
    early.add(3, "/a", _page(f"Third. {STORY}"))
    late.add(4, "/a", _page(f"Third. {STORY}"))
    early.add(5, "/a", _page(f"Fourth. {STORY}"))
    late.add(6, "/a", b"<html><title>Not found</title>", status="404 Not Found")
    report = _import(app, late.write(), early.write())
    assert report.counts == {"new": 1, "changed": 3, "same": 1, "left_out": 1}
    assert _days(app) == {"/a": [(1, "First."), (2, "Second."), (3, "Third."), (5, "Fourth.")]}
    assert _import(app, late.path, early.path).counts == {"older": 5, "left_out": 1}


def test_codings_revisits_and_resources(app: veille.App, tmp_path: Path) -> None:
    warc = Warc(tmp_path / "a.warc.gz")
    first, body = _page(f"First. {STORY}"), _page(f"Brotli. {STORY[::-1]}")
    warc.add(1, "/a", first)
    digest = f"sha1:{base64.b32encode(hashlib.sha1(first, usedforsecurity=False).digest()).decode()}"
    warc.add(1, "/br", brotli.compress(body), headers={"Content-Encoding": "br"})
    chunked = b"%x\r\n%s\r\n0\r\n\r\n" % (len(first), first.replace(b"First", b"Chunk"))
    warc.add(1, "/chunked", chunked, headers={"Transfer-Encoding": "chunked"})
    warc.add(1, "/plain", _page(f"Kept. {STORY.upper()}"), headers={"Content-Encoding": "gzip"})
    warc.add(1, "/resource", _page(f"Resource. {STORY * 2}"), "resource", warc_content_type="text/html")
    warc.add(1, "/text", f"Words. {STORY * 3}".encode(), "conversion", warc_content_type="text/plain")
    warc.add(2, "/a", _page(f"Second. {STORY}"))
    warc.revisit(3, "/a", digest)
    warc.revisit(4, "/a", "sha1:UNKNOWN")
    report = _import(app, warc.write())
    assert [one.code for one in report.problems] == ["warc_original"]
    found = _days(app)
    assert found.pop("/a") == [(1, "First."), (2, "Second."), (3, "First.")]
    assert {path: words[0][1] for path, words in found.items()} == {
        "/br": "Brotli.",
        "/chunked": "Chunk.",
        "/plain": "Kept.",
        "/resource": "Resource.",
        "/text": "Words.",
    }


@pytest.mark.parametrize("packed", [True, False])
def test_what_was_read_before_a_file_breaks_stays_and_the_place_is_told(
    app: veille.App, tmp_path: Path, *, packed: bool
) -> None:
    warc = Warc(tmp_path / "a.warc", packed=packed)
    for number in range(3):
        warc.add(1, f"/{number}", _page(f"Page{number}. {STORY} {'word' * number}"))
    whole = warc.write().read_bytes()
    codes = set()
    for cut in range(len(whole) - 1, 0, -max(1, len(whole) // 12)):
        warc.path.write_bytes(whole[:cut])
        report = _import(app, warc.path)
        if cut >= len(whole) - 4 and not packed:
            continue  # the last line ends are all that is missing
        assert [one.is_end for one in report.problems] == [True], cut
        codes.add(report.problems[0].code)
        assert report.problems[0].offset <= cut
    assert codes <= {"warc_truncated", "warc_damaged"}
    assert len(_days(app)) == 3 if not packed else len(_days(app)) >= 2
    warc.path.write_bytes(whole)
    assert _import(app, warc.path).problems == []
    assert len(_days(app)) == 3


def test_a_damaged_member_ends_its_file_and_no_other(app: veille.App, tmp_path: Path) -> None:
    broken, fine = Warc(tmp_path / "broken.warc.gz"), Warc(tmp_path / "fine.warc.gz")
    broken.add(1, "/a", _page(f"Before. {STORY}"))
    broken.write()
    size = broken.path.stat().st_size
    broken.add(2, "/b", _page(f"After. {STORY[::-1]}"))
    fine.add(3, "/c", _page(f"Fine. {STORY.upper()}"))
    data = bytearray(broken.write().read_bytes())
    data[size + 60 : size + 90] = b"\xff" * 30
    broken.path.write_bytes(data)
    report = _import(app, broken.path, fine.write())
    assert [(one.file, one.code, one.is_end) for one in report.problems] == [("broken.warc.gz", "warc_damaged", True)]
    assert set(_days(app)) == {"/a", "/c"}


@pytest.mark.parametrize(
    "data",
    [
        *(b"", b"hello", b"\x1f\x8b", gzip.compress(b"hello" * 1000, mtime=0), b"WARC/1.0\r\n", b"\0" * 100_000),
        b"WARC/1.0\r\nWARC-Type: response\r\nX: " + b"a" * 1_000_000,
        *(
            b"WARC/1.1\r\nWARC-Type: response\r\nWARC-Target-URI: http://a/\r\nContent-Length: %s\r\n\r\nx" % size
            for size in (b"9" * 20, b"-1")
        ),
    ],
    ids=range(9),
)
def test_what_is_no_warc_file_is_told_and_imports_nothing(app: veille.App, tmp_path: Path, data: bytes) -> None:
    path = tmp_path / "a.warc.gz"
    path.write_bytes(data)
    report = _import(app, path)
    assert {one.code for one in report.problems} <= {"warc_truncated", "warc_damaged", "warc_record", "too_large"}
    assert len(report.problems) >= 1
    assert _days(app) == {}


def test_bombs_and_odd_records_are_told_one_by_one(app: veille.App, tmp_path: Path) -> None:
    warc = Warc(tmp_path / "a.warc.gz")
    warc.add(1, "/bomb", gzip.compress(b"\0" * 50_000_000), headers={"Content-Encoding": "gzip"})
    warc.add(1, "/large", b"<p>" + b"a" * (FAST.max_bytes + 1))
    warc.add(1, "/coding", b"abc", headers={"Content-Encoding": "rot13"})
    warc.add(1, "/cut", _page(STORY), fields={"WARC-Truncated": "length"})
    warc.add(2000, "/future", _page(STORY))
    warc.add(1, "", _page(STORY), url="http://exa mple.org:99999/")
    warc.add(1, "", _page(STORY), url="dns:example.org")
    warc.add(1, "/empty", b"")
    warc.add(1, "/binary", b"\0\1\2" * 1000)
    warc.add(1, "/nested", b"<div>" * 50_000)
    warc.add(2, "/fine", _page(f"Fine. {STORY}"))
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    report = _import(app, warc.write())
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 120_000
    codes = {one.code for one in report.problems}
    assert {"bomb", "too_large", "bad_encoding", "warc_record", "unsupported"} <= codes
    assert list(_days(app)) == ["/fine"]


def test_a_quota_ends_an_import_and_keeps_what_came_before(tmp_path: Path) -> None:
    warc = Warc(tmp_path / "a.warc.gz")
    for number in range(200):
        warc.add(1, f"/{number}", _page(f"{number} {os.urandom(3000).hex()}"))
    path = warc.write()
    with veille.open_app(
        data=tmp_path / "data", fetch=FAST, clock=lambda: NOW, quotas=QuotaSettings(stored_mb=1.5)
    ) as app:
        app.create_dossier("news")
        with pytest.raises(ConfigError) as raised:
            _import(app, path, most_bytes=1_500_000)
        assert raised.value.code == "quota_stored"
        assert 0 < len(_days(app)) < 200


@pytest.mark.timeout(200)
def test_an_import_that_is_killed_goes_on_and_stores_everything_once(tmp_path: Path) -> None:
    warc = Warc(tmp_path / "a.warc.gz")
    pages = 60
    for day in (1, 2, 3):
        for number in range(pages):
            text = f"Page{number} was {'kept' if number % 3 else day}. {STORY} {number} {'again ' * (number % 7)}"
            warc.add(day, f"/{number}", _page(text))
    path = warc.write()
    found = []
    for name, points in (("undisturbed", ()), ("killed", (2, 3))):
        data = tmp_path / name
        with veille.open_app(data=data, fetch=FAST) as app:
            app.create_dossier("news")
        for point in (*points, 0):
            done = subprocess.run(
                [sys.executable, "-m", "veille", "warc", "import", "--dossier", "news", "--json", str(path)],
                env={**os.environ, "VEILLE_DATA": str(data), "VEILLE_FAILPOINT": f"during_warc_import:kill@{point}"},
                capture_output=True,
                text=True,
                check=False,
                timeout=100,
            )
            assert done.returncode == (-signal.SIGKILL if point else 0), done.stderr
        assert json.loads(done.stdout)["problems"] == 0
        with veille.open_app(data=data, fetch=FAST) as app:
            with app.dossiers.open(app.dossier("news").id) as store:
                events = [(one.at, one.change, one.url, one.rev_n) for one in store.outbox.events(0, 10_000)]
            found.append((_days(app), events))
    assert found[0] == found[1]
    assert len(found[0][1]) == pages + 2 * pages // 3
