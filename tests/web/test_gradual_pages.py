from __future__ import annotations

import asyncio
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from http.client import HTTPConnection
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from inside_sqlite import database_of
from service import Here
from veille.errors import StoreError
from veille.interfaces.web.actions.show import _to_the_end
from world import Site


@pytest.fixture
def office(tmp_path: Path) -> Iterator[Here]:
    with Here(tmp_path) as here:
        yield here


def _in_parts(office: Here, path: str) -> list[bytes]:
    """The page, as it comes."""
    where = urlsplit(office.url)
    connection = HTTPConnection(where.hostname or "", where.port, timeout=20)
    connection.request("GET", path, headers={**office.person("ada@example.org").headers, "Accept": "text/html"})
    answer = connection.getresponse()
    assert answer.status == 200
    parts = list(iter(answer.read1, b""))
    connection.close()
    return parts


@pytest.mark.parametrize("page", ["sources", "search?q=ferries"])
def test_the_frame_of_a_page_comes_before_what_takes_a_while(office: Here, site: Site, page: str) -> None:
    site.article("/a", "A title", "A text about ferries")
    dossier_id = office.dossier("Harbour")
    office.watch(dossier_id, site.url + "/a")
    office.look(dossier_id)
    frame, *rest = _in_parts(office, f"/d/{dossier_id}/{page}")
    assert b'name="q"' in frame
    assert frame.rstrip(b" \n").endswith(b"\f")
    assert b"/sources/" not in frame
    assert b"/sources/" in b"".join(rest)


def test_a_page_that_was_quick_the_last_time_comes_as_a_whole(office: Here) -> None:
    dossier_id = office.dossier("Harbour")
    first, second = (b"".join(_in_parts(office, f"/d/{dossier_id}/search?q=ferries")) for _ in range(2))
    assert b"\f" in first
    assert b"nothing" in second.lower()
    assert second.rstrip().endswith(b"</html>")


def test_a_page_that_breaks_off_says_so(office: Here) -> None:
    dossier_id = office.dossier("Harbour")
    assert b"cannot be shown" not in b"".join(_in_parts(office, f"/d/{office.dossier('Other')}/search?q=ferries"))
    with office.program() as app, app.dossiers.open(dossier_id) as store:
        database_of(store).execute("DROP TABLE search_words")
        database_of(store).execute("DROP TABLE search")
    shown = b"".join(_in_parts(office, f"/d/{dossier_id}/search?q=ferries"))
    assert b"The rest cannot be shown now: Internal error" in shown
    assert shown.rstrip().endswith(b"</html>")


def test_what_went_wrong_is_told_in_its_own_words_and_escaped() -> None:
    async def rest() -> str:
        raise StoreError("The <disk> is full.", code="store.full")

    async def shown() -> str:
        return "".join([part async for part in _to_the_end("<main>", rest)])

    # In a thread: the tests of pages leave a loop running in this one.
    with ThreadPoolExecutor() as aside:
        assert "The &lt;disk&gt; is full." in aside.submit(asyncio.run, shown()).result()
