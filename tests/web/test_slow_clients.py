"""Whoever is slow, of those who ask and of those who are asked, holds up nobody else."""

from __future__ import annotations

import socket
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from select import select
from threading import Event
from urllib.parse import quote, urlsplit

import pytest

from samples import document, lease
from service import Client, Here
from veille.core.models import Change, Item, Plan
from world import Asked, Page, Site

#: More than lies on the way between the service and somebody who does not read.
LONG = "word " * 2_000_000


@pytest.fixture
def office(tmp_path: Path) -> Iterator[Here]:
    """It works on one request at a time."""
    with Here(tmp_path, serve={"requests": 1}) as running:
        yield running


def _ask(client: Client, head: str, *headers: str) -> socket.socket:
    """A line on which something is asked for and nothing is read."""
    where, line = urlsplit(client.url), socket.socket()
    line.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
    line.connect((where.hostname, where.port))
    asked = [head, "Host: localhost", f"Cookie: {client.headers['Cookie']}", *headers]
    line.sendall(("\r\n".join(asked) + "\r\n\r\n").encode())
    return line


def test_a_download_that_is_not_read_holds_up_nobody(office: Here) -> None:
    dossier_id = office.dossier("long")
    source_id = office.watch(dossier_id, "https://example.org/")
    with office.program() as app, app.dossiers.open(dossier_id) as store:
        found = store.sources.get(source_id)
        assert found
        store.runs.start("run", app.clock())
        item = Item(change=Change.NEW, url=found.url, document=document(text=LONG), document_id="long", rev_n=1)
        with store.writing() as writer:
            writer.apply([Plan(lease=lease(found, dossier_id=dossier_id), items=(item,))], "run", app.clock())
    ada = office.person("ada@example.org")
    with _ask(ada, f"GET /api/dossiers/{dossier_id}/export HTTP/1.1") as line:
        assert line.recv(4).startswith(b"HTTP"), "it is on its way"
        assert office.anonymous().get("/health") == {"status": "ok"}


def test_a_form_that_does_not_come_to_its_end_holds_up_nobody(office: Here) -> None:
    dossier_id = office.dossier("slow")
    source_id = office.watch(dossier_id, "https://example.org/")
    ada = office.person("ada@example.org")
    form = ("Content-Type: application/x-www-form-urlencoded", "Sec-Fetch-Site: same-origin", "Content-Length: 100")
    with _ask(ada, f"POST /d/{dossier_id}/sources/{source_id}/edit HTTP/1.1", *form, "Expect: 100-continue") as line:
        assert b" 100 " in line.recv(100), "it is being read"
        assert office.anonymous().get("/health") == {"status": "ok"}


@pytest.mark.parametrize("page", ["/api/proxy-image", "/api/dossiers/{}/reader"])
def test_a_site_that_takes_its_time_holds_up_nobody(tmp_path: Path, site: Site, page: str) -> None:
    begun, goes_on = Event(), Event()

    def slow(_: Asked) -> Page:
        begun.set()
        assert goes_on.wait(20)
        return Page(b"")

    site.made["/slow"] = slow
    with Here(tmp_path, serve={"requests": 2}) as office, ExitStack() as lines:
        dossier_id = office.dossier("slow")
        with office.program() as app:
            signed = app.image_signer(dossier_id)(f"{site.url}/slow")
        path = f"{page.format(dossier_id)}?url={quote(f'{site.url}/slow', safe='')}{signed}"
        ada = office.person("ada@example.org")
        asked = [lines.enter_context(_ask(ada, f"GET {path} HTTP/1.1")) for _ in range(3)]
        assert begun.wait(20)
        for _ in range(3):
            assert office.anonymous().get("/health") == {"status": "ok"}
        assert not select(asked, [], [], 0)[0], "nobody waited for the site"
        goes_on.set()
        for line in asked:
            assert select([line], [], [], 20)[0], "those who asked for it get their answer"
