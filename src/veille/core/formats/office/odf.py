"""OpenDocument: common code of text and spreadsheet files: parts, properties, and the text of a paragraph."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import NamedTuple

from lxml.etree import _Element

from veille.core.dates import parse_date
from veille.core.formats._paper import Paper
from veille.core.formats.office.xml import local, number, parse_xml
from veille.core.formats.office.zip import parts_and_pictures
from veille.core.text import flat
from veille.errors import ReadError

_NS = "urn:oasis:names:tc:opendocument:xmlns:"
TEXT, TABLE, OFFICE = f"{{{_NS}text:1.0}}", f"{{{_NS}table:1.0}}", f"{{{_NS}office:1.0}}"
STYLE, DRAW, META = f"{{{_NS}style:1.0}}", f"{{{_NS}drawing:1.0}}", f"{{{_NS}meta:1.0}}"
PRESENTATION = f"{{{_NS}presentation:1.0}}"

#: Comments, notes (read separately), deleted text and hidden text are not part of a paragraph's text.
SILENT = frozenset(
    {f"{OFFICE}annotation", f"{OFFICE}annotation-end", f"{TEXT}tracked-changes", f"{TEXT}hidden-text"}
    | {f"{TEXT}hidden-paragraph", f"{TEXT}sequence-decls", f"{OFFICE}forms"}
)
_BREAKS = {f"{TEXT}tab": "\t", f"{TEXT}line-break": "\n"}
_MAX_BLANKS = 100
_PARTS = frozenset({"content.xml", "styles.xml", "meta.xml", "META-INF/manifest.xml"})


class OdfFile(NamedTuple):
    """An OpenDocument file: its parts, its content as a tree, the body in it, and whether there are pictures."""

    parts: dict[str, bytes]
    root: _Element
    body: _Element
    has_images: bool

    def styles(self) -> list[_Element]:
        """The trees with styles."""
        return [self.root, parse_xml(self.parts["styles.xml"])] if "styles.xml" in self.parts else [self.root]

    def properties(self) -> Paper:
        """A paper with the properties in meta.xml only; an empty one if there are none."""
        if "meta.xml" not in self.parts:
            return Paper()
        said: dict[str, str] = {}
        for node in parse_xml(self.parts["meta.xml"]).iter():
            name = local(node)
            if name == "user-defined":
                name = f"own:{str(node.get(f'{META}name') or '').lower()}"
            said.setdefault(name, flat(node.text or ""))
        author = said.get("initial-creator") or said.get("creator", "")
        return Paper(
            title=said.get("title", ""),
            authors=tuple(filter(None, map(flat, author.split(";")))),
            created=parse_date(said.get("creation-date", "")),
            modified=parse_date(said.get("date", "")),
            language=said.get("language", "").partition("-")[0].lower(),
            version_hint=said.get("own:version", ""),
        )


def odf_file(data: bytes, kind: str, content: str) -> OdfFile:
    """The file, if its body is of that kind; `content` names what a file of another kind lacks."""
    parts, pictures = parts_and_pictures(data, _PARTS.__contains__, "Pictures/")
    # A password is recognised by the manifest.
    manifest = parts.get("META-INF/manifest.xml", b"")
    if b"encryption-data" in manifest or b"encrypted-package" in manifest:
        raise ReadError("The document is protected by a password.", code="needs_password")
    if "content.xml" not in parts:
        raise ReadError("The document has no content part; it is no OpenDocument file.", code="corrupt")
    root = parse_xml(parts["content.xml"])
    body = root.find(f"{OFFICE}body/{OFFICE}{kind}")
    if body is None:
        raise ReadError(f"The document has no {content}; it is no OpenDocument {kind}.", code="corrupt")
    return OdfFile(parts, root, body, pictures)


class Inline(NamedTuple):
    """How the inside of paragraphs is read: text of a note, handler of text boxes, styles that hide their text."""

    note: Callable[[_Element], str]
    box: Callable[[_Element], None]
    hidden: frozenset[str] = frozenset()


def paragraph(node: _Element, inline: Inline) -> str:
    """The text of a paragraph."""
    return "".join(_pieces(node, inline))


def styles_with(roots: Iterable[_Element], properties: str, name: str, value: str) -> frozenset[str]:
    """The names of the styles with this value in their properties, such as those that hide what they are for."""
    return frozenset(
        str(style.get(f"{STYLE}name"))
        for root in roots
        for style in root.iter(f"{STYLE}style")
        for looks in style.iterfind(f"{STYLE}{properties}")
        if looks.get(name) == value
    )


def count(node: _Element, name: str) -> int:
    """The repetition count in an attribute, at least 1."""
    return max(number(node.get(name)), 1)


def table_rows(table: _Element) -> Iterator[_Element]:
    """The rows of a table, also those in groups."""
    for child in table:
        if child.tag == f"{TABLE}table-row":
            yield child
        elif local(child) in {"table-header-rows", "table-rows", "table-row-group"}:
            yield from table_rows(child)


def _pieces(node: _Element, inline: Inline) -> Iterator[str]:
    yield node.text or ""
    for child in node:
        tag = child.tag
        if tag == f"{TEXT}s":
            yield " " * min(count(child, f"{TEXT}c"), _MAX_BLANKS)
        elif tag in _BREAKS:
            yield _BREAKS[tag]
        elif tag == f"{TEXT}note":
            yield inline.note(child)
        elif tag == f"{DRAW}text-box":
            inline.box(child)
        elif tag not in SILENT and child.get(f"{TEXT}style-name") not in inline.hidden:
            yield from _pieces(child, inline)
        yield child.tail or ""
