"""Small pieces of HTML that pages have dozens of: icons, marks of sites, times. Templates call them as `parts`."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from functools import cache

from markupsafe import Markup, escape

from veille.interfaces.web.views.words import timed, tint

#: Drawn as strokes in a square of 24.
_SHAPES = {
    "search": "M11 4.5a6.5 6.5 0 1 1 0 13 6.5 6.5 0 0 1 0-13ZM16 16l4.5 4.5",
    "plus": "M12 5v14M5 12h14",
    "minus": "M5 12h14",
    "close": "M6 6l12 12M18 6L6 18",
    "check": "M5 12.5l4.5 4.5L19 7.5",
    "more": "M5 12h.01M12 12h.01M19 12h.01",
    "down": "M6 9l6 6 6-6",
    "again": "M19 12a7 7 0 1 1-2-5l2 2M19 4v5h-5",
    "left": "M15 5l-7 7 7 7",
    "right": "M9 5l7 7-7 7",
    "arrow": "M4 12h15M13 6l6 6-6 6",
    "changes": "M4 6h16M4 12h16M4 18h9",
    "bell": "M6 16V11a6 6 0 0 1 12 0v5l1.5 2h-15ZM10 20.5a2.2 2.2 0 0 0 4 0",
    "document": "M6 3.5h8l4.5 4.5v12.5H6ZM14 3.5V8h4.5M9 13h6M9 16.5h6",
    "source": "M5 19h.01M5 12.5a6.5 6.5 0 0 1 6.5 6.5M5 6a13 13 0 0 1 13 13",
    "link": "M10 14a4 4 0 0 0 6 .4l3-3a4 4 0 0 0-5.7-5.7L12 7M14 10a4 4 0 0 0-6-.4l-3 3a4 4 0 0 0 5.7 5.7L12 17",
    "out": "M9 6H5.5v12.5H18V15M13 5.5h5.5V11M18 6l-8 8",
    "star": "M12 4l2.4 5 5.6.7-4.1 3.8 1.1 5.5-5-2.8-5 2.8 1.1-5.5L4 9.7l5.6-.7Z",
    "play": "M8 5.5v13l10.5-6.5Z",
    "pause": "M8.5 5.5v13M15.5 5.5v13",
    "edit": "M4.5 19.5l1-4L16 5l3 3L8.5 18.5Z",
    "mute": "M6 16V11a6 6 0 0 1 9-5.2M18 11v5l1.5 2H9M4 4l16 16",
    "tag": "M4 4h7.5l8.5 8.5-7.5 7.5L4 11.5ZM8.5 8.5h.01",
    "eye": "M3 12s3-6 9-6 9 6 9 6-3 6-9 6-9-6-9-6ZM12 9.5a2.5 2.5 0 1 1 0 5 2.5 2.5 0 0 1 0-5Z",
    "clock": "M12 4a8 8 0 1 1 0 16 8 8 0 0 1 0-16ZM12 8v4.5l3 2",
}

#: Finds the icon of an address, for the page that is rendered now: pieces of pages have no values but their own.
Icons = Callable[[str, str], str]
_icons: ContextVar[Icons] = ContextVar("icons", default=lambda _dossier_id, _url: "")


@contextmanager
def with_icons(icons: Icons) -> Iterator[None]:
    """Pages that are rendered meanwhile show these icons of sites, and letters for all others."""
    token = _icons.set(icons)
    try:
        yield
    finally:
        _icons.reset(token)


@cache
def icon(name: str) -> Markup:
    """A drawing: `parts.icon("search")`."""
    dots = " dots" if name == "more" else ""
    return Markup(  # noqa: S704 - nothing foreign in it
        f'<svg class="icon{dots}" viewBox="0 0 24 24" width="18" height="18" aria-hidden="true">'
        f'<path d="{_SHAPES[name]}"/></svg>'
    )


def favicon(name: str, url: str = "", dossier_id: str = "") -> Markup:
    """The icon of a site, or a letter in a colour that is always the same until there is one."""
    src = _icons.get()(dossier_id, url) if url and dossier_id else ""
    if not src:
        letter = escape(name.strip()[:1].upper() or "·")
        return Markup(f'<span class="mark {tint(name)}" aria-hidden="true">{letter}</span>')  # noqa: S704 - escaped
    return Markup(  # noqa: S704 - escaped
        f'<span class="mark {tint(name)} pic" aria-hidden="true"><img src="{escape(src)}" alt="" width="20" '
        'height="20" loading="lazy" decoding="async"></span>'
    )


def time(at: int | None) -> Markup:
    """A time, which may be none yet."""
    return Markup('<span class="soft">never</span>') if at is None else timed(at)


PIECES = {"icon": icon, "favicon": favicon, "time": time}
