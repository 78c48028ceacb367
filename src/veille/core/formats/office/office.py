"""Common code of office formats: the relations of parts, and the document's properties."""

from __future__ import annotations

import posixpath
from collections.abc import Iterator
from typing import NamedTuple

from veille.core.dates import parse_date
from veille.core.formats._paper import Paper
from veille.core.formats.office.xml import local, parse_xml
from veille.core.text import flat

CORE = "docProps/core.xml"
CUSTOM = "docProps/custom.xml"
PROPERTIES = frozenset({CORE, CUSTOM, "_rels/.rels"})


def properties(parts: dict[str, bytes]) -> Paper:
    """A paper with the document properties only; an empty one if there are none."""
    if CORE not in parts:
        return Paper()
    said = {local(node): flat(node.text or "") for node in parse_xml(parts[CORE])}
    return Paper(
        title=said.get("title", ""),
        authors=people(said.get("creator", "")),
        created=parse_date(said.get("created", "")),
        modified=parse_date(said.get("modified", "")),
        language=said.get("language", "").partition("-")[0].lower(),
        version_hint=said.get("version", "") or _own(parts).get("version", ""),
    )


def _own(parts: dict[str, bytes]) -> dict[str, str]:
    """The custom properties, by name in lower case."""
    if CUSTOM not in parts:
        return {}
    root = parse_xml(parts[CUSTOM])
    return {str(node.get("name") or "").lower(): flat("".join(map(str, node.itertext()))) for node in root}


def people(names: str) -> tuple[str, ...]:
    """The authors in one field; Office separates them by semicolons."""
    return tuple(dict.fromkeys(filter(None, map(flat, names.split(";")))))


class Relation(NamedTuple):
    """A relation of a part to another: its id, its kind (`styles`, `slide`), and its target."""

    id: str
    kind: str
    target: str


def relations(parts: dict[str, bytes], of: str) -> Iterator[Relation]:
    """The relations of a part to others in the file."""
    folder, name = posixpath.split(of)
    rels = parts.get(posixpath.join(folder, "_rels", f"{name}.rels"))
    for node in parse_xml(rels) if rels is not None else ():
        if node.get("TargetMode") != "External":
            target = posixpath.normpath(posixpath.join("/", folder, str(node.get("Target", ""))))
            yield Relation(str(node.get("Id", "")), str(node.get("Type", "")).rpartition("/")[2], target.lstrip("/"))


def targets(parts: dict[str, bytes], of: str) -> dict[str, str]:
    """The targets of a part's relations, by the last word of their type (`styles`, `numbering`, `footnotes`)."""
    found: dict[str, str] = {}
    for relation in relations(parts, of):
        found.setdefault(relation.kind, relation.target)
    return found
