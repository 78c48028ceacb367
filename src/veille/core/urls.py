"""URL normalisation: the address to fetch, and a looser key that is equal for addresses of the same page.

`canonical` changes nothing that a server could notice; `url_key` also drops tracking parameters.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from difflib import get_close_matches
from functools import lru_cache
from urllib.parse import parse_qsl, urlencode

import can_ada

from veille.core.addresses import refuse_in_address
from veille.errors import ConfigError

MAX_LENGTH = 4096

#: Tracking parameters, which never select the page; a final `*` matches any suffix. `sid` and `ref` are not here: they
#: may select it.
TRACKING = tuple(
    "_ga _gl _hsenc _hsmi at_campaign at_medium dclid fb_action_ids fb_action_types fb_source fbclid gbraid gclid "
    "gclsrc igsh igshid mc_cid mc_eid mkt_tok msclkid oly_anon_id oly_enc_id phpsessid spm srsltid ttclid twclid "
    "vero_id wbraid wickedid xtor yclid utm_* pk_* mtm_* hsa_*".split()
)

#: Query parameters that name a session if their value looks random.
_SESSION = re.compile(
    r"(?:php|j|asp\.?net_?|cf)?sess(?:ion)?_?id\w*|sid|sess(?:ion)?|cfid|cftoken|zenid|oscsid", re.IGNORECASE
)
_MADE_UP = re.compile(r"(?=.*\d)[A-Za-z0-9_,.-]{8,}")

_WEB = ("https", "http")
#: Similarity from which a scheme counts as mistyped: `htps` does, `ftp` does not.
_NEAR = 0.74
_NO_COLON = re.compile(r"(https?);?/+(\S+)", re.IGNORECASE)
_HOST = re.compile(r"(?:[\w-]+\.)+[a-z][\w-]+(?::\d{1,5})?(?:[/?#]\S*)?", re.IGNORECASE)

_AMP = re.compile(r"(?:/amp|\.amp)$", re.IGNORECASE)
_PATH_SESSION = re.compile(r";(?:jsessionid|phpsessid)=[^/]*", re.IGNORECASE)
_UNSAFE = re.compile(r"[\x00-\x20\x7f]")
_ESCAPE = re.compile(r"%([0-9A-Fa-f]{2})")


@dataclass(frozen=True)
class Tracking:
    """The operator's additions to the table of tracking parameters, and the parameters to keep."""

    add: tuple[str, ...] = ()
    keep: tuple[str, ...] = ()

    def covers(self, name: str, value: str) -> bool:
        """Whether this is a tracking parameter."""
        lowered = name.lower()
        if self.keep and _is_among(lowered, *_split(self.keep)):
            return False
        return _is_among(lowered, *_split(TRACKING + self.add)) or (lowered == "amp" and value in {"", "1"})


@lru_cache(maxsize=8)
def _split(patterns: tuple[str, ...]) -> tuple[frozenset[str], tuple[str, ...]]:
    """Split patterns into exact names and prefixes."""
    lowered = [pattern.lower() for pattern in patterns]
    whole = frozenset(pattern for pattern in lowered if not pattern.endswith("*"))
    return whole, tuple(pattern[:-1] for pattern in lowered if pattern.endswith("*"))


def _is_among(name: str, whole: frozenset[str], beginnings: tuple[str, ...]) -> bool:
    return name in whole or name.startswith(beginnings)


#: Global to the process and not a parameter: a key made with another table in one place would split one document into
#: two.
_tracking = Tracking()


def use_tracking(tracking: Tracking) -> None:
    """Install this table; called at process start, before anything is read."""
    global _tracking  # noqa: PLW0603 - see above
    _tracking = tracking


def tracking_in_use() -> Tracking:
    """The table that is installed."""
    return _tracking


def canonical(url: str) -> str:
    """The address to fetch: lower-case scheme and host, no default port, no fragment, sorted query.

    >>> canonical("HTTPS://Example.COM:443/a/../b?z=1&a=2#top")
    'https://example.com/b?a=2&z=1'

    The trailing slash of a path is kept, because servers distinguish the two; `url_key` drops it.
    """
    text = url.strip()
    if not text or len(text) > MAX_LENGTH:
        raise ConfigError(
            f"{_short(url)!r} is not an address: it must have 1 to {MAX_LENGTH} characters.", code="bad_url"
        )
    if _UNSAFE.search(text):
        raise ConfigError(f"{_short(url)!r} is not an address: it has spaces or control characters.", code="bad_url")
    refuse_in_address(text)
    parts = _parsed(text)
    if parts.protocol not in {"http:", "https:"}:
        if _is_mistyped(parts.protocol.rstrip(":")):
            raise _no_address(url)
        return text
    if not parts.hostname:
        raise ConfigError(f"{_short(url)!r} is not an address: it names no host.", code="bad_url")
    if parts.username or parts.password:
        raise ConfigError(
            "An address must not carry a name or password, which would be shown and stored in clear: keep it with "
            "`veille secrets set` and name it in a header.",
            code="bad_url",
        )
    # Parts are sorted verbatim: decoding and encoding again could change what the server sees.
    query = "&".join(sorted(filter(None, parts.search.removeprefix("?").split("&"))))
    path = "" if parts.pathname == "/" and not query else parts.pathname
    return f"{parts.protocol}//{parts.host}{path}{f'?{query}' if query else ''}"


def url_key(url: str) -> str:
    """A key that is equal for addresses of the same page, whatever the scheme, `www.`, tracking or last slash.

    >>> url_key("http://www.example.com/news/?utm_source=x&id=7#c")
    'example.com/news?id=7'

    No file name is treated as the index of its folder: redirects or equal texts of the site show that.
    """
    parts = _parsed(url.strip())
    if parts.protocol not in {"http:", "https:"}:
        return url.strip()
    path = _PATH_SESSION.sub("", parts.pathname)
    path = _AMP.sub("", path.rstrip("/")).rstrip("/")
    pairs = [(name, value) for name, value in _pairs(parts.search) if not _tracking.covers(name, value)]
    query = f"?{urlencode(sorted(pairs))}" if pairs else ""
    host = parts.host.removeprefix("www.").rstrip(".")
    return f"{host}{_plain(path)}{query}"


def without_session(url: str) -> str:
    """The address without session ids and tracking parameters.

    >>> without_session("https://example.org/a;jsessionid=1A2B?id=7&sid=9f8e7d6c5b4a&utm_source=x")
    'https://example.org/a?id=7'
    """
    head, mark, search = url.partition("#")[0].partition("?")
    head = _PATH_SESSION.sub("", head)
    # Parts are kept verbatim: decoding and encoding again could change what the server sees.
    kept = [part for part in search.split("&") if part and not _is_incidental(*part.partition("=")[::2])]
    return f"{head}?{'&'.join(kept)}" if mark and kept else head


def host_of(url: str) -> str:
    """The host and port, as the key for politeness; for addresses without a host, the scheme."""
    parts = _parsed(url)
    return parts.host or parts.protocol.rstrip(":")


def scheme_of(url: str) -> str:
    """`http`, `https`, `file` and so on."""
    return url.partition(":")[0].lower()


def path_and_query(url: str) -> tuple[str, str]:
    """The path and the query of an address; both are empty if it is none.

    >>> path_and_query("https://example.org/login?next=/a#top")
    ('/login', 'next=/a')
    """
    parts = resolved(None, url)
    return (parts.pathname, parts.search.removeprefix("?")) if parts is not None else ("", "")


def join(base: str, reference: str) -> str | None:
    """The absolute address of a link on a page; None if it cannot be fetched."""
    page = resolved(None, base)
    target = resolved(page, reference.strip()) if page is not None else None
    if target is None or target.protocol not in {"http:", "https:"} or not target.hostname:
        return None
    return str(target.href).partition("#")[0]


def resolved(base: can_ada.URL | None, reference: str) -> can_ada.URL | None:
    """The address that a reference means on a page of that base, as browsers read it; None if it means none."""
    try:
        return can_ada.parse(reference) if base is None else base + reference
    except (ValueError, TypeError):  # TypeError: half a surrogate pair is no text
        return None


def _parsed(url: str) -> can_ada.URL:
    found = resolved(None, url)
    if found is None:
        raise _no_address(url)
    return found


def meant(url: str) -> str:
    """A "Did you mean" sentence for a mistyped address, with a leading space; empty if there is no suggestion.

    >>> meant("htps://example.org/news")
    ' Did you mean https://example.org/news?'
    >>> meant("example.org:8080/news")
    ' Did you mean https://example.org:8080/news?'
    """
    text = url.strip()
    if "@" in text or _UNSAFE.search(text):  # it may have a password in it
        return ""
    scheme, colon, rest = text.partition(":")
    if (colon and _is_mistyped(scheme)) or (scheme.lower() in _WEB and rest):
        best = get_close_matches(scheme.lower(), _WEB, n=1, cutoff=_NEAR)[0]
        return f" Did you mean {best}://{rest.lstrip(':/')}?" if rest.strip(":/") else ""
    if found := _NO_COLON.fullmatch(text):
        return f" Did you mean {found[1].lower()}://{found[2]}?"
    return f" Did you mean https://{text}?" if _HOST.fullmatch(text) else ""


def _is_mistyped(scheme: str) -> bool:
    """Whether a scheme is similar to http or https, but is neither."""
    scheme = scheme.lower()
    return scheme not in _WEB and bool(get_close_matches(scheme, _WEB, cutoff=_NEAR))


def _no_address(url: str) -> ConfigError:
    return ConfigError(
        f"{_short(url)!r} is not an address; write it in full, such as https://example.org/news.{meant(url)}",
        code="bad_url",
    )


def _pairs(search: str) -> list[tuple[str, str]]:
    # keep_blank_values: "?print=" is another page than the one without it.
    return parse_qsl(search.removeprefix("?"), keep_blank_values=True) if search else []


def _is_incidental(name: str, value: str) -> bool:
    return _tracking.covers(name, value) or bool(_SESSION.fullmatch(name) and _MADE_UP.fullmatch(value))


def _plain(path: str) -> str:
    """Normalise percent-encoding: by RFC 3986, letters, digits and -._~ mean the same escaped or not."""
    return _ESCAPE.sub(_unescaped, path)


def _unescaped(escape: re.Match[str]) -> str:
    letter = chr(int(escape[1], 16))
    return letter if letter.isascii() and (letter.isalnum() or letter in "-._~") else escape[0].upper()


def _short(url: str) -> str:
    return url if len(url) <= 120 else url[:117] + "..."  # noqa: PLR2004 - a readable line
