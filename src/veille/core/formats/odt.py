"""OpenDocument text (LibreOffice, and exports of Word and Google Docs)."""

from __future__ import annotations

from veille.core.formats import Format, FormatOptions, Paper
from veille.core.formats.office.odf import odf_file
from veille.core.formats.office.odf_body import OdfBody


class OdtFormat(Format):
    """Headings by outline level, lists, tables, notes, properties; deleted and hidden text left out."""

    media_types = (
        "application/vnd.oasis.opendocument.text",
        "application/vnd.oasis.opendocument.text-template",
    )
    extensions = ("odt", "ott")
    zip_member = b"mimetypeapplication/vnd.oasis.opendocument.text"

    def read(self, data: bytes, options: FormatOptions) -> Paper:
        del options
        file = odf_file(data, "text", "text body")
        body = OdfBody(file)
        body.read(file.body)
        return body.finished()
