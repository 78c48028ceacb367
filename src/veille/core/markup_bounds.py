"""Markup from outside, bounded before a parser sees it: HTML parsers are quadratic in nesting, attributes and more.

Small pieces pass as they are: nothing they can do takes long. A larger one is written anew in one linear pass, so that
a parser has nothing left to guess: every element is closed in order, inside what may hold it, at most `MAX_DEPTH` deep
and with at most `MAX_ATTRIBUTES` attributes. Only elements of content are kept, and no comments; the text of everything
else stays, except that of scripts and styles.
"""

from __future__ import annotations

import re
from collections import Counter
from html import escape
from typing import Final

from selectolax.lexbor import LexborHTMLParser

#: Real content stays far below: the deepest page of the wcxb sample has a depth of 66, the fullest tag 61 attributes.
MAX_DEPTH: Final = 200
MAX_ATTRIBUTES: Final = 64
#: What is said of markup that was left out for being too deep or too full, while its text was kept.
SIMPLIFIED: Final = "simplified"
#: A piece with so few tags, and so short ones, is parsed in milliseconds whatever it is: 400 tags that each open the
#: ones before them again make 20,000 elements.
_FEW_TAGS: Final = 400
_SHORT_TAG: Final = 2000

#: As the standard has it, a quote opens a value only after "=". A comment may end with "--!>" or at once.
_TOKEN: Final = re.compile(
    r"<!--(?:-?>|(?s:.*?)(?:--!?>|\Z))"
    r"|<(?:[!?]|/(?![a-zA-Z]))[^>]*+(?:>|\Z)"
    r"|<(/?)([a-zA-Z][^\s/>]*+)((?:[^>=]++|=\s*+(?:\"[^\"]*+\"|'[^']*+')?+)*+)(?:>|\Z)"
)
_ATTRIBUTE: Final = re.compile(r"""([^\s=\"'/>]++)(?:\s*+=\s*+(?:\"([^\"]*+)\"|'([^']*+)'|([^\s\"'>]++)))?+""")
#: Attributes that can stay as they are written.
_REGULAR: Final = re.compile(r"""(?: [a-zA-Z][-\w:.]*+(?:="[^"<>]*+")?+){0,64}+""")

_VOID: Final = frozenset({"br", "hr", "img", "col"})
_TABLE: Final = frozenset({"table", "thead", "tbody", "tfoot", "tr", "colgroup"})
#: Parts of a table, and what each may stand in; all that is open above that is closed first.
_PARTS: Final = {
    **dict.fromkeys(("caption", "colgroup", "thead", "tbody", "tfoot"), frozenset({"table"})),
    "col": frozenset({"table", "colgroup"}),
    "tr": frozenset({"table", "thead", "tbody", "tfoot"}),
    **dict.fromkeys(("td", "th"), frozenset({"table", "thead", "tbody", "tfoot", "tr"})),
}
_CELLS: Final = frozenset({"td", "th", "caption"})
_OF_TABLES: Final = _TABLE | _PARTS.keys()
_WHOLE_TABLE: Final = frozenset({"table"})
_PARAGRAPH: Final = frozenset({"p"})
_HEADINGS: Final = frozenset({"h1", "h2", "h3", "h4", "h5", "h6"})
#: Elements that end an open paragraph.
_BLOCKS: Final = _HEADINGS | frozenset(
    (
        "address article aside blockquote center dd details div dl dt fieldset figcaption figure footer form header "
        "hgroup hr li main menu nav ol p pre section summary table ul"
    ).split()
)
#: Elements that end another one of their kind, and what keeps it from that.
_ALONE: Final = {
    "li": (frozenset({"li"}), frozenset({"ul", "ol", "menu"})),
    "dt": (frozenset({"dt", "dd"}), frozenset({"dl"})),
    "dd": (frozenset({"dt", "dd"}), frozenset({"dl"})),
    "a": (frozenset({"a"}), frozenset[str]()),
    **dict.fromkeys(("rt", "rp"), (frozenset({"rt", "rp"}), frozenset({"ruby"}))),
    **dict.fromkeys(_HEADINGS, (_HEADINGS, frozenset[str]())),
}
_KEPT: Final = (
    _VOID
    | _OF_TABLES
    | _BLOCKS
    | _ALONE.keys()
    | frozenset(
        (
            "abbr b bdi bdo big cite code del dfn em font i ins kbd label legend mark math mfrac mi mn mo mrow msqrt "
            "msub msup picture q ruby s samp small span strike strong sub sup time tt u var"
        ).split()
    )
)
#: Their text is no text.
_SILENT: Final = frozenset({"script", "style"})


def parsed(html: str) -> LexborHTMLParser:
    """The tree of a piece of HTML from anywhere, in time that grows with its length only."""
    return LexborHTMLParser(bounded(html).encode("utf-8", "replace"))


def bounded(html: str) -> str:
    """The same content as markup that every parser reads in time that grows with its length only."""
    return html if _is_small(html) else _Scribe(html).text


def is_too_deep(html: str) -> bool:
    """Whether `bounded` leaves out elements or attributes because there are too many inside each other."""
    return not _is_small(html) and _Scribe(html).is_cut


def _is_small(html: str) -> bool:
    if html.count("<") > _FEW_TAGS:
        return False
    return len(html) <= _SHORT_TAG or all(len(tag[0]) <= _SHORT_TAG for tag in _TOKEN.finditer(html))


class _Scribe:
    """One piece of markup, written anew."""

    def __init__(self, html: str) -> None:
        self._out: list[str] = []
        self._open: list[str] = []
        self._count: Counter[str] = Counter()
        #: Elements that were left out, so that their ends are, too.
        self._left_out: Counter[str] = Counter()
        self.is_cut = False
        self._write(html)
        self.text = "".join(self._out)

    def _write(self, html: str) -> None:
        at, silent = 0, ""
        for token in _TOKEN.finditer(html):
            name = (token[2] or "").lower()
            if silent:
                if name != silent or not token[1]:
                    continue
                silent = ""
            else:
                self._write_text(html[at : token.start()])
                if name in _SILENT and not token[1]:
                    silent = name
                elif name in _KEPT:
                    self._end(name) if token[1] else self._start(name, token[3])
            at = token.end()
        if not silent:
            self._write_text(html[at:])
        self._close_to(0)

    def _write_text(self, text: str) -> None:
        if not text:
            return
        if self._open and self._open[-1] in _TABLE and not text.isspace():
            self._leave_table()
        # A "<" that starts no tag here must start none next to what is written after it, either.
        self._out.append(text.replace("<", "&lt;"))

    def _start(self, name: str, inside: str) -> None:
        if name in _PARTS:
            place = self._last(_PARTS[name])
            if place < 0:
                return
            self._close_to(place + 1)
        else:
            self._make_room(name)
        if len(self._open) >= MAX_DEPTH:
            self.is_cut = True
            self._left_out[name] += name not in _VOID
            return
        attributes = inside.rstrip("/ \t\r\n\f") if inside else ""
        if attributes and not _REGULAR.fullmatch(attributes):
            attributes = self._rewritten(attributes)
        if name in _VOID:
            self._out.append(f"<{name}{attributes}>")
        elif inside.endswith("/"):
            self._out.append(f"<{name}{attributes}></{name}>")
        else:
            self._open.append(name)
            self._count[name] += 1
            self._out.append(f"<{name}{attributes}>")

    def _make_room(self, name: str) -> None:
        """Close what an element of this name does not stand in."""
        if self._open and self._open[-1] in _TABLE:
            self._leave_table()
        if name in _ALONE:
            ended, shields = _ALONE[name]
            self._close_to(self._last(ended, shields))
        if self._count["p"] and name in _BLOCKS:
            self._close_to(self._last(_PARAGRAPH))

    def _end(self, name: str) -> None:
        if self._left_out[name]:
            self._left_out[name] -= 1
        elif self._open and self._open[-1] == name:
            self._close_to(len(self._open) - 1)
        else:
            self._close_to(self._last(frozenset({name})))

    def _leave_table(self) -> None:
        """Only rows and cells may stand in a table: parsers would put anything else before it, one by one."""
        self._close_to(self._last(_WHOLE_TABLE))

    def _last(self, names: frozenset[str], shields: frozenset[str] = frozenset()) -> int:
        """The place of the innermost open element of these names; -1 when there is none, or a shield before it."""
        if not any(self._count[name] for name in names):
            return -1
        # What stands in a cell of a table ends nothing outside of it.
        stops = shields if names <= _OF_TABLES else shields | _CELLS
        for place in range(len(self._open) - 1, -1, -1):
            if self._open[place] in names:
                return place
            if self._open[place] in stops:
                return -1
        return -1

    def _close_to(self, place: int) -> None:
        while 0 <= place < len(self._open):
            name = self._open.pop()
            self._count[name] -= 1
            self._out.append(f"</{name}>")

    def _rewritten(self, inside: str) -> str:
        kept: dict[str, str] = {}
        for found in _ATTRIBUTE.finditer(inside):
            if len(kept) == MAX_ATTRIBUTES:
                self.is_cut = True
                break
            name = found[1].lower()
            if name.isascii() and name.replace("-", "").isalnum():
                kept.setdefault(name, found[2] or found[3] or found[4] or "")
        return "".join(f' {name}="{_quoted(value)}"' for name, value in kept.items())


def _quoted(value: str) -> str:
    """A value between double quotes; references in it stay references."""
    return escape(value, quote=True).replace("&amp;", "&") if value else value
