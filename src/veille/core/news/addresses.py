"""The normalised address of an article, whatever the spelling in its feeds."""

from __future__ import annotations

import hashlib
import re

from veille.core.urls import url_key

#: Index files, which are removed from the addresses in the sheets.
_INDEX = re.compile(r"/index\.html?(?=$|\?)", re.IGNORECASE)


def article_address(url: str) -> str:
    """The address without tracking, `www.` and index file, and always https; the original link is what is fetched.

    >>> article_address("http://www.example.org/news/index.html?utm_source=rss&id=7")
    'https://example.org/news?id=7'
    """
    key = _INDEX.sub("", url_key(url))
    return key if "://" in key else f"https://{key}"


def article_hash(url: str) -> str:
    """SHA-256 of that address."""
    return hashlib.sha256(article_address(url).encode()).hexdigest()
