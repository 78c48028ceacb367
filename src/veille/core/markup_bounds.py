"""Limit untrusted markup before a parser sees it: HTML parsers are quadratic in nesting, attributes and more.

Small pieces pass unchanged: they cannot take long. A larger one is rewritten in one linear pass, so that the parser has
no errors left to correct: every element is closed in order, in a parent that may contain it, at most `MAX_DEPTH` deep
and with at most `MAX_ATTRIBUTES` attributes. Only content elements are kept, and no comments; the text of all other
elements stays, except that of scripts and styles.
"""

from __future__ import annotations

import re
from collections import Counter
from html import escape
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from selectolax.lexbor import LexborHTMLParser

#: Real content stays far below: the deepest page of the wcxb sample has a depth of 66, the fullest tag 61 attributes.
MAX_DEPTH: Final = 200
MAX_ATTRIBUTES: Final = 64
#: Reported when elements or attributes were dropped as too many, while the text was kept.
SIMPLIFIED: Final = "simplified"
#: A piece with so few and such short tags parses in milliseconds in any case: in the worst case, 400 tags that each
#: reopen the ones before them make 20,000 elements.
_FEW_TAGS: Final = 400
_SHORT_TAG: Final = 2000

#: As in the HTML standard, a quote opens a value only after "=". A comment may end with "--!>", or at once (`<!-->`).
_TOKEN: Final = re.compile(
    r"<!--(?:-?>|(?s:.*?)(?:--!?>|\Z))"
    r"|<(?:[!?]|/(?![a-zA-Z]))[^>]*+(?:>|\Z)"
    r"|<(/?)([a-zA-Z][^\s/>]*+)((?:[^>=]++|=\s*+(?:\"[^\"]*+\"|'[^']*+')?+)*+)(?:>|\Z)"
)
_ATTRIBUTE: Final = re.compile(r"""([^\s=\"'/>]++)(?:\s*+=\s*+(?:\"([^\"]*+)\"|'([^']*+)'|([^\s\"'>]++)))?+""")
#: Attributes that can be kept verbatim.
_REGULAR: Final = re.compile(r"""(?: [a-zA-Z][-\w:.]*+(?:="[^"<>]*+")?+){0,64}+""")

_VOID: Final = frozenset({"br", "hr", "img", "col"})
_TABLE: Final = frozenset({"table", "thead", "tbody", "tfoot", "tr", "colgroup"})
#: Parts of a table, and the parents each may have; elements open inside that parent are closed first.
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
#: Elements that close an open element of these names, and the elements that prevent that.
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
#: Elements whose text is not content.
_SILENT: Final = frozenset({"script", "style"})


def parsed(html: str) -> LexborHTMLParser:
    """The tree of untrusted HTML, parsed in linear time."""
    from selectolax.lexbor import LexborHTMLParser  # noqa: PLC0415 - a worker reads nothing

    return LexborHTMLParser(bounded(html).encode("utf-8", "replace"))


def bounded(html: str) -> str:
    """The same content as markup that every parser reads in linear time."""
    return html if _is_small(html) else _Scribe(html).text


def is_too_deep(html: str) -> bool:
    """Whether `bounded` drops elements or attributes because they are nested too deeply or are too many."""
    return not _is_small(html) and _Scribe(html).is_cut


def _is_small(html: str) -> bool:
    if html.count("<") > _FEW_TAGS:
        return False
    return len(html) <= _SHORT_TAG or all(len(tag[0]) <= _SHORT_TAG for tag in _TOKEN.finditer(html))


class _Scribe:
    """Rewrites one piece of markup."""

    def __init__(self, html: str) -> None:
        self._out: list[str] = []
        self._open: list[str] = []
        self._count: Counter[str] = Counter()
        #: Elements that were dropped, so that their end tags are, too.
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
        # A "<" that starts no tag here must not start one together with the text written after it.
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
        self._out.append(f"<{name}{attributes}>")
        if name not in _VOID:
            self._open.append(name)
            self._count[name] += 1
            if inside.endswith("/"):
                self._close_to(len(self._open) - 1)

    def _make_room(self, name: str) -> None:
        """Close open elements that cannot contain an element of this name."""
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
        """Close the table: only rows and cells may be in one, and parsers would move all else before it, one by one."""
        self._close_to(self._last(_WHOLE_TABLE))

    def _last(self, names: frozenset[str], shields: frozenset[str] = frozenset()) -> int:
        """The index of the innermost open element of these names; -1 if there is none, or a shield inside it."""
        if not any(self._count[name] for name in names):
            return -1
        # Tags in a table cell close nothing outside of it.
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
    """Escape a value for double quotes; character references in it are kept."""
    return escape(value, quote=True).replace("&amp;", "&") if value else value
