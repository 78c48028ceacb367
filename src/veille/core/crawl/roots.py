"""What the outermost element of a piece of markup is called: the shortest way to know what it is."""

from __future__ import annotations

import re
from typing import Final

from veille.core.feeds.encoding import decoded

#: More than this is never before the root, and the rest costs time.
_HEAD: Final = 64 * 1024
#: Enough to tell wide encodings from others.
_START: Final = 256
_ROOT: Final = re.compile(
    r"""(?:[\s\ufeff]++|<\?.*?\?>|<!--.*?-->|<![a-z](?:[^\[>]++|\[[^\]]*+\])*+>)*+<(?:[\w.-]++:)?([a-z][\w.-]*+)""",
    re.IGNORECASE | re.DOTALL,
)


def root_name(data: bytes, charset: str = "") -> str:
    """The name of the root, in lower case and without its prefix; empty when the bytes are no markup.

    >>> root_name(b"<?xml version='1.0'?><!-- made by hand --><rdf:RDF>")
    'rdf'
    """
    head = data[:_HEAD]
    # Names are in ASCII, and so is nearly every encoding as far as it goes; the name it gives itself may be wrong.
    is_plain = b"\0" not in head[:_START] and b"<" in head[:_START]
    found = _ROOT.match(head.decode("utf-8-sig", "replace") if is_plain else decoded(head, charset))
    return found[1].lower() if found else ""
