"""Elements found by name: their attributes and text, without the tree."""

from __future__ import annotations

from selectolax.lexbor import LexborNode

from veille.core.extract.tree.compiled import COMPILED, native

#: Element name, required attribute and its value (empty for any), and whether the full element is wanted: all
#: attributes and the text, not that attribute alone.
Wanted = tuple[tuple[str, str, str, bool], ...]
#: Name, attributes and text of an element.
Found = tuple[str, dict[str, str | None], str]
#: Reference, `rel` and text of a link, in one line.
Link = tuple[str, str | None, str]
#: An attribute, and a lower-case word to find anywhere in it, ignoring case; empty for any value.
Noted = tuple[tuple[str, str], ...]


def find(root: LexborNode, wanted: Wanted, noted: Noted = ()) -> tuple[list[Found], list[tuple[str, str]]]:
    """All wanted elements below `root`, in document order, and which of the `noted` pairs occur, `root` included."""
    return native.find(root.mem_id, wanted, noted) if COMPILED else plain_find(root, wanted, noted)


def plain_find(root: LexborNode, wanted: Wanted, noted: Noted = ()) -> tuple[list[Found], list[tuple[str, str]]]:
    """The same by selectors, which handle case and namespaces: the reference for the compiled code."""
    needed = {tag: (attribute, whole) for tag, attribute, _, whole in wanted}
    found: list[Found] = []
    for node in root.css(",".join(_selector(*item[:3]) for item in wanted)):
        attributes, tag = node.attributes, node.tag or ""
        attribute, whole = needed[tag]
        # A selector for `href` also matches `xlink:href`.
        if not attribute or attribute in attributes:
            found.append((tag, attributes, node.text()) if whole else (tag, {attribute: attributes[attribute]}, ""))
    return found, [pair for pair in noted if _notes(root, *pair)]


def links(root: LexborNode, home: str, *, rooted: bool) -> list[Link]:
    """The links below `root`, those with the same reference once, without those within the page.

    With a `home`, those that certainly lead to an address that starts with it are left out, too: with `rooted`, also
    references that are paths of the host or from the page.
    """
    return native.links(root.mem_id, home, rooted) if COMPILED else plain_links(root, home, rooted=rooted)


def plain_links(root: LexborNode, home: str, *, rooted: bool) -> list[Link]:
    """The same in Python: the reference for the compiled code."""
    found: dict[str, Link] = {}
    for node in root.css("a[href]"):
        attributes = node.attributes
        href = attributes.get("href") or ""
        if "href" in attributes and href not in found and href[:1] != "#" and not _stays(href, home, rooted=rooted):
            found[href] = (href, attributes.get("rel"), " ".join(node.text().split()))
    return list(found.values())


def _stays(href: str, home: str, *, rooted: bool) -> bool:
    # A slash, a backslash or white space after the first slash can mean another host.
    if rooted and href[:1] == "/":
        return len(href) == 1 or (href[1] > " " and href[1] not in "/\\")
    # So can a backslash at the beginning, white space before it, and a colon.
    if rooted and " " < href[:1] <= "~" and href[0] != "\\" and ":" not in href:
        return True
    return bool(home) and href.startswith(home)


def _selector(tag: str, attribute: str, value: str) -> str:
    return f'{tag}[{attribute}="{value}"]' if value else f"{tag}[{attribute}]" if attribute else tag


def _notes(root: LexborNode, attribute: str, word: str) -> bool:
    """Whether an element has the word in this attribute. A selector would test `xlink:href` for `href`."""
    values = (node.attributes.get(attribute, ...) for node in root.css(f"[{attribute}]"))
    return any(
        value is not ... and word.encode() in (value or "").encode("utf-8", "replace").lower() for value in values
    )
