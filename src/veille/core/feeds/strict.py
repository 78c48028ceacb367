"""Well-formed XML as a feed: lxml reads the tree, the machine gives it its meaning."""

from __future__ import annotations

from lxml import etree

from veille.core.feeds.elements import ELEMENTS
from veille.core.feeds.machine import Attributes, Doubtful, Machine
from veille.core.feeds.markup import XHTML, absolute
from veille.core.feeds.model import Feed
from veille.core.feeds.names import ATOM_1, RSS_1, RSS_090, is_disguised, standard_prefix
from veille.core.feeds.records import finished_feed

_ROOTS = frozenset({"rss", "rdf_rdf", "feed", "channel"})
#: Unknown elements of these names would take the place of what the reference parser keeps under them.
_CLOBBERS = frozenset(
    "authors links entries published_parsed updated_parsed content_detail summary_detail title_detail author_detail "
    "feed date".split()
)
_KEEPS_IMAGE = frozenset("title link description url href width height".split())
_KEEPS_INPUT = frozenset("title link description name".split())
_VERSIONS = {RSS_1: "rss10", ATOM_1: "atom10"}
_MATH, _SVG = "http://www.w3.org/1998/Math/MathML", "http://www.w3.org/2000/svg"
_LINK_SPACE = "http://www.w3.org/1999/xlink"


def read_tree(root: etree._Element, base: str = "", *, loose: bool = False, sure: bool = False) -> Feed:
    """The feed under this root. Raises Doubtful where only the reference parser knows what is meant, unless `sure`."""
    machine = Machine(base, loose=loose, sure=sure)
    walker = _Walker(machine)
    if walker.name(root)[0] not in _ROOTS:
        raise Doubtful
    if is_disguised(root.nsmap):
        machine.doubt()
    walker.walk(root)
    return finished_feed(machine.feed, machine.entries, "mended" if loose else "strict")


class _Walker:
    """Goes through a tree and tells the machine what it meets."""

    def __init__(self, machine: Machine) -> None:
        self.machine = machine
        self._names: dict[str, tuple[str, str]] = {}
        self._attribute_names: dict[str, tuple[str, ...]] = {}
        self._bases: list[str] = []

    def walk(self, element: etree._Element) -> None:
        machine = self.machine
        tag = element.tag
        if not isinstance(tag, str):  # a comment or a processing instruction
            return
        key, name = self._names.get(tag) or self.name(element)
        attributes = self._attributes(element) if element.attrib else {}
        machine.depth += 1
        self._enter_base(attributes)
        if not machine.version:
            self._version(element)
        if machine.in_content:
            self._inline_start(element, key, name, attributes)
        else:
            self._start(key, name, attributes)
        if element.text:
            machine.data(element.text)
        for child in element:
            self.walk(child)
            if child.tail:
                machine.data(child.tail)
        self._end(key, name)
        machine.depth -= 1

    def name(self, element: etree._Element) -> tuple[str, str]:
        """The element's name as a handler knows it (`dc_creator`) and as a tag (`dc:creator`)."""
        tag = str(element.tag)
        space, _, local = tag.rpartition("}")
        prefix = standard_prefix(space[1:]) if space else ""
        if prefix is None:
            prefix = element.prefix or next(
                (known for known, uri in element.nsmap.items() if known and uri == space[1:]), ""
            )
        prefix, local = prefix.lower(), local.lower()
        self._names[tag] = names = (f"{prefix}_{local}", f"{prefix}:{local}") if prefix else (local, local)
        return names

    def _attributes(self, element: etree._Element) -> Attributes:
        result: Attributes = {}
        for key, value in element.attrib.items():
            names = self._attribute_names.get(str(key)) or self._attribute(str(key), element)
            for name in names:
                result[name] = str(value).lower() if name in {"rel", "type"} else str(value)
        return result

    def _attribute(self, key: str, element: etree._Element) -> tuple[str, ...]:
        space, _, local = key.rpartition("}")
        names = (local.lower(),)
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
                machine.base = (absolute(machine.base, base) or machine.base) if machine.base else machine.resolved(base)
        self._bases.append(machine.base)

    def _leave_base(self) -> None:
        self._bases.pop()
        # As in the reference parser, a base ends with its element only where an outer one takes its place.
        if self._bases and self._bases[-1]:
            self.machine.base = self._bases[-1]

    def _version(self, element: etree._Element) -> None:
        for prefix, uri in element.nsmap.items():
            lowered = uri.lower()
            version = "rss090" if prefix is None and lowered == RSS_090 else _VERSIONS.get(lowered)
            if version:
                self.machine.version = version
                return

    def _start(self, key: str, name: str, attributes: Attributes) -> None:
        machine = self.machine
        if ":" not in name:
            if name not in _KEEPS_INPUT:
                machine.in_text_input = False
            if name not in _KEEPS_IMAGE:
                machine.in_image = False
        handlers = ELEMENTS.get(key)
        if handlers:
            handlers[0](machine, attributes)
        elif key in _CLOBBERS:
            machine.doubt()
        elif not attributes:
            machine.push(key, keep=False)

    def _inline_start(self, element: etree._Element, key: str, name: str, attributes: Attributes) -> None:
        """A tag inside a text: it becomes part of the text."""
        machine = self.machine
        if key in ELEMENTS or machine.loose:
            machine.doubt()
        if not machine.content_type.endswith("xml"):
            if name in {"xhtml:div", "div"}:
                return
            machine.content_type = XHTML
        if machine.content_type != XHTML:
            machine.doubt()
            return
        local = name.rpartition(":")[2]
        space = str(element.tag).rpartition("}")[0][1:]
        if local in {"svg", "math"} or space in {_SVG, _MATH} or _LINK_SPACE in element.nsmap.values():
            machine.doubt()
        machine.data(f"<{local}{_written(attributes)}>", escape=False)

    def _end(self, key: str, name: str) -> None:
        machine = self.machine
        handlers = ELEMENTS.get(key)
        if handlers:
            handlers[1](machine)
        else:
            machine.pop(key)
        if machine.in_content:
            self._inline_end(name)
        self._leave_base()

    def _inline_end(self, name: str) -> None:
        machine = self.machine
        if not machine.content_type.endswith("xml"):
            if name in {"xhtml:div", "div"}:
                return
            machine.content_type = XHTML
        if machine.content_type == XHTML:
            machine.data(f"</{name.rpartition(':')[2]}>", escape=False)


def _written(attributes: Attributes) -> str:
    return "".join(
        f' {name}="{value.replace("&", "&amp;").replace(">", "&gt;").replace("<", "&lt;").replace(chr(34), "&quot;")}"'
        for name, value in attributes.items()
    )
