"""What a page hides: tricks are left out, what a click or a script would show is not."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from selectolax.lexbor import LexborNode

_GONE: Final = re.compile(
    r"display\s*:\s*none|font-size\s*:\s*0(?![.\d]*[1-9])|(?:left|top|text-indent)\s*:\s*-\d{4,}", re.IGNORECASE
)
_VEILED: Final = re.compile(r"visibility\s*:\s*hidden|opacity\s*:\s*0(?![.\d]*[1-9])", re.IGNORECASE)
# What a click shows is content, not a trick: closed tabs and accordions. Of the hidden boxes in the wcxb sample that
# people counted as content, these names and the two rules of `revealed` cover all but a handful.
_FOLDED: Final = re.compile(
    r"accordion|collaps|(?:^|[-_\s])(?:tabs?|tab-?panel|panel|pane|toggle|faq|answer|expand\w*|content|disclosure|read-?more)(?:[-_\s]|$)",
    re.IGNORECASE,
)
_STREAMED: Final = re.compile(r"S:[0-9a-f]+")
#: A veil (opacity, visibility) over more than this many characters is a page waiting for its script, not a trick.
_VEIL_CHARS: Final = 1000


def visible(attributes: dict[str, str | None]) -> bool:
    """Whether the element's own attributes leave it visible."""
    if "hidden" in attributes or attributes.get("aria-hidden") == "true":
        return False
    style = attributes.get("style")
    return not (style and (_GONE.search(style) or _VEILED.search(style)))


def revealed(node: LexborNode, attributes: dict[str, str | None]) -> bool:
    """Whether a hidden element is shown later by the page itself: streamed in, unfolded by a click, or faded in."""
    name = attributes.get("id") or ""
    if _STREAMED.fullmatch(name) or attributes.get("role") == "tabpanel":
        return True
    style = attributes.get("style") or ""
    if "hidden" not in attributes and _VEILED.search(style) and not _GONE.search(style):
        return "transform" in style or len(node.text()) > _VEIL_CHARS
    if "font-size" in style or "-9" in style:
        return False
    return _FOLDED.search(f"{attributes.get('class') or ''} {name}") is not None
