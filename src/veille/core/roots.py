"""What the outermost element of a piece of markup is called: the shortest way to know what it is."""

from __future__ import annotations

import re
from typing import Final

from veille.core.feeds.encoding import decoded

#: More than this is never before the root, and the rest costs time.
_HEAD: Final = 64 * 1024
_ROOT: Final = re.compile(
    r"""(?:[\s\ufeff]++|<\?.*?\?>|<!--.*?-->|<![a-z](?:[^\[>]++|\[[^\]]*+\])*+>)*+<(?:[\w.-]++:)?([a-z][\w.-]*+)""",
    re.IGNORECASE | re.DOTALL,
)


def root_name(data: bytes, charset: str = "") -> str:
    """The name of the root, in lower case and without its prefix; empty when the bytes are no markup.

    >>> root_name(b"<?xml version='1.0'?><!-- made by hand --><rdf:RDF>")
    'rdf'
    """
    if b"<" not in data[:_HEAD]:
        return ""
    found = _ROOT.match(decoded(data[:_HEAD], charset))
    return found[1].lower() if found else ""
