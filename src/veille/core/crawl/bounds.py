"""Which addresses a crawl may fetch: by host, pattern and file type; and URL patterns of endless series."""

from __future__ import annotations

import re
from dataclasses import dataclass
from fnmatch import translate
from functools import lru_cache

from veille.core.urls import Tracking, canonical, host_of, tracking_in_use, url_key, without_session
from veille.errors import ConfigError

#: The shape of an address without numbers, tokens and query.
PLAIN = "/"
#: Prefix of the pattern of a plain address whose words may come in other orders, and how many orders are fetched.
REORDERED = "="
MAX_REORDERED = 3

#: File suffixes that cannot be a page of text; links to them are not followed.
_MEDIA = frozenset(
    "7z aac apk avi avif bin bmp bz2 css deb dmg doc eot exe flac gif gz ico iso jar jpeg jpg js json jsonld m4a m4v "
    "map mid mjs mkv mov mp3 mp4 mpeg mpg msi oga ogg ogv opus otf pkg png ppt ps psd rar rpm rtf svg swf tar tgz "
    "tif tiff ttf wasm wav webm webp wma wmv woff woff2 xls xml xz zip zst rss atom rdf ics vcf torrent sig asc".split()
)
_SUFFIX = re.compile(r"\.([A-Za-z0-9]{1,8})$")
_NUMBER = re.compile(r"\d+")
_NUMBERS = re.compile(r"#(?:[/_.-]?#)+")
#: A generated value: a hash, a session id, a UUID.
_TOKEN = re.compile(r"(?=[^/]*\d)(?=[^/]*[A-Za-z])[A-Za-z0-9_-]{16,}|[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f-]{22}")
_WORD = re.compile(r"[^/_.+~-]+")
_FEW_WORDS = 3
_MAX_SEGMENTS = 24
_CIRCLE = 3
_MAX_PATTERN = 500
_MAX_SHAPE = 200


@dataclass(frozen=True, slots=True)
class Address:
    """An address as a crawl sees it."""

    url: str
    #: Equal for all spellings of the same page.
    key: str
    host: str
    #: The suffix of the file name, in lower case; empty if there is none.
    suffix: str
    #: The address without numbers, tokens and query values: the same for all of an endless series.
    shape: str
    #: The pattern under which the budget counts it: its shape, or, if that is plain, its words.
    pattern: str
    #: Whether its path repeats itself.
    winds: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Bounds:
    """The addresses that belong to a site."""

    hosts: tuple[str, ...]
    include: tuple[re.Pattern[str], ...] = ()
    exclude: tuple[re.Pattern[str], ...] = ()
    #: Suffixes of files to fetch besides pages.
    attachments: frozenset[str] = frozenset()
    #: Suffixes of all files that can be read.
    readable: frozenset[str] = frozenset()

    def admit(self, address: Address) -> bool:
        """Whether the address is within the bounds."""
        return self.has_host(address.host) and self.wants(address.url) and self._has_type(address.suffix)

    def has_host(self, host: str) -> bool:
        """Whether the host is allowed; `www.` is ignored, and `*.` allows all subdomains."""
        plain = host.removeprefix("www.")
        return any(
            plain == allowed or (allowed.startswith("*.") and plain.endswith(allowed[1:])) for allowed in self.hosts
        )

    def wants(self, text: str) -> bool:
        """Whether the `include` and `exclude` patterns admit the text."""
        if any(pattern.search(text) for pattern in self.exclude):
            return False
        return not self.include or any(pattern.search(text) for pattern in self.include)

    def _has_type(self, suffix: str) -> bool:
        if suffix in self.readable:
            return suffix in self.attachments
        return suffix not in _MEDIA


def address_of(link: str) -> Address | None:
    """The address of an absolute link, without fragment, session and tracking; None if it cannot be fetched."""
    return _address_of(link, tracking_in_use())


@lru_cache(maxsize=16_384)
def _address_of(link: str, _: Tracking) -> Address | None:
    """Cached; the second argument is only part of the cache key, because the result depends on it."""
    try:
        url = canonical(without_session(link))
        key, host = url_key(url), host_of(url)
    except ConfigError:
        return None
    if not url.startswith(("http://", "https://")):
        return None
    path = url.partition("://")[2].partition("?")[0].partition("/")[2]
    suffix = _SUFFIX.search(path)
    return Address(url, key, host, suffix[1].lower() if suffix else "", shape(key), pattern(key), _winds(path))


def shape(key: str) -> str:
    """The address without the parts that vary within an endless series.

    >>> shape("example.org/calendar/2026/05?view=month")
    'example.org/calendar/#?view='
    """
    path, _, query = key.partition("?")
    host, slash, path = path.partition("/")
    path = _NUMBERS.sub("#", _NUMBER.sub("#", _TOKEN.sub("*", path)))
    names = sorted({_NUMBER.sub("#", part.partition("=")[0]) for part in query.split("&")}) if query else []
    if not names and "#" not in path and "*" not in path:
        return PLAIN
    found = f"{host}{slash}{path}" + ("?" + "&".join(f"{name}=" for name in names) if names else "")
    return found[:_MAX_SHAPE]


def pattern(key: str) -> str:
    """The shape; for a plain address its set of words, regardless of their order and number.

    Shops link every combination of filters in every order: red wool, wool red, red wool large. Articles have words of
    their own.

    >>> pattern("example.org/shop/wool/red")
    '=example.org/shop: red shop wool'
    """
    found = shape(key)
    host, _, path = key.partition("/")
    words = sorted({word.lower() for word in _WORD.findall(path)})
    if found != PLAIN or len(words) < _FEW_WORDS:
        return found
    return f"{REORDERED}{host}/{path.partition('/')[0]}: {' '.join(words)}"


@lru_cache(maxsize=1024)
def pattern_of(text: str) -> re.Pattern[str]:
    """Compile a pattern from the configuration: `*` and `?` for the whole address, or `re:` and a regular expression.

    Raises ValueError for an invalid one.
    """
    if not text or len(text) > _MAX_PATTERN:
        raise ValueError(f"a pattern has 1 to {_MAX_PATTERN} characters")
    try:
        return re.compile(text[3:] if text.startswith("re:") else rf"\A{translate(text)}")
    except re.error as error:
        raise ValueError(f"{text!r} is no regular expression: {error}") from error


def _winds(path: str) -> bool:
    """Whether segments repeat in a row, or are too many: wrong relative links make ever deeper paths."""
    segments = path.strip("/").split("/")
    if len(segments) > _MAX_SEGMENTS:
        return True
    for size in range(1, len(segments) // _CIRCLE + 1):
        for start in range(len(segments) - size * _CIRCLE + 1):
            part = segments[start : start + size]
            if segments[start : start + size * _CIRCLE] == part * _CIRCLE:
                return True
    return False
