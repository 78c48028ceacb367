"""Very many kept answers, and what became of each."""

from __future__ import annotations

import io
import json
import sqlite3
from contextlib import closing
from hashlib import sha256
from pathlib import Path
from typing import Any

from warcio.statusandheaders import StatusAndHeaders
from warcio.warcwriter import WARCWriter

import veille
from samples import NOW, STORY
from veille.core.warc.captures import warc_date
from veille.services.watching.sources import SourceEdit
from watching import FAST


def library(folder: Path, pages: int) -> Path:
    """A data folder with pages whose answers are kept, and options that read more in them."""
    path = folder / "pages.warc.gz"
    with path.open("wb") as out:
        writer: Any = WARCWriter(out, gzip=True)
        http = StatusAndHeaders("200 OK", [("Content-Type", "text/html")], protocol="HTTP/1.1")
        for number in range(pages):
            aside = f"<aside><p>Aside {number}: {STORY}</p></aside>" if number % 3 == 0 else ""
            body = (
                f"<html lang=en><title>{number}</title><main><article><p>{number} {STORY}</p></article>{aside}</main>"
            )
            record = writer.create_warc_record(
                f"http://example.org/{number}",
                "response",
                payload=io.BytesIO(body.encode()),
                http_headers=http,
                warc_headers_dict={"WARC-Date": warc_date(NOW)},
            )
            writer.write_record(record)
            record.raw_stream.close()
    data = folder / "data"
    with veille.open_app(data=data, fetch=FAST) as app:
        dossier = app.create_dossier("news")
        app.raw_answers.set_keep_raw(dossier.id, "all")
        assert app.warc.imports.run(dossier.id, [path]).counts["new"] == pages
        app.sources.edit(dossier.id, "Archive", SourceEdit(options={"mode": "css", "selectors": ["article", "aside"]}))
    path.unlink()
    return data


def read_again(data: Path) -> int:
    """How many answers were read again so far."""
    return int(_rows(data, "SELECT count(*) FROM raw_answers WHERE reads > 0")[0][0])


def facts(data: Path) -> tuple[str, dict[str, int]]:
    """A hash over every page as it is read now and found by searches; and how often its answer was read again."""
    found = sha256()
    pages = _rows(
        data,
        "SELECT documents.url, bodies.title, bodies.text, documents.content_hash, rev_n, outcome, code, reads "
        "FROM documents JOIN bodies USING (row) JOIN raw_revisions USING (revision_id) "
        "JOIN raw_answers ON raw_answers.id = answer ORDER BY documents.url",
    )
    for row in pages:
        found.update(json.dumps(row).encode())
    words = _rows(data, "SELECT term, doc, cnt FROM search_words ORDER BY term")
    found.update(json.dumps(words).encode())
    reads = _rows(data, "SELECT 'read ' || reads, count(*) FROM raw_answers GROUP BY 1")
    told = _rows(data, "SELECT 'told', count(*) FROM outbox")
    return found.hexdigest(), {**dict(reads), **dict(told), "pages": len(pages)}


def _rows(data: Path, sql: str) -> list[Any]:
    (path,) = (data / "dossiers").rglob("*.db")
    with closing(sqlite3.connect(f"file:{path}?mode=ro", uri=True, timeout=30)) as file:
        return file.execute(sql).fetchall()
