"""Code blocks with their line breaks kept (R-114), whatever elements a highlighter split them into."""

from __future__ import annotations

import re
from functools import lru_cache
from itertools import dropwhile
from typing import Final

from veille.core.extract.tree.dom import Element
from veille.core.extract.tree.walk import LINED

_LINE_BLOCKS: Final = frozenset({"div", "p", "li", "tr", "ol", "ul", "table"})
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
    for element in around:
        stated = element.attributes.get("data-lang") or element.attributes.get("data-language")
        match = _LANGUAGE.search(element.attributes.get("class", ""))
        language = (stated or (match[1] if match else "")).lower()
        if language and language not in _NO_LANGUAGE:
            return language
    return ""


def code_text(pre: Element) -> str:
    """The text with a line break wherever a line-level child starts or ends; inline spans do not split a line."""
    out: list[str] = []
    stack: list[Element | str | None] = list(pre.children[::-1])
    while stack:
        item = stack.pop()
        if item is None:
            _end_line(out)
        elif isinstance(item, str):
            out.append(item)
        elif item.tag == "br":
            out.append("\n")
        else:
            if item.tag in _LINE_BLOCKS or (item.tag in ("span", "code") and _is_lined(item.attributes.get("class"))):
                _end_line(out)
                stack.append(None)
            stack.extend(item.children[::-1])
    return "\n".join(line.rstrip() for line in "".join(out).split("\n")).strip("\n")


def _is_empty(line: str) -> bool:
    return not line


@lru_cache(maxsize=1024)
def _is_lined(name: str | None) -> bool:
    # A highlighter uses few classes, on every word.
    return name is not None and LINED.search(name) is not None


def _end_line(out: list[str]) -> None:
    if out and not out[-1].endswith("\n"):
        out.append("\n")
