"""The index file that a server shows for a folder. Every site may choose its name; these are the usual ones."""

from __future__ import annotations

import re
from typing import Final

from veille.core.urls import url_key

_INDEX: Final = re.compile(r"/(?:index|default|home|welcome)\.\w{2,5}(?=$|\?)", re.IGNORECASE)


def folder_key(url: str) -> str:
    """The key of an address; for the usual name of an index file that of its folder, as a guess.

    >>> folder_key("https://example.org/news/index.php")
    'example.org/news'
    """
    return _INDEX.sub("", url_key(url))


def is_index_of(url: str, home: str) -> bool:
    """Whether one of two addresses is a folder, and the other has the usual name of its index file.

    The caller must know that both are the same page.
    """
    one, other = url_key(url), url_key(home)
    return one != other and (folder_key(url) == other or folder_key(home) == one)
