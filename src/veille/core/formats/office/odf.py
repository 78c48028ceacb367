"""OpenDocument: common code of text and spreadsheet files: parts, properties, and the text of a paragraph."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, NamedTuple

from veille.core.dates import parse_date
from veille.core.formats.office.office import Properties
from veille.core.formats.office.xml import local, parse_xml
from veille.core.formats.office.zip import members
from veille.core.text import flat
from veille.errors import ReadError

if TYPE_CHECKING:
    from lxml.etree import _Element

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


def odf_parts(data: bytes) -> tuple[dict[str, bytes], bool]:
    """The parts that are read, and whether there are pictures. A password is recognised by the manifest."""
    pictures = False

    def wanted(name: str) -> bool:
        nonlocal pictures
        pictures = pictures or name.startswith("Pictures/")
        return name in {"content.xml", "styles.xml", "meta.xml", "META-INF/manifest.xml"}

    parts = members(data, wanted)
    manifest = parts.get("META-INF/manifest.xml", b"")
    if b"encryption-data" in manifest or b"encrypted-package" in manifest:
        raise ReadError("The document is protected by a password.", code="needs_password")
    if "content.xml" not in parts:
        raise ReadError("The document has no content part; it is no OpenDocument file.", code="corrupt")
    return parts, pictures


def odf_properties(parts: dict[str, bytes]) -> Properties:
    """The properties in meta.xml; empty if there is none."""
    if "meta.xml" not in parts:
        return Properties()
    said: dict[str, str] = {}
    for node in parse_xml(parts["meta.xml"]).iter():
        name = local(node)
        if name == "user-defined":
            name = f"own:{str(node.get(f'{META}name') or '').lower()}"
        said.setdefault(name, flat(node.text or ""))
    author = said.get("initial-creator") or said.get("creator", "")
    return Properties(
        title=said.get("title", ""),
        authors=tuple(filter(None, map(flat, author.split(";")))),
        created=parse_date(said.get("creation-date", "")),
        modified=parse_date(said.get("date", "")),
        language=said.get("language", "").partition("-")[0].lower(),
        version=said.get("own:version", ""),
    )


class Inline(NamedTuple):
    """How the inside of paragraphs is read: text of a note, handler of text boxes, styles that hide their text."""

    note: Callable[[_Element], str]
    box: Callable[[_Element], None]
    hidden: frozenset[str] = frozenset()


def paragraph(node: _Element, inline: Inline) -> str:
    """The text of a paragraph."""
    return "".join(_pieces(node, inline))


def hidden_styles(roots: list[_Element]) -> frozenset[str]:
    """The names of the styles whose text is hidden."""
    return frozenset(
        str(style.get(f"{STYLE}name"))
        for root in roots
        for style in root.iter(f"{STYLE}style")
        if any(looks.get(f"{TEXT}display") == "none" for looks in style.iterfind(f"{STYLE}text-properties"))
    )


def count(node: _Element, name: str) -> int:
    """The repetition count in an attribute, at least 1."""
    said = str(node.get(name) or "")
    return max(int(said), 1) if said.isdecimal() and len(said) < 10 else 1  # noqa: PLR2004 - longer is not a count


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
