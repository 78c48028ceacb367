"""What may be in HTML: a short list of elements and attributes, and absolute addresses of safe schemes."""

from __future__ import annotations

import re
from typing import Final

import nh3

from veille.core.markup_bounds import bounded
from veille.core.urls import resolved

TAGS: Final = frozenset(
    (
        "p h1 h2 h3 h4 h5 h6 ul ol li dl dt dd blockquote q cite pre code kbd samp var em strong b i u s del ins sub "
        "sup small mark abbr a img figure figcaption picture table caption thead tbody tfoot tr th td col colgroup br "
        "hr div span section article details summary time bdi bdo ruby rt rp math mi mo mn mrow msup msub mfrac msqrt"
    ).split()
)
#: Those of them that are part of a line.
INLINE: Final = frozenset(
    (
        "a abbr b bdi bdo br cite code del em i img ins kbd mark math mfrac mi mn mo mrow msqrt msub msup picture q rp "
        "rt ruby s samp small span strong sub sup time u var"
    ).split()
)
ANYWHERE: Final = frozenset({"dir", "lang", "title"})
ATTRIBUTES: Final = {
    "a": frozenset({"href"}),
    "img": frozenset({"src", "srcset", "alt", "width", "height"}),
    "td": frozenset({"colspan", "rowspan"}),
    "th": frozenset({"colspan", "rowspan", "scope"}),
    "ol": frozenset({"start", "reversed"}),
    "code": frozenset({"class"}),
    "pre": frozenset({"class"}),
    "time": frozenset({"datetime"}),
}
_SCHEMES: Final = frozenset({"http", "https", "mailto"})
_ALLOWED: Final = {"*": set(ANYWHERE), **{tag: set(names) for tag, names in ATTRIBUTES.items()}}
_WITH_CLASSES: Final = _ALLOWED | {"*": {*ANYWHERE, "class"}}

#: Browsers ignore these inside an address, so they could hide a scheme such as `javascript:`.
_DROPPED: Final = re.compile(r"[\t\n\r]")
_AROUND: Final = "".join(map(chr, range(33)))
_ABSOLUTE: Final = ("https://", "http://")
#: A candidate of a srcset: an address, which may contain commas, then its width or density unless a comma ends it.
_CANDIDATE: Final = re.compile(r"([^\s,]\S*+)(?:(?<=,)|([^,]*+))")
_SIZE: Final = re.compile(r"[\d.]+[wxh]")


class Base:
    """The base address of a page's links."""

    __slots__ = ("joined", "origin", "url")

    def __init__(self, url: str) -> None:
        self.url = resolved(None, url) if url.startswith(_ABSOLUTE) else None
        self.origin = str(self.url.origin) if self.url is not None else ""
        #: Cache of joined addresses: the links of a page repeat.
        self.joined: dict[str, str] = {}

    @property
    def address(self) -> str:
        """The address itself; empty if it is not of the web."""
        return str(self.url.href) if self.url is not None else ""

    def absolute(self, href: str) -> str:
        """The absolute http or https address, or an empty string."""
        # As in `harmless`, to save a call for each of a page's links.
        if href[:4] == "http" and href.startswith(_ABSOLUTE) and href.isprintable() and href[-1] != " ":
            return href
        found = self.harmless(href)
        return found if found.startswith(_ABSOLUTE) else ""

    def harmless(self, href: str) -> str:
        """The address if it is http, https or mailto, else an empty string."""
        # What most links are, first.
        if href[:4] == "http" and href.startswith(_ABSOLUTE) and href.isprintable() and href[-1] != " ":
            return href
        href = href.strip(_AROUND)
        if not href.isprintable():
            href = _DROPPED.sub("", href)
        if href.startswith(_ABSOLUTE):
            return href
        # Most links are root-relative: joining those by hand saves most of the time.
        if href[:1] == "/" and href[1:2] not in ("/", "\\"):
            return self.origin + href if self.origin else ""
        found = self.joined.get(href)
        if found is None:
            found = self.joined[href] = self._join(href)
        return found

    def _join(self, href: str) -> str:
        joined = resolved(self.url, href)
        if joined is None or joined.protocol.removesuffix(":") not in _SCHEMES:
            return ""
        return str(joined.href).removesuffix("#")

    def candidates(self, srcset: str) -> str:
        """A srcset with absolute addresses."""
        found = []
        for match in _CANDIDATE.finditer(srcset):
            url, size = self.absolute(match[1].rstrip(",")), (match[2] or "").strip()
            if url:
                found.append(f"{url} {size}" if _SIZE.fullmatch(size) else url)
        return ", ".join(found)


def clean_html(html: str, url: str, *, classes: bool = False) -> str:
    """Only safe elements and attributes; every address is absolute, and http, https or mailto.

    With `classes`, elements keep their class: for readers with their own page, where no style of ours is.
    """
    is_web = url.startswith(_ABSOLUTE) and resolved(None, url) is not None
    relative = ("rewrite_with_base", url) if is_web else "deny"
    try:
        html.encode()
    except UnicodeEncodeError:
        # A lone surrogate, as JSON escapes allow.
        html = html.encode("utf-8", "replace").decode()
    return nh3.clean(
        bounded(html),
        tags=set(TAGS),
        attributes=_WITH_CLASSES if classes else _ALLOWED,
        url_schemes=set(_SCHEMES),
        url_relative=relative,  # type: ignore[arg-type]
        strip_comments=True,
    ).strip()
