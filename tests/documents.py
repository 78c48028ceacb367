"""Document cases, and what a paper keeps, in a form that can be compared with `expected.json`."""

from __future__ import annotations

import io
import re
import zipfile
from pathlib import Path
from typing import Any

from veille.core.dates import iso
from veille.core.formats import Paper, detect, read_paper
from veille.core.models import Lease, Request, Source
from veille.core.traffic import Payload
from veille.errors import ReadError

CASES = Path(__file__).parent / "cases" / "documents"


def case_names() -> list[str]:
    return sorted(path.parent.name for path in CASES.glob("*/expected.json"))


def case_bytes(case: str) -> bytes:
    return input_of(case).read_bytes()


def docx_saying(**said: str) -> bytes:
    """A Word document, always with the same text, with these properties, such as `modified` or `creator`."""
    made = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(case_bytes("report-docx"))) as old, zipfile.ZipFile(made, "w") as new:
        for name in old.namelist():
            part = old.read(name)
            for field, value in said.items() if name == "docProps/core.xml" else ():
                part = re.sub(rf"(<\w+:{field}[^>]*>)[^<]*(<)".encode(), rf"\g<1>{value}\g<2>".encode(), part)
            new.writestr(name, part)
    return made.getvalue()


def input_of(case: str) -> Path:
    return next((CASES / case).glob("input.*"))


def kept(case: str) -> dict[str, Any]:
    """Everything of a case that the expectation speaks of: each heading, list, table cell and property."""
    path = input_of(case)
    data = path.read_bytes()
    name = detect(data, "", path.name)
    assert name is not None
    try:
        return {"format": name, **facts(read_paper(data, name))}
    except ReadError as error:
        return {"format": name, "error": error.code}


def facts(paper: Paper) -> dict[str, Any]:
    return {
        "title": paper.title,
        "authors": list(paper.authors),
        "created": iso(paper.created) if paper.created else None,
        "modified": iso(paper.modified) if paper.modified else None,
        "language": paper.language,
        "version_hint": paper.version_hint,
        "pages": paper.quality.page_count,
        "needs_ocr": paper.quality.needs_ocr,
        "headings": [[part.level, part.title] for part in paper.sections if part.kind == "heading"],
        "sheets": [part.title for part in paper.sections if part.kind == "sheet"],
        "paragraphs": [part.text for part in paper.sections if part.kind == "paragraph"],
        "lists": [part.text.split("\n") for part in paper.sections if part.kind == "list"],
        "code": [part.text for part in paper.sections if part.kind == "code"],
        "tables": [[list(row) for row in part.rows] for part in paper.sections if part.kind == "table"],
        "text": paper.text.split("\n"),
    }


def lease_of(url: str) -> Lease:
    source = Source(id="source", name="A source", kind="page", url=url)
    request = Request(id="request", source_id=source.id, url=url)
    return Lease(dossier_id="dossier", source=source, request=request, worker="worker", epoch=1, until=0, wakes=0)


def payload_of(url: str, body: bytes, media_type: str = "") -> Payload:
    return Payload(url=url, status=200, body=body, fetched_at=0, final_url=url, media_type=media_type, raw_hash="fresh")
