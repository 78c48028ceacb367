"""Electronic books: the chapters in the order of the spine, each read from its XHTML."""

from __future__ import annotations

import posixpath
from collections import defaultdict
from collections.abc import Iterator
from urllib.parse import unquote

from lxml.etree import _Element

from veille.core.dates import parse_date
from veille.core.formats import Format, FormatOptions, Paper, Section, with_sections
from veille.core.formats._sections import ListLines, SectionReader
from veille.core.formats._tables import Cell, spanned
from veille.core.formats.office.xml import local, parse_xhtml, parse_xml
from veille.core.formats.office.zip import members
from veille.core.text import clean, flat
from veille.errors import ReadError

_CONTAINER = "META-INF/container.xml"
_CHAPTERS = (".xhtml", ".html", ".htm", ".xml", ".opf")
_XHTML = frozenset({"application/xhtml+xml", "text/html", "application/x-dtbook+xml"})
#: Many readable books have obfuscated fonts; only other encryption needs a key.
_FONT_ALGORITHMS = (b"http://www.idpf.org/2008/embedding", b"http://ns.adobe.com/pdf/enc#RC")
_SILENT = frozenset("head script style template nav iframe object".split())
_HEADINGS = {f"h{level}": level for level in range(1, 7)}
_INLINE = frozenset(
    "a abbr b bdi bdo big cite code del dfn em font i ins kbd mark q rp rt ruby s samp small span strike strong sub "
    "sup time tt u var wbr".split()
)
_MAX_SPAN = 64


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
        chapters = _Chapters()
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


class _Chapters(SectionReader):
    """Collects the sections of consecutive chapters."""

    def __init__(self) -> None:
        super().__init__()
        self.has_images = False
        self._words: list[str] = []

    def read(self, node: _Element) -> None:
        self._walk(node)
        self._flush()

    def _walk(self, node: _Element) -> None:
        name = local(node)
        if not name or name in _SILENT or _is_hidden(node):
            return
        is_block = name not in _INLINE
        if is_block:
            self._flush()
            if self._block(name, node):
                return
        self._words.append(node.text or "")
        for child in node:
            self._walk(child)
            self._words.append(child.tail or "")
        if is_block:
            self._flush()

    def _block(self, name: str, node: _Element) -> bool:
        """Whether the element becomes a section as a whole."""
        if name in _HEADINGS:
            self.add_text(_words(node), _HEADINGS[name])
        elif name in {"ul", "ol"}:
            lines = ListLines()
            _items(node, lines, 0)
            self.add("list", lines.taken())
        elif name == "table":
            caption = next((_words(child) for child in node if local(child) == "caption"), "")
            rows = spanned(_cells(row) for row in node.iter() if local(row) == "tr")
            self.sections.append(Section(kind="table", title=caption, rows=rows))
        elif name == "pre":
            self.add("code", clean("".join(map(str, node.itertext()))))
        elif name in {"img", "image"}:
            self.has_images = True
        else:
            return False
        return True

    def _flush(self) -> None:
        text = flat("".join(self._words))
        self._words.clear()
        self.add("paragraph", text)


def _items(node: _Element, lines: ListLines, depth: int) -> None:
    numbered = str(id(node)) if local(node) == "ol" else ""
    for item in node:
        if local(item) in {"ul", "ol"}:
            _items(item, lines, depth + 1)
        elif local(item):
            inner = [child for child in item.iter() if local(child) in {"ul", "ol"}]
            lines.add(_words(item, without=inner), depth, numbered)
            for child in item:
                if child in inner:
                    _items(child, lines, depth + 1)


def _cells(row: _Element) -> Iterator[Cell]:
    for cell in row:
        if local(cell) in {"td", "th"}:
            span = str(cell.get("colspan") or "1")
            yield Cell(_words(cell), min(int(span) if span.isdecimal() else 1, _MAX_SPAN))


def _words(node: _Element, without: list[_Element] | None = None) -> str:
    pieces: list[str] = []
    _collect(node, pieces, without or [])
    return flat("".join(pieces))


def _collect(node: _Element, pieces: list[str], without: list[_Element]) -> None:
    pieces.append(node.text or "")
    for child in node:
        name = local(child)
        if name and name not in _SILENT and child not in without and not _is_hidden(child):
            space = "" if name in _INLINE else " "
            pieces.append(space)
            _collect(child, pieces, without)
            pieces.append(space)
        pieces.append(child.tail or "")


def _is_hidden(node: _Element) -> bool:
    style = str(node.get("style") or "").replace(" ", "").lower()
    return node.get("hidden") is not None or "display:none" in style or "visibility:hidden" in style
