"""Well-formed XML as a feed: lxml builds the tree, the machine interprets it."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import cast

from lxml import etree

from veille.core.feeds.facts import FACTS
from veille.core.feeds.handlers import Handlers, Leaf, nothing_said, popping
from veille.core.feeds.machine import Attributes, Doubtful, Machine
from veille.core.feeds.markup import XHTML, absolute
from veille.core.feeds.model import Feed, finished_feed
from veille.core.feeds.names import ATOM_1, RSS_090, RSS_1, is_disguised, standard_prefix
from veille.core.feeds.people import PEOPLE
from veille.core.feeds.structure import STRUCTURE
from veille.core.feeds.texts import TEXTS

#: All elements with a meaning, by name with the standard prefix: `dc_creator`.
ELEMENTS = {**STRUCTURE, **TEXTS, **FACTS, **PEOPLE}

_ROOTS = frozenset({"rss", "rdf_rdf", "feed", "channel"})
#: Unknown elements of these names would overwrite what the reference parser stores under them.
_CLOBBERS = frozenset(
    "authors links entries published_parsed updated_parsed content_detail summary_detail title_detail author_detail "
    "feed date".split()
)
_BASE = re.compile(rb"base\s*=")
_CONTROLS = re.compile(rb"\xc2[\x80-\x9f]")
_WRITTEN_CONTROLS = re.compile(rb"&#(?:0*1[2-5][0-9]|[xX]0*[89][0-9a-fA-F]);")
_KEEPS_IMAGE = frozenset("title link description url href width height".split())
_KEEPS_INPUT = frozenset("title link description name".split())
#: Elements with only white space between their children, which is dropped.
_TEXTLESS = frozenset({"rss", "rdf_rdf", "feed", "channel", "item", "entry"})
_NO_ATTRIBUTES: Attributes = {}
_VERSIONS = {RSS_1: "rss10", ATOM_1: "atom10"}
_MATH, _SVG = "http://www.w3.org/1998/Math/MathML", "http://www.w3.org/2000/svg"
_LINK_SPACE = "http://www.w3.org/1999/xlink"


def read_tree(root: etree._Element, data: bytes, base: str, *, is_mended: bool, sure: bool = False) -> Feed:
    """The feed under the root of this document.

    Raises Doubtful where only the reference parser knows the outcome, unless `sure`.
    """
    # Tested once for the whole document, so that they need not be tested for every element.
    controls = bool((not data.isascii() and _CONTROLS.search(data)) or _WRITTEN_CONTROLS.search(data))
    machine = Machine(base, loose=is_mended, controls=controls, sure=sure)
    walker = _Walker(machine, has_bases=_BASE.search(data) is not None)
    if walker.name(root).key not in _ROOTS:
        raise Doubtful
    if is_disguised(root.nsmap):
        machine.doubt()
    walker.walk(root)
    return finished_feed(machine.feed, machine.entries, "mended" if is_mended else "strict")


class _Name:
    """An element's name and its handlers, looked up once per feed."""

    __slots__ = ("end", "is_doubtful", "is_known", "key", "leaf", "resets_image", "resets_input", "start", "tag")

    def __init__(self, prefix: str, local: str) -> None:
        self.key = f"{prefix}_{local}" if prefix else local
        self.tag = f"{prefix}:{local}" if prefix else local
        self.is_known = self.key in ELEMENTS
        self.is_doubtful = not self.is_known and self.key in _CLOBBERS
        self.start, self.end, leaf = ELEMENTS.get(self.key) or _collected(self.key)
        self.leaf = None if self.is_doubtful else leaf
        self.resets_input = not prefix and local not in _KEEPS_INPUT
        self.resets_image = not prefix and local not in _KEEPS_IMAGE


def _collected(name: str) -> Handlers:
    """The default for unlisted elements: the text is dropped, unless the element has attributes."""

    def start(machine: Machine, attributes: Attributes) -> None:
        if not attributes:
            machine.push(name, keep=False)

    return Handlers(start, popping(name), nothing_said)


_named = lru_cache(maxsize=1000)(_Name)


class _Walker:
    """Walks a tree and calls the machine for every element."""

    def __init__(self, machine: Machine, *, has_bases: bool) -> None:
        self.machine = machine
        self._has_bases = has_bases
        self._names: dict[str, _Name] = {}
        self._attribute_names: dict[str, tuple[str, ...]] = {}
        self._bases: list[str] = []

    def walk(self, element: etree._Element) -> None:
        """Process the element with everything in it."""
        machine = self.machine
        name = self._names.get(str(element.tag)) or self.name(element)
        attributes = self._attributes(element) if element.keys() else _NO_ATTRIBUTES
        machine.depth += 1
        if self._has_bases:
            self._enter_base(attributes)
        if not machine.version:
            self._version(element)
        if machine.in_content:
            self._inline_start(element, name, attributes)
        else:
            self._start(name, attributes)
        text = element.text
        if text:
            machine.data(text)
        if len(element):
            self._children(element)
        name.end(machine)
        if machine.in_content:
            self._inline_end(name.tag)
        if self._has_bases:
            self._leave_base()
        machine.depth -= 1

    def _children(self, element: etree._Element) -> None:
        # The innermost loop: nine elements of ten are leaves with a fast path.
        machine, names = self.machine, self._names
        has_text = names[str(element.tag)].key not in _TEXTLESS
        for child in element:
            name = names.get(str(child.tag)) or self.name(child)
            if name.leaf and not machine.in_content and not len(child):
                self._leaf(child, name, name.leaf)
            else:
                self.walk(child)
            if (has_text or machine.in_content) and (tail := child.tail):
                machine.data(tail)

    def _leaf(self, element: etree._Element, name: _Name, read: Leaf) -> None:
        machine = self.machine
        attributes = self._attributes(element) if element.keys() else _NO_ATTRIBUTES
        if attributes and self._has_bases and ("xml:base" in attributes or "base" in attributes):
            self.walk(element)
            return
        if machine.in_image or machine.in_text_input:
            self._reset(name)
        text = element.text
        machine.depth += 1
        read(machine, text.strip() if text else "", attributes)
        machine.depth -= 1

    def name(self, element: etree._Element) -> _Name:
        """The name of the element, whatever prefix the feed chose for its namespace."""
        tag = str(element.tag)
        space, _, local = tag.rpartition("}")
        prefix = standard_prefix(space[1:]) if space else ""
        if prefix is None:
            prefix = element.prefix or next(
                (known for known, uri in element.nsmap.items() if known and uri == space[1:]), ""
            )
        self._names[tag] = name = _named(prefix.lower(), local.lower())
        return name

    def _attributes(self, element: etree._Element) -> Attributes:
        result: Attributes = {}
        written = cast("list[tuple[str, str]]", element.items())
        for key, value in written:
            for name in self._attribute_names.get(key) or self._attribute(key, element):
                result[name] = value.lower() if name in {"rel", "type"} else value
        return result

    def _attribute(self, key: str, element: etree._Element) -> tuple[str, ...]:
        space, _, local = key.rpartition("}")
        names: tuple[str, ...] = (local.lower(),)
        if space:
            standard = standard_prefix(space[1:])
            own = next((prefix for prefix, uri in element.nsmap.items() if prefix and uri == space[1:]), "xml")
            names = (f"{standard}:{local}".lower() if standard else local.lower(), f"{own}:{local}".lower())
        self._attribute_names[key] = names
        return names

    def _enter_base(self, attributes: Attributes) -> None:
        machine = self.machine
        if attributes:
            base = attributes.get("xml:base", attributes.get("base"))
            if base:
                machine.base = (
                    (absolute(machine.base, base) or machine.base) if machine.base else machine.resolved(base)
                )
        self._bases.append(machine.base)

    def _leave_base(self) -> None:
        self._bases.pop()
        # As in the reference parser, a base ends with its element only if an outer one replaces it.
        if self._bases and self._bases[-1]:
            self.machine.base = self._bases[-1]

    def _version(self, element: etree._Element) -> None:
        for prefix, uri in element.nsmap.items():
            lowered = uri.lower()
            version = "rss090" if prefix is None and lowered == RSS_090 else _VERSIONS.get(lowered)
            if version:
                self.machine.version = version
                return

    def _start(self, name: _Name, attributes: Attributes) -> None:
        self._reset(name)
        if name.is_doubtful:
            self.machine.doubt()
        name.start(self.machine, attributes)

    def _reset(self, name: _Name) -> None:
        """End an image or text input that was never closed, once an element begins that cannot be inside it."""
        if name.resets_input:
            self.machine.in_text_input = False
        if name.resets_image:
            self.machine.in_image = False

    def _inline_start(self, element: etree._Element, name: _Name, attributes: Attributes) -> None:
        """A tag inside a text becomes part of the text."""
        machine = self.machine
        if name.is_known or machine.loose:
            machine.doubt()
        if not machine.content_type.endswith("xml"):
            if name.tag in {"xhtml:div", "div"}:
                return
            machine.content_type = XHTML
        if machine.content_type != XHTML:
            machine.doubt()
            return
        local = name.tag.rpartition(":")[2]
        space = str(element.tag).rpartition("}")[0][1:]
        if local in {"svg", "math"} or space in {_SVG, _MATH} or _LINK_SPACE in element.nsmap.values():
            machine.doubt()
        machine.data(f"<{local}{_written(attributes)}>", is_markup=True)

    def _inline_end(self, name: str) -> None:
        machine = self.machine
        if not machine.content_type.endswith("xml"):
            if name in {"xhtml:div", "div"}:
                return
            machine.content_type = XHTML
        if machine.content_type == XHTML:
            machine.data(f"</{name.rpartition(':')[2]}>", is_markup=True)


def _written(attributes: Attributes) -> str:
    return "".join(
        f' {name}="{value.replace("&", "&amp;").replace(">", "&gt;").replace("<", "&lt;").replace(chr(34), "&quot;")}"'
        for name, value in attributes.items()
    )
