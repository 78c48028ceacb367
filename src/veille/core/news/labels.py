"""The normalised address of an article, its rule-based type and category, and its text without promotional lines."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable

from veille.core.fingerprint import content_hash
from veille.core.urls import host_of, url_key
from veille.errors import ConfigError


def _words(signs: Iterable[str]) -> re.Pattern[str]:
    return re.compile(rf"(?<!\w)(?:{'|'.join(map(re.escape, signs))})(?!\w)")


_POLITICS = _words(
    "government,election,senate,parliament,congress,policy,bill,minister,cabinet,president,presidency,diplomacy,"
    "sanctions,ceasefire,regulator,parliamentary,supreme court,white house,kremlin,eu commission".split(",")
)
_SPORTS = _words(
    "match,game,player,coach,league,cup,tournament,goal,score,transfer,nba,nfl,mlb,nhl,fifa,uefa,olympics,grand slam"
    "".split(",")
)
#: The first type with a match wins.
_TYPES = {
    "opinion": _words(("opinion", "editorial", "op-ed", "commentary", "column")),
    "analysis": _words(("analysis", "explainer", "in depth", "long read")),
    "interview": _words(("interview", "q&a")),
    "live": _words(("live blog", "live updates", "live:", "liveblog", "as it happened")),
}
#: Index files, which are removed from the addresses in the sheets.
_INDEX = re.compile(r"/index\.html?(?=$|\?)", re.IGNORECASE)
_SALES = ("subscribe to", "sign up", "related articles", "read more", "©", "copyright", "all rights reserved")
#: Characters of a text that are examined.
_HEAD = 2000
#: Minimum number of words of a topic; it also needs twice as many as the other topic.
_ENOUGH = 3


def clean_text(text: str) -> str:
    """The text without empty lines and lines that belong to the site, not to the article."""
    return "\n".join(line for line in text.splitlines() if line.strip() and not line.strip().lower().startswith(_SALES))


def text_hash(text: str) -> str:
    """A hash that is equal for texts that differ only in such lines."""
    return content_hash(clean_text(text) or text)


def article_type(section: str, tags: list[str], title: str) -> str:
    """opinion, analysis, interview, live or news."""
    said = f" {section} {' '.join(tags)} {title} ".lower()
    return next((name for name, signs in _TYPES.items() if signs.search(said)), "news")


def category(title: str, text: str, stated: str) -> str:
    """politics, sports or other: by section, tags and address, else by the words of the text."""
    if stated in {"politics", "sports"}:
        return stated
    words = f"{title} {text[:_HEAD]}".lower()
    politics, sports = (len(signs.findall(words)) for signs in (_POLITICS, _SPORTS))
    if politics >= max(_ENOUGH, 2 * sports):
        return "politics"
    return "sports" if sports >= max(_ENOUGH, 2 * politics) else "other"


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


def site_of(url: str) -> str:
    """The host of an address without `www.`; empty if it has none.

    >>> site_of("https://www.example.org/a")
    'example.org'
    """
    try:
        return host_of(url).removeprefix("www.")
    except ConfigError:
        return ""
