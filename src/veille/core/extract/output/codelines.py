"""Code blocks with their line breaks kept (R-114), whatever elements a highlighter split them into."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import lru_cache
from itertools import dropwhile
from typing import Final

from veille.core.extract.tree.dom import Element
from veille.core.extract.tree.walk import LINED

#: Elements that are lines of their own in code.
LINE_BLOCKS: Final = frozenset({"div", "p", "li", "tr", "ol", "ul", "table"})
_LANGUAGE: Final = re.compile(r"(?:^|\s)(?:language|lang|highlight-source|brush:?|highlight)[-:\s]\s*([\w+#.-]+)")
_NO_LANGUAGE: Final = frozenset({"none", "plaintext", "text", "auto", "default", "html-text"})


def keep_lines(top: Element) -> None:
    """Replace the children of every `pre` by one `code` with the plain text, its language in the class."""
    for element in [top, *top.walk()]:
        if element.tag == "pre":
            keep_lines_of(element)


def keep_lines_of(pre: Element) -> None:
    """The same for one `pre`."""
    if pre.children:
        language = language_of(pre)
        code = Element("code", {"class": f"language-{language}"} if language else {}, pre)
        code.children = [code_text(pre)]
        pre.children = [code]
        pre.attributes = {}


def join_lines(top: Element) -> Element:
    """Make every child of a code block a line, as reader mode does it, if one of several is an element.

    Programs that were written for it expect exactly this; it also splits the line of a highlighter. Else use
    `keep_lines`, which does not.
    """
    for pre in top.walk():
        if pre.tag != "pre":
            continue
        code = next((inner for inner in pre.walk() if inner.tag == "code"), pre)
        if len(code.children) > 1 and code.elements():
            lines = [(child if isinstance(child, str) else child.text()).rstrip() for child in code.children]
            code.children = ["\n".join(dropwhile(_is_empty, lines))]
    return top


def language_of(pre: Element) -> str:
    """The language named by a class on the block, its code or the box around it."""
    around = [pre, *(child for child in pre.elements() if child.tag == "code"), *pre.ancestors(2)]
    return named_language([element.attributes for element in around])


def named_language(around: Sequence[Mapping[str, str | None]]) -> str:
    """The first language that one of these elements names."""
    for attributes in around:
        stated = attributes.get("data-lang") or attributes.get("data-language")
        match = _LANGUAGE.search(attributes.get("class") or "")
        language = (stated or (match[1] if match else "")).lower()
        if language and language not in _NO_LANGUAGE:
            return language
    return ""


def code_text(pre: Element) -> str:
    """The text with a line break wherever a line-level child starts or ends; inline spans do not split a line."""
    lines = CodeLines()
    stack: list[Element | str | None] = list(pre.children[::-1])
    while stack:
        item = stack.pop()
        if item is None:
            lines.close()
        elif isinstance(item, str):
            lines.add(item)
        else:
            lines.open(item.tag, item.attributes.get("class"))
            stack.append(None)
            stack.extend(item.children[::-1])
    return lines.text()


class CodeLines:
    """The lines of a code block, made from its texts and elements as they come."""

    def __init__(self) -> None:
        self._out: list[str] = []
        #: For each open element, whether it is lines of its own.
        self._open: list[bool] = []

    def add(self, text: str) -> None:
        self._out.append(text)

    def open(self, tag: str, name: str | None) -> None:
        """An element with this class starts."""
        lined = tag in LINE_BLOCKS or (tag in ("span", "code") and name is not None and is_lined(name))
        if tag == "br":
            self._out.append("\n")
        elif lined:
            self._end_line()
        self._open.append(lined)

    def close(self) -> None:
        """The last open element ends."""
        if self._open and self._open.pop():
            self._end_line()

    def text(self) -> str:
        return "\n".join([line.rstrip() for line in "".join(self._out).split("\n")]).strip("\n")

    def _end_line(self) -> None:
        if self._out and not self._out[-1].endswith("\n"):
            self._out.append("\n")


def _is_empty(line: str) -> bool:
    return not line


@lru_cache(maxsize=1024)
def is_lined(name: str) -> bool:
    """Whether an inline element with this class is a line of code."""
    # A highlighter uses few classes, on every word.
    return LINED.search(name) is not None
