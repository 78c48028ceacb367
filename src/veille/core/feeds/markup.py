"""HTML in feeds: addresses made absolute and active parts removed, with exactly feedparser's results.

feedparser reads each text twice with a parser written in Python, which is nearly all of its time. Here one expression
splits a text at its tags, each distinct tag is processed once per feed, and only irregular input goes through
feedparser's own two passes: a single tag if the tag is odd, the whole text if its tags cannot be separated.
"""

from __future__ import annotations

import re
from contextlib import suppress
from html.entities import name2codepoint

from feedparser.html import _cp1252
from feedparser.sanitizer import _HTMLSanitizer
from feedparser.urls import RelativeURIResolver, make_safe_absolute_uri, resolve_relative_uris

XHTML = "application/xhtml+xml"

#: Characters per feed that may go through feedparser's passes, which take up to 2 s for 100 kB of made-up tags; the
#: rest is read by our own rules alone.
SLOW_BUDGET = 400_000
#: Longer style attributes are dropped: their check is not linear.
_MAX_STYLE = 2000
#: Maximum number of cached tags, and of bases: a feed of 100,000 entries must not fill the memory.
_MAX_KNOWN = 10_000
#: The slow passes take 0.1 s for an open comment of this length, and four times as long for twice the length.
_MAX_OPEN_COMMENT = 20_000

_ELEMENTS = frozenset(_HTMLSanitizer.acceptable_elements)
_ATTRIBUTES = frozenset(_HTMLSanitizer.acceptable_attributes)
_VOID = frozenset(RelativeURIResolver.elements_no_end_tag)
_CLOSED = _ELEMENTS - _VOID
_ADDRESSES = frozenset(RelativeURIResolver.relative_uris)
#: Removed together with their text.
_SILENT = frozenset(_HTMLSanitizer.unacceptable_elements_with_end_tag)

_DELICATE = frozenset({"style", "rel", "type", *(key for _, key in _ADDRESSES)})
_FOREIGN = frozenset({"svg", "math"})

_QUOTED = r"""(?:"[^"]*+"|'[^']*+')(?=[>/\s]|\w+=)"""
_NAME = r"[a-zA-Z][-_.:a-zA-Z0-9]*+"
# A tag, complete or cut off by the next one; an end tag; a comment.
_TAG = re.compile(rf"""(<(?:[a-zA-Z](?:[^'"<>]++|{_QUOTED})*+(?:>|(?=<))|/{_NAME}\s*>|!--(?s:.*?)--\s*>))""")
_SHORT = re.compile(rf"<({_NAME})\s*/>")
_ATTRIBUTE = r"""([a-zA-Z_][-:.a-zA-Z_0-9]*+)(\s*=\s*("[^"]*"|'[^']*'|[-a-zA-Z0-9.,:;+*%?!&$()_#=~@]+(?=[\s>]|\Z)))?"""
_ATTRIBUTES_OF = re.compile(rf"\s++{_ATTRIBUTE}")
_OPENING = re.compile(rf"<({_NAME})((?:\s++{_ATTRIBUTE})*+)\s*+(/?)>")
_STRAY = re.compile(r"<(?=[a-zA-Z/!?>])")
_REFERENCE = re.compile(r"&(?:#([0-9]+|[xX][0-9a-fA-F]+);|([a-zA-Z][-.a-zA-Z0-9]*)(?:;|(?![a-zA-Z0-9])))")
# References that may have to be rewritten; testing that there are none is faster than checking each.
_ODD_REFERENCE = re.compile(
    r"&(?=[a-zA-Z#])(?!(?:amp|lt|gt|quot|nbsp|[lr][sd]quo|hellip|[mn]dash);|#(?![0-9xX])"
    r"|#(?!0*1[2-5][0-9];)[0-9]++;|#x(?!0*[89][0-9a-f];)[0-9a-f]++;)"
)
_OPEN_END = re.compile(r"&[a-zA-Z][a-zA-Z0-9]*\Z")
#: Longer than any entity name: the part at the end of a text in which to search for an open one.
_LONGEST_NAME = 100
_UNFINISHED = re.compile(r"&#[0-9]+(?![0-9;])")
_BARE_AMPERSAND = re.compile(r"&(?!#\d+;|#x[0-9a-fA-F]+;|\w+;)")
# Three tags of four: those that full processing would not change. Most feeds are written by programs.
_CLEAN = re.compile(
    r"""</?([a-z][a-z0-9]*)(?: href="(https?://[!#-%'-;=?-Z\\^-~]+)"| (?:id|class|title)="[^<>"&]*")?>"""
)
_SGML_SHORT = re.compile(r"<[a-zA-Z][-.a-zA-Z0-9]*/")
_SPECIAL = re.compile('[<>"&]')
# Brackets and non-ASCII letters in a host name may make an address that cannot be parsed.
_HARMLESS = re.compile(r"[!-Z\\^-~]+")
# An address that is unchanged by joining it with a base.
_ABSOLUTE = re.compile(r"https?://[^\s/?#;\[\]]+(?:/[^\s;?#]*)?(?:\?[^\s;#]+)?(?:#[^\s;]+)?", re.ASCII)


class _Irregular(Exception):  # noqa: N818 - not an error: a signal from a tag to the text it is in
    """The tags of this text depend on each other."""


class Cleaner:
    """Cleans the texts of one feed; use one per feed, as it caches tags and counts the cost of odd texts."""

    def __init__(self) -> None:
        self._rules: dict[tuple[str, str], _Tags] = {}
        self._budget = _Budget()

    def clean(self, html: str, base: str = "", media_type: str = "text/html") -> str:
        """The text with absolute addresses and without scripts, event handlers and unknown elements."""
        html = html.replace("\0", "")  # NUL marks the place of a tag from here on
        if "<" not in html:
            return _text_only(html)
        rules = self._rules_for(base, media_type)
        # For a comment that never ends, the search for its end starts over and over, here and in the slow passes.
        if "<!--" in html and html.rfind("<!--") > html.rfind("-->"):
            return self._slow(html, rules) if len(html) <= _MAX_OPEN_COMMENT else _forced(html, rules)
        parts = _split(html)
        joined = "\0".join(parts[::2])
        if "<" in joined and (_STRAY.search(joined) or "/>" in joined):
            return self._slow(html, rules)
        try:
            return _assembled(parts, joined, rules)
        except _Irregular:
            return self._slow(html, rules)

    def _rules_for(self, base: str, media_type: str) -> _Tags:
        rules = self._rules.get((base, media_type))
        if rules is None or len(rules) > _MAX_KNOWN:
            rules = self._rules[base, media_type] = _Tags(base, media_type, self._budget)
            if len(self._rules) > _MAX_KNOWN:
                self._rules = {(base, media_type): rules}
        return rules

    def _slow(self, html: str, rules: _Tags) -> str:
        if self._budget.allows(len(html)):
            # The exceptions with which sgmllib fails.
            with suppress(ValueError, AssertionError, RecursionError, RuntimeError):
                return rules.both_passes(html).strip().replace("\r\n", "\n")
        return _forced(html, rules)


class _Budget:
    """How many more characters may go through feedparser's own passes."""

    def __init__(self, left: int = SLOW_BUDGET) -> None:
        self.left = left
        self.strict = left > 0

    def allows(self, size: int) -> bool:
        self.left -= size
        return self.left >= 0


class _Tags(dict[str, str]):
    """The replacement of each distinct tag for one base address; computed when first needed."""

    def __init__(self, base: str, media_type: str, budget: _Budget) -> None:
        super().__init__()
        self.base, self.media_type = base, media_type
        #: Tags that begin (1) or end (-1) an element with dropped text, and that open (1) or close (-1) svg or math.
        self.silent: dict[str, int] = {}
        self.foreign: dict[str, int] = {}
        self._budget = budget
        self._styles: dict[str, str] = {}

    def __missing__(self, tag: str) -> str:
        found = _CLEAN.fullmatch(tag)
        if found and found[1] in _CLOSED and not (self.base and found[2] and not _ABSOLUTE.fullmatch(found[2])):
            self[tag] = tag
            return tag
        self[tag] = clean = self._comment(tag) if tag.startswith("<!--") else self._tag(tag)
        return clean

    def both_passes(self, html: str) -> str:
        """The result of feedparser's own passes, which handle everything but are slow."""
        sanitizer = _HTMLSanitizer("utf-8", self.media_type)
        resolved = resolve_relative_uris(html, self.base, "utf-8", self.media_type)
        sanitizer.feed(resolved.replace("<![CDATA[", "&lt;![CDATA["))
        return str(sanitizer.output())

    def island(self, html: str) -> str:
        """An svg or math element as a whole."""
        if not self._budget.allows(len(html)):
            raise _Irregular
        return self.both_passes(html)

    def _comment(self, comment: str) -> str:
        inner = comment[4:].rstrip("> \t\n\r\f\v")[:-2]
        if "/>" in inner or "<!" in inner:
            return self._given_up()
        return f"<!--{inner}-->"

    def _given_up(self) -> str:
        """Leave the whole text to the slow passes; if they are not allowed, drop the tag."""
        if self._budget.strict:
            raise _Irregular
        return ""

    def _tag(self, tag: str) -> str:
        if tag[1] == "/":
            name = self._noted(tag[2:-1].rstrip(), tag, -1)
            return f"</{name}>" if name in _CLOSED else ""
        if tag[-2] == "/" and (short := _SHORT.fullmatch(tag)):
            name = self._noted(short[1], tag, 0)
            if name not in _ELEMENTS:
                return ""
            return f"<{name} />" if name in _VOID else f"<{name}></{name}>"
        if tag[-1] == "/":
            return self._given_up()
        return self._opening(tag if tag[-1] == ">" else f"{tag}>")

    def _opening(self, tag: str) -> str:
        opening = _OPENING.fullmatch(tag)
        if not opening or "<" in tag[1:] or ("&#" in tag and _UNFINISHED.search(tag)):
            return self._odd_tag(tag)
        name = self._noted(opening[1], tag, 1)
        if name not in _ELEMENTS:
            return ""
        attributes = self._attributes(name, opening[2]) if opening[2] else ""
        if name in _VOID:
            return f"<{name}{attributes} />"
        end = f"</{name}>" if opening[6] and self.media_type == XHTML else ""
        return f"<{name}{attributes}>{end}"

    def _odd_tag(self, tag: str) -> str:
        found = re.match(rf"<({_NAME})", tag)
        # SGML's <b/bold/ extends beyond its bracket; a tag within a tag may end elsewhere than it seems.
        if not found or "<" in tag[1:] or _SGML_SHORT.match(tag):
            return self._given_up()
        name = self._noted(found[1], tag, 1)
        if name in _SILENT or not self._budget.allows(len(tag)):
            return ""
        return self.both_passes(tag)

    def _noted(self, name: str, tag: str, step: int) -> str:
        name = name.lower()
        if name in _SILENT and step:
            self.silent[tag] = step
        elif name in _FOREIGN and self._budget.strict:
            self.foreign[tag] = 0 if tag.endswith("/>") and self.media_type == XHTML else step
        return name

    def _attributes(self, element: str, written: str) -> str:
        values: dict[str, str] = {}
        for name, given, value in _ATTRIBUTES_OF.findall(written):
            key = name.lower()
            if key in _ATTRIBUTES:
                values[key] = (value[1:-1] if value[0] in "\"'" else value) if given else name
        result = []
        for key in sorted(values) if len(values) > 1 else values:
            value = values[key]
            if key in _DELICATE:
                value = self._value(element, key, value)
                if not value and key == "style":
                    continue
            elif _SPECIAL.search(value):
                value = _escaped(value)
            result.append(f' {key}="{value}"')
        return "".join(result)

    def _value(self, element: str, key: str, value: str) -> str:
        if key in {"rel", "type"}:
            value = value.lower()
        elif (element, key) in _ADDRESSES:
            value = value.strip() or value
            if self.base:
                value = absolute(self.base, value) or value
        if _SPECIAL.search(value):
            value = _escaped(value)
        if key == "style":
            return self._style(value)
        if key == "href" and not (value.startswith(("http://", "https://")) and _HARMLESS.fullmatch(value)):
            return _BARE_AMPERSAND.sub("&amp;", make_safe_absolute_uri(value))
        return value

    def _style(self, value: str) -> str:
        if len(value) > _MAX_STYLE:
            return ""
        if value not in self._styles:
            self._styles[value] = _HTMLSanitizer("utf-8", "text/html").sanitize_style(value)
        return self._styles[value]


def _escaped(value: str) -> str:
    value = value.replace(">", "&gt;").replace("<", "&lt;").replace('"', "&quot;")
    return _BARE_AMPERSAND.sub("&amp;", value)


def absolute(base: str, reference: str) -> str:
    """The address joined with its base as feedparser does; empty if its scheme is not allowed."""
    if not base or _ABSOLUTE.fullmatch(reference):
        return reference
    return str(make_safe_absolute_uri(base, reference))


def _split(html: str) -> list[str]:
    return _TAG.split(html.replace("&#39;", "'").replace("&#34;", '"'))


def _forced(html: str, rules: _Tags) -> str:
    """Clean by our own rules, in linear time: a `<` that begins no complete tag is text, and there are no comments."""
    parts = _split(html.replace("<!", "&lt;!"))
    parts[::2] = [_STRAY.sub("&lt;", text) for text in parts[::2]]
    parts = _split("".join(parts))
    return _assembled(parts, "\0".join(parts[::2]), _Tags(rules.base, rules.media_type, _Budget(0)))


def _text_only(html: str) -> str:
    if "&" in html:
        html = _with_references(html.replace("&#39;", "'").replace("&#34;", '"'))
    return html.strip().replace("\r\n", "\n")


def _assembled(parts: list[str], joined: str, rules: _Tags) -> str:
    raw = parts[1::2]
    tags = [rules[tag] for tag in raw]
    if rules.foreign and not rules.foreign.keys().isdisjoint(raw):
        return _assembled_islands(parts, rules)
    if "&" in joined and _ODD_REFERENCE.search(joined):
        parts[::2] = _with_references(joined).split("\0")
    parts[1::2] = tags
    if rules.silent and not rules.silent.keys().isdisjoint(raw):
        parts[::2] = _without_silent(parts[::2], raw, rules)
    return "".join(parts).strip().replace("\r\n", "\n")


def _assembled_islands(parts: list[str], rules: _Tags) -> str:
    """Process every svg and math element as a whole: the list of what is allowed inside them differs."""
    result, begin, depth, silent = parts[:1], 0, 0, 0
    for index in range(1, len(parts), 2):
        tag, text = parts[index], parts[index + 1]
        step = rules.foreign.get(tag, 0)
        silent += rules.silent.get(tag, 0)
        if not depth and tag in rules.foreign:
            begin = index
            if step < 1:
                raise _Irregular
        depth += step
        # No element with dropped text may be in an island or around it.
        if depth and (silent or tag in rules.silent):
            raise _Irregular
        if depth == 0:
            island = "".join(parts[begin : index + 1]) if tag in rules.foreign else tag
            if island is not tag and island not in rules:
                rules[island] = rules.island(island)
            result += [island, text]
    if depth:
        raise _Irregular
    return _assembled(result, "\0".join(result[::2]), rules)


def _with_references(text: str) -> str:
    end = _OPEN_END.search(text, max(0, len(text) - _LONGEST_NAME))
    if end:
        return _REFERENCE.sub(_reference, text[: end.start()]) + end[0]
    return _REFERENCE.sub(_reference, text)


def _reference(found: re.Match[str]) -> str:
    number, name = found[1], found[2]
    if name:
        return f"&{name};" if name in name2codepoint or name == "apos" else f"&amp;{name}"
    number = number.lower()
    # Python rejects numbers of thousands of digits; no character needs more than seven.
    value = -1 if len(number) > 9 else int(number[1:], 16) if number[0] == "x" else int(number)  # noqa: PLR2004
    return f"&#{hex(ord(_cp1252[value]))[1:]};" if value in _cp1252 else f"&#{number};"


def _without_silent(texts: list[str], raw: list[str], rules: _Tags) -> list[str]:
    # As in feedparser an end tag without a start counts too, and references are not text.
    depth, result = 0, texts[:1]
    for tag, text in zip(raw, texts[1:], strict=True):
        depth += rules.silent.get(tag, 0)
        result.append("".join(match[0] for match in _REFERENCE.finditer(text)) if depth else text)
    return result
