"""The format of a zip, from the names of its members."""

from __future__ import annotations

_ZIP = b"PK\x03\x04"


def is_zip_of(data: bytes, *, inside: bytes) -> bool:
    """Whether this is a zip with a member of that name, and no member of another office format before it."""
    if not data.startswith(_ZIP):
        return False
    found = {mark: at for mark in _MARKS if (at := data.find(mark)) >= 0}
    return bool(found) and min(found, key=lambda mark: found[mark]) == inside


#: Member names are stored uncompressed; reading the directory of a hostile zip would cost much more than a search.
WORD, EXCEL, SLIDES = b"word/document", b"xl/workbook", b"ppt/presentation"
ODT = b"mimetypeapplication/vnd.oasis.opendocument.text"
ODS = b"mimetypeapplication/vnd.oasis.opendocument.spreadsheet"
ODP = b"mimetypeapplication/vnd.oasis.opendocument.presentation"
EPUB = b"mimetypeapplication/epub+zip"
_MARKS = (WORD, EXCEL, SLIDES, ODT, ODS, ODP, EPUB)
