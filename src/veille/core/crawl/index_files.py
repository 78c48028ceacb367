"""The file that a server shows for a folder. Which one that is only the site can tell; here are the usual names."""

from __future__ import annotations

import re
from typing import Final

from veille.core.urls import url_key

_INDEX: Final = re.compile(r"/(?:index|default|home|welcome)\.\w{2,5}(?=$|\?)", re.IGNORECASE)


def folder_key(url: str) -> str:
    """The key of an address, or of the folder it is in if it has the name of an index; that proves nothing.

    >>> folder_key("https://example.org/news/index.php")
    'example.org/news'
    """
    return _INDEX.sub("", url_key(url))


def is_index_of(url: str, home: str) -> bool:
    """Whether of two addresses one is a folder, and the other in it by the name of an index.

    That both are one page must have been shown.
    """
    one, other = url_key(url), url_key(home)
    return one != other and (folder_key(url) == other or folder_key(home) == one)
