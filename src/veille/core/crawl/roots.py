"""The name of the root element of markup: the cheapest way to recognise a format."""

from __future__ import annotations

import re
from typing import Final

from veille.core.feeds.source_text import decoded

#: The root is searched in the first bytes only: no real file has more before it, and the rest would cost time.
_HEAD: Final = 64 * 1024
#: Enough bytes to recognise UTF-16 and UTF-32.
_START: Final = 256
_ROOT: Final = re.compile(
    r"""(?:[\s\ufeff]++|<\?.*?\?>|<!--.*?-->|<![a-z](?:[^\[>]++|\[[^\]]*+\])*+>)*+<(?:[\w.-]++:)?([a-z][\w.-]*+)""",
    re.IGNORECASE | re.DOTALL,
)


def root_name(data: bytes, charset: str = "") -> str:
    """The name of the root, in lower case and without its prefix; empty if the bytes are no markup.

    >>> root_name(b"<?xml version='1.0'?><!-- made by hand --><rdf:RDF>")
    'rdf'
    """
    head = data[:_HEAD]
    # Names are ASCII, which nearly every encoding contains, so the declared encoding, which may be wrong, is not used.
    is_plain = b"\0" not in head[:_START] and b"<" in head[:_START]
    found = _ROOT.match(head.decode("utf-8-sig", "replace") if is_plain else decoded(head, charset))
    return found[1].lower() if found else ""
