"""XML of untrusted documents: no entities, no document type, no network, bounded depth."""

from __future__ import annotations

import re
from html.entities import html5
from typing import Any

from lxml import etree

from veille.errors import ReadError

_DTD = re.compile(rb"<!(?:DOCTYPE|ENTITY)", re.IGNORECASE)
_ENTITY = re.compile(rb"&([A-Za-z][A-Za-z0-9]{1,31});")
_XML_ENTITIES = frozenset({b"amp", b"lt", b"gt", b"quot", b"apos"})
#: ISO's (strict) namespaces of Office files, which Word writes on request; the content is the same.
_STRICT, _TRANSITIONAL = b"http://purl.oclc.org/ooxml/", b"http://schemas.openxmlformats.org/"
_NAMESPACES = re.compile(_STRICT + rb"(officeDocument/|presentationml/(?=main)|drawingml/|wordprocessingml/(?=main))")


def parse_xml(data: bytes) -> etree._Element:
    """The root of a part of a document. Such parts have no document type: one that has is an attack."""
    if _DTD.search(data):
        raise ReadError("The document declares entities of its own, which none of its kind needs.", code="hostile")
    if _STRICT in data[:4096]:
        data = _NAMESPACES.sub(_TRANSITIONAL + rb"\g<1>2006/", data)
    root = _parsed(data, recover=False)
    # A part in UTF-16 evades the search above.
    facts: Any = root.getroottree().docinfo
    if facts.doctype:
        raise ReadError("The document declares entities of its own, which none of its kind needs.", code="hostile")
    return root


def parse_xhtml(data: bytes) -> etree._Element:
    """The root of a chapter of a book: named entities are replaced, small errors tolerated."""
    root = _parsed(_ENTITY.sub(_character, data), recover=True)
    dtd: Any = root.getroottree().docinfo.internalDTD
    if dtd is not None and any(True for _ in dtd.iterentities()):
        raise ReadError("The book declares entities of its own.", code="hostile")
    return root


def local(node: etree._Element) -> str:
    """The name of an element without its namespace; empty for comments and the like."""
    tag: Any = node.tag
    return tag.rpartition("}")[2] if isinstance(tag, str) else ""


def number(text: str | None) -> int:
    """The number in an attribute; 0 if there is none, or if it is longer than valid numbers are."""
    return int(text) if text and text.isdecimal() and len(text) < 10 else 0  # noqa: PLR2004


def _parsed(data: bytes, *, recover: bool) -> etree._Element:
    # By default, lxml loads no document type and nothing from the network, and refuses huge trees.
    parser = etree.XMLParser(resolve_entities=False, remove_comments=True, remove_pis=True, recover=recover)
    try:
        root = etree.fromstring(data, parser)
    except (etree.XMLSyntaxError, ValueError) as error:
        message = str(error)
        if "depth" in message or "amplification" in message or "entity" in message.lower():
            raise ReadError(f"The document is built to overload its reader: {message}.", code="hostile") from error
        raise ReadError(f"The document is broken: {message}.", code="corrupt") from error
    if root is None:
        raise ReadError("The document is broken: a part of it is no XML.", code="corrupt")
    return root


def _character(match: re.Match[bytes]) -> bytes:
    name = match[1]
    if name in _XML_ENTITIES:
        return match[0]
    character = html5.get(name.decode() + ";")
    return "".join(f"&#{ord(letter)};" for letter in character).encode() if character else match[0]
