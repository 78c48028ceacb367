"""Style and scripts: browsers keep them until they change."""

from __future__ import annotations

import gzip
import re
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urljoin

import pytest

from service import Client, Here


@pytest.fixture
def office(tmp_path: Path) -> Iterator[Here]:
    with Here(tmp_path) as here:
        yield here


def test_whatever_pages_load_and_what_that_imports_is_kept_for_good(office: Here) -> None:
    home, ada = f"/d/{office.dossier('Harbour')}", office.person("ada@example.org")
    pages = [ada.ask("GET", path).body.decode() for path in ("/login", "/", f"{home}/search", f"{home}/exports")]
    waiting = {path for page in pages for path in re.findall(r'(?:src|href)="(/static/[^"]+)"', page)}
    seen = set[str]()
    while waiting:
        path = waiting.pop()
        seen.add(path)
        answer = ada.ask("GET", path)
        assert answer.status == 200, path
        assert "immutable" in answer.headers["cache-control"], path
        imported = re.findall(r'(?:from |import |import\()"(\./[^"]+)"', answer.body.decode(errors="replace"))
        waiting |= {urljoin(path, name) for name in imported} - seen
    assert {"veille.css", "veille.js", "keys.js", "live.js", "fragment.js"} <= {path.split("/")[-1] for path in seen}


def test_a_page_of_an_older_edition_gets_the_files_of_now_and_asks_again(office: Here) -> None:
    anybody, path = Client(office.url), "/static/0123456789/veille.js"
    answer = anybody.ask("GET", path)
    assert (answer.status, answer.headers["cache-control"]) == (200, "no-cache")
    again = anybody.ask("GET", path, headers={"If-None-Match": answer.headers["etag"]})
    assert (again.status, again.body) == (304, b"")
    assert anybody.ask("GET", "/static/0123456789/nothing.js").status == 404


def test_style_and_scripts_are_packed_for_those_who_take_that(office: Here) -> None:
    anybody, path = Client(office.url), "/static/0123456789/veille.css"
    plain = anybody.ask("GET", path)
    assert "content-encoding" not in plain.headers
    for accepted in ("gzip, deflate, br", "br;q=1.0, GZIP;q=0.8"):
        packed = anybody.ask("GET", path, headers={"Accept-Encoding": accepted})
        assert (packed.headers["content-encoding"], packed.headers["vary"]) == ("gzip", "Accept-Encoding")
        assert gzip.decompress(packed.body) == plain.body
        assert len(packed.body) < len(plain.body) / 3
    for refused in ("gzip;q=0, br", "identity", "xgzip"):
        assert anybody.ask("GET", path, headers={"Accept-Encoding": refused}).body == plain.body
