"""Electronic books: the chapters in the order of the spine, each read from its XHTML."""

from __future__ import annotations

import posixpath
from collections import defaultdict
from urllib.parse import unquote

from lxml.etree import _Element

from veille.core.dates import parse_date
from veille.core.formats import Format, FormatOptions, Paper, with_sections
from veille.core.formats._chapter import Chapters
from veille.core.formats.office.xml import local, parse_xhtml, parse_xml
from veille.core.formats.office.zip import members
from veille.core.text import flat
from veille.errors import ReadError

_CONTAINER = "META-INF/container.xml"
_CHAPTERS = (".xhtml", ".html", ".htm", ".xml", ".opf")
_XHTML = frozenset({"application/xhtml+xml", "text/html", "application/x-dtbook+xml"})
#: Many readable books have obfuscated fonts; only other encryption needs a key.
_FONT_ALGORITHMS = (b"http://www.idpf.org/2008/embedding", b"http://ns.adobe.com/pdf/enc#RC")


class EpubFormat(Format):
    """EPUB 2 and 3; copy-protected books are reported as such."""

    media_types = ("application/epub+zip",)
    extensions = ("epub",)
    zip_member = b"mimetypeapplication/epub+zip"

    def read(self, data: bytes, options: FormatOptions) -> Paper:
        del options
        parts = members(data, lambda name: name.lower().endswith(_CHAPTERS))
        _check_protection(parts)
        folder, package = _package(parts)
        chapters = Chapters()
        for name in _spine(package, folder):
            if name in parts:
                chapters.read(parse_xhtml(parts[name]))
        said = _said(package)
        title, created, modified, language = (
            next(iter(said[name]), "") for name in ("title", "date", "dcterms:modified", "language")
        )
        about = Paper(
            title=title,
            authors=tuple(said["creator"]),
            created=parse_date(created),
            modified=parse_date(modified),
            language=language.partition("-")[0].lower(),
        )
        return with_sections(about, chapters.sections, has_images=chapters.has_images)


def _check_protection(parts: dict[str, bytes]) -> None:
    listing = parts.get("META-INF/encryption.xml", b"")
    ciphers = listing.count(b"EncryptionMethod ")
    if "META-INF/rights.xml" in parts or ciphers > sum(map(listing.count, _FONT_ALGORITHMS)):
        raise ReadError("The book is copy-protected.", code="needs_password")


def _package(parts: dict[str, bytes]) -> tuple[str, _Element]:
    if _CONTAINER not in parts:
        raise ReadError("The book has no container file.", code="corrupt")
    for node in parse_xml(parts[_CONTAINER]).iter():
        path = str(node.get("full-path") or "")
        if local(node) == "rootfile" and path in parts:
            return posixpath.dirname(path), parse_xml(parts[path])
    raise ReadError("The book has no package file.", code="corrupt")


def _spine(package: _Element, folder: str) -> list[str]:
    files = {}
    for node in package.iter():
        if (
            local(node) == "item"
            and node.get("media-type") in _XHTML
            and "nav" not in str(node.get("properties") or "")
        ):
            files[node.get("id")] = posixpath.normpath(posixpath.join(folder, unquote(str(node.get("href") or ""))))
    order = [node.get("idref") for node in package.iter() if local(node) == "itemref"]
    return list(dict.fromkeys(files[key] for key in order if key in files))


def _said(package: _Element) -> dict[str, list[str]]:
    said: dict[str, list[str]] = defaultdict(list)
    for node in package.iter():
        name = str(node.get("property") or "") if local(node) == "meta" else local(node)
        text = flat(node.text or "")
        if text:
            said[name].append(text)
    return said
