"""Write WARC files with warcio: version 1.1, every record a gzip member of its own, as indexers want them.

answer      response                 what a server sent, if it is kept
revision    metadata + conversion    the facts as JSON; the text as it is stored
removal     metadata
picture     resource                 WebP, in segments of bodies
"""

from __future__ import annotations

from http import HTTPStatus
from io import BytesIO
from typing import IO, Any

from veille.adapters.warc.reading import OWN_ANSWER, OWN_FIELD
from veille.core.fingerprint import uuid7
from veille.core.records import Revision
from veille.core.traffic import Payload
from veille.core.warc.captures import warc_date
from veille.core.warc.revisions import FACTS_TYPE, SourceFacts, packed_removal, packed_revision_facts
from veille.core.warc.segments import picture_urn
from veille.errors import ConfigError
from veille.version import VERSION


class WarcFile:
    """The port `WarcWriter`, on an open file."""

    def __init__(self, out: IO[bytes], name: str, *, packed: bool = True) -> None:
        try:
            from warcio.statusandheaders import StatusAndHeaders  # noqa: PLC0415 - an extra
            from warcio.warcwriter import WARCWriter  # noqa: PLC0415 - likewise
        except ImportError as error:
            raise ConfigError(
                "WARC files need libraries that are not installed: `pip install 'veille[warc]'`.", code="needs_extra"
            ) from error
        self._http: Any = StatusAndHeaders
        self._out: Any = WARCWriter(out, gzip=packed, warc_version="WARC/1.1")
        about = {"software": f"veille/{VERSION}", "format": "WARC File Format 1.1"}
        self._out.write_record(self._out.create_warcinfo_record(name, about))

    def answer(self, answer_id: str, payload: Payload) -> None:
        status = payload.status or HTTPStatus.OK
        known = HTTPStatus(status).phrase if status in HTTPStatus._value2member_map_ else ""
        headers = self._http(f"{status} {known}".rstrip(), _headers(payload), protocol="HTTP/1.1")
        fields = _fields(payload.fetched_at, answer_id) | {OWN_FIELD: OWN_ANSWER}
        self._write("response", payload.final_url, payload.body, fields, http_headers=headers)

    def picture(self, sha256: str, webp: bytes, at: int) -> None:
        """A picture of a page, by the hash of its pixels."""
        fields = _fields(at, uuid7(at, sha256, "picture"))
        self._write("resource", picture_urn(sha256), webp, fields, warc_content_type="image/webp")

    def revision(self, revision: Revision, source: SourceFacts, *, shares_address: bool, answer_id: str = "") -> None:
        at = revision.extracted_at
        facts = packed_revision_facts(revision, source, shares_address=shares_address)
        self._facts(revision, facts, at, **{"WARC-Concurrent-To": _urn(revision.id)})
        fields = _fields(at, revision.id) | ({"WARC-Refers-To": _urn(answer_id)} if answer_id else {})
        text = revision.text.encode()
        self._write("conversion", revision.url, text, fields, warc_content_type="text/plain; charset=utf-8")

    def removal(self, revision: Revision, source: SourceFacts, at: int, *, shares_address: bool) -> None:
        facts = packed_removal(revision, source, shares_address=shares_address)
        self._facts(revision, facts, at)

    def _facts(self, revision: Revision, facts: bytes, at: int, **fields: str) -> None:
        own = _fields(at, uuid7(at, revision.id, "facts")) | fields
        # Not under the address of the page: an index would take the facts for the page.
        self._write("metadata", f"urn:veille:revision:{revision.id}", facts, own, warc_content_type=FACTS_TYPE)

    def _write(self, kind: str, url: str, body: bytes, fields: dict[str, str], **more: Any) -> None:
        record = self._out.create_warc_record(
            url, kind, payload=BytesIO(body), length=len(body), warc_headers_dict=fields, **more
        )
        self._out.write_record(record)
        # A copy that it made to count the digests; nobody else closes it.
        record.raw_stream.close()


def _headers(payload: Payload) -> list[tuple[str, str]]:
    """The headers that are kept of an answer; the body has no coding, and the length that it has."""
    charset = f"; charset={payload.charset}" if payload.charset and payload.media_type else ""
    named = [
        ("Content-Type", payload.media_type + charset),
        ("ETag", payload.etag),
        ("Last-Modified", payload.last_modified),
        ("Link", payload.link),
        *(("X-Robots-Tag", line) for line in payload.robots.splitlines()),
        ("Content-Length", str(len(payload.body))),
    ]
    return [(name, " ".join(value.split())) for name, value in named if value]


def _fields(at: int, record_id: str) -> dict[str, str]:
    return {"WARC-Date": warc_date(at), "WARC-Record-ID": _urn(record_id), OWN_FIELD: "revision"}


def _urn(record_id: str) -> str:
    return f"<urn:uuid:{record_id}>"
