"""Sanitised HTML: a short list of elements and attributes, and absolute addresses."""

from __future__ import annotations

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
SCHEMES: Final = frozenset({"http", "https", "mailto"})
_ALLOWED: Final = {"*": set(ANYWHERE), **{tag: set(names) for tag, names in ATTRIBUTES.items()}}


def clean_html(html: str, url: str) -> str:
    """Only safe elements and attributes; every address is absolute, and http, https or mailto."""
    is_web = url.startswith(("http://", "https://")) and resolved(None, url) is not None
    relative = ("rewrite_with_base", url) if is_web else "deny"
    try:
        html.encode()
    except UnicodeEncodeError:
        # A lone surrogate, as JSON escapes allow.
        html = html.encode("utf-8", "replace").decode()
    return nh3.clean(
        bounded(html),
        tags=set(TAGS),
        attributes=_ALLOWED,
        url_schemes=set(SCHEMES),
        url_relative=relative,  # type: ignore[arg-type]
        strip_comments=True,
    ).strip()
