"""Content HTML to Markdown: headings, nested lists, tables, code with its language, quotes, images and links."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from veille.core.extract.output.codelines import code_text, language_of
from veille.core.extract.output.html import INLINE
from veille.core.extract.output.tables import table
from veille.core.extract.tree.dom import Element, copy
from veille.core.markup_bounds import parsed

#: The separator between the two parts of a formula.
_FORMULA: Final = {"msup": "^", "msub": "\\_", "mfrac": "/"}
_MARKS: Final = {"strong": "**", "b": "**", "em": "*", "i": "*", "del": "~~", "s": "~~"}
_SPECIAL: Final = re.compile(r"([\\`*_\[\]]|<(?=[a-zA-Z/!?]))")
_LINE_START: Final = re.compile(r"^([^\S\n]*\d*)([#>+-]|(?<=\d)[.)])(?=\s)", re.MULTILINE)
_LIST: Final = re.compile(r"- |\d+\. ")
_SPACES: Final = re.compile(r"[ \t\r\n\f]+")
#: Deeper nesting becomes plain text: no real content has it, and the recursion must end.
_MAX_DEPTH: Final = 60


def to_markdown(html: str) -> str:
    """Markdown of sanitised HTML; ends with a newline unless empty."""
    body = parsed(html).body
    blocks = _blocks(copy(body), 0) if body is not None else []
    return "\n\n".join(blocks) + "\n" if blocks else ""


def text_markdown(text: str) -> str:
    """Plain text as Markdown that displays it verbatim: tags, links and marks are escaped."""
    return "\n".join(_LINE_START.sub(r"\1\\\2", _escape(line)) for line in text.split("\n"))


def _blocks(element: Element, depth: int) -> list[str]:
    if depth > _MAX_DEPTH:
        return [line] if (line := _escape(_SPACES.sub(" ", element.text()).strip())) else []
    out: list[str] = []
    run: list[Element | str] = []
    for child in element.children:
        if isinstance(child, str) or child.tag in INLINE:
            run.append(child)
            continue
        _flush(run, out, depth)
        out.extend(_block(child, depth))
    _flush(run, out, depth)
    return out


def _flush(run: list[Element | str], out: list[str], depth: int) -> None:
    text = _inline(run, depth).strip()
    if text:
        out.append(_LINE_START.sub(r"\1\\\2", text))
    run.clear()


def _block(element: Element, depth: int) -> list[str]:  # noqa: C901, PLR0911 - one answer per element
    tag = element.tag
    if tag in ("ul", "ol"):
        return _list(element, depth)
    if tag == "pre":
        return _fence(element)
    if tag == "table":
        return table(element, lambda cell: _inline(_spaced(cell), depth + 1).strip())
    if tag == "hr":
        return ["---"]
    if len(tag) == 2 and tag[0] == "h" and tag[1].isdigit():  # noqa: PLR2004 - h1 to h6
        text = _inline(_spaced(element), depth).replace("\n", " ").strip()
        return [f"{'#' * int(tag[1])} {text}"] if text else []
    inner = _blocks(element, depth + 1)
    if tag == "blockquote" and inner:
        return ["\n".join(f"> {line}".rstrip() for line in "\n\n".join(inner).split("\n"))]
    if tag == "dt":
        return [f"**{line}**" for line in inner]
    if tag == "dd" and inner:
        return [f": {_indented(inner, '  ')}"]
    return inner


def _spaced(element: Element) -> list[Element | str]:
    """The children, with spaces around those that are blocks."""
    out: list[Element | str] = []
    for child in element.children:
        if isinstance(child, Element) and child.tag not in INLINE:
            out += [" ", *_spaced(child), " "]
        else:
            out.append(child)
    return out


def _indented(blocks: Sequence[str], indent: str) -> str:
    return "\n\n".join(blocks).replace("\n", f"\n{indent}").replace(f"\n{indent}\n", "\n\n")


def _list(element: Element, depth: int) -> list[str]:
    start = element.attributes.get("start", "1")
    number = int(start) if start.isdecimal() else 1
    lines = []
    for item in element.elements():
        marker = f"{number}. " if element.tag == "ol" else "- "
        number += 1
        blocks = _blocks(item, depth + 1) if item.tag == "li" else _block(item, depth + 1)
        # A nested list stays tight under its item; further paragraphs need a blank line.
        text = "".join(("\n" if _LIST.match(block) else "\n\n") + block for block in blocks)
        if text := text.lstrip("\n"):
            lines.append(marker + _indented([text], " " * len(marker)))
    return ["\n".join(lines)] if lines else []


def _fence(element: Element) -> list[str]:
    text = code_text(element)
    if not text.strip():
        return []
    fence = _ticks(text, 3)
    return [f"{fence}{language_of(element)}\n{text}\n{fence}"]


def _inline(children: Sequence[Element | str], depth: int) -> str:
    out = "".join(
        _escape(_SPACES.sub(" ", child)) if isinstance(child, str) else _mark(child, depth + 1) for child in children
    )
    return re.sub(r" *\n *", "\n", re.sub(r" {2,}(?!\n)", " ", out))


def _mark(element: Element, depth: int) -> str:  # noqa: PLR0911 - one answer per element
    if depth > _MAX_DEPTH:
        return _escape(_SPACES.sub(" ", element.text()))
    tag = element.tag
    if tag == "br":
        return "\\\n"
    if tag == "img":
        return _image(element)
    if tag in ("code", "kbd", "samp"):
        return _code(element)
    if tag in _FORMULA:
        return _FORMULA[tag].join(_mark(child, depth) for child in element.elements())
    inner = _inline(element.children, depth)
    core, mark, href = inner.strip(), _MARKS.get(tag, ""), element.attributes.get("href", "") if tag == "a" else ""
    if not core or not (mark or href):
        return inner
    marked = f"[{core}]({_address(href)})" if href else f"{mark}{core}{mark}"
    return f"{' ' * inner.startswith(' ')}{marked}{' ' * inner.endswith(' ')}"


def _image(element: Element) -> str:
    source = element.attributes.get("src", "")
    return f"![{_escape(' '.join(element.attributes.get('alt', '').split()))}]({_address(source)})" if source else ""


def _code(element: Element) -> str:
    text = _SPACES.sub(" ", element.text())
    if not text.strip():
        return text
    ticks = _ticks(text, 1)
    pad = " " if text.startswith("`") or text.endswith("`") else ""
    return f"{ticks}{pad}{text}{pad}{ticks}"


def _ticks(text: str, least: int) -> str:
    """A run of backticks that does not occur in the text."""
    return "`" * max([least, *(len(run) + 1 for run in re.findall(r"`+", text))])


def _address(url: str) -> str:
    return f"<{url}>" if any(char in url for char in " ()") else url


def _escape(text: str) -> str:
    return _SPECIAL.sub(r"\\\1", text)
