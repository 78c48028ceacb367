"""Rendering templates. Values are always escaped."""

from __future__ import annotations

import gzip
import hashlib
import re
from collections.abc import Callable, Mapping
from functools import cache
from importlib.resources import files
from itertools import takewhile
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined

from veille.bootstrap.clock import system_clock
from veille.core.report.read_share import is_implausible
from veille.interfaces.web.views.browsers import browser
from veille.interfaces.web.views.keys import KEYS
from veille.interfaces.web.views.pieces import PIECES
from veille.interfaces.web.views.row_html import ROW_PIECES
from veille.interfaces.web.views.rows import ROW_FILTERS
from veille.interfaces.web.views.words import FILTERS

#: Lets browsers send the Referer of a form to ourselves.
PAGE_HEADERS = {"Referrer-Policy": "same-origin"}
#: Marks the end of the first part of a page; browsers treat it as white space.
_SO_FAR = "\f"


def page(template: str, **values: Any) -> str:
    """Render a template."""
    return _environment().get_template(template).render(now=system_clock(), **values)


def in_two_parts(template: str, **values: Any) -> tuple[str, Callable[[Mapping[str, Any]], str]]:
    """Render in two parts: the text up to `so_far`, and a function that renders the rest with further values."""
    made = _environment().get_template(template)
    context = made.new_context({"now": system_clock(), **values})
    pieces = iter(made.root_render_func(context))
    frame = "".join(takewhile(lambda piece: piece != _SO_FAR, pieces)) + _SO_FAR

    def rest(found: Mapping[str, Any]) -> str:
        context.parent.update(found)
        return "".join(pieces)

    return frame, rest


@cache
def static_files() -> dict[str, bytes]:
    """Style sheets, scripts and icons, by name."""
    folder = files("veille.interfaces.web").joinpath("static")
    found = {one.name: one.read_bytes() for one in folder.iterdir() if one.is_file()}
    return {name: _lighter(body) if name.endswith(".css") else body for name, body in found.items()}


@cache
def packed_files() -> dict[str, bytes]:
    """What is text among them, packed once (gzip): a third of it, and nothing secret."""
    return {
        name: gzip.compress(body, mtime=0) for name, body in static_files().items() if name.endswith((".css", ".js"))
    }


def _lighter(css: bytes) -> bytes:
    """A style sheet without what is there for those who read it."""
    bare = re.sub(rb"/\*.*?\*/|^\s+", b"", css, flags=re.DOTALL | re.MULTILINE)
    return (
        bare.replace(b"; ", b";").replace(b" { ", b"{").replace(b"; }", b"}").replace(b";}", b"}").replace(b" }", b"}")
    )


@cache
def edition() -> str:
    """A hash of the contents of all static files."""
    contents = hashlib.sha256()
    for name, body in sorted(static_files().items()):
        contents.update(f"{name} {len(body)}\n".encode() + body)
    return contents.hexdigest()[:10]


def static_url(name: str) -> str:
    """The URL of a static file; its imports are beside it. New contents get a new URL: browsers cache each for good."""
    return f"/static/{edition()}/{name}"


@cache
def _environment() -> Environment:
    made = Environment(
        loader=PackageLoader("veille.interfaces.web"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        # Nobody edits the templates of a service that runs; to look at their files takes as long as a row.
        auto_reload=False,
    )
    made.filters |= {one.__name__: one for one in (*FILTERS, *ROW_FILTERS, browser)}
    made.tests["implausible"] = is_implausible
    made.globals |= {"static": static_url, "keys": KEYS, "so_far": _SO_FAR}
    made.globals |= {"pieces": PIECES, **ROW_PIECES}
    return made
