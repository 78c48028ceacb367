"""Element names as feedparser spells them: one prefix per known namespace, whatever prefix the feed chose."""

from __future__ import annotations

#: Namespaces of the formats themselves: their elements have no prefix.
_PLAIN = (
    "http://backend.userland.com/rss",
    "http://blogs.law.harvard.edu/tech/rss",
    "http://purl.org/rss/1.0/",
    "http://my.netscape.com/rdf/simple/0.9/",
    "http://example.com/newformat#",
    "http://example.com/necho",
    "http://purl.org/echo/",
    "uri/of/echo/namespace#",
    "http://purl.org/pie/",
    "http://purl.org/atom/ns#",
    "http://www.w3.org/2005/Atom",
    "http://purl.org/rss/1.0/modules/rss091#",
)

#: Extensions of which some elements are read, or must not be mistaken for others.
_PREFIXED = {
    "http://purl.org/rss/1.0/modules/content/": "content",
    "http://purl.org/dc/elements/1.1/": "dc",
    "http://purl.org/dc/terms/": "dcterms",
    "http://rssnamespace.org/feedburner/ext/1.0": "feedburner",
    "http://www.itunes.com/DTDs/PodCast-1.0.dtd": "itunes",
    "http://example.com/DTDs/PodCast-1.0.dtd": "itunes",
    "http://search.yahoo.com/mrss": "media",
    "http://search.yahoo.com/mrss/": "media",
    "http://www.w3.org/1999/02/22-rdf-syntax-ns#": "rdf",
    "http://www.w3.org/1999/xhtml": "xhtml",
    "http://www.w3.org/1999/xlink": "xlink",
    "http://www.w3.org/XML/1998/namespace": "xml",
    "http://www.georss.org/georss": "georss",
    "http://www.opengis.net/gml": "gml",
    "http://web.resource.org/cc/": "cc",
    "http://creativecommons.org/ns#license": "cc",
    "http://podlove.org/simple-chapters": "psc",
}

_STANDARD = {**{uri.lower(): "" for uri in _PLAIN}, **{uri.lower(): prefix for uri, prefix in _PREFIXED.items()}}

#: Prefixes that the reference parser knows even if the feed forgot to declare them.
USUAL = {prefix: uri for uri, prefix in _PREFIXED.items()}

RSS_1 = "http://purl.org/rss/1.0/"
RSS_090 = "http://my.netscape.com/rdf/simple/0.9/"
ATOM_1 = "http://www.w3.org/2005/atom"


def standard_prefix(uri: str) -> str | None:
    """The standard prefix of this namespace, empty for the formats themselves; None if it is unknown."""
    lowered = uri.lower()
    if "backend.userland.com/rss" in lowered:
        return ""
    return _STANDARD.get(lowered)


def is_disguised(prefixes: dict[str | None, str]) -> bool:
    """Whether a feed uses a well-known prefix for another namespace: then names cannot be trusted."""
    return any(prefix in USUAL and standard_prefix(uri) != prefix for prefix, uri in prefixes.items())
