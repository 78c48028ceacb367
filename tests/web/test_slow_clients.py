"""Whoever reads or writes slowly holds up nobody else: here the service works on one request at a time."""

from __future__ import annotations

import socket
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from samples import document, lease
from service import Client, Here
from veille.core.models import Change, Item, Plan

#: More than lies on the way between the service and somebody who does not read.
LONG = "word " * 2_000_000


@pytest.fixture
def office(tmp_path: Path) -> Iterator[Here]:
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
            writer.apply(Plan(lease=lease(found, dossier_id=dossier_id), items=(item,)), "run", app.clock())
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
